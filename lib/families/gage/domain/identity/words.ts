import { createHash, scrypt } from 'node:crypto';
import { parseToken } from './token.ts';
import { adjectives, nouns } from './word-list.ts';

/** Four pairs of an adjective and a noun that two people compare, and the same as one text with ` · ` between them. */
export type Words = { readonly pairs: readonly string[]; readonly words: string };

/** About 40 ms and 16 MiB a guess, so that the 64 bits cannot be ground as fast as a hash. */
const COST = { N: 16384, r: 8, p: 1 };
const MAX_CACHED = 256;
const cache = new Map<string, Promise<Words>>();

/**
 * The words of a token, over both keys: with the signing key alone somebody between could swap the box key and read
 * everything. Derived once a process and token. Throws TypeError for a text that is no token.
 */
export function wordsOf(token: string): Promise<Words> {
  const known = cache.get(token);
  if (known !== undefined) return known;
  const derived = derive(token);
  const oldest = cache.size < MAX_CACHED ? undefined : cache.keys().next().value;
  if (oldest !== undefined) cache.delete(oldest);
  cache.set(token, derived);
  // One that failed is tried again.
  derived.catch(() => cache.delete(token));
  return derived;
}

/** A short name of a signing key, for lists alone: 16 bits can be ground in a second and prove nothing. */
export function labelOf(signKey: Uint8Array): string {
  return pairOf(createHash('sha256').update('gage/label/v1\0').update(signKey).digest(), 0);
}

/** Words as a person gives them back, in the form that is compared: lower case, one space between words, no punctuation. */
export function normaliseEcho(echo: string | readonly string[]): string {
  const text = typeof echo === 'string' ? echo : echo.join(' ');
  return text.toLowerCase().replace(/[\s,;:|/.·•\-–—]+/gu, ' ').trim();
}

async function derive(token: string): Promise<Words> {
  const parsed = parseToken(token);
  if ('problem' in parsed) throw new TypeError('words of what is no token');
  const secret = Buffer.concat([parsed.signKey, parsed.boxKey]);
  const bytes = await new Promise<Uint8Array>((resolve, reject) => {
    scrypt(secret, 'gage/words/v1', 8, COST, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
  const pairs = [0, 2, 4, 6].map((at) => pairOf(bytes, at));
  return { pairs, words: pairs.join(' · ') };
}

function pairOf(bytes: Uint8Array, at: number): string {
  return `${adjectives[bytes[at] as number]} ${nouns[bytes[at + 1] as number]}`;
}
