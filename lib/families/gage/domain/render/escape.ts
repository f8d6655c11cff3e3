import { hasUnsafe, isUnsafe } from '../../../../text/unsafe.ts';

/** A text that was made safe to show, and whether it lost its end. */
export type SafeText = { readonly text: string; readonly truncated: boolean };

/**
 * Text of a sender for a field of JSON: every code point that can hide, reorder or forge text becomes `\u{hex}`, and the
 * result is cut at `max` code points. Quotes and backslashes stay, so it is to be read and not to be decoded.
 */
export function safeText(text: string, max: number): SafeText {
  const points = pointsOf(escapeUnsafe(text));
  return points.length <= max ? { text: points.join(''), truncated: false } : { text: points.slice(0, max).join(''), truncated: true };
}

/**
 * The same for a line of the frame: `\` and `"` get a backslash too, quotes go around, and a cut is said behind them. Marks that
 * would be drawn over a quote or an escape, and over nothing of the text, become escapes themselves.
 */
export function oneLine(text: string, max: number): string {
  const points = pointsOf(escapeLooseMarks(escapeUnsafe(text.replace(/[\\"]/g, '\\$&'))));
  return points.length <= max ? `"${points.join('')}"` : `"${points.slice(0, max).join('')}" [truncated, ${points.length} characters]`;
}

/** A name may hold words, and an agent may have chosen it: in a sentence or a line of ours it stands in quotes. */
export const quotedName = (name: string): string => oneLine(name, 64);

/**
 * Text that `safeText` made, in quotes for a line of ours. Its own escapes stay as they are; every other backslash, and every quote,
 * gets a backslash, so that the text can not end its quotes.
 */
export function quoteSafe({ text, truncated }: SafeText): string {
  const quoted = `"${escapeLooseMarks(text.replace(/"|\\(?!u\{[0-9a-f]{1,6}\})/g, '\\$&'))}"`;
  return truncated ? `${quoted} [truncated]` : quoted;
}

/** A payload as lines that can not be taken for a line of the frame: each begins with `| `. A tab is the one control that stays. */
export function payloadLines(text: string): string[] {
  return splitLines(text).map((line) => payloadLine(line.text));
}

/** One of these lines, of text without a line end. */
export function payloadLine(text: string): string {
  return plainWithTabs.test(text) ? `| ${text}` : `| ${text.split('\t').map(escapeUnsafe).join('\t')}`;
}

/** A text in lines, each with the line end behind it; the last one has none. */
export function splitLines(text: string): { readonly text: string; readonly end: string }[] {
  if (!rareEnds.test(text)) {
    const lines = text.split('\n');
    return lines.map((line, index) => ({ text: line, end: index === lines.length - 1 ? '' : '\n' }));
  }
  // The ends are captured, so they stand between the lines.
  const parts = text.split(lineEnds);
  return parts.filter((_part, index) => index % 2 === 0).map((line, index) => ({ text: line, end: parts[2 * index + 1] ?? '' }));
}

/** Everything that some program takes for the end of a line: CRLF, LF, CR, VT, FF, NEL, LS, PS. */
const lineEnds = /(\r\n|[\n\r\v\f\u0085\u2028\u2029])/;
/** Those that most texts have none of: a split at one character takes a third of the time. */
const rareEnds = /[\r\v\f\u0085\u2028\u2029]/;
const pointsOf = (text: string): string[] => [...text];

/** Most text is this, and is told ten times as fast as by properties of Unicode. */
const plain = /^[ -~]*$/;
const plainWithTabs = /^[\t -~]*$/;

/** Marks with no letter before them: at the start, or behind what an escape ends with. */
function escapeLooseMarks(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(/(^|["\\}])(\p{M}+)/gu, (_all, before: string, marks: string) => before + pointsOf(marks).map(escapeOf).join(''));
}

const escapeOf = (character: string): string => `\\u{${(character.codePointAt(0) as number).toString(16)}}`;

function escapeUnsafe(text: string): string {
  if (plain.test(text) || !hasUnsafe(text)) return text;
  let safe = '';
  for (const character of text) {
    safe += isUnsafe(character.codePointAt(0) as number) ? escapeOf(character) : character;
  }
  return safe;
}
