import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FromSchema, JsonSchema } from '../../lib/schema/json-schema.types.ts';
import { compileSchema } from '../../lib/schema/validate.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** Takes a schema literal; the second call compiles only when the inferred type is exactly the given one. */
function infers<const S extends JsonSchema>(schema: S): <Expected>(same: Equal<FromSchema<S>, Expected>) => S {
  return () => schema;
}

test('the types of scalars, enums, constants and boolean schemas are inferred', () => {
  infers(true)<unknown>(true);
  infers(false)<never>(true);
  infers({})<unknown>(true);
  infers({ type: 'string', minLength: 1 })<string>(true);
  infers({ type: 'integer' })<number>(true);
  infers({ type: ['string', 'null'] })<string | null>(true);
  infers({ type: 'string', enum: ['a', 'b'] })<'a' | 'b'>(true);
  infers({ enum: ['a', 1, null] })<'a' | 1 | null>(true);
  infers({ const: 'x' })<'x'>(true);
});

test('objects have required, optional and defaulted properties', () => {
  infers({
    type: 'object',
    properties: { text: { type: 'string' }, count: { type: 'integer', default: 1 }, deep: { type: 'boolean' } },
    required: ['text'],
    additionalProperties: false,
  })<{ text: string; count: number; deep?: boolean }>(true);
  infers({ type: 'object', properties: {}, additionalProperties: false })<{}>(true);
  infers({ type: 'object', required: ['other'] })<{ other: unknown }>(true);
  infers({ type: 'object' })<{ [key: string]: unknown }>(true);
  infers({ type: 'object', additionalProperties: { type: 'number' } })<{ [key: string]: number }>(true);
  infers({ properties: { text: { type: 'string' } } })<unknown>(true);
  const open: FromSchema<{ type: 'object'; properties: { a: { type: 'string' } }; additionalProperties: { type: 'number' } }> = { a: 'x', b: 1 };
  // @ts-expect-error neither the property nor the additional values are booleans
  open['c'] = true;
});

test('arrays have items, tuples certain places only when minItems says so', () => {
  infers({ type: 'array', items: { type: 'string' } })<string[]>(true);
  infers({ type: 'array' })<unknown[]>(true);
  infers({ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 2 })<[string, number]>(true);
  infers({ type: 'array', prefixItems: [{ type: 'string' }], items: false })<[string?]>(true);
  infers({ type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'null' }, minItems: 1 })<[string, ...null[]]>(true);
});

test('combinations and references are followed', () => {
  infers({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] })<string | string[]>(true);
  infers({ oneOf: [{ const: 1 }, { type: 'null' }] })<1 | null>(true);
  infers({ type: 'string', anyOf: [{ minLength: 1 }, { pattern: '^a' }] })<string>(true);
  infers({ $ref: '#/$defs/name', $defs: { name: { type: 'string' } } })<string>(true);
  infers({ $ref: '#/definitions/name', definitions: { name: { enum: ['a'] } } })<'a'>(true);
  infers({ $ref: '#/properties/other' })<unknown>(true);
  infers({ $ref: '#/$defs/absent', $defs: {} })<unknown>(true);
  type Both = FromSchema<{
    allOf: [{ type: 'object'; properties: { a: { type: 'string' } }; required: ['a'] }, { type: 'object'; properties: { b: { type: 'null' } } }];
  }>;
  const both: Both = { a: 'x', b: null };
  // @ts-expect-error a is required by the first part
  const part: Both = { b: null };
  type Tree = FromSchema<{
    $ref: '#/$defs/tree';
    $defs: { tree: { type: 'object'; properties: { kids: { type: 'array'; items: { $ref: '#/$defs/tree' } } }; required: ['kids'] } };
  }>;
  const tree: Tree = { kids: [{ kids: [] }] };
  const kids: Tree['kids'] = tree.kids[0]?.kids ?? [];
  // @ts-expect-error a kid is a tree
  const bad: Tree = { kids: [1] };
  assert.ok(both && part && kids && bad);
});

test('a misspelt keyword or type does not compile', () => {
  // @ts-expect-error requird is no keyword
  const keyword: JsonSchema = { type: 'object', requird: ['a'] };
  // @ts-expect-error text is no type
  const type: JsonSchema = { type: 'text' };
  const extension: JsonSchema = { 'x-note': 1 };
  assert.ok(keyword && type && extension);
});

test('a valid result has the inferred type at run time', () => {
  const validator = compileSchema({ type: 'object', properties: { n: { type: 'integer', default: 2 } }, additionalProperties: false });
  const result = validator.validate({});
  assert.ok(result.valid);
  const n: number = result.value.n;
  // @ts-expect-error m is no property
  assert.equal(result.value.m, undefined);
  assert.equal(n, 2);
});
