import type { Found } from './detectors.types.ts';

const HEAD = 'PuTTY-User-Key-File-';
/** A key of 8,192 bits takes less. */
const LONGEST = 16_000;

/**
 * The private key file of PuTTY that starts at `at` (PPK 2 and 3): the head, and private lines of 40 characters of base64 or
 * more, which is the least that an Ed25519 key has. A file ends where the next one starts, so that many heads cost one pass.
 */
export function findPuttyKey(text: string, at: number): Found {
  const rest = text.slice(at, at + LONGEST);
  if (!rest.startsWith(HEAD) || !/^\d:/.test(rest.slice(HEAD.length, HEAD.length + 2))) return { spans: [] };
  const next = rest.indexOf(HEAD, HEAD.length);
  const file = next < 0 ? rest : rest.slice(0, next);
  const lines = /Private-Lines: {0,4}\d{1,4}/.exec(file);
  if (lines === null) return { spans: [] };
  const start = lines.index + lines[0].length;
  const close = file.indexOf('Private-', start);
  const end = close < 0 ? file.length : close;
  // Line ends may be escaped, and lines quoted.
  const body = file.slice(start, end).replace(/\\[nrt]|["'`+,;>#*|\s\\]/g, '');
  const base64 = body.replace(/[^A-Za-z0-9+/=]/g, '');
  if (base64.length < 40 || base64.length < body.length * 0.9 || new Set(base64).size < 12) return { spans: [] };
  return { spans: [{ start: at, end: at + end }], until: at + end };
}
