import { isObject } from './json-value.ts';
import type { JsonObject } from './json-value.ts';

/** What the value of a keyword is. */
export type KeywordShape =
  | 'type' | 'any' | 'list' | 'choices' | 'text' | 'flag' | 'count' | 'number' | 'factor' | 'names' | 'name lists'
  | 'schema' | 'schemas' | 'schema map' | 'pattern map' | 'pattern';

/** Every keyword that is served, with the shape its value has to have; the order is that of JsonSchemaObject. */
export const keywords: ReadonlyMap<string, KeywordShape> = new Map<string, KeywordShape>([
  ['type', 'type'], ['enum', 'choices'], ['const', 'any'], ['default', 'any'],
  ['properties', 'schema map'], ['required', 'names'], ['additionalProperties', 'schema'], ['patternProperties', 'pattern map'],
  ['propertyNames', 'schema'], ['minProperties', 'count'], ['maxProperties', 'count'],
  ['dependentRequired', 'name lists'], ['dependentSchemas', 'schema map'],
  ['items', 'schema'], ['prefixItems', 'schemas'], ['contains', 'schema'], ['minContains', 'count'], ['maxContains', 'count'],
  ['minItems', 'count'], ['maxItems', 'count'], ['uniqueItems', 'flag'],
  ['minimum', 'number'], ['maximum', 'number'], ['exclusiveMinimum', 'number'], ['exclusiveMaximum', 'number'],
  ['multipleOf', 'factor'],
  ['minLength', 'count'], ['maxLength', 'count'], ['pattern', 'pattern'],
  ['anyOf', 'schemas'], ['oneOf', 'schemas'], ['allOf', 'schemas'], ['not', 'schema'],
  ['if', 'schema'], ['then', 'schema'], ['else', 'schema'],
  ['$ref', 'text'], ['$defs', 'schema map'], ['definitions', 'schema map'],
  ['$schema', 'text'], ['$id', 'text'], ['id', 'text'], ['$comment', 'text'], ['title', 'text'], ['description', 'text'],
  ['examples', 'list'], ['deprecated', 'flag'], ['readOnly', 'flag'], ['writeOnly', 'flag'], ['format', 'text'],
  ['contentEncoding', 'text'], ['contentMediaType', 'text'],
]);

const typeNames = new Set(['null', 'boolean', 'number', 'integer', 'string', 'array', 'object']);

const isTypeName = (value: unknown): boolean => typeof value === 'string' && typeNames.has(value);

const areNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === 'string') && new Set(value).size === value.length;

// Subschemas themselves are looked at when they are compiled, under their own pointer.
const shapes: Record<KeywordShape, readonly [wants: string, fits: (value: unknown) => boolean]> = {
  type: ['a type name or a list of different type names', (value) =>
    isTypeName(value) || (areNames(value) && (value as unknown[]).length > 0 && (value as unknown[]).every(isTypeName))],
  any: ['a JSON value', (value) => isJson(value, 100)],
  list: ['a list', Array.isArray],
  choices: ['a list of at least one value', (value) => Array.isArray(value) && value.length > 0 && isJson(value, 100)],
  text: ['a string', (value) => typeof value === 'string'],
  pattern: ['a string', (value) => typeof value === 'string'],
  flag: ['true or false', (value) => typeof value === 'boolean'],
  count: ['a whole number of at least 0', (value) => Number.isInteger(value) && (value as number) >= 0],
  number: ['a number', Number.isFinite],
  factor: ['a number above 0', (value) => Number.isFinite(value) && (value as number) > 0],
  names: ['a list of different strings', areNames],
  'name lists': ['an object of lists of different strings', (value) => isObject(value) && Object.values(value).every(areNames)],
  schema: ['a schema: an object or a boolean', () => true],
  schemas: ['a list of at least one schema', (value) => Array.isArray(value) && value.length > 0],
  'schema map': ['an object of schemas', isObject],
  'pattern map': ['an object of schemas', isObject],
};

/** What is wrong with a keyword of a schema, as the end of a sentence; undefined when it is one and well formed. */
export function keywordProblem(keyword: string, value: unknown): string | undefined {
  const shape = keywords.get(keyword);
  if (shape === undefined) return keyword.startsWith('x-') ? undefined : 'is no keyword that is supported here';
  const [wants, fits] = shapes[shape];
  return fits(value) ? undefined : `must be ${wants}`;
}

/** Is shown a subschema with its keyword and, where the keyword holds several, the name or index it stands under. */
export type SubschemaVisitor = (schema: unknown, keyword: string, name: string | undefined) => void;

/** Shows the schemas right inside a schema, in the order they stand. */
export function eachSubschema(schema: JsonObject, visit: SubschemaVisitor): void {
  for (const keyword of Object.keys(schema)) {
    const shape = keywords.get(keyword);
    const value = schema[keyword];
    if (value === undefined || shape === undefined) continue;
    if (shape === 'schema') visit(value, keyword, undefined);
    else if (holdsSeveral(shape, value)) for (const name of Object.keys(value)) visit(value[name], keyword, name);
  }
}

function holdsSeveral(shape: KeywordShape, value: unknown): value is JsonObject {
  return shape === 'schemas' ? Array.isArray(value) : (shape === 'schema map' || shape === 'pattern map') && isObject(value);
}

function isJson(value: unknown, levels: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'object' && levels > 0 && Object.values(value).every((item) => isJson(item, levels - 1));
}
