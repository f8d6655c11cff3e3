/** Other words that people write for a key. */
const otherWords: Readonly<Record<string, string>> = { file: 'path', filename: 'path', filepath: 'path', until: 'expires_at', linenumber: 'line', rule: 'rule_id' };

/** In short words a replaced letter makes another word too often: a link is no line. */
const shortWord = 4;

/**
 * The key that an unknown one was most likely meant to be: one slip away, written with other marks or case, or another
 * word for it. Undefined where it is like none.
 */
export function nearKey<K extends string>(word: string, keys: readonly K[]): K | undefined {
  const squeezed = squeeze(word);
  const meant = squeezed.startsWith('expir') ? 'expires_at' : Object.hasOwn(otherWords, squeezed) ? otherWords[squeezed] : undefined;
  return keys.find((key) => key === meant || isNear(squeezed, squeeze(key)));
}

const squeeze = (word: string): string => word.toLowerCase().replace(/[^a-z]/g, '');

/** Equal, or with one letter added, left out, replaced, or changed round with the next. */
function isNear(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length + right.length <= 1) return true;
  if (left.length === 1 && right.length === 1) return b.length > shortWord;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
