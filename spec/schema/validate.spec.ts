import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../../lib/schema/json-schema.types.ts';
import { compileSchema } from '../../lib/schema/validate.ts';

type Case = readonly [title: string, schema: JsonSchema, valid: readonly unknown[], invalid: readonly unknown[]];

const nested = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

// Cases follow the rules that the JSON-Schema-Test-Suite for 2020-12 tests.
const cases: readonly Case[] = [
  ['true takes everything', true, [null, 0, '', [], {}], []],
  ['false takes nothing', false, [], [null, 0, '', [], {}]],
  ['an empty schema takes everything', {}, [null, 1.5, { a: [] }], []],
  ['integer takes 1.0 and no fraction', { type: 'integer' }, [1, 1.0, -0, 1e300], [1.5, '1', null, true]],
  ['number takes integers', { type: 'number' }, [1, 1.5], ['1', null]],
  ['a list of types takes each', { type: ['string', 'null'] }, ['', null], [0, false, [], {}]],
  ['array and object differ, null is neither', { type: 'object' }, [{}], [[], null, 'x']],
  ['array is no object', { type: 'array' }, [[]], [{}, null]],
  ['boolean is no number', { type: 'boolean' }, [true, false], [0, 1, 'true']],
  ['enum compares simple values by type', { enum: [1, 'a', null, false] }, [1, 1.0, 'a', null, false], ['1', 0, true, [], {}]],
  ['enum compares compounds deeply and without key order', { enum: [{ a: [1, { b: 2 }], c: null }, [0]] },
    [{ c: null, a: [1, { b: 2 }] }, [0]], [{ a: [1, { b: 2 }] }, [false], { a: [1, { b: 3 }], c: null }, [0, 0], 0, { a: 1, b: 2 }]],
  ['const takes one value', { const: { a: false } }, [{ a: false }], [{ a: 0 }, {}, { a: false, b: 1 }, [false], null]],
  ['const null is a constant', { const: null }, [null], [0, undefined]],
  ['minimum and maximum are inclusive', { minimum: 1.1, maximum: 3 }, [1.1, 3, 'x'], [1, 3.01]],
  ['exclusive bounds exclude', { exclusiveMinimum: 1, exclusiveMaximum: 3 }, [1.1, 2.9], [1, 3]],
  ['multipleOf of integers', { multipleOf: 2 }, [10, 0, -4, 'x'], [7]],
  ['multipleOf of decimals is exact', { multipleOf: 0.0001 }, [0.0075, 0, 3], [0.00751]],
  ['multipleOf of tenths is exact', { multipleOf: 0.1 }, [0.3, 1.1, 4.35e1], [0.35]],
  ['multipleOf of a fraction and a huge number', { multipleOf: 0.123456789 }, [0.123456789e3], [1e308]],
  ['multipleOf of a tiny factor', { multipleOf: 1e-8 }, [12391239123], [1e-9, Infinity]],
  ['lengths count code points', { minLength: 2, maxLength: 3 }, ['fo', '\u{1f4a9}\u{1f4a9}', '\u{1f4a9}\u{1f4a9}\u{1f4a9}', 5], ['f', '\u{1f4a9}', 'long', '\u{1f4a9}aaa']],
  ['half a surrogate pair is a character', { minLength: 2, maxLength: 2 }, ['\ud83d\ud83d', 'a\ud83d', '\udca9a'], ['\ud83d\udca9', '\ud83daa']],
  ['pattern is not anchored and knows Unicode', { pattern: 'a\\p{Lu}' }, ['xxaÄx', 7], ['aä', '']],
  ['items look at every item', { items: { type: 'integer' } }, [[], [1, 2], { a: 'x' }], [[1, 'x']]],
  ['prefixItems look at places, items at the rest', { prefixItems: [{ type: 'integer' }, true], items: { type: 'string' } },
    [[], [1], [1, {}, 'a']], [['x'], [1, 1, 1]]],
  ['prefixItems alone leave the rest free', { prefixItems: [{ type: 'integer' }] }, [[1, 'x', null]], [['x']]],
  ['items false closes a tuple', { prefixItems: [{}, {}], items: false }, [[1, 2], []], [[1, 2, 3]]],
  ['contains needs one', { contains: { minimum: 5 } }, [[1, 5], {}], [[], [1, 2]]],
  ['contains false needs what cannot be', { contains: false }, ['x'], [[], ['x']]],
  ['minContains and maxContains count', { contains: { const: 1 }, minContains: 2, maxContains: 3 }, [[1, 1], [1, 2, 1, 1]], [[1], [1, 1, 1, 1], []]],
  ['minContains 0 asks for none', { contains: { const: 1 }, minContains: 0, maxContains: 1 }, [[], [2], [1]], [[1, 1]]],
  ['minContains without contains is nothing', { minContains: 5, maxContains: 0 }, [[], [1]], []],
  ['minItems and maxItems', { minItems: 1, maxItems: 2 }, [[1], [1, 2], {}], [[], [1, 2, 3]]],
  ['uniqueItems compares as JSON Schema does', { uniqueItems: true },
    [[1, true, '1', 'true'], [0, false, [0], [false]], [{ a: 1, b: 2 }, { a: 2, b: 1 }], [[1], '[1]'], [], ['a,b', 'a'], [['a', 'b'], ['a,b']]],
    [[1, 1.0], [{ a: 1, b: [2] }, { b: [2], a: 1 }], [[[null]], [[null]]], [null, null], ['x', 'x'], [0, -0]]],
  ['uniqueItems false asks nothing', { uniqueItems: false }, [[1, 1]], []],
  ['required looks for own names', { required: ['toString', 'a'] }, [{ toString: 1, a: undefined }, [], 'x'], [{ a: 1 }, {}]],
  ['required knows __proto__', { required: ['__proto__'] }, [nested(JSON.parse('{"__proto__":1}'))], [{}]],
  ['properties, patternProperties and additionalProperties share the names',
    { properties: { foo: { minItems: 1 }, bar: true }, patternProperties: { '^f.o': { maxItems: 2 } }, additionalProperties: { type: 'integer' } },
    [{ foo: [1] }, { fxo: [1, 2] }, { bar: 'x', other: 1 }, []], [{ foo: [] }, { foo: [1, 2, 3] }, { fxo: [1, 2, 3] }, { other: 'x' }]],
  ['additionalProperties false closes', { properties: { a: {} }, patternProperties: { '^v': {} }, additionalProperties: false },
    [{ a: 1, vroom: 2 }, [1], 'x'], [{ b: 1 }, { toString: 1 }, { constructor: 1 }, nested(JSON.parse('{"__proto__":1}'))]],
  ['additionalProperties do not look into allOf', { allOf: [{ properties: { foo: {} } }], additionalProperties: { type: 'boolean' } },
    [{ foo: true }], [{ foo: 1 }]],
  ['properties named like Object.prototype members are plain', { properties: { constructor: { type: 'number' as const }, toString: { type: 'string' as const } } },
    [{}, { constructor: 1 }], [{ constructor: 'x' }, { toString: 1 }]],
  ['a property false forbids it', { properties: { a: false } }, [{}, { b: 1 }], [{ a: 1 }]],
  ['propertyNames look at names', { propertyNames: { maxLength: 3, pattern: '^[a-z]' } }, [{ abc: 1 }, {}, []], [{ abcd: 1 }, { Abc: 1 }]],
  ['minProperties and maxProperties', { minProperties: 1, maxProperties: 2 }, [{ a: 1 }, { a: 1, b: 2 }, []], [{}, { a: 1, b: 2, c: 3 }]],
  ['dependentRequired', { dependentRequired: { a: ['b', 'c'] } }, [{}, { b: 1 }, { a: 1, b: 1, c: 1 }, []], [{ a: 1 }, { a: 1, b: 1 }]],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] }, c: false } }, [{}, { a: 1, b: 1 }], [{ a: 1 }, { c: 1 }]],
  ['allOf needs all', { allOf: [{ minimum: 2 }, { maximum: 3 }], multipleOf: 0.5 }, [2, 2.5, 3], [1, 4, 2.2]],
  ['anyOf needs one', { anyOf: [{ type: 'integer' }, { minimum: 2 }] }, [1, 2.5, 3, 'x'], [1.5]],
  ['oneOf needs exactly one', { oneOf: [{ type: 'integer' }, { minimum: 2 }] }, [1, 2.5], [3, 1.5]],
  ['oneOf of three that fit', { oneOf: [true, true, true] }, [], [1]],
  ['not turns round', { not: { type: ['integer', 'boolean'] } }, ['x', 1.5], [1, true]],
  ['not not', { not: { not: { type: 'string' } } }, ['x'], [1]],
  ['if, then, else', { if: { type: 'number', exclusiveMaximum: 0 }, then: { minimum: -10 }, else: { multipleOf: 2 } }, [-1, 4, 'x'], [-100, 3]],
  ['if alone asks nothing, then alone neither', { allOf: [{ if: { const: 0 } }, { then: { const: 0 } }, { else: { const: 0 } }] }, [0, 1], []],
  ['if without else', { if: { minimum: 5 }, then: { maximum: 6 } }, [1, 5], [7]],
  ['$ref with siblings applies both', { $ref: '#/$defs/list', maxItems: 2, $defs: { list: { type: 'array' } } }, [[], [1, 2]], ['x', [1, 2, 3]]],
  ['$ref to names with ~, / and %', { properties: { a: { $ref: '#/$defs/x~1y~0z%25%22' } }, $defs: { 'x/y~z%"': { type: 'integer' } } }, [{ a: 1 }], [{ a: 'x' }]],
  ['$ref into a list, to definitions, to a boolean and into x-',
    { prefixItems: [{ type: 'integer' }, { $ref: '#/prefixItems/0' }, { $ref: '#/definitions/no' }, { $ref: '#/x-shared/s' }], definitions: { no: false }, 'x-shared': { s: { type: 'string' } } },
    [[1, 2]], [[1, 'x'], [1, 2, 3], [1, 2, 3, 4]]],
  ['a property named $ref is a property', { properties: { $ref: { type: 'string' } } }, [{ $ref: 'a' }], [{ $ref: 2 }]],
  ['a recursive root', { properties: { foo: { $ref: '#' } }, additionalProperties: false }, [{ foo: {} }, { foo: { foo: {} } }], [{ bar: 1 }, { foo: { bar: 1 } }]],
  ['mutual recursion', { $ref: '#/$defs/tree', $defs: {
    tree: { type: 'object', properties: { nodes: { type: 'array', items: { $ref: '#/$defs/node' } } }, required: ['nodes'] },
    node: { type: 'object', properties: { value: { type: 'number' }, sub: { $ref: '#/$defs/tree' } }, required: ['value'] } } },
    [{ nodes: [{ value: 1, sub: { nodes: [] } }] }], [{ nodes: [{ value: 1, sub: { nodes: [{}] } }] }]],
  ['annotations ask nothing', { title: 't', description: 'd', $comment: 'c', examples: [1], deprecated: true, readOnly: true, writeOnly: false,
    format: 'email', id: 'i', $id: 'urn:x', $schema: 'https://json-schema.org/draft/2020-12/schema', contentEncoding: 'base64',
    contentMediaType: 'text/plain', default: 3, 'x-any': [] }, ['no mail', 1], []],
];

for (const [title, schema, valid, invalid] of cases) {
  test(title, () => {
    const validator = compileSchema(schema);
    for (const value of valid) assert.deepEqual(validator.validate(value), { valid: true, value, issues: [] });
    for (const value of invalid) {
      const result = validator.validate(value);
      assert.ok(!result.valid && result.issues.length > 0, JSON.stringify(value));
      assert.equal(result.value, value);
    }
  });
}

test('input that is no JSON is of no type', () => {
  const validator = compileSchema({ type: ['null', 'boolean', 'number', 'string', 'array', 'object'] });
  for (const value of [undefined, () => 1, 1n, Symbol('x')]) {
    assert.match(validator.validate(value).issues[0]?.message ?? '', /got no JSON value/);
  }
});

test('what a polluted prototype adds is no member of a value', (t) => {
  const prototype = Object.prototype as Record<string, unknown>;
  prototype['polluted'] = 1;
  t.after(() => delete prototype['polluted']);
  assert.ok(compileSchema({ additionalProperties: false }).validate({}).valid);
});
