/** Code points as sorted, disjoint, inclusive ranges: [from, to, from, to, …]. */
export type CharSet = readonly number[];

const lastCodePoint = 0x10ffff;

/** Every code point. */
export const anyChar: CharSet = [0, lastCodePoint];

// As ECMAScript defines \d, \w and \s (white space and line ends) without flag i.
const digits: CharSet = [0x30, 0x39];
const words: CharSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
const spaces: CharSet = [
  0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f,
  0x3000, 0x3000, 0xfeff, 0xfeff,
];
const lineEnds: CharSet = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029];

/** The classes that one letter names after a backslash, and `.` for the dot. */
export const namedClasses: ReadonlyMap<string, CharSet> = new Map([
  ['d', digits], ['D', invert(digits)],
  ['w', words], ['W', invert(words)],
  ['s', spaces], ['S', invert(spaces)],
  // Unicode properties count as everything: overlap is then found where there may be none, never missed.
  ['p', anyChar], ['P', anyChar],
  ['.', invert(lineEnds)],
]);

/** The union of sets. */
export function unite(sets: readonly CharSet[]): CharSet {
  const ranges: [number, number][] = [];
  for (const set of sets) for (let index = 0; index < set.length; index += 2) ranges.push([set[index]!, set[index + 1]!]);
  ranges.sort((a, b) => a[0] - b[0]);
  const result: number[] = [];
  for (const [from, to] of ranges) {
    const end = result.at(-1);
    if (end !== undefined && from <= end + 1) result[result.length - 1] = Math.max(end, to);
    else result.push(from, to);
  }
  return result;
}

/** Every code point that is not in the set. */
export function invert(set: CharSet): CharSet {
  const result: number[] = [];
  let next = 0;
  for (let index = 0; index < set.length; index += 2) {
    if (set[index]! > next) result.push(next, set[index]! - 1);
    next = set[index + 1]! + 1;
  }
  if (next <= lastCodePoint) result.push(next, lastCodePoint);
  return result;
}

/** The code points that are in both sets. */
export function intersect(a: CharSet, b: CharSet): CharSet {
  const result: number[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const from = Math.max(a[i]!, b[j]!);
    const to = Math.min(a[i + 1]!, b[j + 1]!);
    if (from <= to) result.push(from, to);
    if (a[i + 1]! < b[j + 1]!) i += 2;
    else j += 2;
  }
  return result;
}
