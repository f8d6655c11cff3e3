import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** The two curves of RFC 8410 that gage has keys of. */
export type Curve = 'ed25519' | 'x25519';

// The fixed heads of RFC 8410: an algorithm number and the lengths; the 32 bytes of the key come behind them.
const SPKI = { ed25519: '302a300506032b6570032100', x25519: '302a300506032b656e032100' } as const;
const PKCS8 = { ed25519: '302e020100300506032b657004220420', x25519: '302e020100300506032b656e04220420' } as const;

/** A key object of 32 public bytes; nothing about the point is checked. */
export function publicKey(curve: Curve, key: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([Buffer.from(SPKI[curve], 'hex'), key]), format: 'der', type: 'spki' });
}

/** A key object of a 32-byte seed (Ed25519) or scalar (X25519). */
export function privateKey(curve: Curve, secret: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([Buffer.from(PKCS8[curve], 'hex'), secret]), format: 'der', type: 'pkcs8' });
}

/** The 32 public bytes that belong to a seed or scalar. */
export function publicBytesOf(curve: Curve, secret: Uint8Array): Uint8Array {
  return new Uint8Array(createPublicKey(privateKey(curve, secret)).export({ format: 'der', type: 'spki' }).subarray(-32));
}
