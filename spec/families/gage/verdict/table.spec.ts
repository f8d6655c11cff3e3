import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { BundleBytes } from '../../../../lib/families/gage/domain/bundle/bundle.types.ts';
import { signedBytesOf } from '../../../../lib/families/gage/domain/bundle/manifest.ts';
import { pack, unpack } from '../../../../lib/families/gage/domain/bundle/package.ts';
import { signatureFile } from '../../../../lib/families/gage/domain/bundle/signature.ts';
import { toBase64 } from '../../../../lib/families/gage/domain/crypto/base64.ts';
import { signBytes } from '../../../../lib/families/gage/domain/crypto/ed25519.ts';
import type { Identity } from '../../../../lib/families/gage/domain/identity/identity.types.ts';
import { judgeContext } from '../../../../lib/families/gage/domain/verdict/context.ts';
import { judgeBundle } from '../../../../lib/families/gage/domain/verdict/judge.ts';
import type { Row } from '../../../../lib/families/gage/domain/verdict/verdict.types.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { alice, bob, buddy, bundleOf, created, fixedRandom, mallory, noon, reader, secret, type Made, type Reader } from './kit.ts';

type Case = {
  readonly name: string;
  readonly bundle?: () => Made;
  readonly list?: readonly ReturnType<typeof buddy>[];
  readonly state?: 'pending' | 'accepted' | 'incoming';
  readonly at?: string;
  readonly config?: object;
  /** What happens to the folder of the bundle, or to the home. */
  readonly then?: (folder: string, who: Reader, bundle: Made) => void;
  readonly now?: number;
  readonly expect: Partial<Row>;
};

const onList = [buddy(alice)];
const manifestOf = (change: object) => () => bundleOf({ manifest: change });
const keyed = (change: object) => manifestOf({ from: { box: toBase64(alice.boxKey), handle: 'alice', key: toBase64(alice.signKey), ...change } });
const rewrite = (name: string, bytes: string | Uint8Array) => (folder: string): void => writeFileSync(path.join(folder, name), bytes);
const small = toBase64(new Uint8Array(32).fill(0));
/** A key of small order "signs" with the identity point and zeros. */
const orderOne = toBase64(Uint8Array.from({ length: 32 }, (_each, index) => (index === 0 ? 1 : 0)));
const orderOneSignature = signatureFile(Uint8Array.from({ length: 64 }, (_each, index) => (index === 0 ? 1 : 0)));

const shown = { payload_withheld: false, tampered: false, attributable: true };
const nothing = {
  attributable: false, on_your_list: false, payload_withheld: true, subject: null, subject_truncated: false, from_key: null, from_name: null,
  from_handle_claimed: null, from_label: null, name_mismatch: false, words: null, to_me: false, type: null, authorised: false, created_at: null,
  expires_at: null, reply_to: null, items: null, item_count: null, total_bytes: null, seen_before: null,
} as const;
const verified = { verdict: 'verified', label: 'SENDER VERIFIED', on_your_list: true, from_name: 'alice', words: null, reasons: [], ...shown } as const;
const tampered = { verdict: 'tampered', label: 'TAMPERED', attributable: false, on_your_list: true, from_name: 'alice', payload_withheld: true, tampered: true, items: null, words: null, item_count: 2, subject: 'hello' } as const;
const unverifiable = { verdict: 'unverifiable', label: 'SENDER UNVERIFIABLE', ...nothing } as const;
const malformed = { verdict: 'malformed', label: 'NOT A READABLE BUNDLE', tampered: false, ...nothing } as const;
const stranger = { verdict: 'not_listed', label: 'SENDER NOT ON YOUR LIST', on_your_list: false, from_name: null, from_label: 'fluid tunnel', words: 'marine caravan · mindful nebula · zealous iris · brief bottle', ...shown } as const;
const expired = { verdict: 'expired', label: 'EXPIRED', attributable: true, on_your_list: true, payload_withheld: true, tampered: false, items: null, reasons: ['expired'] } as const;
const blocked = { verdict: 'blocked', label: 'SENDER REFUSED BEFORE', attributable: true, on_your_list: false, from_name: null, payload_withheld: true, tampered: false, reasons: ['blocked'], items: null } as const;
const overdue = manifestOf({ expires_at: '2026-01-02T04:00:00Z' });

const cases: readonly Case[] = [
  { name: 'good, confirmed, intact', expect: { ...verified, subject: 'hello', from_key: toBase64(alice.signKey), from_handle_claimed: 'alice', from_label: 'fluid tunnel', to_me: true, type: 'note', created_at: created, expires_at: null, received_at: null, reply_to: null, state: 'pending', seen_before: null, item_count: 2, total_bytes: 57 } },
  { name: 'on the list without a comparison', list: [buddy(alice, { confirmed: null })], expect: { ...verified, verdict: 'listed_unconfirmed', label: 'SENDER ON YOUR LIST, UNCONFIRMED' } },
  { name: 'compared for another token', list: [buddy(alice, { confirmed: mallory.token })], expect: { ...verified, verdict: 'listed_unconfirmed', label: 'SENDER ON YOUR LIST, UNCONFIRMED', reasons: ['confirmation_stale'] } },
  { name: 'one byte of an item changed', then: (folder) => writeFileSync(path.join(folder, 'items', '0001'), `${secret} two.\n`), expect: { ...tampered, reasons: ['item_hash'] } },
  { name: 'an item of another size', then: (folder) => truncateSync(path.join(folder, 'items', '0001'), 3), expect: { ...tampered, reasons: ['item_size'] } },
  { name: 'a missing item', then: (folder) => rmSync(path.join(folder, 'items', '0000')), expect: { ...tampered, reasons: ['missing_item'] } },
  { name: 'an item too many', then: rewrite('items/0002', secret), expect: { ...tampered, reasons: ['extra_member'] } },
  { name: 'an entry beside the bundle', then: rewrite('README', secret), expect: { ...tampered, reasons: ['extra_member'] } },
  {
    name: 'a link in the place of an item', expect: { ...tampered, reasons: ['not_regular'] },
    then: (folder) => { rmSync(path.join(folder, 'items', '0000')); symlinkSync('/etc/hostname', path.join(folder, 'items', '0000')); },
  },
  {
    name: 'a folder in the place of an item', expect: { ...tampered, reasons: ['not_regular'] },
    then: (folder) => { rmSync(path.join(folder, 'items', '0000')); mkdirSync(path.join(folder, 'items', '0000')); },
  },
  { name: 'sent to another key', bundle: () => bundleOf({ to: mallory }), expect: { verdict: 'misdirected', label: 'ADDRESSED TO SOMEONE ELSE', attributable: true, on_your_list: true, payload_withheld: true, tampered: false, reasons: ['misdirected'], to_me: false, items: null } },
  { name: 'sent to another key and tampered with', bundle: () => bundleOf({ to: mallory }), then: rewrite('items/0000', secret), expect: { ...tampered, reasons: ['item_size', 'misdirected'] } },
  { name: 'sent to another key by a blocked one', bundle: () => bundleOf({ to: mallory }), list: [buddy(alice, { state: 'blocked' })], expect: { verdict: 'misdirected', label: 'ADDRESSED TO SOMEONE ELSE', attributable: true, on_your_list: false, from_name: null, payload_withheld: true, tampered: false, reasons: ['misdirected', 'blocked'], to_me: false, items: null } },
  { name: 'sent to another key and expired', bundle: () => bundleOf({ to: mallory, manifest: { expires_at: created } }), expect: { verdict: 'misdirected', reasons: ['misdirected', 'expired'], to_me: false, items: null } },
  { name: 'from a blocked key and expired', bundle: overdue, list: [buddy(alice, { state: 'blocked' })], expect: { ...blocked, reasons: ['blocked', 'expired'] } },
  { name: 'expired, signed by the reader', bundle: () => bundleOf({ from: bob, to: bob, manifest: { expires_at: created } }), expect: { ...expired, on_your_list: false } },
  { name: 'from a blocked key', list: [buddy(alice, { state: 'blocked' })], expect: blocked },
  { name: 'from a blocked key, tampered with', list: [buddy(alice, { state: 'blocked' })], then: rewrite('README', ''), expect: { ...tampered, on_your_list: false, from_name: null, reasons: ['extra_member', 'blocked'] } },
  { name: 'from a blocked key, accepted before', list: [buddy(alice, { state: 'blocked' })], state: 'accepted', expect: blocked },
  { name: 'expired to the second', bundle: overdue, expect: { ...expired, expires_at: '2026-01-02T04:00:00Z' } },
  { name: 'a second before it expires', bundle: overdue, now: noon - 1_000, expect: verified },
  { name: 'expired, but accepted before', bundle: overdue, state: 'accepted', expect: { ...verified, reasons: ['expired'] } },
  { name: 'expired and sent by nobody on the list', bundle: overdue, list: [], expect: { ...expired, on_your_list: false, words: stranger.words } },
  { name: 'made more than ten minutes ahead', bundle: manifestOf({ created_at: '2026-01-02T04:10:01Z' }), expect: { ...verified, reasons: ['clock_ahead'] } },
  { name: 'made ten minutes ahead', bundle: manifestOf({ created_at: '2026-01-02T04:10:00Z' }), expect: verified },
  { name: 'made over 30 days before it came', at: '2026-02-01T03:04:06Z', now: Date.UTC(2026, 2, 1), expect: { ...verified, reasons: ['old'], received_at: '2026-02-01T03:04:06Z' } },
  { name: 'made 30 days before it came', at: '2026-02-01T03:04:05Z', now: Date.UTC(2026, 2, 1), expect: verified },
  { name: 'seen before: accepted', state: 'incoming', then: (_folder, who, bundle) => void who.put('accepted', bundle), expect: { ...verified, state: 'accepted', seen_before: null } },
  { name: 'from a stranger', list: [], expect: { ...stranger, reasons: [] } },
  { name: 'from a stranger, who are withheld', list: [], config: { withhold_strangers: true, v: 1 }, expect: { ...stranger, payload_withheld: true, items: null, reasons: ['withheld_stranger'] } },
  { name: 'from a stranger, delivered on this machine, who are withheld', state: 'incoming', list: [], config: { withhold_strangers: true, v: 1 }, expect: { ...stranger, payload_withheld: true, items: null, reasons: ['withheld_stranger'], state: 'incoming' } },
  { name: 'from a stranger, accepted by a person', state: 'accepted', list: [], config: { withhold_strangers: true, v: 1 }, expect: { ...stranger, reasons: [], state: 'accepted' } },
  { name: 'from a stranger with the name of a buddy', list: [buddy(mallory, { name: 'ALICE' })], expect: { ...stranger, name_mismatch: true, reasons: ['name_mismatch'] } },
  { name: 'on the list, calling itself something else', bundle: keyed({ handle: 'al' }), expect: { ...verified, from_handle_claimed: 'al', name_mismatch: false } },
  { name: 'on the list, with the name of another buddy', bundle: keyed({ handle: 'Mallory' }), list: [...onList, buddy(mallory)], expect: { ...verified, name_mismatch: true, reasons: ['name_mismatch'] } },
  { name: 'on the list, with another box key', bundle: keyed({ box: toBase64(mallory.boxKey) }), expect: { ...verified, reasons: ['box_key_changed'] } },
  { name: 'signed by the reader', bundle: () => bundleOf({ from: bob, to: alice }), expect: { verdict: 'self', label: 'YOU SIGNED THIS', on_your_list: false, reasons: [], to_me: false, ...shown } },
  { name: 'signed by another key than it names', then: (folder, _who, { manifest }) => writeFileSync(path.join(folder, 'manifest.sig'), signatureFile(signBytes(mallory.signSeed, signedBytesOf(manifest)))), expect: { ...unverifiable, tampered: true, reasons: ['signature'] } },
  { name: 'no signature', then: (folder) => rmSync(path.join(folder, 'manifest.sig')), expect: { ...unverifiable, tampered: false, reasons: ['unsigned'] } },
  { name: 'a signature without its line feed', then: (folder) => truncateSync(path.join(folder, 'manifest.sig'), 88), expect: { ...unverifiable, tampered: true, reasons: ['signature'] } },
  { name: 'a signature of 63 bytes', then: rewrite('manifest.sig', `${toBase64(new Uint8Array(63))}\n`), expect: { ...unverifiable, tampered: true, reasons: ['signature'] } },
  { name: 'a signature of 65 bytes', then: rewrite('manifest.sig', `${toBase64(new Uint8Array(65))}\n`), expect: { ...unverifiable, tampered: true, reasons: ['signature'] } },
  { name: 'a signature with S over the group order', then: rewrite('manifest.sig', signatureFile(new Uint8Array(64).fill(0xff))), expect: { ...unverifiable, tampered: true, reasons: ['signature'] } },
  { name: 'a link in the place of the signature', expect: { ...unverifiable, tampered: true, reasons: ['signature'] }, then: (folder) => { rmSync(path.join(folder, 'manifest.sig')); symlinkSync('/etc/hostname', path.join(folder, 'manifest.sig')); } },
  { name: 'a signing key of small order', bundle: keyed({ key: orderOne }), then: rewrite('manifest.sig', orderOneSignature), expect: { ...unverifiable, tampered: true, reasons: ['key'] } },
  { name: 'a box key of small order', bundle: keyed({ box: small }), expect: { ...unverifiable, tampered: true, reasons: ['key'] } },
  { name: 'a box key of small order and half a signature', bundle: keyed({ box: small }), then: rewrite('manifest.sig', 'AAAA\n'), expect: { ...unverifiable, tampered: true, reasons: ['signature', 'key'] } },
  { name: 'version 2', bundle: manifestOf({ v: 2 }), expect: { ...nothing, verdict: 'unsupported_version', label: 'UNKNOWN VERSION', tampered: false, reasons: ['version'] } },
  { name: 'a version that is text', bundle: manifestOf({ v: '1' }), expect: { ...malformed, reasons: ['no_version'] } },
  { name: 'an unknown key', bundle: manifestOf({ extra: 1 }), expect: { ...malformed, reasons: ['unknown_key'] } },
  { name: 'a key that is not 32 bytes', bundle: keyed({ key: 'AAAA' }), expect: { ...malformed, reasons: ['bad_key'] } },
  { name: 'a name that leads out', bundle: () => bundleOf({ items: [{ name: '../../.ssh/authorized_keys', bytes: secret }] }), expect: { ...malformed, reasons: ['bad_name'] } },
  { name: 'a manifest that is not canonical', then: (folder, _who, { manifest }) => writeFileSync(path.join(folder, 'manifest.json'), `${Buffer.from(manifest).toString()}\n`), expect: { ...malformed } },
  { name: 'no manifest', then: (folder) => rmSync(path.join(folder, 'manifest.json')), expect: { ...malformed, reasons: ['missing_manifest'] } },
  { name: 'a manifest over 256 KiB', then: rewrite('manifest.json', ' '.repeat(256 * 1024 + 1)), expect: { ...malformed, reasons: ['too_large'] } },
];

describe('gage: the verdict on a bundle', () => {
  const temp = tempFolder();
  for (const { name, bundle = () => bundleOf(), list = onList, state = 'pending', at, config, then, now = noon, expect } of cases) {
    it(`${name}: ${expect.verdict}, by the tool as by the command line`, async () => {
      const who = await reader(temp);
      await who.list(...list);
      if (config !== undefined) who.write('config.json', config);
      const made = bundle();
      const folder = who.put(state, made, at === undefined ? {} : { at });
      then?.(folder, who, made);
      const { row, text } = await who.open({ id: made.id }, now);
      const seen = Object.fromEntries(Object.keys(expect).map((key) => [key, row[key as keyof Row]]));
      assert.deepEqual(seen, expect);
      assert.equal(text.includes(secret), !row.payload_withheld, text);
      assert.equal(row.items === null, row.payload_withheld);
      assert.equal(row.id, made.id);
      const exit = ['verified', 'listed_unconfirmed', 'self'].includes(row.verdict) ? 0 : 3;
      const json = await who.verb(['open', made.id, '--json'], { now: () => now });
      assert.deepEqual([json.code, JSON.parse(json.stdout)], [exit, row]);
      const printed = await who.verb(['open', made.id.slice(0, 12)], { now: () => now });
      assert.deepEqual(printed, { code: exit, stdout: text, stderr: '' });
      const { words: _words, items: _items, ...listed } = row;
      const inbox = await who.inbox({ all: true }, now);
      assert.deepEqual(inbox, { bundles: [listed], total: 1, truncated: false });
      assert.deepEqual(JSON.parse((await who.verb(['inbox', '--all', '--json'], { now: () => now })).stdout), inbox);
      const word = await who.verb(['verify', made.id], { now: () => now });
      assert.deepEqual(word, { code: exit, stdout: `${row.verdict}\n`, stderr: '' });
    });
  }

  it('an id is remembered as seen: accepted, pending or rejected, for another copy alone', async () => {
    const made = bundleOf();
    for (const [seen, arrange] of [
      ['accepted', (who: Reader) => who.put('accepted', made)],
      ['pending', (who: Reader) => who.put('pending', made)],
      ['rejected', (who: Reader) => { mkdirSync(who.home.path('inbox', 'rejected'), { recursive: true }); who.write(`inbox/rejected/${made.id}.json`, { at: created, from_key: 'k', why: 'person' }); }],
      [null, (who: Reader) => { mkdirSync(who.home.path('inbox', 'rejected'), { recursive: true }); who.write(`inbox/rejected/${made.id}.json`, { at: created, why: 'person' }); }],
      [null, (who: Reader) => writeFileSync(path.join(who.put('pending', made), 'items', '0000'), 'damaged')],
      [null, () => undefined],
    ] as const) {
      const who = await reader(temp);
      await who.list(...onList);
      arrange(who);
      const { row } = await who.open({ dir: who.put('incoming', made) });
      assert.deepEqual([row.verdict, row.seen_before], ['verified', seen]);
    }
  });

  it('an item of another length that came packed is tampered with by its size', async () => {
    const who = await reader(temp);
    await who.list(...onList);
    const good = bundleOf();
    for (const change of [(bytes: Uint8Array) => bytes.slice(1), (bytes: Uint8Array) => new Uint8Array([...bytes, 0])]) {
      const packed = pack({ ...good, items: good.items.map((bytes, index) => (index === 1 ? change(bytes as Uint8Array) : bytes)) });
      const { row, items } = judgeBundle(unpack(packed) as BundleBytes, judgeContext(who.home, who.surroundings()));
      assert.deepEqual([row.verdict, row.reasons, items], ['tampered', ['item_size'], []]);
    }
  });

  it('a good bundle in a folder that is not called by its id is malformed, and keeps nothing of its own', async () => {
    const who = await reader(temp);
    await who.list(...onList);
    for (const [state, folder] of [['incoming', 'ff'.repeat(32)], ['pending', 'ff'.repeat(32)], ['incoming', 'alice']] as const) {
      who.put(state, bundleOf(), { folder });
      const { bundles } = await who.inbox();
      const { verdict, reasons, id, from_key } = bundles[0] ?? {};
      assert.deepEqual({ verdict, reasons, id, from_key }, { verdict: 'malformed', reasons: ['folder_name'], id: folder === 'alice' ? null : folder, from_key: null });
      rmSync(who.home.path('inbox', state, folder), { recursive: true });
    }
    const changed = bundleOf({ manifest: { subject: 'other' } });
    who.put('pending', { ...changed, signature: bundleOf().signature }, { folder: bundleOf().id });
    const { row } = await who.open({ id: bundleOf().id });
    assert.deepEqual([row.verdict, row.reasons, row.id], ['unverifiable', ['signature', 'folder_name'], bundleOf().id]);
  });

  it('a grant authorises a verified bundle of its type, and nothing else does', async () => {
    const key = toBase64(alice.signKey);
    const grants = (type: string, more: object = {}) => ({ grants: [{ key, types: [type], ...more }], v: 1 });
    const table: readonly (readonly [string, object | undefined, readonly ReturnType<typeof buddy>[], boolean, readonly string[]])[] = [
      ['no file', undefined, onList, false, []],
      ['its type', grants('note'), onList, true, []],
      ['another type', grants('task'), onList, false, []],
      ['too late', grants('note', { expires_at: '2026-01-02T04:00:00Z' }), onList, false, []],
      ['unconfirmed', grants('note'), [buddy(alice, { confirmed: null })], false, []],
      ['unreadable', { grants: 1, v: 1 }, onList, false, ['authority_unreadable']],
    ];
    for (const [name, file, list, authorised, reasons] of table) {
      const who = await reader(temp);
      await who.list(...list);
      if (file !== undefined) who.write('authority.json', file);
      const made = bundleOf();
      who.put('pending', made);
      const { row, text } = await who.open({ id: made.id });
      assert.deepEqual([row.authorised, row.reasons], [authorised, reasons], name);
      assert.ok(text.includes(`authorised : ${authorised ? 'YES' : 'NO'}\n`), text);
    }
  });

  it('a self-made bundle that takes the name of a buddy is still one\'s own', async () => {
    const who = await reader(temp);
    await who.list(buddy(alice, { name: 'bob' }));
    const own: Identity = bob;
    who.put('pending', bundleOf({ from: own, to: own }));
    const [row] = (await who.inbox()).bundles;
    assert.deepEqual([row?.verdict, row?.name_mismatch, row?.to_me], ['self', false, true]);
    assert.deepEqual(fixedRandom(1), new Uint8Array([0xa5]));
  });
});
