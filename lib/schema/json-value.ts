/** An object of JSON: no array, not null. */
export type JsonObject = { [key: string]: unknown };

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name as one step of a JSON Pointer (RFC 6901), without the slash. */
export function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Sets an own property, also one named `__proto__`, which assignment would turn into a prototype. */
export function setOwn(target: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  else target[key] = value;
}

/** A deep copy of a JSON value, as deep as the value is: for values of a schema, not for input. */
export function cloneJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cloneJson);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key]));
  return copy;
}

/**
 * Equality of JSON Schema (2020-12 core, 4.2.2): 1 and 1.0 are one number, the order of keys does not count.
 * Goes no deeper than `known`, so a deep input is harmless when `known` comes from a schema.
 */
export function equalJson(known: unknown, value: unknown): boolean {
  if (known === value) return true;
  if (Array.isArray(known)) {
    return Array.isArray(value) && known.length === value.length && known.every((item, index) => equalJson(item, value[index]));
  }
  if (!isObject(known) || !isObject(value)) return false;
  const keys = Object.keys(known);
  return keys.length === Object.keys(value).length
    && keys.every((key) => Object.hasOwn(value, key) && equalJson(known[key], value[key]));
}

/**
 * A text that two JSON values share exactly when they are equal, so that a Set finds doubles in linear time.
 * Undefined when the value is nested deeper than `levels`.
 */
export function equalityKey(value: unknown, levels: number): string | undefined {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (levels === 0) return undefined;
  const parts: string[] = [];
  const isList = Array.isArray(value);
  for (const key of isList ? value.keys() : Object.keys(value).sort()) {
    const part = equalityKey((value as JsonObject)[key], levels - 1);
    if (part === undefined) return undefined;
    parts.push(isList ? part : `${JSON.stringify(key)}:${part}`);
  }
  return isList ? `[${parts.join()}]` : `{${parts.join()}}`;
}
