import { createHash } from 'node:crypto';
import { fromBase64, toBase64 } from '../crypto/base64.ts';
import { signingKeyProblem } from '../crypto/ed25519.ts';
import { isBoxKey } from '../crypto/x25519.ts';

/** The two keys of a token, and its text. */
export type ParsedToken = { readonly signKey: Uint8Array; readonly boxKey: Uint8Array; readonly token: string };

const LENGTH = 89;
const KEY_TEXT = 44;

/** Reads a token, `signing key . box key` in strict base64 with the key checks of both curves; `problem` is one word. */
export function parseToken(text: string): ParsedToken | { readonly problem: string } {
  if (text.length !== LENGTH || text[KEY_TEXT] !== '.') return { problem: 'format' };
  const signKey = fromBase64(text.slice(0, KEY_TEXT), 32);
  const boxKey = fromBase64(text.slice(KEY_TEXT + 1), 32);
  if (signKey === undefined || boxKey === undefined) return { problem: 'base64' };
  const problem = signingKeyProblem(signKey) ?? (isBoxKey(boxKey) ? undefined : 'box-key');
  return problem === undefined ? { signKey, boxKey, token: text } : { problem };
}

/** The token of two public keys, 89 characters. */
export function formatToken(signKey: Uint8Array, boxKey: Uint8Array): string {
  return `${toBase64(signKey)}.${toBase64(boxKey)}`;
}

/** The mailbox of a signing key at every relay: hex SHA-256 of "gage/mailbox/v1", a zero byte and the key. */
export function mailboxOf(signKey: Uint8Array): string {
  return createHash('sha256').update('gage/mailbox/v1\0').update(signKey).digest('hex');
}
