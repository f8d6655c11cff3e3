/** Words put together over line ends; `originOf` gives where in the source the character at an offset stands. */
export type JoinedWords = { readonly text: string; originOf(offset: number): number };

/** No token with a shape of its own is shorter. */
const leastToken = 12;
/** What stands before each line of a quotation, a list, a comment or a change; never the start of a token, as a space is behind. */
const leader = /(?:[>|#*;:+-][ \t]{1,8}|(?:\/\/|--)[ \t]{1,8}|>){1,16}/y;
const leaderStart = />|[|#*;:+/-]/;

/**
 * What a token that was wrapped may have been: the last word of each line with the first one of the next, and in a row the
 * words of lines that are one word alone. Pairs too, as what is before or behind a token would hide it in a row.
 */
export function joinWords(text: string): JoinedWords {
  const parts: string[] = [];
  const starts: number[] = [];
  const origins: number[] = [];
  let length = 0;
  const put = (from: number, to: number): void => {
    starts.push(length);
    origins.push(from);
    parts.push(text.slice(from, to));
    length += to - from;
  };
  const endPart = (): void => {
    parts.push('\n');
    length += 1;
  };
  /** Starts and ends of the words of a row, in turn. */
  let row: number[] = [];
  let rowLength = 0;
  const addToRow = (from: number, to: number): void => {
    row.push(from, to);
    rowLength += to - from;
  };
  const endRow = (): void => {
    if (row.length > 4 && rowLength >= leastToken) {
      for (let at = 0; at < row.length; at += 2) put(row[at] as number, row[at + 1] as number);
      endPart();
    }
    row = [];
    rowLength = 0;
  };
  let [lastFrom, lastTo] = [0, 0];
  for (let line = 0; line <= text.length; ) {
    let next = line;
    while (next < text.length && !isLineEnd(text.charCodeAt(next))) next += 1;
    const [from, to] = contentOf(text, line, next);
    line = text.charCodeAt(next) === 0x0d && text.charCodeAt(next + 1) === 0x0a ? next + 2 : next + 1;
    let firstTo = from;
    while (firstTo < to && !isSpace(text.charCodeAt(firstTo))) firstTo += 1;
    if (from < to) {
      if (lastFrom < lastTo && lastTo - lastFrom + firstTo - from >= leastToken) {
        put(lastFrom, lastTo);
        put(from, firstTo);
        endPart();
      }
      addToRow(from, firstTo);
    }
    // A line of several words ends one row, and its last word begins the next.
    const single = firstTo === to;
    [lastFrom, lastTo] = [single ? from : lastWord(text, to), to];
    if (single && from < to) continue;
    endRow();
    if (lastFrom < lastTo) addToRow(lastFrom, lastTo);
  }
  endRow();
  return { text: parts.join(''), originOf: (offset) => originAmong(starts, origins, offset) };
}

/** A line without the space around it, what leads it, and the backslash of a line that goes on. */
function contentOf(text: string, start: number, end: number): [from: number, to: number] {
  let [from, to] = [start, end];
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  if (from < to && leaderStart.test(text[from] as string)) {
    leader.lastIndex = from;
    if (leader.test(text)) from = Math.min(leader.lastIndex, to);
    while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  }
  const trim = (): void => {
    while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  };
  trim();
  if (to > from && text[to - 1] === '\\') {
    to -= 1;
    trim();
  }
  return [from, to];
}

/** Where the last word of a text that ends at `to` starts; it has a space before it. */
function lastWord(text: string, to: number): number {
  let from = to;
  while (!isSpace(text.charCodeAt(from - 1))) from -= 1;
  return from;
}

const isLineEnd = (code: number): boolean => code === 0x0a || code === 0x0d;
const isSpace = (code: number): boolean => code <= 0x20 || (code >= 0x7f && /\s/.test(String.fromCharCode(code)));

/** The origin of an offset, which the last part that starts at or before it holds. */
function originAmong(starts: readonly number[], origins: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return (origins[low] as number) + offset - (starts[low] as number);
}
