import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { boxKeyOf, sharedSecret } from './x25519.ts';

const MAGIC = Buffer.from('GAGESEA1');
const HEAD = MAGIC.length + 32;
const TAG = 16;
const CIPHER = 'chacha20-poly1305';
/** Each key is used once, so one nonce serves. */
const NONCE = new Uint8Array(12);

/**
 * Bytes that only the owner of a box key can read: magic, a fresh public key, ciphertext, tag. They show neither the
 * sender nor that it was the sender: authorship is the signature inside. Throws TypeError for a key of small order.
 */
export function seal(plain: Uint8Array, recipientBoxKey: Uint8Array, random: (size: number) => Uint8Array): Uint8Array {
  const ephemeral = random(32);
  const shared = sharedSecret(ephemeral, recipientBoxKey);
  if (shared === undefined) throw new TypeError('the box key is of small order');
  const head = Buffer.concat([MAGIC, boxKeyOf(ephemeral)]);
  const cipher = createCipheriv(CIPHER, keyOf(shared, head, recipientBoxKey), NONCE, { authTagLength: TAG });
  cipher.setAAD(Buffer.concat([head, recipientBoxKey]), { plaintextLength: plain.length });
  const text = cipher.update(plain);
  return new Uint8Array(Buffer.concat([head, text, cipher.final(), cipher.getAuthTag()]));
}

/** What was sealed for this identity; undefined for anything else, whether it is damaged or for somebody else. */
export function unseal(sealed: Uint8Array, identity: { readonly boxPrivate: Uint8Array; readonly boxKey: Uint8Array }): Uint8Array | undefined {
  if (sealed.length < HEAD + TAG || !MAGIC.equals(sealed.subarray(0, MAGIC.length))) return undefined;
  const head = sealed.subarray(0, HEAD);
  const shared = sharedSecret(identity.boxPrivate, head.subarray(MAGIC.length));
  if (shared === undefined) return undefined;
  const decipher = createDecipheriv(CIPHER, keyOf(shared, head, identity.boxKey), NONCE, { authTagLength: TAG });
  const text = sealed.subarray(HEAD, sealed.length - TAG);
  decipher.setAAD(Buffer.concat([head, identity.boxKey]), { plaintextLength: text.length });
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG));
  const plain = decipher.update(text);
  try {
    // Nothing of the text may be used before this has agreed to the tag.
    decipher.final();
  } catch {
    return undefined;
  }
  return new Uint8Array(plain.buffer, plain.byteOffset, plain.length);
}

/** Id of a sealed message at a relay: hex SHA-256 of its bytes. */
export function messageIdOf(sealed: Uint8Array): string {
  return createHash('sha256').update(sealed).digest('hex');
}

function keyOf(shared: Uint8Array, head: Uint8Array, recipientBoxKey: Uint8Array): Uint8Array {
  const salt = Buffer.concat([head.subarray(MAGIC.length), recipientBoxKey]);
  return new Uint8Array(hkdfSync('sha256', shared, salt, 'gage/seal/v1', 32));
}
