import { Buffer } from 'node:buffer';
import { lineIndex } from '../../../../text/line-index.ts';

/** One text in which to look for secrets; `lineOf` gives the line (from 1) of the bytes for an offset in it. */
export type SecretView = {
  readonly text: string;
  /** Whether words of several lines were joined, so that a find counts only across a line end: what is in one line was seen before. */
  readonly joined: boolean;
  lineOf(offset: number): number;
};

/** Below the size from which the detectors skip a text. */
const pieceSize = 4 * 1024 * 1024;
/** Pieces of a long text overlap by so much, more than the longest secret that is looked for. */
const overlap = 64 * 1024;

/**
 * The texts of some bytes to look for secrets in: as UTF-8, or Latin-1 where they are none; again without NULs, as UTF-16 has
 * them; and with words joined over line ends, since a token that is wrapped at some width is whole only then.
 */
export function* secretViews(bytes: Uint8Array): Generator<SecretView> {
  const text = decode(bytes);
  const plain = text.replaceAll('\0', '');
  // The detectors take a text with NULs for binary and skip it.
  if (plain !== text) yield* pieces(text.replaceAll('\0', ' '), lineIndex(text).lineAt, false);
  yield* pieces(plain, lineIndex(plain).lineAt, false);
  const joined = joinWords(plain);
  if (joined.text !== '') yield* pieces(joined.text, (offset) => lineAmong(joined, offset), true);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  }
}

function* pieces(text: string, lineAt: (offset: number) => number, joined: boolean): Generator<SecretView> {
  for (let from = 0; from === 0 || from + overlap < text.length; from += pieceSize - overlap) {
    yield { text: text.slice(from, from + pieceSize), joined, lineOf: (offset) => lineAt(from + offset) };
  }
}

/** Words put together over line ends, each part with the offset at which it starts and its line. */
type Joined = { readonly text: string; readonly starts: readonly number[]; readonly lines: readonly number[] };

/**
 * What a token that was wrapped may have been: the last word of each line with the first one of the next, and in a row the
 * words of lines that are one word alone. Pairs too, as what is before or behind a token would hide it in a row.
 */
function joinWords(text: string): Joined {
  const parts: string[] = [];
  const starts: number[] = [];
  const lines: number[] = [];
  let length = 0;
  const put = (part: string, line: number): void => {
    starts.push(length);
    lines.push(line);
    parts.push(part);
    length += part.length;
  };
  let row: { readonly word: string; readonly line: number }[] = [];
  const endRow = (): void => {
    if (row.length > 2) for (const { word, line } of [...row, { word: '\n', line: 0 }]) put(word, line);
    row = [];
  };
  let before = '';
  for (const [index, whole] of text.split(/\r\n|\r|\n/).entries()) {
    const line = whole.trim();
    const end = line.endsWith('\\') ? line.slice(0, -1).trimEnd() : line;
    const [first] = /^\S*/.exec(end) as RegExpExecArray & [string];
    if (before !== '' && first !== '') {
      put(before, index);
      put(`${first}\n`, index + 1);
    }
    if (first !== '') row.push({ word: first, line: index + 1 });
    // A line of several words ends one row, and its last word begins the next.
    const single = first === end;
    before = single ? end : end.slice(lastSpace(end) + 1);
    if (single && first !== '') continue;
    endRow();
    if (before !== '') row.push({ word: before, line: index + 1 });
  }
  endRow();
  return { text: parts.join(''), starts, lines };
}

/** Where the last white space of a trimmed line is; -1 where there is none. */
function lastSpace(line: string): number {
  let at = line.length - 1;
  while (at >= 0 && !/\s/.test(line[at] as string)) at -= 1;
  return at;
}

/** The line of the last part that starts at or before an offset. */
function lineAmong({ starts, lines }: Joined, offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return lines[low] as number;
}
