import { sign, verify } from 'node:crypto';
import { coordinateOf, isOnCurve, p } from './field.ts';
import { privateKey, publicBytesOf, publicKey } from './raw-keys.ts';

/** Why 32 bytes are refused as a signing key. */
export type SigningKeyProblem = 'length' | 'non-canonical' | 'low-order' | 'not-a-point';

/**
 * y of the eight points of small order: 0, 1, p - 1 and the two of order 8 (C2SP CCTV, ed25519). Plain verification
 * accepts such a key for any message, so that "key" has signed everything.
 */
const SMALL_ORDER: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  p - 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n,
]);

/** Ed25519 signature (64 bytes) of a message by a 32-byte seed. */
export function signBytes(seed: Uint8Array, message: Uint8Array): Uint8Array {
  return new Uint8Array(sign(null, message, privateKey('ed25519', seed)));
}

/** The public key (32 bytes) of a seed. */
export function signingKeyOf(seed: Uint8Array): Uint8Array {
  return publicBytesOf('ed25519', seed);
}

/** What is wrong with a signing key: its length, y of p or more, a point of small order, or no point of the curve. */
export function signingKeyProblem(key: Uint8Array): SigningKeyProblem | undefined {
  if (key.length !== 32) return 'length';
  const y = coordinateOf(key);
  if (y >= p) return 'non-canonical';
  if (SMALL_ORDER.has(y)) return 'low-order';
  return isOnCurve(y) ? undefined : 'not-a-point';
}

/** Whether 32 bytes may be a signing key: see `signingKeyProblem`. */
export function isSigningKey(key: Uint8Array): boolean {
  return signingKeyProblem(key) === undefined;
}

/**
 * Whether `signature` is one of `message` by `key`, under a rule stricter than RFC 8032: 64 bytes, a key that
 * `isSigningKey` takes, an R that is canonical and not of small order, S below the group order. Never throws.
 */
export function verifyStrict(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64 || !isSigningKey(key)) return false;
  const r = coordinateOf(signature.subarray(0, 32));
  return r < p && !SMALL_ORDER.has(r) && verify(null, message, publicKey('ed25519', key), signature);
}
