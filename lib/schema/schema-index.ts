import { escapeName, isObject } from './json-value.ts';
import type { JsonObject } from './json-value.ts';
import { keywordProblem, eachSubschema } from './keywords.ts';
import { SchemaError } from './schema-error.ts';

// Keywords whose subschemas look at the value itself rather than at a part of it.
const inPlace = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

const maximumNesting = 200;

/** A schema object with its place in the document. */
export type SchemaEntry = { readonly schema: JsonObject; readonly pointer: string };

/**
 * Every schema object of a document, each looked at once: keywords known and well formed, references resolved.
 * Throws a SchemaError for the first that is not.
 */
export class SchemaIndex {
  /** All schema objects, those that only a reference reaches at the end. */
  readonly entries: SchemaEntry[] = [];
  readonly #root: unknown;
  readonly #known = new Set<object>();
  readonly #targets = new Map<object, unknown>();

  constructor(root: unknown) {
    this.#root = root;
    this.#walk(root, '', 0);
    // Resolving may append schemas outside the known keywords, as in #/x-shared/NAME.
    for (const entry of this.entries) this.#resolve(entry);
    if (this.#targets.size > 0) this.#refuseCircles();
  }

  /** What the $ref of a schema leads to; undefined where it has none. */
  target(schema: JsonObject): unknown {
    return this.#targets.get(schema);
  }

  #walk(schema: unknown, pointer: string, nesting: number): void {
    if (typeof schema === 'boolean') return;
    if (!isObject(schema)) throw new SchemaError(pointer, '', 'must be a schema: an object or a boolean');
    if (this.#known.has(schema)) return;
    if (nesting > maximumNesting) throw new SchemaError(pointer, '', 'is nested too deeply');
    this.#known.add(schema);
    this.entries.push({ schema, pointer });
    for (const keyword of Object.keys(schema)) {
      const value = schema[keyword];
      // An undefined value is not there once the schema is sent as JSON.
      const problem = value === undefined ? undefined : keywordProblem(keyword, value);
      if (problem !== undefined) throw new SchemaError(pointer, keyword, problem);
    }
    if (schema['$id'] !== undefined && pointer !== '') {
      throw new SchemaError(pointer, '$id', 'is supported at the root only, since it changes what "#" means below it');
    }
    eachSubschema(schema, (inner, keyword, name) => {
      this.#walk(inner, `${pointer}/${keyword}${name === undefined ? '' : `/${escapeName(name)}`}`, nesting + 1);
    });
  }

  #resolve({ schema, pointer }: SchemaEntry): void {
    const ref = schema['$ref'] as string | undefined;
    if (ref === undefined) return;
    if (ref !== '#' && !ref.startsWith('#/')) {
      throw new SchemaError(pointer, '$ref', 'must be local: "#" or a JSON Pointer that begins with "#/"');
    }
    const path = decoded(ref.slice(1));
    let target: unknown = this.#root;
    for (const step of path?.split('/').slice(1) ?? []) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      target = typeof target === 'object' && target !== null && Object.hasOwn(target, name) ? (target as JsonObject)[name] : undefined;
    }
    if (path === undefined || target === undefined) throw new SchemaError(pointer, '$ref', 'leads to nothing in this schema');
    this.#walk(target, path, 0);
    this.#targets.set(schema, target);
  }

  // A schema that asks itself about the same value never ends, whatever the value.
  #refuseCircles(): void {
    const done = new Set<unknown>();
    const visit = (schema: unknown, above: ReadonlySet<unknown>, entry: SchemaEntry): void => {
      if (above.has(schema)) throw new SchemaError(entry.pointer, '', 'refers to itself without looking at a part of the value');
      if (done.has(schema) || !isObject(schema)) return;
      const path = new Set(above).add(schema);
      if (this.#targets.has(schema)) visit(this.#targets.get(schema), path, entry);
      eachSubschema(schema, (inner, keyword) => {
        if (inPlace.has(keyword)) visit(inner, path, entry);
      });
      done.add(schema);
    };
    for (const entry of this.entries) visit(entry.schema, new Set(), entry);
  }
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
