/** `maxBytes` of input, all when not given; `maxDepth` of arrays and objects in each other, 8 when not given. */
export type CanonicalJsonOptions = { readonly maxBytes?: number; readonly maxDepth?: number };

/** Why bytes are no canonical JSON: over `maxBytes`, no UTF-8, no JSON, nested too deep, or another form of the value. */
export type CanonicalJsonFault = 'too_large' | 'not_utf8' | 'not_json' | 'too_deep' | 'not_canonical';

const brand = Symbol.for('toolwire.CanonicalJsonError');

/** Bytes that are not the one canonical form of a JSON value; `fault` says why, and nothing quotes the bytes. */
export class CanonicalJsonError extends Error {
  static {
    this.prototype.name = 'CanonicalJsonError';
  }
  readonly [brand] = true;
  readonly fault: CanonicalJsonFault;

  constructor(fault: CanonicalJsonFault, options?: ErrorOptions) {
    super(`no canonical JSON: ${fault}`, options);
    this.fault = fault;
  }
}

const DEFAULT_DEPTH = 8;
/** With the u flag a pair counts as one code point, so only lone ones match. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;

/**
 * The canonical text of a value (RFC 8785): keys sorted by UTF-16 code unit, no spaces, the escapes and numbers of
 * JSON.stringify. Throws TypeError for what JSON has no word for: undefined, NaN, infinities, functions, lone
 * surrogates, objects of a class.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      if (LONE_SURROGATE.test(value)) throw new TypeError('a string with a lone surrogate has no canonical JSON');
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical JSON`);
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? `[${value.map(canonicalJson).join(',')}]` : canonicalObject(value);
    default:
      throw new TypeError(`a value of type ${typeof value} has no canonical JSON`);
  }
}

/**
 * Reads bytes that must be the canonical form of a value whose numbers are integers of at most 2^53 - 1.
 *
 * The value is written again and the bytes must be equal. That one comparison refuses double keys, other orders, spaces, a
 * byte order mark, other escapes and other spellings of a number, so a signature over the bytes covers one meaning only.
 * An own key `__proto__` is possible: look at Object.keys alone. Throws CanonicalJsonError.
 */
export function readCanonicalJson(bytes: Uint8Array, { maxBytes = Infinity, maxDepth = DEFAULT_DEPTH }: CanonicalJsonOptions = {}): unknown {
  if (bytes.length > maxBytes) throw new CanonicalJsonError('too_large');
  const text = attempt('not_utf8', () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  const value: unknown = attempt('not_json', () => JSON.parse(text));
  // Before anything recursive without a limit walks it.
  checkDepth(value, maxDepth);
  if (attempt('not_canonical', () => canonicalJson(value)) !== text) throw new CanonicalJsonError('not_canonical');
  return value;
}

function canonicalObject(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) throw new TypeError('an object of a class has no canonical JSON');
  const members = value as Readonly<Record<string, unknown>>;
  // The default order of sort() is that of UTF-16 code units.
  const written = Object.keys(members).sort().map((key) => `${canonicalJson(key)}:${canonicalJson(members[key])}`);
  return `{${written.join(',')}}`;
}

/** Refuses deep nesting, and numbers that are no safe integers. */
function checkDepth(value: unknown, left: number): void {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new CanonicalJsonError('not_canonical');
  if (typeof value !== 'object' || value === null) return;
  if (left === 0) throw new CanonicalJsonError('too_deep');
  for (const each of Object.values(value)) checkDepth(each, left - 1);
}

function attempt<T>(fault: CanonicalJsonFault, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new CanonicalJsonError(fault, { cause });
  }
}
