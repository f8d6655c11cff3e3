import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { changeBuddies, tokenDigest, type Buddy } from '../../../../lib/families/gage/domain/buddies/buddies.ts';
import type { BundleBytes } from '../../../../lib/families/gage/domain/bundle/bundle.types.ts';
import { bundleIdOf, signedBytesOf } from '../../../../lib/families/gage/domain/bundle/manifest.ts';
import { signatureFile } from '../../../../lib/families/gage/domain/bundle/signature.ts';
import { toBase64 } from '../../../../lib/families/gage/domain/crypto/base64.ts';
import { signBytes } from '../../../../lib/families/gage/domain/crypto/ed25519.ts';
import { openHome, type Home } from '../../../../lib/families/gage/domain/home/home.ts';
import { storeIdentity } from '../../../../lib/families/gage/domain/identity/identity-file.ts';
import type { Identity } from '../../../../lib/families/gage/domain/identity/identity.types.ts';
import type { InboxRow, Row } from '../../../../lib/families/gage/domain/verdict/verdict.types.ts';
import type { Surroundings } from '../../../../lib/domain/surroundings.types.ts';
import type { Parts } from '../../../../lib/families/gage/parts.types.ts';
import { gageInboxTool } from '../../../../lib/families/gage/tools/gage-inbox.ts';
import { gageOpenTool } from '../../../../lib/families/gage/tools/gage-open.ts';
import { canonicalJson } from '../../../../lib/text/canonical-json.ts';
import { runVerbOf, type VerbRun, type VerbSetting } from '../../../support/run-verb.ts';
import type { TempFolder } from '../../../support/temp-folder.ts';
import { testIdentity } from '../crypto/vectors.ts';

/** The people of the vectors: bob reads, the others write. */
export const [alice, bob, mallory] = [testIdentity('alice'), testIdentity('bob'), testIdentity('mallory')];

/** 2026-01-02T04:00:00Z, most of an hour after the bundles here were made. */
export const noon = Date.UTC(2026, 0, 2, 4);
export const created = '2026-01-02T03:04:05Z';

/** What no one may read out of a bundle that is withheld. */
export const secret = 'PAYLOAD-OF-THE-SENDER';

export type Item = { readonly name: string; readonly kind?: string; readonly bytes: string | Uint8Array };

/** A bundle with its id, made by hand: `manifest` replaces members of it (undefined leaves one out). */
export type Made = BundleBytes & { readonly manifest: Uint8Array; readonly signature: Uint8Array; readonly items: readonly Uint8Array[]; readonly id: string };

export const twoItems: readonly Item[] = [{ name: 'notes.md', bytes: `# Notes\n${secret}\n` }, { name: 'ask.txt', kind: 'prompt', bytes: `${secret} too.\n` }];

/** Makes and signs a bundle; nothing of it need keep to the rules. */
export function bundleOf({ from = alice, to = bob, items = twoItems, manifest = {} }: { readonly from?: Identity; readonly to?: Identity; readonly items?: readonly Item[]; readonly manifest?: object } = {}): Made {
  const parts = items.map(({ bytes }) => new Uint8Array(Buffer.from(bytes as string)));
  const listed = items.map(({ name, kind = 'file' }, index) => {
    const bytes = parts[index] as Uint8Array;
    return { bytes: bytes.length, kind, name, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
  const whole = {
    created_at: created, from: { box: toBase64(from.boxKey), handle: from.handle, key: toBase64(from.signKey) },
    items: listed, nonce: '000102030405060708090a0b0c0d0e0f', subject: 'hello', to: toBase64(to.signKey), type: 'note', v: 1, ...manifest,
  };
  const bytes = new TextEncoder().encode(canonicalJson(Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined))));
  return { manifest: bytes, signature: signatureFile(signBytes(from.signSeed, signedBytesOf(bytes))), items: parts, faults: [], id: bundleIdOf(bytes) };
}

/** Writes the files of a bundle as they are. */
export function writeRaw(folder: string, { manifest, signature, items }: Pick<BundleBytes, 'manifest' | 'signature' | 'items'>): string {
  mkdirSync(items.length > 0 ? path.join(folder, 'items') : folder, { recursive: true });
  if (manifest !== undefined) writeFileSync(path.join(folder, 'manifest.json'), manifest);
  if (signature !== undefined) writeFileSync(path.join(folder, 'manifest.sig'), signature);
  for (const [index, bytes] of items.entries()) if (bytes !== undefined) writeFileSync(path.join(folder, 'items', String(index).padStart(4, '0')), bytes);
  return folder;
}

/** Bob at his machine. */
export type Reader = {
  readonly home: Home;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  surroundings(now?: number): Surroundings;
  /** Puts a bundle where it would be; returns the folder of the bundle. */
  put(state: 'incoming' | 'pending' | 'accepted', bundle: BundleBytes & { readonly id: string }, options?: { readonly folder?: string; readonly at?: string }): string;
  list(...buddies: readonly Buddy[]): Promise<void>;
  write(name: string, content: object): void;
  /** Both blocks of the tool gage_open; the second is the frame. */
  open(args: object, now?: number): Promise<{ readonly row: Row; readonly text: string; readonly blocks: number; readonly structured: unknown }>;
  inbox(args?: object, now?: number): Promise<{ readonly bundles: readonly InboxRow[]; readonly total: number; readonly truncated: boolean }>;
  verb(words: readonly string[], setting?: Partial<VerbSetting>): Promise<VerbRun>;
};

/** The nonce of every rendering here. */
export const fixedRandom = (size: number): Uint8Array => new Uint8Array(size).fill(0xa5);

let homes = 0;

/** A home of bob's own, with nobody on the list. */
export async function reader(temp: TempFolder): Promise<Reader> {
  const root = temp.at(`home-${++homes}`);
  const env = { GAGE_HOME: root, HOME: temp.folder('users') };
  const cwd = temp.folder(`work-${homes}`);
  const home = openHome(env);
  await storeIdentity(home, bob);
  const surroundings = (now: number = noon): Surroundings => ({ env, cwd, now: () => now, random: fixedRandom, log: () => {} });
  const parts = (now: number | undefined): Parts => ({ context: { ...surroundings(now), log: () => {}, listChanged: () => {} }, loadPairings: () => Promise.reject(new Error('no pairing here')) });
  return {
    home, env, cwd, surroundings,
    put(state, bundle, { folder = bundle.id, at } = {}) {
      const base = home.path('inbox', state, folder);
      const made = writeRaw(state === 'incoming' ? base : path.join(base, 'bundle'), bundle);
      if (at !== undefined) writeFileSync(path.join(base, 'arrival.json'), `${canonicalJson({ at, message_id: '00'.repeat(32), relay: 'https://relay.example', via: 'relay' })}\n`);
      return made;
    },
    list: (...buddies) => changeBuddies(home, () => ({ next: buddies, result: undefined })),
    write: (name, content) => writeFileSync(home.path(name), JSON.stringify(content), { mode: 0o600 }),
    async open(args, now) {
      const { blocks, structured } = (await gageOpenTool(parts(now)).call(args as never, undefined as never)) as { blocks: { text: string }[]; structured: unknown };
      return { row: JSON.parse(blocks[0]?.text ?? ''), text: blocks[1]?.text ?? '', blocks: blocks.length, structured };
    },
    inbox: async (args = {}, now) => (await gageInboxTool(parts(now)).call(args as never, undefined as never)) as never,
    verb: async (words, setting = {}) =>
      runVerbOf((await import('../../../../lib/families/gage/cli.ts')).cli, words, { cwd, env, now: () => noon, random: fixedRandom, ...setting }),
  };
}

/** Somebody as bob's list has them; the words were compared unless `confirmed` says otherwise (a token: for that one). */
export function buddy(who: Identity, { name = who.handle, state = 'listed', confirmed = who.token }: { readonly name?: string; readonly state?: Buddy['state']; readonly confirmed?: string | undefined | null } = {}): Buddy {
  const [key = '', box = ''] = who.token.split('.');
  const at = '2026-01-01T00:00:00Z';
  const record = confirmed === null || confirmed === undefined ? undefined : { at, tokenSha256: tokenDigest(confirmed) };
  return { name, token: who.token, key, box, state, addedAt: at, addedBy: 'cli', confirmed: record };
}

/** Whether a path holds anything. */
export const isThere = existsSync;
