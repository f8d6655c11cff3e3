import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { buddy, alice, bob, bundleOf, created, mallory, noon, reader, writeRaw, type Made, type Reader } from '../verdict/kit.ts';
import { messageIdOf } from '../../../../lib/families/gage/domain/crypto/seal.ts';
import { fileArrival, fullProblem, measurePending, placeOf, type Filed } from '../../../../lib/families/gage/domain/inbox/store.ts';
import { forgetBlocked } from '../../../../lib/families/gage/domain/inbox/tombstones.ts';
import type { Surroundings } from '../../../../lib/domain/surroundings.types.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { refusal } from '../world.ts';

let messages = 0;
let drawn = 0;

/** Sealed bytes that no two messages share; what is in them is beside the point here. */
const sealed = (): Uint8Array => new TextEncoder().encode(`sealed ${++messages}`);
const surroundingsOf = (who: Reader, now = noon): Surroundings => ({ ...who.surroundings(now), random: (size) => new Uint8Array(size).fill(++drawn % 251) });
const take = (who: Reader, bundle: Made | undefined, message = sealed(), now = noon): Promise<Filed> =>
  fileArrival(who.home, bundle, { message_id: messageIdOf(message), relay: 'https://relay.example', sealed: message }, surroundingsOf(who, now));
const names = (who: Reader, ...place: readonly string[]): string[] => {
  try {
    return readdirSync(who.home.path('inbox', ...place)).sort();
  } catch {
    return [];
  }
};
const other = (index: number): Made => bundleOf({ items: [], manifest: { nonce: String(index).padStart(32, '0') } });

describe('gage: what a pull takes in', () => {
  const temp = tempFolder();

  it('is filed by its verdict: for a person, as a tombstone, or in quarantine', async () => {
    const good = bundleOf();
    const table: readonly (readonly [string, Made | undefined, Filed['outcome'], readonly ReturnType<typeof buddy>[]])[] = [
      ['verified', good, 'pulled', [buddy(alice)]],
      ['listed_unconfirmed', good, 'pulled', [buddy(alice, { confirmed: null })]],
      ['not_listed', good, 'pulled', []],
      ['expired', bundleOf({ manifest: { expires_at: created } }), 'pulled', [buddy(alice)]],
      ['self', bundleOf({ from: bob, to: bob }), 'pulled', []],
      ['blocked', good, 'refused', [buddy(alice, { state: 'blocked' })]],
      ['misdirected', bundleOf({ to: mallory }), 'malformed', [buddy(alice)]],
      ['tampered', { ...good, items: [good.items[0] as Uint8Array, new Uint8Array(3)] }, 'malformed', [buddy(alice)]],
      ['unverifiable', { ...good, signature: new Uint8Array(89) }, 'malformed', [buddy(alice)]],
      ['blocked, but not signed', { ...good, signature: new Uint8Array(89) }, 'malformed', [buddy(alice, { state: 'blocked' })]],
      ['unsupported_version', bundleOf({ manifest: { v: 2 } }), 'malformed', []],
      ['malformed', bundleOf({ manifest: { extra: 1 } }), 'malformed', []],
      ['what can not be unsealed', undefined, 'malformed', []],
    ];
    const reasonOf = (name: string): string => ({ 'blocked, but not signed': 'unverifiable', 'what can not be unsealed': 'unsealable' })[name] ?? name;
    for (const [name, bundle, outcome, list] of table) {
      const who = await reader(temp);
      await who.list(...list);
      const message = sealed();
      const filed = await take(who, bundle, message);
      assert.deepEqual(filed, outcome === 'malformed' ? { outcome } : { outcome, id: bundle?.id }, name);
      assert.deepEqual(names(who, 'pending'), outcome === 'pulled' ? [bundle?.id] : [], name);
      assert.deepEqual(names(who, 'rejected'), outcome === 'refused' ? [`${bundle?.id}.json`] : [], name);
      assert.deepEqual(names(who, 'quarantine'), outcome === 'malformed' ? [`${noon}-${messageIdOf(message)}.${reasonOf(name)}.msg`] : [], name);
      if (outcome !== 'pulled' || bundle === undefined) continue;
      const folder = who.home.path('inbox', 'pending', bundle.id);
      assert.deepEqual(readdirSync(folder).sort(), ['arrival.json', 'bundle']);
      assert.equal(readFileSync(path.join(folder, 'arrival.json'), 'utf8'), `{"at":"2026-01-02T04:00:00Z","message_id":"${messageIdOf(message)}","relay":"https://relay.example","via":"relay"}\n`);
      const { row } = await who.open({ id: bundle.id });
      assert.deepEqual([row.verdict, row.received_at, row.seen_before], [name, '2026-01-02T04:00:00Z', null]);
    }
  });

  it('comes once: pending, accepted or rejected before it is a duplicate', async () => {
    const made = bundleOf();
    const arrangements: readonly ((who: Reader) => Promise<unknown>)[] = [
      (who) => take(who, made),
      async (who) => [await take(who, made), await who.verb(['accept', made.id, '--yes'])],
      async (who) => [await take(who, made), await who.verb(['reject', made.id])],
    ];
    for (const arrange of arrangements) {
      const who = await reader(temp);
      await who.list(buddy(alice));
      await arrange(who);
      assert.deepEqual(await take(who, made), { outcome: 'duplicate', id: made.id });
      assert.ok((await who.inbox({ all: true })).total <= 1);
    }
  });

  it('is no duplicate where another good bundle lies under its id', async () => {
    const [made, another] = [bundleOf(), other(1)];
    for (const state of ['pending', 'accepted'] as const) {
      const who = await reader(temp);
      await who.list(buddy(alice));
      who.put(state, another, { folder: made.id });
      assert.deepEqual(await take(who, made), { outcome: 'pulled', id: made.id });
      const { row } = await who.open({ id: made.id });
      assert.deepEqual([row.verdict, row.id, row.state], ['verified', made.id, 'pending']);
    }
  });

  it('case 26: a stored copy that no longer verifies is replaced by a good one, accepted ones too', async () => {
    const made = bundleOf();
    for (const accepted of [false, true]) {
      const who = await reader(temp);
      await who.list(buddy(alice));
      await take(who, made);
      if (accepted) await who.verb(['accept', made.id, '--yes']);
      const folder = who.home.path('inbox', accepted ? 'accepted' : 'pending', made.id, 'bundle');
      writeFileSync(path.join(folder, 'items', '0000'), 'damaged');
      assert.equal((await who.open({ id: made.id })).row.verdict, 'tampered');
      assert.deepEqual(await take(who, made), { outcome: 'pulled', id: made.id });
      assert.equal((await who.open({ id: made.id })).row.verdict, 'verified');
      assert.deepEqual((await who.inbox({ all: true })).bundles.map(({ verdict }) => verdict), ['verified']);
      if (accepted) assert.equal((await who.verb(['accept', made.id, '--yes'])).code, 0);
      assert.equal(placeOf(who.home, made.id)?.state, accepted ? 'accepted' : 'pending');
      assert.equal((await who.open({ id: made.id })).row.verdict, 'verified');
    }
  });

  it('leaves nothing half written: what a killed pull left is swept, and is never listed', async () => {
    const who = await reader(temp);
    writeRaw(who.home.path('inbox', 'pending', '.tmp-0011223344556677', 'bundle'), bundleOf());
    assert.equal((await who.inbox()).total, 0);
    await take(who, bundleOf());
    assert.deepEqual(names(who, 'pending'), [bundleOf().id]);
  });

  it('keeps the newest 16 messages in quarantine, none of them twice, and inbox --quarantine lists them', async () => {
    const who = await reader(temp);
    assert.deepEqual(await who.verb(['inbox', '--quarantine']), { code: 0, stdout: '', stderr: 'gage: the quarantine is empty\n' });
    const same = sealed();
    for (let round = 0; round < 3; round += 1) await take(who, undefined, same, noon + round);
    for (let round = 0; round < 17; round += 1) await take(who, undefined, sealed(), noon + 1_000 * (round + 1));
    mkdirSync(who.home.path('inbox', 'quarantine', 'other'));
    const { stdout, stderr } = await who.verb(['inbox', '--quarantine', '--json']);
    assert.equal(stderr, `gage: these are sealed messages that no command opens: a sender that you know of can send again. They lie in ${who.home.path('inbox', 'quarantine')}, where you may delete them; the newest 16 are kept.\n`);
    const { messages: listed, total } = JSON.parse(stdout);
    assert.deepEqual([total, listed[0].at, listed.at(-1).at], [16, '2026-01-02T04:00:17Z', '2026-01-02T04:00:02Z']);
    assert.deepEqual((await who.verb(['inbox', '--quarantine'])).stdout.split('\n').length, 18);
    assert.ok(listed.every(({ reason }: { reason: string }) => reason === 'unsealable'));
    const tampered = { ...bundleOf(), items: [new Uint8Array(1), new Uint8Array(1)] };
    const last = sealed();
    await take(who, tampered, last, noon + 60_000);
    writeFileSync(who.home.path('inbox', 'quarantine', `${noon + 61_000}-${'0'.repeat(64)}.msg`), '');
    const [head, older, newest] = (await who.verb(['inbox', '--quarantine'])).stdout.split('\n').map((line) => line.split(/ {2,}/));
    assert.deepEqual(head, ['at', 'message', 'reason', 'file']);
    assert.deepEqual([older?.[2], newest?.slice(1, 3)], ['-', [messageIdOf(last).slice(0, 12), 'tampered']]);
  });

  it('keeps the newest 1,000 tombstones of blocked senders and every one of a person, and unblocking takes those of a key away', async () => {
    const who = await reader(temp);
    await who.list(buddy(alice, { state: 'blocked' }));
    mkdirSync(who.home.path('inbox', 'rejected'), { recursive: true });
    const stone = (index: number): string => `${String(index).padStart(64, '0')}.json`;
    for (let index = 0; index < 1_000; index += 1) who.write(`inbox/rejected/${stone(index)}`, { at: `2025-01-01T00:${String(Math.floor(index / 60)).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}Z`, from_key: 'another', why: index === 0 ? 'person' : 'blocked' });
    who.write(`inbox/rejected/broken.json`, {});
    await take(who, other(1));
    await take(who, other(1));
    await take(who, other(2));
    const left = names(who, 'rejected');
    assert.deepEqual([left.length, left.includes(stone(0)), left.includes(stone(1)), left.includes(stone(2))], [1_002, true, false, true]);
    await forgetBlocked(who.home, other(1).id);
    assert.equal(names(who, 'rejected').length, 1_002);
    await forgetBlocked(who.home, (await who.open({ dir: writeRaw(path.join(who.cwd, 'a'), other(1)) })).row.from_key as string);
    assert.equal(names(who, 'rejected').length, 1_000);
    await forgetBlocked((await reader(temp)).home, 'nobody');
  });

  it('is full at 1,000 bundles or 1 GiB', async () => {
    const who = await reader(temp);
    assert.equal(fullProblem(measurePending(who.home)), undefined);
    for (let index = 0; index < 999; index += 1) mkdirSync(who.home.path('inbox', 'pending', String(index).padStart(64, '0')), { recursive: true });
    assert.equal(fullProblem(measurePending(who.home)), undefined);
    mkdirSync(who.home.path('inbox', 'pending', 'f'.repeat(64)));
    assert.match(fullProblem(measurePending(who.home)) ?? '', /accept or reject/);
  });

  it('takes nothing in while the list of buddies is broken, or a file stands in the way', async () => {
    const who = await reader(temp);
    who.write('buddies.json', { v: 1 });
    assert.match(await refusal(() => take(who, bundleOf())), /buddies\.json/);
    const blocked = await reader(temp);
    mkdirSync(blocked.home.path('inbox'));
    symlinkSync('/nowhere', blocked.home.path('inbox', 'pending'));
    assert.match(await refusal(() => take(blocked, bundleOf())), /^inbox\/pending in the gage home is a link to what is not there/);
    const unmounted = await reader(temp);
    mkdirSync(unmounted.home.path('inbox'));
    symlinkSync('/nowhere', unmounted.home.path('inbox', 'incoming'));
    assert.match(await refusal(() => take(unmounted, bundleOf())), /^inbox\/incoming in the gage home is a link to what is not there/);
    const filed = await reader(temp);
    writeFileSync(filed.home.path('inbox'), '');
    assert.match(await refusal(() => take(filed, bundleOf())), /^inbox\/accepted in the gage home can not be read: a part of its path is no folder/);
  });
});
