/** A query taken apart as a database reads it, so that values in it can become parameters. */
import type { PyExpr } from '../../../../../syntax/python.types.ts';
import type { Built, Piece } from './built-string.ts';
import type { PythonCode } from './python-code.ts';
import { quotedValues, sqlValues, valueKind } from './value-kind.ts';

/** A query of more parts than this is made by a program, not by hand. */
const maxPieces = 100;

/** A query with placeholders, and the Python source of the value for each. */
export type Query = { readonly text: string; readonly values: readonly string[] };

/** How placeholders are written; `colons`: by `:name`, so that no colon may follow one. */
export type Placeholders = { placeholder(value: PyExpr): string; readonly doublePercent: boolean; readonly colons: boolean; readonly numericLimit: boolean };

/** Statements that take parameters; pragmas and definitions of tables take none, whatever the database. */
const takesParameters = /^[\s(]*(?:select|insert|update|delete|replace|with|merge)\b/i;

/** Where a value stands for itself: behind a comparison, in a list of values, as a limit. Elsewhere it would be a name. */
const unquotedPlace = /(?:(?<![->])[=<>]|\b(?:like|limit|offset))\s*$|\bvalues\s*\([^()]*,\s*$|\bin\s*\([^()]*,\s*$|\bbetween\s[^']*$|\b(?:values|in)\s?\(\s*$/i;
/** Where a text in quotes is a value of its own: a word before it (`x'…'`, `interval '…'`) would make it another thing. */
const quotedPlace = /(?:(?<![->])[=<>]|[(,+]|\|\||\b(?:like|ilike|glob|regexp|rlike|match|between|and|or|not|in|is|then|else|when|select|returning))\s*$/i;
/** What may stand right behind a placeholder. */
const endsValue = /^(?:$|[\s),;=<>+|-]|::)/;

/**
 * The query with a placeholder for each value; a quoted text around a value becomes part of the value. Undefined where a value is
 * a name, part of a comment, several values, or text of SQL, and where the database would not take a placeholder.
 */
export function placeholders(code: PythonCode, { pieces }: Built, style: Placeholders, fragment: boolean): Query | undefined {
  const [head] = pieces;
  if (pieces.length > maxPieces || (!fragment && !(head?.kind === 'text' && takesParameters.test(head.text)))) return undefined;
  const values: string[] = [];
  const plain = (written: string): string => (style.doublePercent ? written.replaceAll('%', '%%') : written);
  let [text, state, open] = ['', '', 0];
  let rest: readonly Piece[] = pieces;
  while (rest.length > 0) {
    const piece: Piece = rest[0]!;
    rest = rest.slice(1);
    if (piece.kind === 'text') {
      const read = readSql(piece.text, state);
      if (read === undefined) return undefined;
      if (read.opened >= 0) open = text.length + plain(piece.text.slice(0, read.opened)).length;
      state = read.state;
      text += plain(piece.text);
      continue;
    }
    const source = code.source(piece.value);
    const next = rest[0];
    if (state === '') {
      if (!unquotedPlace.test(text.slice(-300)) || valueKind(code, piece.value, sqlValues) === 'unsure') return undefined;
      if (next?.kind === 'value' || !mayFollow(next?.text ?? '', style) || isAlone(text, next?.text ?? '') || isUnsureLimit(code, text, piece.value, style)) return undefined;
      text += style.placeholder(piece.value);
      values.push(source);
      continue;
    }
    const close = next?.kind === 'text' ? /^([^'"\\{}\n]{0,100})'(?!')/.exec(next.text) : null;
    const before = text.slice(open + 1);
    if (state !== "'" || next?.kind !== 'text' || close === null || !/^[^'"\\{}\n]{0,100}$/.test(before) || !quotedPlace.test(text.slice(Math.max(0, open - 300), open))) return undefined;
    if (valueKind(code, piece.value, quotedValues) === 'unsure' || !mayFollow(next.text.slice(close[0].length), style)) return undefined;
    const [lead, tail] = [style.doublePercent ? before.replaceAll('%%', '%') : before, close[1]!];
    // Inside an f-string older Pythons take neither quotes of the same kind nor backslashes.
    if (lead + tail !== '' && /["\\\n{}]/.test(source)) return undefined;
    text = text.slice(0, open) + style.placeholder(piece.value);
    values.push(lead + tail === '' ? source : `f"${lead}{${source}}${tail}"`);
    state = '';
    rest = [{ kind: 'text', text: next.text.slice(close[0].length) }, ...rest.slice(1)];
  }
  return state === '' ? { text, values } : undefined;
}

const mayFollow = (text: string, { colons }: Placeholders): boolean => endsValue.test(text) && !(colons && text.startsWith(':'));

/** Whether a value without quotes is all that is in a list: it may be the list. */
const isAlone = (before: string, after: string): boolean => /\b(?:values|in)\s*\(\s*$/i.test(before.slice(-40)) && /^\s*\)/.test(after);

/** Some databases take no text for a number of rows. */
const isUnsureLimit = (code: PythonCode, before: string, value: PyExpr, { numericLimit }: Placeholders): boolean =>
  numericLimit && /\b(?:limit|offset)\s*$/i.test(before.slice(-40)) && valueKind(code, value, sqlValues) !== 'safe';

/**
 * Reads on in a query: `state` is the quote that is open, and `opened` where the last one was opened in this piece, -1 if none.
 * Undefined for comments, backslashes, brackets, further statements, and placeholders that are there already.
 */
function readSql(piece: string, from: string): { readonly state: string; readonly opened: number } | undefined {
  let [state, opened] = [from, -1];
  for (let at = 0; at < piece.length; at += 1) {
    const character = piece[at]!;
    if (state !== '') {
      if (character === '\\') return undefined;
      if (character !== state) continue;
      // Two quotes are one of the text.
      if (piece[at + 1] === state) at += 1;
      else state = '';
    } else if (/['"`]/.test(character)) [state, opened] = [character, at];
    else if (/[$?#[\\]/.test(character) || /^(?:--|\/\*)/.test(piece.slice(at, at + 2)) || (character === ';' && piece.slice(at + 1).trim() !== '')) return undefined;
  }
  return { state, opened };
}
