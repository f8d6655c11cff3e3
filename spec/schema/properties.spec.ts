import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { equalityKey, equalJson } from '../../lib/schema/json-value.ts';
import type { JsonSchema, JsonValue } from '../../lib/schema/json-schema.types.ts';
import { compileSchema } from '../../lib/schema/validate.ts';

type Pair = { schema: JsonSchema; value: JsonValue };

const name = fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString'), fc.string({ maxLength: 4 }));
const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;

/** Schemas with a value that meets them by construction. */
const { pair } = fc.letrec<{ pair: Pair }>((tie) => ({
  pair: fc.oneof(
    { maxDepth: 3 },
    fc.integer().map((value): Pair => ({ schema: { type: 'integer', minimum: value, maximum: value }, value })),
    fc.string({ unit: 'grapheme' }).map((value): Pair => ({ schema: { type: 'string', minLength: [...value].length, maxLength: [...value].length }, value })),
    json.map((value): Pair => ({ schema: { enum: ['other', value], const: value }, value })),
    fc.array(tie('pair'), { maxLength: 4 }).map((pairs): Pair => ({
      schema: { type: 'array', ...(pairs.length === 0 ? {} : { prefixItems: pairs.map((one) => one.schema) }), items: false, minItems: pairs.length },
      value: pairs.map((one) => one.value),
    })),
    fc.uniqueArray(fc.tuple(name, tie('pair')), { selector: ([key]) => key, maxLength: 4 }).map((members): Pair => ({
      schema: {
        type: 'object',
        properties: Object.fromEntries(members.map(([key, one]) => [key, one.schema])),
        required: members.map(([key]) => key),
        additionalProperties: false,
      },
      value: Object.fromEntries(members.map(([key, one]) => [key, one.value])),
    })),
    tie('pair').map(({ schema, value }): Pair => ({ schema: { anyOf: [{ not: {} }, schema] }, value })),
    tie('pair').map(({ schema, value }): Pair => ({ schema: { oneOf: [schema, false], not: { allOf: [schema, false] } }, value })),
    tie('pair').map(({ schema, value }): Pair => ({ schema: { if: schema, then: schema, else: false }, value })),
  ),
}));

test('a value made to meet its schema is valid and comes back as it is', () => {
  fc.assert(fc.property(pair, ({ schema, value }) => {
    const result = compileSchema(schema).validate(value);
    assert.deepEqual(result.issues, []);
    assert.equal(result.value, value);
  }));
});

test('no JSON value makes a validator throw or changes under it, and issues have valid pointers', () => {
  fc.assert(fc.property(pair, json, ({ schema }, value) => {
    const before = JSON.stringify(value);
    const { valid, issues } = compileSchema(schema).validate(value);
    assert.equal(JSON.stringify(value), before);
    assert.equal(valid, issues.length === 0);
    for (const issue of issues) assert.match(issue.path, /^(?:\/(?:[^~/]|~[01])*)*$/);
  }));
});

test('defaults are added for absent properties and never alter a present one', () => {
  fc.assert(fc.property(fc.dictionary(name, json), fc.dictionary(name, json), (given, defaults) => {
    const properties = Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, { default: value }]));
    const { value } = compileSchema({ properties }).validate(given);
    const filled = value as Record<string, unknown>;
    for (const key of Object.keys(given)) assert.deepEqual(filled[key], given[key]);
    for (const key of Object.keys(defaults)) if (!Object.hasOwn(given, key)) assert.deepEqual(filled[key], defaults[key]);
    assert.equal(Object.keys(filled).length, new Set([...Object.keys(given), ...Object.keys(defaults)]).size);
  }));
});

test('two values are equal exactly when their keys are', () => {
  fc.assert(fc.property(json, json, (a, b) => {
    assert.equal(equalityKey(a, 100) === equalityKey(b, 100), equalJson(a, b));
    assert.equal(equalityKey(a, 100), equalityKey(JSON.parse(JSON.stringify(a)), 100));
  }));
});
