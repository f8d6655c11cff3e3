import { createHash } from 'node:crypto';
import { readCanonicalJson } from '../../../../text/canonical-json.ts';
import type { CanonicalJsonError } from '../../../../text/canonical-json.ts';
import { pae } from '../crypto/pae.ts';
import { limits } from './limits.ts';
import { manifestProblem } from './manifest-rules.ts';
import type { Manifest, ReadManifest } from './manifest.types.ts';

export { limits } from './limits.ts';

/** The type that a manifest is signed under. */
export const manifestType = 'application/vnd.gage.manifest.v1+json';

/** Reads the bytes of a manifest.json: canonical JSON of at most 256 KiB, version 1, every key known and within its rules. */
export function readManifest(bytes: Uint8Array): ReadManifest {
  let value: unknown;
  try {
    value = readCanonicalJson(bytes, { maxBytes: limits.manifestBytes, maxDepth: 8 });
  } catch (error) {
    return { fault: 'malformed', reason: (error as CanonicalJsonError).fault };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { fault: 'malformed', reason: 'not_object' };
  const version = Object.hasOwn(value, 'v') ? (value as { readonly v: unknown }).v : undefined;
  if (typeof version !== 'number') return { fault: 'malformed', reason: 'no_version' };
  if (version !== 1) return { fault: 'unsupported_version', reason: 'version' };
  const problem = manifestProblem(value);
  return problem === undefined ? { manifest: value as Manifest } : { fault: 'malformed', ...problem };
}

/** What is signed of a manifest, and what its id is made of. */
export function signedBytesOf(manifestBytes: Uint8Array): Uint8Array {
  return pae(manifestType, manifestBytes);
}

/** The id of a bundle: hex SHA-256 of the bytes that are signed. Nobody chooses it. */
export function bundleIdOf(manifestBytes: Uint8Array): string {
  return createHash('sha256').update(signedBytesOf(manifestBytes)).digest('hex');
}
