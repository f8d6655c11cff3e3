import { escapeUnsafe } from './safe-text.ts';

/**
 * A value as JSON with a newline at its end, as commands print it: what could drive a terminal or forge text there is
 * written as `\uXXXX`, so that the same value is read back and nothing has to be shown raw. `indent` as of JSON.stringify.
 */
export function toJsonLine(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent);
  // A raw newline is layout here: one inside of a string is escaped already.
  return `${escapeUnsafe(text, (codePoint) => (codePoint === 0x0a ? '\n' : escapeUnits(String.fromCodePoint(codePoint))))}\n`;
}

const escapeUnits = (text: string): string => text.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
