import { buildBundle } from '../../../../lib/families/gage/domain/bundle/build.ts';
import type { BuiltBundle, BundleDraft } from '../../../../lib/families/gage/domain/bundle/build.ts';
import type { Manifest } from '../../../../lib/families/gage/domain/bundle/manifest.types.ts';
import { fixture, testIdentity } from '../crypto/vectors.ts';

/** One bundle of manifest.json, from alice to bob. */
export type BundleVector = {
  readonly from: string; readonly to: string; readonly manifest_utf8: string; readonly pae_hex: string; readonly id: string; readonly manifest_sig_file: string;
  readonly items_base64: readonly string[]; readonly package_bytes: number; readonly package_sha256: string; readonly package_hex?: string;
};

/** The bundles of the vectors by name. */
export const bundleVectors = (fixture('manifest.json') as { vectors: Readonly<Record<string, BundleVector>> }).vectors;

/** Clock and randomness of the vectors: the nonce counts up from zero. */
export const vectorSurroundings = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5), random: (size: number) => Uint8Array.from({ length: size }, (_, index) => index) };

/** Builds the bundle of a vector anew from what its manifest says. */
export function buildVector({ from, to, manifest_utf8: text, items_base64: items }: BundleVector): BuiltBundle {
  const { subject, type, agent, model, reply_to: replyTo, expires_at: expiresAt, items: entries } = JSON.parse(text) as Manifest;
  return buildBundle({
    to: testIdentity(to).signKey, subject, type,
    items: entries.map(({ name, kind }, index) => ({ name, kind, bytes: new Uint8Array(Buffer.from(items[index] ?? '', 'base64')) })),
    ...(agent === undefined ? {} : { agent }), ...(model === undefined ? {} : { model }), ...(replyTo === undefined ? {} : { replyTo }),
    ...(expiresAt === undefined ? {} : { expiresIn: Date.parse(expiresAt) - vectorSurroundings.now() }),
  }, testIdentity(from), vectorSurroundings);
}

/** Builds a bundle from alice to bob, with two small items unless the draft says otherwise. */
export function buildSample(draft: Partial<BundleDraft> = {}): BuiltBundle {
  const items = ['one', 'two'].map((name) => ({ name: `${name}.txt`, kind: 'file' as const, bytes: new TextEncoder().encode(`item ${name}\n`) }));
  return buildBundle({ to: testIdentity('bob').signKey, subject: 'a sample', items, ...draft }, testIdentity('alice'), vectorSurroundings);
}
