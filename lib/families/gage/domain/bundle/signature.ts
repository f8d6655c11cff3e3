import { fromBase64, toBase64 } from '../crypto/base64.ts';
import { verifyStrict } from '../crypto/ed25519.ts';
import { formatToken } from '../identity/token.ts';
import { signedBytesOf } from './manifest.ts';
import type { Manifest } from './manifest.types.ts';

const FILE_LENGTH = 89;

/** The 64 bytes in a manifest.sig, which holds 88 characters of strict base64 and a line feed; undefined for anything else. */
export function parseSignature(file: Uint8Array): Uint8Array | undefined {
  if (file.length !== FILE_LENGTH || file[FILE_LENGTH - 1] !== 0x0a) return undefined;
  return fromBase64(Buffer.from(file.subarray(0, -1)).toString('latin1'), 64);
}

/** The bytes of a manifest.sig. */
export function signatureFile(signature: Uint8Array): Uint8Array {
  return new TextEncoder().encode(`${toBase64(signature)}\n`);
}

/** Whether a manifest.sig is a signature of these manifest bytes by this key, under the strict rule. */
export function isManifestSigned(manifest: Uint8Array, key: Uint8Array, file: Uint8Array): boolean {
  const signature = parseSignature(file);
  return signature !== undefined && verifyStrict(key, signedBytesOf(manifest), signature);
}

/** The token of the two keys that a manifest names as its sender's. */
export function signerToken({ from: { key, box } }: Manifest): string {
  return formatToken(fromBase64(key, 32) as Uint8Array, fromBase64(box, 32) as Uint8Array);
}
