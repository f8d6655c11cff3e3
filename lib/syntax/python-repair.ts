/** A copy of a text, as long as the text, in which the grammar finds its way, and the spans hidden in it behind identifiers. */
export type Repair = { readonly source: string; readonly masks: ReadonlyMap<number, number> };

type Span = { readonly start: number; readonly end: number };

/** A header that goes on for longer than this is taken for an unclosed bracket. */
const longestHeader = 4_000;
/** How many characters behind unclosed brackets are looked at again. */
const rescanned = 1_000_000;
/** Statements with valid forms that the grammar does not know. */
const heads = /^[ \t\f]*(?:(?:async[ \t]+)?(with)\b|(case)\b|@)/gm;

/**
 * Rewrites what @lezer/python 1.1 rejects although it is valid: parenthesised `with`, `with` targets that are no plain
 * names, decorators that are no dotted names or calls of one, empty class and mapping patterns.
 *
 * Names, strings and numbers are cut from the original text by offset, so the copy may say anything of the same length.
 * Returns undefined where nothing is to be rewritten. Works line by line without the grammar and may be wrong inside
 * strings: the caller keeps the copy only if it has fewer errors.
 */
export function repair(text: string): Repair | undefined {
  const masks = new Map<number, number>();
  const edits: (Span & { readonly fill: string })[] = [];
  let budget = rescanned;
  heads.lastIndex = 0;
  for (let match = heads.exec(text); match !== null; match = heads.exec(text)) {
    const from = heads.lastIndex;
    const header = scanHeader(text, from);
    heads.lastIndex = Math.max(from, header.end);
    if (!header.closed) {
      // What looked like its rest may hold other headers, but hostile text must not be read over and over.
      budget -= header.end - from;
      if (budget > 0) heads.lastIndex = from;
    } else if (match[1] !== undefined) repairWith(text, from, header, edits, masks);
    else if (match[2] !== undefined) repairCase(text, from, header, edits);
    else repairDecorator(text, from, header, edits, masks);
  }
  if (edits.length === 0) return undefined;
  let source = '';
  let at = 0;
  for (const edit of edits.sort((one, other) => one.start - other.start)) {
    if (edit.start < at) continue;
    source += text.slice(at, edit.start) + edit.fill.repeat(edit.end - edit.start);
    at = edit.end;
  }
  return { source: source + text.slice(at), masks };
}

/** What a header consists of, seen without a grammar: brackets, commas, colons, words, line ends; `closed` where its brackets match. */
type Header = { readonly end: number; readonly tokens: readonly Token[]; readonly closed: boolean };
type Token = { readonly kind: string; readonly at: number; readonly depth: number; readonly end: number };

const tokenAt = /("""|'''|["'])|(#[^\n\r]*)|([()[\]{}])|([,:])|(\r\n?|\n)|\\(?:\r\n?|\n)|([\p{L}_][\p{L}\p{N}_]*)|[^]/uy;

/** Reads the tokens of a logical line up to the colon that ends it; strings and comments inside are passed over. */
function scanHeader(text: string, from: number): Header {
  const tokens: Token[] = [];
  let depth = 0;
  tokenAt.lastIndex = from;
  for (let match = tokenAt.exec(text); match !== null && match.index < from + longestHeader; match = tokenAt.exec(text)) {
    const at = match.index;
    const [token, quote, comment, bracket, mark, lineEnd, word] = match;
    if (quote !== undefined) {
      tokenAt.lastIndex = stringEnd(text, tokenAt.lastIndex, quote);
    } else if (bracket !== undefined) {
      if ('([{'.includes(bracket)) depth += 1;
      tokens.push({ kind: bracket, at, depth, end: at + 1 });
      if (')]}'.includes(bracket)) depth -= 1;
      if (depth < 0) return { end: at, tokens, closed: false };
    } else if (comment !== undefined) tokens.push({ kind: '#', at, depth, end: at + token.length });
    else if (lineEnd !== undefined) {
      if (depth === 0) return { end: at, tokens, closed: true };
      tokens.push({ kind: '\n', at, depth, end: at + token.length });
    } else if (mark !== undefined) {
      tokens.push({ kind: mark, at, depth, end: at + 1 });
    } else if (word === 'as' || word === 'if') tokens.push({ kind: word, at, depth, end: at + 2 });
    else if (word === 'lambda') return { end: tokenAt.lastIndex, tokens, closed: false };
  }
  return { end: Math.min(text.length, from + longestHeader), tokens, closed: depth === 0 };
}

function stringEnd(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text.startsWith(quote, at)) return at + quote.length;
    else if (quote.length === 1 && (text[at] === '\n' || text[at] === '\r')) return at;
  }
  return text.length;
}

function repairWith(text: string, from: number, { tokens }: Header, edits: (Span & { readonly fill: string })[], masks: Map<number, number>): void {
  const open = tokens[0];
  let level = 0;
  if (open?.kind === '(' && text.slice(from, open.at).trim() === '') {
    const close = tokens.findIndex((token) => token.kind === ')' && token.depth === 1);
    const colon = tokens[close + 1];
    const items = tokens.slice(0, close);
    if (close > 0 && colon?.kind === ':' && text.slice(tokens[close]!.end, colon.at).trim() === '' && items.some((token) => token.kind === 'as' && token.depth === 1)) {
      level = 1;
      for (const token of [open, tokens[close]!, ...items.filter(({ kind }) => kind === '\n' || kind === '#')]) edits.push({ start: token.at, end: token.end, fill: ' ' });
    }
  }
  tokens.forEach((token, place) => {
    if (token.kind !== 'as' || token.depth !== level) return;
    const stop = tokens.slice(place + 1).find(({ kind, depth }) => depth === level && (kind === ',' || kind === ':' || kind === ')'));
    if (stop === undefined) return;
    const span = trimmed(text, token.end, stop.at);
    if (span.start >= span.end || /^[\p{L}\p{N}_]+$/u.test(text.slice(span.start, span.end))) return;
    mask(span, edits, masks);
  });
}

function repairDecorator(text: string, from: number, { end, tokens }: Header, edits: (Span & { readonly fill: string })[], masks: Map<number, number>): void {
  const comment = tokens.find(({ kind, depth }) => kind === '#' && depth === 0);
  const span = trimmed(text, from, comment?.at ?? end);
  const name = /^[\p{L}\p{N}_.\s]+/u.exec(text.slice(span.start, span.end))?.[0] ?? '';
  const close = tokens.find(({ kind, depth }) => kind === ')' && depth === 1);
  const plain = name !== '' && (span.start + name.length === span.end || (tokens[0]?.kind === '(' && tokens[0].at === span.start + name.length && close?.end === span.end));
  if (!plain && span.start < span.end) mask(span, edits, masks);
}

/** Makes `A()` and `{}` one identifier each, and so the dotted keys of mapping patterns. */
function repairCase(text: string, from: number, { end, tokens }: Header, edits: (Span & { readonly fill: string })[]): void {
  const stop = tokens.find(({ kind, depth }) => depth === 0 && (kind === ':' || kind === 'if'))?.at ?? end;
  const pattern = text.slice(from, stop);
  for (const match of pattern.matchAll(/(?<=[\p{L}\p{N}_])\([ \t]*\)|\{[ \t]*\}|\.(?=[\p{L}\p{N}_.]+[ \t]*:)/gu)) {
    edits.push({ start: from + match.index, end: from + match.index + match[0].length, fill: '_' });
  }
}

function mask(span: Span, edits: (Span & { readonly fill: string })[], masks: Map<number, number>): void {
  masks.set(span.start, span.end);
  edits.push({ ...span, fill: '_' });
}

function trimmed(text: string, from: number, to: number): Span {
  const inner = text.slice(from, to);
  const start = from + inner.length - inner.trimStart().length;
  return { start, end: Math.max(start, from + inner.trimEnd().length) };
}
