import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lintToolSchema } from '../../lib/schema/lint.ts';

const described = { type: 'string', description: 'A text.' };

const cases: readonly (readonly [title: string, schema: unknown, problems: readonly string[]])[] = [
  ['a good schema has none', { type: 'object', properties: { a: described, l: { type: 'array', description: 'Texts.', items: { type: 'string' } } } }, []],
  ['no schema at all', true, ['the root must be a schema object']],
  ['a root of another type', {}, ['the root must have "type": "object"']],
  ['alternatives at the root', { type: 'object', oneOf: [{}], anyOf: [{}], allOf: [{}] },
    ['oneOf', 'anyOf', 'allOf'].map((keyword) => `the root must not have "${keyword}": some hosts refuse it there`)],
  ['alternatives further in are fine', { type: 'object', properties: { a: { ...described, anyOf: [{ minLength: 1 }] } } }, []],
  ['arrays without items, wherever they are',
    { type: 'object', properties: { a: { type: ['array', 'null'], description: 'x' } }, $defs: { 'b/c': { type: 'array', prefixItems: [{}] } } },
    ['/properties/a is an array without "items"', '/$defs/b~1c is an array without "items"']],
  ['a root that is an array', { type: 'array' }, ['the root must have "type": "object"', 'the root is an array without "items"']],
  ['names and descriptions of properties at every level',
    { type: 'object', properties: { 'a b': described, o: { description: 'o', properties: { p: { description: ' ' }, q: true } }, ['n'.repeat(65)]: described } },
    ['/properties/a b: the name must match ^[a-zA-Z0-9_.-]{1,64}$', '/properties/o/properties/p has no description',
      '/properties/o/properties/q has no description', `/properties/${'n'.repeat(65)}: the name must match ^[a-zA-Z0-9_.-]{1,64}$`]],
  ['a property named items is a property', { type: 'object', properties: { items: described, type: { ...described, type: 'array' } } },
    ['/properties/type is an array without "items"']],
];

for (const [title, schema, problems] of cases) {
  test(`the lint of tool schemas: ${title}`, () => {
    assert.deepEqual(lintToolSchema(schema), problems);
  });
}

test('a schema that holds itself is looked at once', () => {
  const schema: Record<string, unknown> = { type: 'object' };
  schema['additionalProperties'] = schema;
  assert.deepEqual(lintToolSchema(schema), []);
});
