import type { Span } from '../../../../../secrets/secrets.types.ts';

/** Shorter values are words of any text. */
const shortest = 6;

/**
 * Every place where one of these values stands in a text, the longest at each; values of less than six characters are not looked
 * for. Goes through the text once, however many values there are: a file may hold thousands.
 */
export function findValues(text: string, values: readonly string[]): Span[] {
  const byHead = new Map<string, string[]>();
  for (const value of values) {
    if (value.length < shortest) continue;
    const head = value.slice(0, shortest);
    const same = byHead.get(head);
    if (same === undefined) byHead.set(head, [value]);
    else same.push(value);
  }
  if (byHead.size === 0) return [];
  for (const same of byHead.values()) same.sort((a, b) => b.length - a.length);
  const spans: Span[] = [];
  for (let at = 0; at + shortest <= text.length; at += 1) {
    const value = byHead.get(text.slice(at, at + shortest))?.find((each) => text.startsWith(each, at));
    if (value !== undefined) spans.push({ start: at, end: at + value.length });
  }
  return spans;
}
