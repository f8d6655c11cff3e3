import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainIssues } from '../../lib/schema/explain.ts';
import type { JsonSchema } from '../../lib/schema/json-schema.types.ts';
import { compileSchema } from '../../lib/schema/validate.ts';

type Line = readonly [path: string, keyword: string, message: string];

const shapes: JsonSchema = { anyOf: [
  { type: 'object', properties: { kind: { const: 'file' }, path: { type: 'string' } }, required: ['kind', 'path'] },
  { type: 'object', properties: { kind: { const: 'url' }, url: { type: 'string' } }, required: ['kind', 'url'] },
  { type: 'string' },
] };

const cases: readonly (readonly [schema: JsonSchema, value: unknown, ...lines: Line[]])[] = [
  [{ type: 'object' }, [], ['', 'type', 'the value must be an object, got a list']],
  [{ properties: { count: { type: 'integer' } } }, { count: '3' }, ['/count', 'type', '/count must be an integer, got a string']],
  [{ properties: { n: { type: ['string', 'null'] } } }, { n: true }, ['/n', 'type', '/n must be a string or null, got a boolean']],
  [{ type: 'integer' }, 1.5, ['', 'type', 'the value must be an integer, got a number']],
  [{ required: ['file_path'], properties: { file_path: { description: 'Path of the file to scan. Relative to the root.' } } }, {},
    ['/file_path', 'required', '/file_path is required: Path of the file to scan']],
  [{ required: ['a'], properties: { a: { description: 'x'.repeat(200) } } }, {}, ['/a', 'required', `/a is required: ${'x'.repeat(99)}…`]],
  [{ required: ['a', 'toString'] }, {}, ['/a', 'required', '/a is required'], ['/toString', 'required', '/toString is required']],
  [{ additionalProperties: false }, { a: 1 }, ['/a', 'additionalProperties', '/a is not a known property']],
  [{ properties: { b: {}, c: {} }, additionalProperties: false }, { a: 1 }, ['/a', 'additionalProperties', '/a is not a known property; known: b or c']],
  [{ additionalProperties: { type: 'null' } }, { 'a/b~c': [0] }, ['/a~1b~0c', 'type', '/a~1b~0c must be null, got a list']],
  [{ items: { items: { type: 'string' } } }, [[], ['a', null]], ['/1/1', 'type', '/1/1 must be a string, got null']],
  [{ enum: ['a', 'b', 'c'.repeat(60)] }, 'd', ['', 'enum', `the value must be "a", "b" or "${'c'.repeat(38)}…`]],
  [{ enum: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] }, 0, ['', 'enum', 'the value must be 1, 2, 3, 4, 5, 6, 7, 8, 9 or 3 more']],
  [{ const: 1 }, 2, ['', 'const', 'the value must be 1']],
  [{ minimum: 1 }, 0, ['', 'minimum', 'the value must be at least 1']],
  [{ multipleOf: 0.1 }, 0.15, ['', 'multipleOf', 'the value must be a multiple of 0.1']],
  [{ minLength: 1 }, '', ['', 'minLength', 'the value must have at least 1 character']],
  [{ maxLength: 2, pattern: '^a' }, 'secret', ['', 'maxLength', 'the value must have at most 2 characters']],
  [{ pattern: '^a' }, 'secret', ['', 'pattern', 'the value must be text that matches ^a']],
  [{ pattern: `^${'a'.repeat(100)}` }, 'x', ['', 'pattern', `the value must be text that matches ^${'a'.repeat(78)}…`]],
  [{ minItems: 1 }, [], ['', 'minItems', 'the value must have at least 1 item, got 0']],
  [{ maxItems: 2 }, [1, 2, 3], ['', 'maxItems', 'the value must have at most 2 items, got 3']],
  [{ maxProperties: 1 }, { a: 1, b: 2 }, ['', 'maxProperties', 'the value must have at most 1 property, got 2']],
  [{ minProperties: 2 }, {}, ['', 'minProperties', 'the value must have at least 2 properties, got 0']],
  [{ uniqueItems: true }, [1, 2, 1, 1], ['/2', 'uniqueItems', '/2 repeats an earlier item of the list'], ['/3', 'uniqueItems', '/3 repeats an earlier item of the list']],
  [{ contains: { type: 'string' } }, [], ['', 'contains', 'the value must have at least 1 item that is a string']],
  [{ contains: {}, maxContains: 1 }, [1, 2], ['', 'maxContains', 'the value must have at most 1 item of the contained kind']],
  [{ contains: true, minContains: 2 }, [1], ['', 'minContains', 'the value must have at least 2 items of the contained kind']],
  [{ propertyNames: { pattern: '^a' } }, { b: 1 }, ['/b', 'propertyNames', '/b has a name that is not allowed here']],
  [{ dependentRequired: { a: ['b'] } }, { a: 1 }, ['/b', 'dependentRequired', '/b is required when a is given']],
  [{ properties: { a: false } }, { a: 1 }, ['/a', 'false', '/a is not allowed here']],
  [{ not: { type: 'string' } }, 'x', ['', 'not', 'the value must not be a string']],
  [{ not: {} }, 'x', ['', 'not', 'the value has a shape that is not allowed here']],
  [{ oneOf: [{}, { type: 'string' }] }, 'x', ['', 'oneOf', 'the value fits more than one of the allowed shapes; it must fit exactly one']],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, ['', 'anyOf', 'the value must be a string or null']],
  [{ oneOf: [{ enum: ['a', 'b'] }, { const: 1 }] }, 2, ['', 'oneOf', 'the value fits none of the 2 allowed shapes']],
  [{ anyOf: [false, { minimum: 3, type: 'number' }, { required: ['a'], type: 'object' }] }, 'x', ['', 'anyOf', 'the value must be one of the 3 allowed shapes']],
  [shapes, {}, ['', 'anyOf', 'the value fits none of the 3 allowed shapes']],
  [shapes, { kind: 'url' }, ['/url', 'required', '/url is required']],
  [shapes, 1, ['', 'anyOf', 'the value must be an object or a string']],
  [{ anyOf: [{ $ref: '#/$defs/s' }, { $ref: '#/$defs/yes' }], $defs: { s: { type: 'string', minLength: 1 }, yes: { const: true } } }, '',
    ['', 'anyOf', 'the value fits none of the 2 allowed shapes']],
  [{ anyOf: [{ $ref: '#/$defs/s' }, { type: 'null' }], $defs: { s: { type: 'string', minLength: 1 } } }, '',
    ['', 'minLength', 'the value must have at least 1 character']],
  [{ anyOf: [{ items: { anyOf: [{ type: 'string' }] }, type: 'array' }, { type: 'null' }] }, ['a', 1], ['/1', 'anyOf', '/1 must be a string']],
];

for (const [schema, value, ...lines] of cases) {
  test(`${JSON.stringify(schema).slice(0, 90)} says: ${lines.map((line) => line[2]).join('; ').slice(0, 100)}`, () => {
    const { issues } = compileSchema(schema).validate(value);
    assert.deepEqual(issues.map(({ path, keyword, message }) => [path, keyword, message]), lines);
  });
}

test('an issue says what was expected, where that is short', () => {
  const expected = (schema: JsonSchema, value: unknown): unknown => compileSchema(schema).validate(value).issues[0];
  assert.equal((expected({ type: 'integer' }, 'x') as { expected: string }).expected, 'an integer');
  assert.equal((expected({ enum: ['a', 'b'] }, 'x') as { expected: string }).expected, '"a" or "b"');
  assert.ok(!Object.hasOwn(expected({ additionalProperties: false }, { a: 1 }) as object, 'expected'));
});

test('at most 20 issues are reported, and the rest of the value is passed over', () => {
  const { issues } = compileSchema({ items: { type: 'string' }, contains: { type: 'null' } }).validate(Array.from({ length: 1000 }, () => 1));
  assert.equal(issues.length, 20);
  assert.equal(issues[19]?.path, '/19');
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`n${index}`, 1]));
  for (const schema of [{ required: Object.keys(many) }, { propertyNames: false }, { additionalProperties: false }] as const) {
    assert.equal(compileSchema(schema).validate('required' in schema ? {} : many).issues.length, 20);
  }
});

test('long names, secret values and control characters of the input stay out of messages', () => {
  const validator = compileSchema({ additionalProperties: { type: 'integer' } });
  const [issue] = validator.validate({ [`\u001b[2J${'k'.repeat(1000)}`]: 'hunter2' }).issues;
  assert.equal(issue?.path, `/\u001b[2J${'k'.repeat(60)}…`);
  assert.equal(issue?.message, `/\ufffd[2J${'k'.repeat(60)}… must be an integer, got a string`);
  const deep = compileSchema({ additionalProperties: { $ref: '#' }, type: 'object' });
  let value: unknown = 'hunter2';
  for (let level = 0; level < 100; level += 1) value = { 'name-of-ten': value };
  const [far] = deep.validate(value).issues;
  assert.match(far?.message ?? '', /^….{200} must be an object, got a string$/);
  assert.equal(far?.path, '/name-of-ten'.repeat(100));
});

test('explainIssues makes one sentence of the first five issues', () => {
  assert.equal(explainIssues([]), '');
  const { issues } = compileSchema({ properties: { a: { type: 'null' } }, required: ['b'] }).validate({ a: 1 });
  assert.equal(explainIssues(issues), '/b is required; /a must be null, got a number.');
  const many = compileSchema({ items: false }).validate([1, 2, 3, 4, 5, 6, 7]).issues;
  assert.match(explainIssues(many), /^\/0 is not allowed here; .*\/4 is not allowed here; and 2 more\.$/);
});
