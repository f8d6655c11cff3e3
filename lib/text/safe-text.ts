import { unsafePattern } from './unsafe.ts';

/** `keep` lists characters to leave as they are, such as a newline and a tab in text of several lines. */
export type SafeTextOptions = { readonly keep?: string };

/**
 * Makes hostile text safe to show on a terminal, in a log line or to a model: each unsafe code point becomes `\xNN`,
 * or `\u{…}` from 0x100 on. Text longer than `max` code points of the result is cut and ends with `…`.
 * Safe text comes back as it is; backslashes are not doubled, so the result is to be read, not decoded.
 */
export function safeText(text: string, max = Infinity, { keep = '' }: SafeTextOptions = {}): string {
  // Each code point is two units at most and gives one or more in the result, so the rest cannot matter.
  const head = text.length > 2 * (max + 1) ? text.slice(0, 2 * (max + 1)) : text;
  const safe = escapeUnsafe(head, (codePoint) => {
    const hex = codePoint.toString(16);
    if (keep.includes(String.fromCodePoint(codePoint))) return String.fromCodePoint(codePoint);
    return codePoint < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`;
  });
  if (safe.length <= max) return safe;
  const points = [...safe];
  return points.length <= max ? safe : `${points.slice(0, Math.max(0, max - 1)).join('')}…`;
}

/** Replaces every code point that is unsafe to show (`unsafe.ts` says which) by what `form` makes of it. */
export function escapeUnsafe(text: string, form: (codePoint: number) => string): string {
  return text.replace(unsafePattern(), (found) => form(found.codePointAt(0) as number));
}
