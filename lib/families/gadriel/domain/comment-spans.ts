import { literalSpans } from '../../../secrets/literal-spans.ts';
import { sourceKindOf } from '../../../secrets/languages.ts';

type Span = { readonly start: number; readonly end: number };

/** Code whose files also hold markup, with comments of its own. */
const withMarkup = new Set(['vue', 'svelte', 'php']);

/** Comment signs of configuration and prose; those of a language are added to the common ones. */
const commonSigns = ['#', ';', '//', '-- ', '<!--'];
const signsOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['latex', ['%']],
  ['batch', ['rem ', 'REM ', 'Rem ', '::']],
]);

/** The comments of a text that is no Python: by a light tokenizer in source code, else what follows a comment sign. */
export function commentSpans(text: string, language: string): readonly Span[] {
  if (sourceKindOf(language) !== 'code') return markedLines(text, [...commonSigns, ...(signsOf.get(language) ?? [])]);
  const comments = literalSpans(text, language).filter((span) => span.kind === 'comment');
  return withMarkup.has(language) ? [...comments, ...markedLines(text, ['<!--'])] : comments;
}

/** Comments of the lines that can hold a marker; no others are looked at. */
function markedLines(text: string, signs: readonly string[]): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(/^.*(?:nosec|noqa|gitleaks:|allowlist|gadriel:).*$/gim)) {
    const sign = commentStart(match[0], signs);
    if (sign !== -1) spans.push({ start: match.index + sign, end: match.index + match[0].length });
  }
  return spans;
}

/** Where a comment begins in a line: at one of the signs outside of quotes, behind a blank (markup needs none). */
function commentStart(line: string, signs: readonly string[]): number {
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (quote !== '') {
      if (char === '\\') at++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'") {
      // An apostrophe inside a word opens nothing.
      if (char === '"' || !/\w/.test(line.charAt(at - 1))) quote = char;
    } else {
      const sign = signs.find((one) => line.startsWith(one, at));
      if (sign !== undefined && (at === 0 || sign === '<!--' || /\s/.test(line.charAt(at - 1)))) return at;
    }
  }
  return -1;
}
