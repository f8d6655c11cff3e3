/** The value in bytes of JSON text, or what is wrong with them. */
export type ParsedJson = { readonly value: unknown } | { readonly problem: string };

/** A string, and the colon behind it where it is a key. Each character is passed once. */
const strings = /"(?:[^"\\]|\\.)*"(\s*:)?/gs;

/**
 * Parses a file that people edit by hand: UTF-8 JSON of any layout. A key that stands twice in one object is a problem,
 * since a reader of the file may believe the first one while JSON.parse takes the last.
 */
export function parseHandJson(bytes: Uint8Array): ParsedJson {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { problem: 'it is not UTF-8' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'it is not JSON' };
  }
  let written = 0;
  for (const [, colon] of text.matchAll(strings)) if (colon !== undefined) written += 1;
  return written === countKeys(value) ? { value } : { problem: 'a key stands twice in it' };
}

/** Keys of all objects in a value; with a list of its own instead of recursion, as text can nest deeper than the stack. */
function countKeys(value: unknown): number {
  let count = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    const inner = Object.values(next);
    if (!Array.isArray(next)) count += inner.length;
    for (const each of inner) left.push(each);
  }
  return count;
}
