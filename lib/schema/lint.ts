import { escapeName, isObject } from './json-value.ts';
import { eachSubschema } from './keywords.ts';

const topLevelAlternatives = ['oneOf', 'anyOf', 'allOf'];

// Hosts hand property names to model APIs that refuse others.
const propertyName = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * What a tool's inputSchema has that hosts or model APIs are known to refuse or to handle badly, one sentence each;
 * empty for a good schema: root of type object without oneOf, anyOf or allOf, every array with items, plain property
 * names, a description on every property. Whether the schema compiles is compileSchema's to say.
 */
export function lintToolSchema(schema: unknown): string[] {
  if (!isObject(schema)) return ['the root must be a schema object'];
  const problems: string[] = [];
  if (schema['type'] !== 'object') problems.push('the root must have "type": "object"');
  for (const keyword of topLevelAlternatives) {
    if (schema[keyword] !== undefined) problems.push(`the root must not have "${keyword}": some hosts refuse it there`);
  }
  lintPart(schema, '', problems, new Set());
  return problems;
}

function lintPart(schema: unknown, pointer: string, problems: string[], seen: Set<unknown>): void {
  if (!isObject(schema) || seen.has(schema)) return;
  seen.add(schema);
  if ([schema['type']].flat().includes('array') && schema['items'] === undefined) {
    problems.push(`${pointer === '' ? 'the root' : pointer} is an array without "items"`);
  }
  eachSubschema(schema, (inner, keyword, name) => {
    const place = `${pointer}/${keyword}${name === undefined ? '' : `/${escapeName(name)}`}`;
    if (keyword === 'properties') lintProperty(name!, inner, place, problems);
    lintPart(inner, place, problems, seen);
  });
}

function lintProperty(name: string, schema: unknown, place: string, problems: string[]): void {
  if (!propertyName.test(name)) problems.push(`${place}: the name must match ${propertyName.source}`);
  const description = isObject(schema) ? schema['description'] : undefined;
  if (typeof description !== 'string' || description.trim() === '') problems.push(`${place} has no description`);
}
