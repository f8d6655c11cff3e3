import { Buffer } from 'node:buffer';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** The two curves of RFC 8410 that gage has keys of. */
export type Curve = 'ed25519' | 'x25519';

/** The names of RFC 8037. */
const JWK = { ed25519: 'Ed25519', x25519: 'X25519' } as const;
// The fixed heads of RFC 8410: an algorithm number and the lengths; the 32 bytes of the key come behind them.
const PKCS8 = { ed25519: '302e020100300506032b657004220420', x25519: '302e020100300506032b656e04220420' } as const;

/** A key object of 32 public bytes; nothing about the point is checked. As a JWK it is made in a tenth of the time that DER takes. */
export function publicKey(curve: Curve, key: Uint8Array): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: JWK[curve], x: Buffer.from(key).toString('base64url') }, format: 'jwk' });
}

/** A key object of a 32-byte seed (Ed25519) or scalar (X25519). */
export function privateKey(curve: Curve, secret: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([Buffer.from(PKCS8[curve], 'hex'), secret]), format: 'der', type: 'pkcs8' });
}

/** The 32 public bytes that belong to a seed or scalar. */
export function publicBytesOf(curve: Curve, secret: Uint8Array): Uint8Array {
  return new Uint8Array(createPublicKey(privateKey(curve, secret)).export({ format: 'der', type: 'spki' }).subarray(-32));
}
