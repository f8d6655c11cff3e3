import { lineIndex } from '../../../../text/line-index.ts';
import { joinWords } from './join-words.ts';

/**
 * One text in which to look for secrets. `originOf` gives, for an offset in it, the one in the text without NULs that all views are
 * made of: a secret that is seen in several views is at one place there. `lineOf` gives the line (from 1) of an origin.
 */
export type SecretView = {
  readonly text: string;
  /**
   * `plain` as it is; `bared` without what hides or spells the text another way; `joined` with words of several lines put
   * together, where a find counts only across a line end: what is in one line was seen before.
   */
  readonly form: 'plain' | 'bared' | 'joined';
  originOf(offset: number): number;
  lineOf(origin: number): number;
};

/** Takes little memory at a time; joined words are up to three times as long, and the detectors skip a text of 5 MiB. */
const pieceSize = 1024 * 1024;
/** Pieces of a long text overlap by so much, more than the longest secret that is looked for. */
const overlap = 64 * 1024;

/**
 * The texts of some bytes to look for secrets in: as UTF-8, what is none of it as U+FFFD; again without NULs, as UTF-16 has them;
 * again bared; and with words joined over line ends, since a token that is wrapped at some width is whole only then.
 */
export function* secretViews(bytes: Uint8Array): Generator<SecretView> {
  // Tokens are ASCII, and no ASCII byte is lost beside bytes that are no UTF-8.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const plain = text.replaceAll('\0', '');
  // The detectors take a text with NULs for binary and skip it.
  const lineOf = lineIndex(plain).lineAt;
  if (plain !== text) yield* pieces({ text: text.replaceAll('\0', ' '), form: 'plain', originOf: withoutNuls(text), lineOf });
  for (const piece of pieces({ text: plain, form: 'plain', originOf: (offset) => offset, lineOf })) {
    yield piece;
    yield* joined(piece);
    const bared = bare(piece);
    if (bared !== undefined) yield* [bared, ...joined(bared)];
  }
}

function* pieces({ text, form, originOf, lineOf }: SecretView): Generator<SecretView> {
  for (let from = 0; from === 0 || from + overlap < text.length; from += pieceSize - overlap) {
    yield { text: text.slice(from, from + pieceSize), form, originOf: (offset) => originOf(from + offset), lineOf };
  }
}

/** NULs are counted up to every so many characters: a binary has more of them than one could note. */
const nulStep = 1_024;

/** For an offset in a text the one in the text without its NULs. */
function withoutNuls(text: string): (offset: number) => number {
  const nulsIn = (from: number, to: number): number => text.slice(from, to).split('\0').length - 1;
  let upTo: number[] | undefined;
  const count = (): number[] => {
    const counts = [0];
    for (let from = 0; from < text.length; from += nulStep) counts.push((counts.at(-1) as number) + nulsIn(from, from + nulStep));
    return counts;
  };
  return (offset) => {
    const step = Math.floor(offset / nulStep);
    return offset - ((upTo ??= count())[step] as number) - nulsIn(step * nulStep, offset);
  };
}

function* joined({ text, originOf, lineOf }: SecretView): Generator<SecretView> {
  const words = joinWords(text);
  if (words.text !== '') yield { text: words.text, form: 'joined', originOf: (offset) => originOf(words.originOf(offset)), lineOf };
}

/**
 * What is drawn as nothing or was no text; characters as addresses (however often), JSON and quoted-printable mail spell them; and
 * the line ends that such mail adds. A letter or digit of the spelling before a token would hide it.
 */
// Made at first use: V8 builds the sets of Unicode properties when the literal is evaluated.
let dressed: RegExp | undefined;
const dressedPattern = (): RegExp =>
  (dressed ??= /[\p{Default_Ignorable_Code_Point}\ufffd]|(?:%(?:25)*|\\u00|\\x)([0-7][\da-fA-F])|=(3D)|(?<=[!-~])=\r?\n|\\(?=\/)/gu);

/** All but tab and line ends are left out; a NUL would make the text binary to the detectors. */
const otherControl = /[\0-\x08\v\f\x0e-\x1f\x7f]/;

/** The text without all this; undefined where there is none of it. */
function bare({ text, originOf, lineOf }: SecretView): SecretView | undefined {
  // Offsets in the bared text behind each change, and how much longer the source is up to there.
  const ends: number[] = [];
  const shifts: number[] = [];
  let shift = 0;
  const bared = text.replace(dressedPattern(), (found: string, escape: string | undefined, mail: string | undefined, offset: number) => {
    const hex = escape ?? mail;
    const character = hex === undefined ? '' : String.fromCharCode(Number.parseInt(hex, 16)).replace(otherControl, '');
    shift += found.length - character.length;
    ends.push(offset + found.length - shift);
    shifts.push(shift);
    return character;
  });
  return ends.length === 0 ? undefined : { text: bared, form: 'bared', originOf: (offset) => originOf(offset + (shifts[lastUpTo(ends, offset)] ?? 0)), lineOf };
}

/** Index of the last of ascending numbers that is at most `value`; -1 for none. */
function lastUpTo(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
