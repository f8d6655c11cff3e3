import { Buffer } from 'node:buffer';
import { canonicalJson } from '../../../../text/canonical-json.ts';
import { pae } from '../crypto/pae.ts';

/** Largest sealed message that a relay takes, in bytes (design section 7). */
export const MAX_MESSAGE = 20 * 1024 * 1024;
/** Magic, ephemeral key and tag: a sealed message is never shorter, in bytes (section 11). */
export const MIN_MESSAGE = 56;
/** What each sealed message begins with. */
export const MESSAGE_MAGIC: Uint8Array = Buffer.from('GAGESEA1', 'latin1');

const SESSION_TYPE = 'application/vnd.gage.relay-auth.v1+json';

/**
 * The bytes that a reader signs to open a session. `aud` is the origin that the reader was configured with, so that a
 * hostile relay cannot pass the challenge of another one on; `key` is the signing key in base64.
 */
export function sessionMessage({ aud, challenge, key }: { readonly aud: string; readonly challenge: string; readonly key: string }): Uint8Array {
  return pae(SESSION_TYPE, Buffer.from(canonicalJson({ aud, challenge, key, op: 'session', v: 1 })));
}
