import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../../lib/schema/json-schema.types.ts';
import { compileSchema } from '../../lib/schema/validate.ts';

const string: JsonSchema = { type: 'string', default: 'd' };

const cases: readonly (readonly [title: string, schema: JsonSchema, given: unknown, filled: unknown])[] = [
  ['an absent property gets its default', { properties: { a: string, n: { default: null } } }, {}, { a: 'd', n: null }],
  ['a present property keeps its value', { properties: { a: { default: 1 } } }, { a: null }, { a: null }],
  ['a default satisfies required, minProperties and dependentRequired',
    { properties: { a: string }, required: ['a'], minProperties: 2, dependentRequired: { b: ['a'] } }, { b: 1 }, { b: 1, a: 'd' }],
  ['a default is itself filled in', { properties: { o: { properties: { a: string }, default: {} } } }, {}, { o: { a: 'd' } }],
  ['objects inside objects and lists are filled in',
    { properties: { l: { prefixItems: [{ properties: { a: string } }], items: { properties: { b: string } } } } }, { l: [{}, { b: 'x' }, {}] }, { l: [{ a: 'd' }, { b: 'x' }, { b: 'd' }] }],
  ['additional and pattern properties are filled in',
    { patternProperties: { '^p': { properties: { a: string } } }, additionalProperties: { properties: { b: string } } }, { p: {}, q: {} }, { p: { a: 'd' }, q: { b: 'd' } }],
  ['$ref and allOf fill in, and required sees it',
    { $ref: '#/$defs/r', allOf: [{ properties: { b: string } }], required: ['a', 'b'], $defs: { r: { properties: { a: string } } } }, {}, { a: 'd', b: 'd' }],
  ['the first alternative of anyOf that fits fills in',
    { anyOf: [{ properties: { a: string }, required: ['x'] }, { properties: { b: string } }, { properties: { c: string } }] }, {}, { b: 'd' }],
  ['the alternative of oneOf that fits fills in', { oneOf: [{ properties: { a: string }, required: ['x'] }, { properties: { b: string } }] }, {}, { b: 'd' }],
  ['then fills in, if and not do not',
    { if: { properties: { i: string } }, then: { properties: { t: string } }, not: { properties: { n: string }, required: ['z'] } }, {}, { t: 'd' }],
  ['dependentSchemas fill in', { dependentSchemas: { x: { properties: { a: string } } } }, { x: 1 }, { x: 1, a: 'd' }],
  ['a default outside properties says something to readers only', { type: 'string', default: 'root' }, 'x', 'x'],
  ['what is no object is left alone', { properties: { a: string } }, [1], [1]],
];

for (const [title, schema, given, filled] of cases) {
  test(title, () => {
    const before = structuredClone(given);
    const result = compileSchema(schema).validate(given);
    assert.deepEqual(result, { valid: true, value: filled, issues: [] });
    assert.deepEqual(given, before, 'the input is not changed');
  });
}

test('input that lacks nothing is returned as the same object', () => {
  const given = { a: 'x', l: [{ a: 'y' }] };
  const schema: JsonSchema = { properties: { a: string, l: { items: { properties: { a: string } } } } };
  assert.equal(compileSchema(schema).validate(given).value, given);
});

test('each validation gets its own copy of a default', () => {
  const validator = compileSchema({ type: 'object', properties: { l: { type: 'array', items: { type: 'object' }, default: [{ a: [1] }] } } });
  const first = validator.validate({});
  assert.ok(first.valid);
  first.value.l.push({});
  first.value.l[0]!['a'] = 'changed';
  assert.deepEqual(validator.validate({}).value, { l: [{ a: [1] }] });
});

test('defaults under __proto__ and constructor become own properties and touch no prototype', () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"default":{"__proto__":{"polluted":1}}},"constructor":{"default":{"polluted":1}}}}') as JsonSchema;
  const { value } = compileSchema(schema).validate({ a: 1 });
  assert.equal(JSON.stringify(value), '{"a":1,"__proto__":{"__proto__":{"polluted":1}},"constructor":{"polluted":1}}');
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

test('an own __proto__ of the input survives the copy', () => {
  const given: unknown = JSON.parse('{"__proto__":{"x":1}}');
  const { value } = compileSchema({ properties: { a: string } }).validate(given);
  assert.equal(JSON.stringify(value), '{"__proto__":{"x":1},"a":"d"}');
});
