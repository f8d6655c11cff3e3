import { cloneJson, isObject, setOwn } from './json-value.ts';
import type { JsonObject } from './json-value.ts';
import type { Check, Rule, SchemaNode } from './run.ts';
import { either } from './value-type.ts';

/** The subschemas the keywords about objects need; patterns are compiled. */
export type ObjectSubschemas = {
  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly patterns: readonly (readonly [matches: (name: string) => boolean, node: SchemaNode])[];
  readonly additional: SchemaNode | undefined;
  readonly names: SchemaNode | undefined;
  readonly dependent: ReadonlyMap<string, SchemaNode>;
};

/** Fills in the defaults of absent properties: a fresh copy each time, in a copy of the object. */
export function defaultsCheck(schema: JsonObject): Check[] {
  const defaults: [name: string, make: () => unknown][] = [];
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as JsonObject)) {
    if (!isObject(property) || property['default'] === undefined) continue;
    const value = property['default'];
    defaults.push([name, typeof value === 'object' && value !== null ? () => cloneJson(value) : () => value]);
  }
  if (defaults.length === 0) return [];
  return [(value) => {
    if (!isObject(value)) return value;
    // Copied at the first default only: the caller's object stays as it is, and most objects lack nothing.
    let out = value;
    for (const [name, make] of defaults) {
      if (Object.hasOwn(value, name)) continue;
      if (out === value) out = { ...value };
      setOwn(out, name, make());
    }
    return out;
  }];
}

/** The keywords about objects, `default` left out: defaults are filled in before anything looks at the object. */
export function objectChecks(schema: JsonObject, sub: ObjectSubschemas): Check[] {
  const checks = [...requiredChecks(schema), ...sizeChecks(schema), ...dependentChecks(schema, sub.dependent)];
  if (sub.names !== undefined) checks.push(namesCheck(sub.names));
  const closed = schema['additionalProperties'] === false;
  if (sub.properties.size > 0 || sub.patterns.length > 0 || sub.additional !== undefined) checks.push(membersCheck(sub, closed));
  return checks.map((check) => (value, run) => (isObject(value) ? check(value, run) : value));
}

type ObjectCheck = (value: JsonObject, run: Parameters<Check>[1]) => unknown;

function requiredChecks(schema: JsonObject): ObjectCheck[] {
  const properties = (schema['properties'] ?? {}) as JsonObject;
  const required = ((schema['required'] ?? []) as string[]).map((name) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const hint = (): string => (isObject(property) ? firstSentence(property['description']) : '');
    return { name, rule: { keyword: 'required', text: () => `is required${hint()}`, expected: 'a value' } };
  });
  if (required.length === 0) return [];
  return [(value, run) => {
    for (const { name, rule } of required) if (!Object.hasOwn(value, name)) run.failAt(rule, value, name);
    return value;
  }];
}

// A schema's own description tells the caller best what to give; its first sentence is enough for a message.
function firstSentence(description: unknown): string {
  if (typeof description !== 'string' || description === '') return '';
  const sentence = description.split(/[.\n]\s/, 1)[0]!.replace(/\.$/, '');
  return `: ${sentence.length > 100 ? `${sentence.slice(0, 99)}…` : sentence}`;
}

function sizeChecks(schema: JsonObject): ObjectCheck[] {
  const { minProperties: least, maxProperties: most } = schema as { minProperties?: number; maxProperties?: number };
  const checks: ObjectCheck[] = [];
  const add = (keyword: string, expected: string, fits: (count: number) => boolean): void => {
    const text = (value: unknown): string => `must have ${expected}, got ${Object.keys(value as object).length}`;
    const rule: Rule = { keyword, text, expected };
    checks.push((value, run) => {
      if (!fits(Object.keys(value).length)) run.fail(rule, value);
      return value;
    });
  };
  if (least !== undefined) add('minProperties', `at least ${members(least)}`, (count) => count >= least);
  if (most !== undefined) add('maxProperties', `at most ${members(most)}`, (count) => count <= most);
  return checks;
}

function members(count: number): string {
  return count === 1 ? '1 property' : `${count} properties`;
}

function dependentChecks(schema: JsonObject, dependent: ReadonlyMap<string, SchemaNode>): ObjectCheck[] {
  const checks: ObjectCheck[] = [];
  for (const [name, others] of Object.entries((schema['dependentRequired'] ?? {}) as Record<string, string[]>)) {
    const rule: Rule = { keyword: 'dependentRequired', text: () => `is required when ${name} is given`, expected: 'a value' };
    checks.push((value, run) => {
      if (!Object.hasOwn(value, name)) return value;
      for (const other of others) if (!Object.hasOwn(value, other)) run.failAt(rule, value, other);
      return value;
    });
  }
  for (const [name, node] of dependent) checks.push((value, run) => (Object.hasOwn(value, name) ? node.check(value, run) : value));
  return checks;
}

// A complaint of the schema of names would read as one about the member's value, so names get a rule of their own.
function namesCheck(names: SchemaNode): ObjectCheck {
  const rule: Rule = { keyword: 'propertyNames', text: () => 'has a name that is not allowed here', expected: names.wants() };
  return (value, run) => {
    for (const name of Object.keys(value)) if (!run.stop && !run.takes(names, name)) run.failAt(rule, value, name);
    return value;
  };
}

function membersCheck({ properties, patterns, additional }: ObjectSubschemas, closed: boolean): ObjectCheck {
  const known = (): string => (properties.size === 0 ? '' : `; known: ${either([...properties.keys()])}`);
  const unknownName: Rule = { keyword: 'additionalProperties', text: () => `is not a known property${known()}` };
  return (value, run) => {
    let out = value;
    // for…in makes no list of keys; what a polluted prototype adds is passed over.
    for (const name in value) {
      if (!Object.hasOwn(value, name)) continue;
      const before = run.count;
      let item = value[name];
      const property = properties.get(name);
      let isKnown = property !== undefined;
      if (property !== undefined) item = property.check(item, run);
      for (const [matches, node] of patterns) {
        if (!matches(name)) continue;
        isKnown = true;
        item = node.check(item, run);
      }
      if (!isKnown && closed) run.fail(unknownName, value);
      else if (!isKnown && additional !== undefined) item = additional.check(item, run);
      if (run.count !== before) run.under(before, name);
      if (item !== value[name]) {
        if (out === value) out = { ...value };
        setOwn(out, name, item);
      }
      if (run.stop) break;
    }
    return out;
  };
}
