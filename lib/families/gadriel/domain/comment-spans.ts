import { literalSpans } from '../../../secrets/literal-spans.ts';
import { sourceKindOf } from '../../../secrets/languages.ts';

type Span = { readonly start: number; readonly end: number };

/** The comments of a text that is no Python: by a light tokenizer in source code, else what follows a comment sign. */
export function commentSpans(text: string, language: string): readonly Span[] {
  if (sourceKindOf(language) === 'code') return literalSpans(text, language).filter((span) => span.kind === 'comment');
  const spans: Span[] = [];
  // Only lines that can hold a marker are looked at.
  for (const match of text.matchAll(/^.*(?:nosec|noqa|gitleaks:|allowlist|gadriel:).*$/gim)) {
    const sign = commentStart(match[0]);
    if (sign !== -1) spans.push({ start: match.index + sign, end: match.index + match[0].length });
  }
  return spans;
}

/** Where a comment begins in a line of configuration or prose: at `#`, `;`, `//`, `--` or `<!--` outside of quotes. */
function commentStart(line: string): number {
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (quote !== '') {
      if (char === '\\') at++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'") {
      // An apostrophe inside a word opens nothing.
      if (char === '"' || !/\w/.test(line.charAt(at - 1))) quote = char;
    } else if (isSign(line, at) && (at === 0 || /\s/.test(line.charAt(at - 1)))) {
      return at;
    }
  }
  return -1;
}

const isSign = (line: string, at: number): boolean =>
  line[at] === '#' || line[at] === ';' || line.startsWith('//', at) || line.startsWith('-- ', at) || line.startsWith('<!--', at);
