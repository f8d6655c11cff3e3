import { diffieHellman, type KeyObject } from 'node:crypto';
import { coordinateOf, p } from './field.ts';
import { privateKey, publicBytesOf, publicKey } from './raw-keys.ts';

/** Any scalar will do: a key of small order gives the zero secret with every one. Made at its first use. */
let trial: KeyObject | undefined;

/** The shared secret (32 bytes) of our scalar and their key; undefined where it would be all zero, as with keys of small order. */
export function sharedSecret(secret: Uint8Array, key: Uint8Array): Uint8Array | undefined {
  return agree(privateKey('x25519', secret), key);
}

/** Whether 32 bytes may be a box key: u below 2^255 - 19 with the high bit clear, and not of small order. */
export function isBoxKey(key: Uint8Array): boolean {
  return isCanonical(key) && agree((trial ??= privateKey('x25519', new Uint8Array(32).fill(1))), key) !== undefined;
}

/** The public key (32 bytes) of an X25519 scalar. */
export function boxKeyOf(secret: Uint8Array): Uint8Array {
  return publicBytesOf('x25519', secret);
}

function agree(own: KeyObject, key: Uint8Array): Uint8Array | undefined {
  try {
    return new Uint8Array(diffieHellman({ privateKey: own, publicKey: publicKey('x25519', key) }));
  } catch {
    return undefined;
  }
}

/** One spelling a key: X25519 itself would ignore the high bit and reduce the rest. */
function isCanonical(key: Uint8Array): boolean {
  return key.length === 32 && (key[31] as number) < 0x80 && coordinateOf(key) < p;
}
