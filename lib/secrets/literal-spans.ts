import type { LiteralSpan } from './secrets.types.ts';

type Syntax = {
  /** Marks that start a comment to the end of the line. */
  readonly line: readonly string[];
  /** Opening and closing mark of a comment over lines. */
  readonly block?: readonly [string, string];
  readonly quotes: string;
  /** Quotes whose strings may run over lines. */
  readonly multiline: string;
  /** Three quotes open a string that three quotes close. */
  readonly triple: boolean;
  /** A slash after an operator opens a regular expression. */
  readonly regex?: true;
};

const C_LIKE: Syntax = { line: ['//'], block: ['/*', '*/'], quotes: '"\'', multiline: '', triple: true };
const HASH: Syntax = { line: ['#'], quotes: '"\'', multiline: '"\'', triple: false };
const SCRIPT: Syntax = { line: ['//'], block: ['/*', '*/'], quotes: '"\'`', multiline: '`', triple: false, regex: true };

const BY_LANGUAGE: ReadonlyMap<string, Syntax> = new Map<string, Syntax>([
  ['python', { line: ['#'], quotes: '"\'', multiline: '', triple: true }],
  ['starlark', { line: ['#'], quotes: '"\'', multiline: '', triple: true }],
  ['javascript', SCRIPT], ['typescript', SCRIPT], ['vue', SCRIPT], ['svelte', SCRIPT],
  ['go', { ...C_LIKE, quotes: '"\'`', multiline: '`', triple: false }],
  ['rust', { ...C_LIKE, multiline: '"', triple: false }],
  ['php', { line: ['//', '#'], block: ['/*', '*/'], quotes: '"\'', multiline: '"\'', triple: false }],
  ['ruby', HASH], ['perl', HASH], ['r', HASH], ['puppet', HASH], ['nim', { ...HASH, multiline: '', triple: true }],
  ['julia', { ...HASH, multiline: '"', triple: true }], ['elixir', { ...HASH, triple: true }],
  ['powershell', { line: ['#'], block: ['<#', '#>'], quotes: '"\'', multiline: '"\'', triple: false }],
  ['sql', { line: ['--'], block: ['/*', '*/'], quotes: '"\'', multiline: '\'', triple: false }],
  ['lua', { line: ['--'], quotes: '"\'', multiline: '', triple: false }],
  ['haskell', { line: ['--'], block: ['{-', '-}'], quotes: '"', multiline: '', triple: false }],
  ['clojure', { line: [';'], quotes: '"', multiline: '"', triple: false }],
  ['visual-basic', { line: ['\''], quotes: '"', multiline: '', triple: false }],
]);

/**
 * String literals and comments of source code in ascending order, by a light tokenizer: one pass, no grammar.
 * A string left open ends with its line, so that one odd quote does not spoil the rest of the file.
 * Languages without an entry are read like C.
 */
export function literalSpans(text: string, language: string): LiteralSpan[] {
  const syntax = BY_LANGUAGE.get(language) ?? C_LIKE;
  const spans: LiteralSpan[] = [];
  let at = 0;
  // The last character that is neither blank nor comment tells whether a slash divides or opens a regular expression.
  let before = '';
  while (at < text.length) {
    const char = text[at]!;
    if (char === ' ' || char === '\n' || char === '\t' || char === '\r') {
      at++;
      continue;
    }
    const commentEnd = endOfComment(text, at, syntax);
    if (commentEnd > at) {
      spans.push({ start: at, end: commentEnd, kind: 'comment' });
      at = commentEnd;
    } else if (syntax.quotes.includes(char)) {
      const end = endOfString(text, at, syntax, language);
      if (end > at + 1) spans.push({ start: at, end, kind: 'string' });
      at = end;
      before = char;
    } else if (char === '/' && syntax.regex === true && '(,=:[!&|?{};+\n'.includes(before)) {
      at = endOfRegex(text, at);
      before = '/';
    } else {
      before = char;
      at++;
    }
  }
  return spans;
}

function endOfComment(text: string, at: number, syntax: Syntax): number {
  if (syntax.block !== undefined && text.startsWith(syntax.block[0], at)) {
    const close = text.indexOf(syntax.block[1], at + syntax.block[0].length);
    return close < 0 ? text.length : close + syntax.block[1].length;
  }
  return syntax.line.some((mark) => text.startsWith(mark, at)) ? endOfLine(text, at) : at;
}

function endOfString(text: string, at: number, syntax: Syntax, language: string): number {
  const quote = text[at]!;
  // A Rust lifetime is a lone quote before a name.
  if (language === 'rust' && quote === '\'' && text[at + 1] !== '\\' && text[at + 2] !== '\'') return at + 1;
  const triple = quote.repeat(3);
  if (syntax.triple && text.startsWith(triple, at)) {
    const close = text.indexOf(triple, at + 3);
    return close < 0 ? text.length : close + 3;
  }
  const multiline = syntax.multiline.includes(quote);
  for (let i = at + 1; i < text.length; i++) {
    const char = text[i];
    if (char === '\\') i++;
    else if (char === quote) return i + 1;
    else if (char === '\n' && !multiline) return i;
  }
  return text.length;
}

function endOfRegex(text: string, at: number): number {
  let inClass = false;
  for (let i = at + 1; i < text.length && text[i] !== '\n'; i++) {
    const char = text[i];
    if (char === '\\') i++;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) return i + 1;
  }
  return at + 1;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
