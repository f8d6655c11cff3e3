import type { SourceKind } from './languages.ts';

/** A name and the literal that is given to it. Offsets are those of the bare value. */
export type Assignment = {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
  /** Offset of the value's opening quote or string prefix; equals `start` without quotes. */
  readonly literal: number;
  /** The literal is filled in at run time (f-string, template with a prefix). */
  readonly interpolated: boolean;
  /** Compared (`==`), listed after a comma, an attribute pair or part of a query string, instead of assigned. */
  readonly loose: boolean;
};

const MAX_VALUE = 200;
const DOUBLE = 34;
const SINGLE = 39;
const BACKTICK = 96;
const BACKSLASH = 92;

function isNameCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45;
}

function isQuoteCode(code: number): boolean {
  return code === DOUBLE || code === SINGLE || code === BACKTICK;
}

function skipBlanks(text: string, at: number): number {
  const limit = at + 12;
  while (at < limit && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9)) at++;
  return at;
}

/** What follows a name up to its value: where the value starts, or -1 when nothing is assigned. */
type Operator = { at: number; loose: boolean; comma: boolean; lines: boolean };

const GO_TYPE = /(?:[A-Za-z*][\w.*[\]]{0,40}[ \t]{1,4})=[ \t]{0,8}/y;
const ANNOTATED = /[ \t]{0,4}[A-Za-z_&][\w.[\]<>|&?', ]{0,60}?[ \t]{0,4}=[ \t]{0,8}(?=[rbuRBU]?["'`])/y;
/** `key="DbPassword" value="…"`, and name and value on two lines of YAML or JSON. */
const VALUE_PAIR = /,?\s{0,40}["']?value["']?\s{0,4}[:=]\s{0,8}/iy;

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

function operatorAt(text: string, nameStart: number, nameEnd: number): Operator | undefined {
  let at = nameEnd;
  let closed = false;
  while (at < nameEnd + 5 && (isQuoteCode(text.charCodeAt(at)) || text.charCodeAt(at) === BACKSLASH || text[at] === ']')) {
    closed ||= isQuoteCode(text.charCodeAt(at));
    at++;
  }
  at = skipBlanks(text, at);
  const char = text[at];
  const next = text[at + 1];
  const found = (length: number, extra: Partial<Operator> = {}): Operator => ({ at: at + length, loose: false, comma: false, lines: false, ...extra });
  switch (char) {
    case '=':
      if (next === '=') return found(text[at + 2] === '=' ? 3 : 2, { loose: true });
      return found(next === '>' ? 2 : 1);
    case ':': {
      let colons = 1;
      while (colons < 3 && text[at + colons] === ':') colons++;
      if (text[at + colons] === '=') return found(colons + 1);
      if (colons > 1) return undefined;
      const annotated = closed ? -1 : matchAt(ANNOTATED, text, at + 1);
      return annotated > 0 ? found(annotated - at) : found(1, { lines: true });
    }
    case '?': case '+': case '.': case '|': case '!':
      if (next === '=') return found(text[at + 2] === '=' ? 3 : 2, { loose: char === '!' });
      return text.startsWith('|=', at + 1) || text.startsWith('?=', at + 1) ? found(3) : pairAt(text, at, closed);
    case ',':
      if (!closed) return undefined;
      return pairAt(text, at, closed) ?? found(1, { comma: true, loose: true });
    case '>':
      return text[nameStart - 1] === '<' ? found(1, { lines: true }) : undefined;
    default: {
      if (at > nameEnd && !closed) {
        const typed = matchAt(GO_TYPE, text, at);
        if (typed > 0) return found(typed - at);
      }
      return pairAt(text, at, closed) ?? (char === '\n' || char === '\r' ? pairAt(text, at, true) : undefined);
    }
  }
}

function pairAt(text: string, at: number, closed: boolean): Operator | undefined {
  if (!closed) return undefined;
  const value = matchAt(VALUE_PAIR, text, at);
  return value > 0 ? { at: value, loose: true, comma: false, lines: false } : undefined;
}

/**
 * The assignment whose name holds the keyword at `[keywordStart, keywordEnd)`: `name = "v"`, `"name": "v"`, `name := v`, `name => "v"`,
 * `"name", "v"`, `<name>v</name>`, typed declarations, a YAML block, and name/value pairs. Looks at most some 400 characters round it.
 * Values longer than 200 characters are none.
 */
export function assignmentAt(text: string, keywordStart: number, keywordEnd: number, kind: SourceKind): Assignment | undefined {
  let nameEnd = keywordEnd;
  while (nameEnd < keywordEnd + 24 && isNameCode(text.charCodeAt(nameEnd))) nameEnd++;
  let nameStart = keywordStart;
  const floor = Math.max(0, keywordStart - 60);
  while (nameStart > floor && (isNameCode(text.charCodeAt(nameStart - 1)) || text[nameStart - 1] === '.')) nameStart--;
  const operator = operatorAt(text, nameStart, nameEnd);
  if (operator === undefined) return undefined;
  // `${PASSWORD:-changed}`: the name of a variable, with what stands in for it.
  if (text.startsWith('${', nameStart - 2) && text[nameEnd] === ':' && /[-=?+]/.test(text[nameEnd + 1] ?? '')) return undefined;
  // `"AWS::ApiGateway::ApiKey": …` names a type.
  if (text[nameStart - 1] === ':' && isQuoteCode(text.charCodeAt(nameEnd))) return undefined;

  let at = skipBlanks(text, operator.at);
  if (operator.lines) at = overLineBreak(text, at, text[operator.at - 1] === '>');
  const literal = at;
  let prefix = '';
  while (prefix.length < 2 && /[rbufRBUFL@$]/.test(text[at] ?? '')) prefix += text[at++];
  while (text.charCodeAt(at) === BACKSLASH && at < literal + 6) at++;
  const quote = text.charCodeAt(at);
  const inQuery = /[?&]/.test(text[nameStart - 1] ?? '');
  const loose = operator.loose || inQuery;
  const name = text.slice(nameStart, nameEnd).replace(/^[-.]+/, '');
  if (isQuoteCode(quote)) {
    const marks = text.charCodeAt(at + 1) === quote && text.charCodeAt(at + 2) === quote ? 3 : 1;
    const start = at + marks;
    const end = endOfQuoted(text, start, quote, text.charCodeAt(at - 1) === BACKSLASH);
    if (end < 0) return undefined;
    return { name, start, end, quoted: true, literal, interpolated: /[fF$]/.test(prefix), loose };
  }
  if (operator.comma || (operator.loose && kind !== 'config')) return undefined;
  // A colon on both sides without a blank is a list (`arn:…:secret:name`), not a key.
  if (text[nameStart - 1] === ':' && text[literal - 1] === ':') return undefined;
  const last = endOfBare(text, literal);
  const ampersand = inQuery ? text.slice(literal, Math.max(last, literal)).indexOf('&') : -1;
  const end = ampersand < 0 ? last : literal + ampersand;
  return end > literal ? { name, start: literal, end, quoted: false, literal, interpolated: false, loose } : undefined;
}

/** Past `|` or `>` and the line break of a YAML block, or the line break after an XML tag. */
function overLineBreak(text: string, at: number, tag: boolean): number {
  const pattern = tag ? /\s{0,40}/y : /[|>][+-]?[ \t]{0,8}\r?\n[ \t]{1,40}/y;
  const after = matchAt(pattern, text, at);
  return after > 0 ? after : at;
}

function endOfQuoted(text: string, start: number, quote: number, escaped: boolean): number {
  const limit = Math.min(text.length, start + MAX_VALUE + 1);
  for (let i = start; i < limit; i++) {
    const code = text.charCodeAt(i);
    if (code === 10) return -1;
    if (code === quote) return i;
    if (code === BACKSLASH) {
      if (escaped && text.charCodeAt(i + 1) === quote) return i;
      i++;
    }
  }
  return -1;
}

const BARE_VALUE = new RegExp(`[^\\s"'\`,;<>()[\\]{}\\\\]{1,${MAX_VALUE + 1}}`, 'y');

/** A value without quotes ends at a blank, quote, bracket or separator. */
function endOfBare(text: string, start: number): number {
  const end = matchAt(BARE_VALUE, text, start);
  return end - start > MAX_VALUE ? -1 : end;
}
