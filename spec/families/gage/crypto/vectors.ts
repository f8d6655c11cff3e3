import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { completeIdentity } from '../../../../lib/families/gage/domain/identity/stored-identity.ts';
import type { Identity } from '../../../../lib/families/gage/domain/identity/identity.types.ts';
import { projectRoot } from '../../../support/project.ts';

const own = path.join(projectRoot, 'spec', 'fixtures', 'gage');
const shared = process.env['TOOLWIRE_VECTORS'];

/** Options of a test over the big public sets, which are not part of the project: skipped with a word where they are not at hand. */
export const withPublicVectors = { skip: shared === undefined ? 'TOOLWIRE_VECTORS is not set' : false };

/** A file of the project's own format vectors; the caller says its shape. */
export const fixture = (name: string): unknown => JSON.parse(readFileSync(path.join(own, name), 'utf8'));

/** Bytes of a file of the public vectors. */
export const publicBytes = (name: string): Buffer => readFileSync(path.join(shared ?? '', name));

/** A JSON file of the public vectors; the caller says its shape. */
export const publicVectors = (name: string): unknown => JSON.parse(publicBytes(name).toString('utf8'));

/** Bytes of hex digits. */
export const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));

/** Hex digits of bytes, to compare texts that a failure shows. */
export const toHex = (bytes: Uint8Array | undefined): string | undefined => (bytes === undefined ? undefined : Buffer.from(bytes).toString('hex'));

/** One identity of identity.json, as the file describes it. */
export type IdentityVector = {
  readonly handle: string;
  readonly sign_seed_hex: string;
  readonly box_private_hex: string;
  readonly sign_public_hex: string;
  readonly box_public_hex: string;
  readonly token: string;
  readonly label: string;
  readonly word_pairs: readonly string[];
  readonly words_display: string;
  readonly mailbox: string;
};

/** All of identity.json. */
export const identityVectors = fixture('identity.json') as {
  readonly words_sha256: string;
  readonly identities: readonly IdentityVector[];
  readonly swapped_box: { readonly token: string; readonly word_pairs: readonly string[] };
};

/** alice, bob or mallory of the vectors. */
export function testIdentity(handle: string): Identity {
  const vector = identityVectors.identities.find((each) => each.handle === handle);
  assert.ok(vector !== undefined, handle);
  return completeIdentity({ handle, created_at: '2026-01-01T00:00:00Z', signSeed: hex(vector.sign_seed_hex), boxPrivate: hex(vector.box_private_hex) });
}
