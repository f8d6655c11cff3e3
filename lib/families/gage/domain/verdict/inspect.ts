import { createHash } from 'node:crypto';
import type { BundleBytes } from '../bundle/bundle.types.ts';
import { bundleIdOf, readManifest } from '../bundle/manifest.ts';
import type { Manifest } from '../bundle/manifest.types.ts';
import { isManifestSigned, parseSignature } from '../bundle/signature.ts';
import { fromBase64 } from '../crypto/base64.ts';
import { isSigningKey } from '../crypto/ed25519.ts';
import { isBoxKey } from '../crypto/x25519.ts';

/** What can be said of a bundle's bytes alone, whoever reads them and whenever. */
export type Inspected = {
  /** Of the manifest's bytes, whatever they say; undefined where these are no manifest. */
  readonly id: string | undefined;
  /** The first thing wrong with manifest, version or signature; undefined when `manifest` can be believed. */
  readonly fault?: 'malformed' | 'unsupported_version' | 'unverifiable';
  /** Words for everything found, each once, in the order of the tests. */
  readonly reasons: readonly string[];
  /** There, when a good signature covers it. */
  readonly manifest?: Manifest;
  /** Whether every item is there as signed, and nothing beside them. */
  readonly intact: boolean;
  /** Names of entries that belong to no bundle, as they are. */
  readonly extra: readonly string[];
};

/** Tests a bundle in the order of the format: manifest, version, signature and keys, items. Nothing unsigned is believed. */
export function inspectBundle(bytes: BundleBytes): Inspected {
  const extra = bytes.faults.flatMap(({ reason, name }) => (reason === 'extra_member' && name !== undefined ? [name] : []));
  const faults = bytes.faults.map(({ reason }) => reason);
  if (bytes.manifest === undefined) {
    return { id: undefined, fault: 'malformed', reasons: faults, intact: false, extra };
  }
  const read = readManifest(bytes.manifest);
  if (!('manifest' in read)) {
    const id = read.fault === 'malformed' ? undefined : bundleIdOf(bytes.manifest);
    return { id, fault: read.fault, reasons: [read.reason], intact: false, extra };
  }
  const id = bundleIdOf(bytes.manifest);
  const wrong = signatureFaults(bytes.manifest, read.manifest, bytes);
  // What the items should be is then nobody's word.
  if (wrong.length > 0) return { id, fault: 'unverifiable', reasons: wrong, intact: false, extra };
  const reasons = unique([...faults, ...itemFaults(read.manifest, bytes.items)]);
  return { id, reasons, manifest: read.manifest, intact: reasons.length === 0, extra };
}

function signatureFaults(bytes: Uint8Array, { from }: Manifest, { signature: file }: BundleBytes): string[] {
  // Something in its place that is no file is read as empty: that is no missing signature.
  if (file === undefined) return ['unsigned'];
  const key = fromBase64(from.key, 32) as Uint8Array;
  const isBox = isBoxKey(fromBase64(from.box, 32) as Uint8Array);
  if (isBox && isManifestSigned(bytes, key, file)) return [];
  // With a key that is none no signature can be good: then the key is to be named, and the signature where it is none itself.
  if (isBox && isSigningKey(key)) return ['signature'];
  return parseSignature(file) === undefined ? ['signature', 'key'] : ['key'];
}

function itemFaults({ items }: Manifest, found: BundleBytes['items']): string[] {
  return items.flatMap(({ bytes: size, sha256 }, index) => {
    const bytes = found[index];
    // Why it is not there is a fault that the reader found.
    if (bytes === undefined) return [];
    if (bytes.length !== size) return ['item_size'];
    return createHash('sha256').update(bytes).digest('hex') === sha256 ? [] : ['item_hash'];
  });
}

const unique = (words: readonly string[]): string[] => [...new Set(words)];
