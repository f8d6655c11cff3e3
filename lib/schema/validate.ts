import { arrayChecks } from './array-checks.ts';
import { combineChecks } from './combine-checks.ts';
import type { Issue } from './issue.types.ts';
import type { FromSchema, JsonSchema } from './json-schema.types.ts';
import { escapeName, isObject } from './json-value.ts';
import type { JsonObject } from './json-value.ts';
import { defaultsCheck, objectChecks } from './object-checks.ts';
import { compilePattern } from './pattern.ts';
import { maximumDepth, Run } from './run.ts';
import type { Check, Rule, SchemaNode } from './run.ts';
import { choiceChecks, numberCheck, stringCheck } from './scalar-checks.ts';
import { SchemaError } from './schema-error.ts';
import { SchemaIndex } from './schema-index.ts';
import type { SchemaEntry } from './schema-index.ts';
import { either, gotWords, shortJson, typeBit, typeMask, typeWords } from './value-type.ts';

export type { Issue } from './issue.types.ts';

/**
 * What a validation found. Without issues `value` is the input with defaults filled in: the input object itself when
 * none was absent, else a copy of the objects on the way to it.
 */
export type Validation<T> =
  | { readonly valid: true; readonly value: T; readonly issues: readonly never[] }
  | { readonly valid: false; readonly value: unknown; readonly issues: readonly Issue[] };

/** A compiled schema. `validate` never throws, never changes its input, and reports at most 20 issues. */
export type Validator<T = unknown> = { validate(value: unknown): Validation<T> };

const noIssues: readonly never[] = Object.freeze([]);

/**
 * Compiles a schema (JSON Schema 2020-12, the keywords of JsonSchemaObject) into closures, once.
 *
 * Throws a SchemaError that names place and keyword where a keyword is unknown or malformed, a pattern may take more
 * than linear time, a $ref is not local, a schema refers to itself in place, or a default does not fit its schema.
 */
export function compileSchema<const S extends JsonSchema>(schema: S): Validator<FromSchema<S>> {
  const { check } = new Compiler(schema).node(schema);
  return {
    validate(value) {
      const run = new Run();
      const result = check(value, run);
      const issues = run.issues();
      if (issues === undefined) return { valid: true, value: result as FromSchema<S>, issues: noIssues };
      return { valid: false, value, issues };
    },
  };
}

const forbidden: Rule = { keyword: 'false', text: () => 'is not allowed here', expected: 'nothing' };

const noNodes: ReadonlyMap<string, SchemaNode> = new Map();

const always: SchemaNode = { check: (value) => value, suits: () => true, wants: () => '' };

const never: SchemaNode = {
  check: (value, run) => {
    run.fail(forbidden, value);
    return value;
  },
  suits: () => false,
  wants: () => '',
};

type Group = 'choice' | 'number' | 'string' | 'combine' | 'array' | 'object';

// Most schemas are a type and a description: a group's checks are built only where one of its keywords is there,
// since every schema of every tool is compiled at start.
const groups: ReadonlyMap<string, Group> = new Map(Object.entries({
  choice: ['enum', 'const'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  string: ['minLength', 'maxLength', 'pattern'],
  combine: ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if'],
  array: ['items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties', 'maxProperties',
    'dependentRequired', 'dependentSchemas'],
}).flatMap(([group, names]) => names.map((name) => [name, group as Group])));

class Compiler {
  readonly #index: SchemaIndex;
  readonly #nodes = new Map<unknown, SchemaNode>([[true, always], [false, never]]);

  constructor(root: unknown) {
    this.#index = new SchemaIndex(root);
    // Nodes first, checks after: a check may refer to any node, its own among them.
    for (const { schema } of this.#index.entries) {
      this.#nodes.set(schema, { check: always.check, suits: (value) => this.#suits(schema, value), wants: () => this.#wants(schema) });
    }
    for (const entry of this.#index.entries) this.node(entry.schema).check = this.#check(entry);
    for (const entry of this.#index.entries) this.#refuseBadDefaults(entry);
  }

  node(schema: unknown): SchemaNode {
    return this.#nodes.get(schema)!;
  }

  #check(entry: SchemaEntry): Check {
    const { schema } = entry;
    const present: (Group | undefined)[] = [];
    for (const keyword in schema) if (schema[keyword] !== undefined) present.push(groups.get(keyword));
    const steps: Check[] = [];
    if (present.includes('object')) steps.push(...defaultsCheck(schema));
    if (present.includes('choice')) steps.push(...choiceChecks(schema));
    if (present.includes('number')) steps.push(numberCheck(schema));
    if (present.includes('string')) steps.push(stringCheck(schema, this.#pattern(entry, 'pattern', schema['pattern'])));
    if (present.includes('combine')) steps.push(...this.#combineChecks(schema));
    if (present.includes('array')) steps.push(...this.#arrayChecks(schema));
    if (present.includes('object')) steps.push(...this.#objectChecks(entry));
    return enter(schema['type'], steps);
  }

  #combineChecks(schema: JsonObject): Check[] {
    return combineChecks({
      ref: this.#nodes.get(this.#index.target(schema)),
      allOf: this.#list(schema, 'allOf'),
      anyOf: this.#list(schema, 'anyOf'),
      oneOf: this.#list(schema, 'oneOf'),
      not: this.#one(schema, 'not'),
      if: this.#one(schema, 'if'),
      then: this.#one(schema, 'then'),
      else: this.#one(schema, 'else'),
    });
  }

  #arrayChecks(schema: JsonObject): Check[] {
    return arrayChecks(schema, {
      items: this.#one(schema, 'items'),
      prefixItems: this.#list(schema, 'prefixItems'),
      contains: this.#one(schema, 'contains'),
    });
  }

  #objectChecks(entry: SchemaEntry): Check[] {
    const { schema } = entry;
    return objectChecks(schema, {
      properties: this.#map(schema, 'properties'),
      patterns: [...this.#map(schema, 'patternProperties')]
        .map(([source, node]) => [this.#pattern(entry, 'patternProperties', source)!, node] as const),
      additional: this.#one(schema, 'additionalProperties'),
      names: this.#one(schema, 'propertyNames'),
      dependent: this.#map(schema, 'dependentSchemas'),
    });
  }

  #one(schema: JsonObject, keyword: string): SchemaNode | undefined {
    return this.#nodes.get(schema[keyword]);
  }

  #list(schema: JsonObject, keyword: string): SchemaNode[] {
    return ((schema[keyword] ?? []) as unknown[]).map((inner) => this.node(inner));
  }

  #map(schema: JsonObject, keyword: string): ReadonlyMap<string, SchemaNode> {
    if (schema[keyword] === undefined) return noNodes;
    const nodes = new Map<string, SchemaNode>();
    for (const [name, inner] of Object.entries(schema[keyword] as JsonObject)) nodes.set(name, this.node(inner));
    return nodes;
  }

  #pattern({ pointer }: SchemaEntry, keyword: string, source: unknown): ((text: string) => boolean) | undefined {
    if (source === undefined) return undefined;
    const pattern = compilePattern(source as string);
    if ('refused' in pattern) throw new SchemaError(pointer, keyword, `holds a pattern that ${pattern.refused}: ${shortJson(source)}`);
    return pattern.matches;
  }

  #wants(schema: unknown): string {
    if (!isObject(schema)) return '';
    if (schema['const'] !== undefined) return shortJson(schema['const']);
    if (schema['enum'] !== undefined) return either((schema['enum'] as unknown[]).map(shortJson));
    if (schema['type'] !== undefined) return typeWords(schema['type']);
    return this.#wants(this.#index.target(schema));
  }

  #suits(schema: unknown, value: unknown): boolean {
    if (!isObject(schema)) return schema !== false;
    if (schema['type'] !== undefined && (typeMask(schema['type']) & typeBit(value)) === 0) return false;
    if (isObject(value)) {
      for (const [name, property] of Object.entries((schema['properties'] ?? {}) as JsonObject)) {
        const constant = isObject(property) ? property['const'] : undefined;
        if (constant !== undefined && Object.hasOwn(value, name) && value[name] !== constant) return false;
      }
    }
    return !this.#index.target(schema) || this.#suits(this.#index.target(schema), value);
  }

  // Only defaults that are filled in can do harm; elsewhere `default` says something to readers.
  #refuseBadDefaults({ schema, pointer }: SchemaEntry): void {
    for (const [name, property] of Object.entries((schema['properties'] ?? {}) as JsonObject)) {
      if (!isObject(property) || property['default'] === undefined) continue;
      const run = new Run();
      this.node(property).check(property['default'], run);
      const issue = run.issues()?.[0];
      if (issue === undefined) continue;
      throw new SchemaError(`${pointer}/properties/${escapeName(name)}`, 'default', `does not fit its own schema: ${issue.message}`);
    }
  }
}

/** The check of one schema: its type first, since no other keyword says more about a value of the wrong type. */
function enter(type: unknown, steps: readonly Check[]): Check {
  const mask = type === undefined ? ~0 : typeMask(type);
  const words = type === undefined ? '' : typeWords(type);
  const rule: Rule = { keyword: 'type', text: (value) => `must be ${words}, got ${gotWords(value)}`, expected: words };
  return (value, run) => {
    if (mask !== ~0 && (mask & typeBit(value)) === 0) {
      run.fail(rule, value);
      return value;
    }
    if (steps.length === 0) return value;
    if (run.depth === maximumDepth) {
      run.abort('is nested too deeply');
      return value;
    }
    run.depth += 1;
    let out = value;
    for (const step of steps) {
      out = step(out, run);
      if (run.stop) break;
    }
    run.depth -= 1;
    return out;
  };
}
