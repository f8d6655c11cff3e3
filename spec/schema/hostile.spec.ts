import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../../lib/schema/json-schema.types.ts';
import { compileSchema } from '../../lib/schema/validate.ts';

const levels = (count: number, wrap: (inner: unknown) => unknown, innermost: unknown = 0): unknown => {
  let value = innermost;
  for (let level = 0; level < count; level += 1) value = wrap(value);
  return value;
};

const list = (inner: unknown): unknown => [inner];
const member = (inner: unknown): unknown => ({ m: inner });

const recursive: readonly (readonly [title: string, schema: JsonSchema, wrap: (inner: unknown) => unknown])[] = [
  ['items', { items: { $ref: '#' } }, list],
  ['prefixItems in anyOf', { anyOf: [{ type: 'array', prefixItems: [{ $ref: '#' }] }, { type: 'integer' }] }, list],
  ['not of not', { not: { not: { items: { $ref: '#' } } } }, list],
  ['oneOf in allOf', { allOf: [{ oneOf: [{ type: 'array', items: { $ref: '#' } }, { type: 'integer' }] }] }, list],
  ['contains', { type: ['array', 'integer'], contains: { $ref: '#' } }, list],
  ['if', { if: { items: { $ref: '#' } }, then: true }, list],
  ['pattern and additional properties', { patternProperties: { '^m': { anyOf: [{ $ref: '#' }] } }, additionalProperties: { $ref: '#' } }, member],
  ['dependentSchemas', { dependentSchemas: { m: { properties: { m: { $ref: '#' } } } } }, member],
  ['uniqueItems', { uniqueItems: true }, list],
];

for (const [title, schema, wrap] of recursive) {
  test(`a value of 10,000 levels is refused by a recursive schema through ${title}, 100 levels are taken`, () => {
    const validator = compileSchema(schema);
    assert.ok(validator.validate(levels(100, wrap)).valid);
    const { issues } = validator.validate(levels(10_000, wrap));
    assert.deepEqual(issues, [{ path: '', keyword: 'limit', message: 'the value is nested too deeply' }]);
  });
}

test('a value deeper than the schema looks is taken as it is, and compared only as deep as the schema', () => {
  assert.ok(compileSchema({ type: 'array' }).validate(levels(10_000, list)).valid);
  assert.equal(compileSchema({ const: [[1]] }).validate(levels(10_000, list)).valid, false);
});

test('alternatives that multiply with the depth of the value end at a limit', () => {
  const branch: JsonSchema = { type: 'array', items: { $ref: '#' } };
  const validator = compileSchema({ anyOf: [branch, { ...branch, maxItems: 9 }, { type: 'integer' }] });
  assert.ok(validator.validate(levels(50, list)).valid);
  const { issues } = validator.validate(levels(50, list, 'x'));
  assert.deepEqual(issues, [{ path: '', keyword: 'limit', message: 'the value has too many alternatives to try' }]);
});

test('alternatives inside alternatives cost no more than their number when the only shape that suits is explained', () => {
  const validator = compileSchema({ anyOf: [{ type: 'array', items: { $ref: '#' } }, { type: 'integer' }] });
  const { issues } = validator.validate(levels(60, list, 'x'));
  assert.equal(issues[0]?.path, '/0'.repeat(60));
  assert.equal(issues[0]?.message, `${`…${'/0'.repeat(60)}`.slice(1)} must be a list or an integer`);
});

test('200,000 different items are told apart in linear time', () => {
  const validator = compileSchema({ uniqueItems: true });
  const items: unknown[] = Array.from({ length: 200_000 }, (_, index) => ({ index }));
  assert.ok(validator.validate(items).valid);
  assert.deepEqual(validator.validate([...items, { index: 7 }]).issues.map((issue) => issue.path), ['/200000']);
});

test('a text too long for the engine of regular expressions is refused, not thrown', () => {
  const validator = compileSchema({ pattern: '^(?:a|b)*$' });
  assert.ok(validator.validate('abba').valid);
  assert.equal(validator.validate('a'.repeat(30_000_000)).issues[0]?.keyword, 'pattern');
});

test('bounded repeats inside bounded repeats answer at once, as a property and as the name of one', () => {
  for (const pattern of ['^([a-z0-9]{1,63}\\.?){1,8}$', '^(a?){50}$', '^(\\w{1,20}\\s?){1,10}$', '^(?:a{1,30}){1,30}$']) {
    const validator = compileSchema({ properties: { host: { pattern } }, patternProperties: { [pattern]: { const: 1 } } });
    const begin = process.cpuUsage().user;
    const text = `${'a'.repeat(44)}!`;
    assert.equal(validator.validate({ host: text, [text]: 2 }).issues[0]?.path, '/host');
    assert.equal(validator.validate({ aaa: 2, host: 'aaa' }).issues[0]?.path, '/aaa');
    assert.ok(process.cpuUsage().user - begin < 1_000_000, pattern);
  }
});
