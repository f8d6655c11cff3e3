import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSchemaError, SchemaError } from '../../lib/schema/schema-error.ts';
import type { JsonSchema } from '../../lib/schema/json-schema.types.ts';
import { compileSchema } from '../../lib/schema/validate.ts';

const refusal = (schema: unknown): SchemaError => {
  try {
    compileSchema(schema as JsonSchema);
  } catch (error) {
    assert.ok(isSchemaError(error), String(error));
    return error;
  }
  assert.fail(`compiles: ${JSON.stringify(schema)}`);
};

let bottomless: object = {};
for (let level = 0; level < 5000; level += 1) bottomless = { items: bottomless };
let deepConstant: unknown = 0;
for (let level = 0; level < 200; level += 1) deepConstant = [deepConstant];

const refused: readonly (readonly [schema: unknown, pointer: string, keyword: string, message: RegExp])[] = [
  [{ requird: ['a'] }, '', 'requird', /^schema refused at the root: "requird" is no keyword that is supported here$/],
  [{ properties: { 'a/b': { nullable: true } } }, '/properties/a~1b', 'nullable', /^schema refused at \/properties\/a~1b: "nullable" is no keyword/],
  [{ $defs: { unused: { foo: 1 } } }, '/$defs/unused', 'foo', /supported/],
  [{ constructor: 1 }, '', 'constructor', /supported/],
  [{ unevaluatedProperties: false }, '', 'unevaluatedProperties', /supported/],
  [{ $dynamicRef: '#a' }, '', '$dynamicRef', /supported/],
  [{ $anchor: 'a' }, '', '$anchor', /supported/],
  [{ type: 'text' }, '', 'type', /must be a type name or a list of different type names/],
  [{ type: [] }, '', 'type', /must be a type name/],
  [{ type: ['string', 'string'] }, '', 'type', /different/],
  [{ type: ['string', 'text'] }, '', 'type', /must be/],
  [{ enum: [] }, '', 'enum', /at least one value/],
  [{ enum: 'a' }, '', 'enum', /must be a list/],
  [{ enum: [NaN] }, '', 'enum', /must be/],
  [{ const: () => 1 }, '', 'const', /JSON value/],
  [{ const: deepConstant }, '', 'const', /JSON value/],
  [{ default: 1n }, '', 'default', /JSON value/],
  [{ properties: [] }, '', 'properties', /an object of schemas/],
  [{ properties: { a: 1 } }, '/properties/a', '', /it must be a schema: an object or a boolean/],
  [{ required: 'a' }, '', 'required', /different strings/],
  [{ required: ['a', 'a'] }, '', 'required', /different strings/],
  [{ required: [1] }, '', 'required', /different strings/],
  [{ dependentRequired: { a: 'b' } }, '', 'dependentRequired', /lists of different strings/],
  [{ items: [{}] }, '/items', '', /must be a schema/],
  [{ prefixItems: {} }, '', 'prefixItems', /a list of at least one schema/],
  [{ allOf: [] }, '', 'allOf', /at least one schema/],
  [{ anyOf: [{}, null] }, '/anyOf/1', '', /must be a schema/],
  [{ uniqueItems: 'yes' }, '', 'uniqueItems', /true or false/],
  [{ minLength: -1 }, '', 'minLength', /whole number/],
  [{ minItems: 1.5 }, '', 'minItems', /whole number/],
  [{ exclusiveMinimum: true }, '', 'exclusiveMinimum', /must be a number/],
  [{ maximum: Infinity }, '', 'maximum', /must be a number/],
  [{ multipleOf: 0 }, '', 'multipleOf', /above 0/],
  [{ description: 1 }, '', 'description', /must be a string/],
  [{ examples: 'x' }, '', 'examples', /must be a list/],
  [{ pattern: 1 }, '', 'pattern', /must be a string/],
  [{ pattern: '(' }, '', 'pattern', /holds a pattern that is no regular expression of ECMAScript with flag u: "\("$/],
  [{ items: { pattern: '^(a+)\\1$' } }, '/items', 'pattern', /holds a pattern that may take more than linear time/],
  [{ patternProperties: { '^(a+)\\1$': {} } }, '', 'patternProperties', /more than linear time/],
  [{ $ref: 'https://example.org/schema' }, '', '$ref', /must be local/],
  [{ $ref: '#anchor' }, '', '$ref', /must be local/],
  [{ $ref: '#/$defs/a' }, '', '$ref', /leads to nothing/],
  [{ $ref: '#/toString' }, '', '$ref', /leads to nothing/],
  [{ $ref: '#/title/x', title: 'x' }, '', '$ref', /leads to nothing/],
  [{ $ref: '#/%zz' }, '', '$ref', /leads to nothing/],
  [{ $ref: '#/title', title: 'x' }, '/title', '', /must be a schema/],
  [{ $ref: '#/x-a', 'x-a': { foo: 1 } }, '/x-a', 'foo', /supported/],
  [{ $ref: '#' }, '', '', /refers to itself without looking at a part/],
  [{ properties: { a: { anyOf: [{ $ref: '#/$defs/b' }] } }, $defs: { b: { not: { $ref: '#/properties/a' } } } }, '/properties/a', '', /refers to itself/],
  [{ properties: { a: { $id: 'urn:a' } } }, '/properties/a', '$id', /at the root only/],
  [{ properties: { 'a/b': { type: 'integer', default: 'x' } } }, '/properties/a~1b', 'default',
    /"default" does not fit its own schema: the value must be an integer, got a string/],
  [{ properties: { a: { $ref: '#', default: {} } } }, '/properties/a', 'default', /the value is nested too deeply/],
  [bottomless, '/items'.repeat(201), '', /nested too deeply/],
  [null, '', '', /must be a schema/],
  ['x', '', '', /must be a schema/],
  [[], '', '', /must be a schema/],
];

for (const [schema, pointer, keyword, message] of refused) {
  const text = schema === bottomless ? 'a bottomless schema' : String(JSON.stringify(schema, (_, value) => (typeof value === 'bigint' ? '1n' : value)));
  test(`${text.slice(0, 80)} is refused at its place`, () => {
    const error = refusal(schema);
    assert.deepEqual([error.pointer, error.keyword], [pointer, keyword]);
    assert.match(error.message, message);
  });
}

test('a SchemaError is told by its brand, not by its class', () => {
  const error = refusal({ foo: 1 });
  assert.equal(error.name, 'SchemaError');
  assert.ok(!Object.hasOwn(error, 'name'));
  const twin = Object.assign(new Error('x'), { [Symbol.for('toolwire.SchemaError')]: true });
  assert.ok(isSchemaError(twin) && !isSchemaError(new Error('x')) && !isSchemaError(null) && !isSchemaError('x'));
});

test('a keyword whose value is undefined is not there', () => {
  assert.ok(compileSchema({ minLength: undefined, items: undefined } as unknown as JsonSchema).validate('').valid);
});

test('a schema object used in two places is compiled once and works in both', () => {
  const name: JsonSchema = { type: 'string' };
  const { issues } = compileSchema({ properties: { a: name, b: name }, items: name }).validate({ a: 1, b: 2 });
  assert.deepEqual(issues.map((issue) => issue.path), ['/a', '/b']);
});

test('hundreds of definitions in a chain compile and validate', () => {
  const $defs: Record<string, JsonSchema> = { d0: { type: 'integer' } };
  for (let index = 1; index < 400; index += 1) $defs[`d${index}`] = { $ref: `#/$defs/d${index - 1}` };
  const validator = compileSchema({ $defs, $ref: '#/$defs/d399' });
  assert.ok(validator.validate(1).valid);
  assert.equal(validator.validate('x').valid, false);
});
