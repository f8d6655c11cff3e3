import { numberTextAt } from './number-text.ts';

/**
 * A number whose exact digits matter because a double can't hold them, such as 9007199254740993 or -0.
 * `digits` is the text of the number as the peer wrote it.
 */
export type ExactNumber = { readonly digits: string };

/** A request id (or progress token): compared and echoed by its type and its digits. */
export type RequestId = string | number | ExactNumber;

/** A value under which two ids meet in a Map exactly when they have the same type and digits. */
export function idKey(id: RequestId): string | number {
  if (typeof id === 'number') return id;
  // The quote keeps the string "12…" apart from the digits 12… of an exact number.
  return typeof id === 'string' ? `"${id}` : id.digits;
}

/** The JSON text of an id, as it was written by the peer. */
export function encodeId(id: RequestId): string {
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' ? JSON.stringify(id) : id.digits;
}

/**
 * Reads an id-like value (id, requestId, progressToken) that stands at `path` of the line it was parsed from.
 *
 * Returns undefined for everything that is no string and no number written without point and exponent.
 * The line is scanned for the number's spelling only where the parsed value can't tell: JSON.parse makes 1 of both
 * `1` and `1.0`, and rounds beyond 2^53.
 */
export function readId(value: unknown, line: string, path: readonly string[]): RequestId | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return undefined;
  if (Number.isSafeInteger(value) && isPlainTopLevelId(value, line, path)) return value;
  const digits = numberTextAt(line, path);
  if (digits === undefined || !/^-?\d+$/.test(digits)) return undefined;
  return Number.isSafeInteger(value) && String(value) === digits ? value : { digits };
}

const leadingId = '{"jsonrpc":"2.0","id":';

/**
 * Whether a top-level id stands in one of the two places where every known client writes it, which proves its
 * spelling without a walk over the line: right after `jsonrpc` at the start, or last in the object. (A line that then
 * repeats its id in another spelling of the same number, `1` and later `1.0`, is taken by the first.)
 */
function isPlainTopLevelId(value: number, line: string, path: readonly string[]): boolean {
  if (path.length !== 1 || path[0] !== 'id') return false;
  const digits = String(value);
  if (line.startsWith(leadingId)) {
    const next = line.charCodeAt(leadingId.length + digits.length);
    return (next === 0x2c || next === 0x7d) && line.startsWith(digits, leadingId.length) && !Object.is(value, -0);
  }
  // The comma before the key proves that its quote opens a string: a closing quote can't be followed by `id`.
  return line.endsWith(`,"id":${digits}}`) && !Object.is(value, -0);
}
