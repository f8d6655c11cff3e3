/** A query taken apart as a database reads it, so that values in it can become parameters. */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import type { Built, Piece, ValuePiece } from '../code/built-string.ts';
import type { PythonCode } from '../code/python-code.ts';
import { isRebound } from '../code/scopes.ts';
import { asOneText } from '../code/piece-source.ts';
import { asText, isBindable } from '../code/plain-values.ts';
import { columnConverts, isGrouping, isTextPlace, isValuePlace, mayFollow, meetsOtherType, meetsText } from './sql-places.ts';
import { isSurelyNumber, writtenTexts } from '../code/sure-values.ts';
import { quotedValues, sqlValues, valueKind } from '../code/value-kind.ts';

/** A query of more parts than this is made by a program, not by hand. */
const maxPieces = 100;

/** A query with placeholders, and the Python source of the value for each. */
export type Query = { readonly text: string; readonly values: readonly string[] };

/**
 * What a database does with a text that is bound where a number is meant: makes a number of it as of a text in quotes, does so
 * only beside columns, or may refuse it, as what is bound has a type. `placed` takes the type from a column beside it, and no
 * text elsewhere; `cast` surely has the type of a text.
 */
export type TextRule = 'converts' | 'columns' | 'placed' | 'typed' | 'cast';

/**
 * How placeholders are written (`colons`: by `:name`, so that no colon may follow one), what becomes of percent signs beside them,
 * and what may be bound to them.
 */
export type Placeholders = {
  placeholder(value: PyExpr): string; readonly percent: 'doubled' | 'kept' | 'refused'; readonly colons: boolean; readonly numericLimit: boolean;
  readonly texts: TextRule; readonly plainOnly: boolean;
};

/** Statements that take parameters; pragmas and definitions of tables take none, whatever the database. */
const takesParameters = /^[\s(]*(?:select|insert|update|delete|replace|with|merge)\b/i;

const noPlace = 'A value stands where a placeholder can not: as a name of a table or column, a list, or part of another text.';
const noType = 'Whether the database takes a text where the query has this value is not sure: a number may be meant, or a date.';
const noPercent = 'Whether this driver takes a percent sign of the query itself beside parameters is not sure.';
const noObject = 'A value may be a Decimal or another object, which sqlite3 can not bind: what is stored for it has to be decided.';

/**
 * The query with a placeholder for each value; a quoted text around a value becomes part of the value. Or why there is none: a value
 * is a name, part of a comment, several values, or text of SQL, or the database would not take what is bound for what was written.
 */
export function placeholders(code: PythonCode, { pieces }: Built, style: Placeholders, fragment: boolean): Query | { readonly why: string } {
  const [head] = pieces;
  const no = { why: noPlace };
  if (pieces.length > maxPieces || (!fragment && !(head?.kind === 'text' && takesParameters.test(head.text)))) return no;
  const values: string[] = [];
  const whole = pieces.map((piece) => (piece.kind === 'text' ? piece.text : '?')).join('');
  const plain = (written: string): string => (style.percent === 'doubled' ? written.replaceAll('%', '%%') : written);
  let [text, state, open, own] = ['', '', 0, 0];
  const put = (before: string, value: PyExpr, source: string): void => {
    const placeholder = style.placeholder(value);
    text = before + placeholder;
    own += placeholder.split('%').length - 1;
    values.push(source);
  };
  let rest: readonly Piece[] = pieces;
  while (rest.length > 0) {
    const piece: Piece = rest[0]!;
    rest = rest.slice(1);
    if (piece.kind === 'text') {
      const read = readSql(piece.text, state);
      if (read === undefined) return no;
      if (read.opened >= 0) open = text.length + plain(piece.text.slice(0, read.opened)).length;
      state = read.state;
      text += plain(piece.text);
      continue;
    }
    const next = rest[0];
    const after = next?.kind === 'text' ? next.text : '';
    // Beside an equal expression elsewhere a second parameter would not be the same.
    if ((style.texts === 'placed' || style.texts === 'cast') && isGrouping(text)) return { why: noType };
    if (state === '') {
      const value = unwrapped(code, piece.value);
      if (!isValuePlace(text) || isMoreThanNumber(code, value) || next?.kind === 'value' || !isFree(after, style) || isAlone(text, after)) return no;
      if (!isSurelyNumber(code, value) && !takesText(text, whole, style)) return { why: noType };
      if (style.plainOnly && !isBindable(code, value)) return { why: noObject };
      put(text, value, code.source(value));
      continue;
    }
    const close = /^([^'"\\{}\n]{0,100})'(?!')/.exec(after);
    const lead = text.slice(open + 1);
    if (state !== "'" || close === null || !/^[^'"\\{}\n]{0,100}$/.test(lead) || !isTextPlace(text.slice(0, open))) return no;
    if (valueKind(code, piece.value, quotedValues) === 'unsure' || !isFree(after.slice(close[0].length), style)) return no;
    if (!takesQuoted(text.slice(0, open), whole, style)) return { why: noType };
    const value = boundText(code, piece, style.percent === 'doubled' ? lead.replaceAll('%%', '%') : lead, close[1]!);
    if (value === undefined) return no;
    put(text.slice(0, open), piece.value, value);
    state = '';
    rest = [{ kind: 'text', text: after.slice(close[0].length) }, ...rest.slice(1)];
  }
  if (style.percent === 'refused' && text.split('%').length - 1 > own) return { why: noPercent };
  return state === '' ? { text, values } : no;
}

/** What stood in quotes is a text for the database, whatever it is in Python: a bound number would be compared in another way. */
function boundText(code: PythonCode, piece: ValuePiece, lead: string, tail: string): string | undefined {
  if (lead + tail === '') return asText(code, piece);
  const texts = (text: string): readonly Piece[] => (text === '' ? [] : [{ kind: 'text', text }]);
  // Double quotes would be those of the text around it.
  return code.source(piece.value).includes('"') ? undefined : asOneText(code, [...texts(lead), piece, ...texts(tail)]);
}

const isStr = (value: PyExpr): value is PyCall => value.type === 'Call' && value.func.type === 'Name' && value.func.id === 'str';

/** `str(x)` only made a piece of text of a value. */
function unwrapped(code: PythonCode, value: PyExpr): PyExpr {
  const [first] = isStr(value) && !isRebound(code, 'str') && value.args.length === 1 ? value.args : [];
  return first?.kind === 'positional' ? first.value : value;
}

/** Whether a value without quotes may be more than a number: then it is SQL. */
const isMoreThanNumber = (code: PythonCode, value: PyExpr): boolean =>
  isStr(value) || valueKind(code, value, sqlValues) === 'unsure' || writtenTexts(code, value).some((written) => !/^\s*[-+]?\d[\d.]*\s*$/.test(written));

const isFree = (after: string, { colons }: Placeholders): boolean => mayFollow(after) && !(colons && /^\s*:/.test(after));

/** Whether a value without quotes is all that is in a list: it may be the list. */
const isAlone = (before: string, after: string): boolean => /\b(?:values|in)\s*\(\s*$/i.test(before.slice(-40)) && /^\s*\)/.test(after);

/** Whether the database makes of a text there what it made of the number in the query. */
function takesText(before: string, query: string, { numericLimit, texts }: Placeholders): boolean {
  if (numericLimit && /\b(?:limit|offset)\s*$/i.test(before.slice(-40))) return false;
  return texts === 'converts' || ((texts === 'columns' || texts === 'placed') && columnConverts(before, query));
}

/** Whether the database takes a bound text for what stood in quotes there. */
function takesQuoted(before: string, query: string, { texts }: Placeholders): boolean {
  switch (texts) {
    case 'cast': return meetsText(before);
    case 'typed': return !meetsOtherType(before);
    case 'placed': return meetsText(before) || columnConverts(before, query);
    default: return true;
  }
}

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
