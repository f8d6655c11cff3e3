import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { toBase64 } from '../../../../lib/families/gage/domain/crypto/base64.ts';
import { unreadByKey } from '../../../../lib/families/gage/domain/inbox/inbox.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { alice, bob, buddy, bundleOf, mallory, reader, secret, type Made } from '../verdict/kit.ts';

const nth = (index: number, from = alice): Made => bundleOf({ from, items: [], manifest: { nonce: String(index).padStart(32, '0') } });
const minute = (index: number): string => new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString().replace('.000', '');

describe('gage: the inbox', () => {
  const temp = tempFolder();

  it('is empty without a folder, and says so on stderr alone', async () => {
    const who = await reader(temp);
    assert.deepEqual(await who.inbox(), { bundles: [], total: 0, truncated: false });
    assert.deepEqual(await who.verb(['inbox']), { code: 0, stdout: '', stderr: 'gage: nothing waits\n' });
  });

  it('is not taken for empty where one of its folders is a link to what is not there', async () => {
    for (const place of ['inbox', 'inbox/incoming', 'inbox/pending', 'inbox/quarantine', 'outbox']) {
      const who = await reader(temp);
      mkdirSync(who.home.path('inbox'), { mode: 0o700 });
      rmSync(who.home.path(place), { recursive: true, force: true });
      symlinkSync('/nowhere/at/all', who.home.path(place));
      const dead = `gage: ${place} in the gage home is a link to what is not there, such as a disk that is not mounted: bring that back, or take the link away\n`;
      const verbs = place === 'inbox/incoming' ? [['inbox'], ['open', 'a'.repeat(64)], ['accept', 'a'.repeat(12), '--yes']] : [['inbox'], ['inbox', '--quarantine'], ['open', 'a'.repeat(64)]];
      for (const words of verbs) assert.deepEqual(await who.verb(words), { code: 1, stdout: '', stderr: dead });
    }
  });

  it('lists the newest 100 that a pull brought first, and says how many there are', async () => {
    const who = await reader(temp);
    for (let index = 0; index < 103; index += 1) who.put('pending', nth(index), { at: minute(index % 100) });
    const local = nth(200);
    who.put('incoming', local);
    const { bundles, total, truncated } = await who.inbox();
    assert.deepEqual([bundles.length, total, truncated], [100, 104, true]);
    assert.deepEqual([bundles[0]?.received_at, bundles.some(({ id }) => id === local.id)], [minute(99), false]);
    const keys = bundles.map(({ received_at, id }) => `${received_at} ${id}`);
    assert.deepEqual(keys, [...keys].sort((a, b) => (a.slice(0, 20) === b.slice(0, 20) ? (a < b ? -1 : 1) : a < b ? 1 : -1)));
    const printed = await who.verb(['inbox']);
    assert.deepEqual([printed.stdout.split('\n').length, printed.stderr], [102, 'gage: the newest 100 of 104 are shown\n']);
    const row = bundles[1] ?? {};
    assert.ok(!('items' in row) && !('words' in row));
  });

  it('has one row for an id: the copy that verifies, and of those the most settled', async () => {
    const made = bundleOf();
    const damaged = { ...made, items: [new Uint8Array(2), new Uint8Array(2)] };
    const table = [
      [{ incoming: made, pending: made }, false, 'pending', 'verified', null],
      [{ incoming: made, pending: damaged }, false, 'incoming', 'verified', null],
      [{ incoming: damaged, pending: made }, false, 'pending', 'verified', null],
      [{ incoming: damaged, pending: damaged }, false, 'pending', 'tampered', null],
      [{ incoming: made, accepted: made }, false, 'incoming', 'verified', 'accepted'],
      [{ incoming: made, accepted: made, pending: made }, true, 'accepted', 'verified', 'pending'],
      [{ pending: made, accepted: damaged }, true, 'pending', 'verified', null],
    ] as const;
    for (const [copies, all, state, verdict, seen] of table) {
      const who = await reader(temp);
      await who.list(buddy(alice));
      for (const [place, copy] of Object.entries(copies)) who.put(place as 'pending', copy);
      const { bundles, total } = await who.inbox({ all });
      assert.deepEqual([total, bundles[0]?.state, bundles[0]?.verdict, bundles[0]?.seen_before], [1, state, verdict, seen], JSON.stringify([Object.keys(copies), all]));
    }
  });

  it('sees every change of a file, also of one that it has judged before', async () => {
    const who = await reader(temp);
    await who.list(buddy(alice));
    const made = bundleOf();
    const folder = who.put('pending', made);
    const verdict = async (): Promise<unknown> => (await who.inbox()).bundles[0]?.verdict;
    assert.deepEqual([await verdict(), await verdict()], ['verified', 'verified']);
    writeFileSync(path.join(folder, 'items', '0001'), (made.items[1] as Uint8Array).map((byte) => byte ^ 1));
    assert.equal(await verdict(), 'tampered');
    writeFileSync(path.join(folder, 'items', '0001'), made.items[1] as Uint8Array);
    assert.equal(await verdict(), 'verified');
    rmSync(path.join(folder, 'manifest.sig'));
    assert.equal(await verdict(), 'unverifiable');
    rmSync(folder, { recursive: true });
    assert.equal(await verdict(), 'malformed');
    await who.list(buddy(alice, { state: 'blocked' }));
    who.put('pending', made);
    assert.equal(await verdict(), 'blocked');
  });

  it('forgets what it judged when that is too much to keep, and judges it again', async () => {
    const who = await reader(temp);
    const items = Array.from({ length: 256 }, (_each, index) => ({ name: `${index}-${'n'.repeat(240)}`, bytes: '' }));
    // Manifests of 90 KB each, 100 of them, without the items that they name.
    for (let index = 0; index < 100; index += 1) who.put('pending', { ...bundleOf({ items, manifest: { nonce: String(index).padStart(32, '0') } }), items: [] });
    for (let round = 0; round < 2; round += 1) assert.deepEqual((await who.inbox()).bundles.map(({ verdict }) => verdict), Array.from({ length: 100 }, () => 'tampered'));
  });

  it('is not stopped by what somebody put into the folder for deliveries', async () => {
    const who = await reader(temp);
    await who.list(buddy(alice));
    who.put('incoming', bundleOf());
    const incoming = who.home.path('inbox', 'incoming');
    writeFileSync(path.join(incoming, 'README'), secret);
    symlinkSync('/', path.join(incoming, 'root'));
    mkdirSync(path.join(incoming, '\u001b[2J'));
    mkdirSync(path.join(incoming, '.tmp-half'));
    mkdirSync(path.join(incoming, 'ab'.repeat(32)));
    who.write('inbox/pending-note', {});
    const { bundles, total } = await who.inbox();
    assert.equal(total, 5);
    assert.deepEqual(bundles.map(({ verdict }) => verdict).sort(), ['malformed', 'malformed', 'malformed', 'malformed', 'verified']);
    assert.deepEqual(bundles.filter(({ id }) => id === 'ab'.repeat(32)).map(({ reasons }) => reasons), [['missing_manifest']]);
    assert.doesNotMatch((await who.verb(['inbox'])).stdout, /\u001b/);
    assert.equal((await who.verb(['reject', 'ab'.repeat(32)])).code, 0);
  });

  it('lists behind what a pull brought what was delivered here, the newest first, and what is no bundle last', async () => {
    const who = await reader(temp);
    const incoming = who.home.path('inbox', 'incoming');
    const age = (name: string, seconds: number): void => utimesSync(path.join(incoming, name), seconds, seconds);
    const locals = [nth(1), nth(2), nth(3)];
    const future = Date.UTC(2040, 0, 1) / 1000;
    for (const [index, local] of locals.entries()) {
      who.put('incoming', local);
      age(local.id, 1_000 + index);
    }
    // Newer than all of them: folders without a manifest, one with a manifest that is none, and a bundle under another name.
    for (let index = 0; index < 100; index += 1) mkdirSync(path.join(incoming, index % 2 === 0 ? `junk ${index}` : String(index).padStart(64, '0')));
    mkdirSync(path.join(incoming, 'f'.repeat(64)));
    writeFileSync(path.join(incoming, 'f'.repeat(64), 'manifest.json'), 'junk');
    who.put('incoming', nth(4), { folder: 'alice' });
    for (const name of readdirSync(incoming)) if (!locals.some(({ id }) => id === name)) age(name, future);
    const pulled = [nth(10), nth(11)];
    for (const [index, each] of pulled.entries()) who.put('pending', each, { at: minute(index) });
    const { bundles, total, truncated } = await who.inbox();
    assert.deepEqual([bundles.length, total, truncated], [100, 107, true]);
    assert.deepEqual(bundles.slice(0, 5).map(({ id }) => id), [...pulled].reverse().concat([...locals].reverse()).map(({ id }) => id));
    assert.ok(bundles.slice(5).every(({ verdict }) => verdict === 'malformed'));
    assert.equal(bundles[5]?.id, 'f'.repeat(64));
  });

  it('names what lies under no id, so that a person can reject it, by the form that is shown too', async () => {
    const who = await reader(temp);
    const incoming = who.home.path('inbox', 'incoming');
    const names = ['README', '\u001b[2Jx', 'say "y"', 'é'.repeat(120), 'abcdef012345', '-x'];
    for (const name of names) mkdirSync(path.join(incoming, name), { recursive: true });
    who.put('incoming', nth(1), { folder: 'alice' });
    symlinkSync(who.cwd, path.join(incoming, 'link'));
    const { bundles } = await who.inbox();
    assert.deepEqual(bundles.map(({ id, folder }) => [id, folder]).sort(), [...names, 'alice', 'link'].map((name) => [null, name.replace('\u001b', '\\u{1b}')]).sort());
    const { stdout } = await who.verb(['inbox']);
    for (const shown of ['"README"', '"\\u{1b}[2Jx"', '"say \\"y\\""', '"alice"']) assert.ok(stdout.includes(`${shown} `), stdout);
    for (const name of ['README', '\\u{1b}[2Jx', 'say "y"', 'é'.repeat(120), 'abcdef012345', 'link', 'alice']) {
      const run = await who.verb(['reject', name]);
      assert.deepEqual([run.code, run.stderr], [0, ''], name);
      assert.ok(run.stdout.startsWith('rejected "'), run.stdout);
    }
    assert.deepEqual(readdirSync(incoming), ['-x']);
    assert.ok(existsSync(who.cwd));
    assert.deepEqual(JSON.parse((await who.verb(['reject', '--json', '--', '-x'])).stdout), { id: null, remembered: false, blocked: null });
    assert.deepEqual(readdirSync(incoming), []);
    assert.ok(!existsSync(who.home.path('inbox', 'rejected')));
    const gone = await who.verb(['reject', 'README']);
    assert.deepEqual([gone.code, gone.stdout], [1, '']);
    assert.match(gone.stderr, /nothing of this name was delivered/);
    await assert.rejects(who.verb(['reject', 'README', '--block']), { name: 'UsageError' });
  });

  it('rejects none of two deliveries that are shown alike, but each by its whole name', async () => {
    const who = await reader(temp);
    const names = ['x'.repeat(121), 'x'.repeat(122)];
    for (const name of names) mkdirSync(who.home.path('inbox', 'incoming', name), { recursive: true });
    assert.match((await who.verb(['reject', 'x'.repeat(120)])).stderr, /more than one delivery/);
    for (const name of names) assert.equal((await who.verb(['reject', name])).code, 0);
  });

  it('quotes a subject, so that it can not pass for a cell of the table', async () => {
    const who = await reader(temp);
    who.put('pending', bundleOf({ manifest: { subject: 'x"  9 items  2026-01-01T00:00:00Z\\' } }), { at: minute(0) });
    who.put('pending', bundleOf({ manifest: { subject: '\u0301'.repeat(2) + 'y'.repeat(99) } }), { at: minute(1) });
    const lines = (await who.verb(['inbox'])).stdout.split('\n');
    assert.match(lines[0] ?? '', /received +subject$/);
    assert.ok(lines[1]?.endsWith(`${minute(1)}  "\\u{301}\\u{301}${'y'.repeat(78)}" [truncated]`), lines[1]);
    assert.ok(lines[2]?.endsWith(`${minute(0)}  "x\\"  9 items  2026-01-01T00:00:00Z\\\\"`), lines[2]);
  });

  it('takes a damaged arrival note for none', async () => {
    const who = await reader(temp);
    const made = bundleOf();
    who.put('pending', made);
    for (const note of ['no json', '1', '{"at":1}', '{"at":"2026-02-30T00:00:00Z"}', ' '.repeat(5_000)]) {
      writeFileSync(who.home.path('inbox', 'pending', made.id, 'arrival.json'), note);
      assert.equal((await who.inbox()).bundles[0]?.received_at, null, note.slice(0, 30));
    }
  });

  it('counts as unread more than the inbox lists, and not behind junk', async () => {
    const who = await reader(temp);
    who.put('pending', nth(0, mallory), { at: minute(0) });
    for (let index = 1; index <= 99; index += 1) who.put('pending', nth(index), { at: minute(index) });
    mkdirSync(who.home.path('inbox', 'incoming', 'junk'), { recursive: true });
    const unread = (): readonly unknown[] => [alice, mallory].map((whose) => counted.get(toBase64(whose.signKey)));
    let counted = await unreadByKey(who.home, who.surroundings());
    assert.deepEqual(unread(), [99, 1]);
    who.put('pending', nth(100), { at: minute(100) });
    counted = await unreadByKey(who.home, who.surroundings());
    assert.deepEqual([...unread(), (await who.inbox()).bundles.length], [100, 1, 100]);
  });

  it('counts as unread of a key what waits and is as it signed it, and nothing else', async () => {
    const who = await reader(temp);
    await who.list(buddy(alice));
    who.put('pending', nth(1));
    who.put('incoming', nth(1));
    who.put('incoming', nth(2));
    who.put('accepted', nth(3));
    who.put('pending', nth(4, mallory));
    who.put('pending', bundleOf({ from: bob, to: bob }));
    who.put('pending', { ...bundleOf(), items: [new Uint8Array(2), new Uint8Array(2)] });
    who.put('incoming', { ...nth(5), signature: new Uint8Array(89) });
    assert.deepEqual([...(await unreadByKey(who.home, who.surroundings()))].sort(), [[toBase64(alice.signKey), 2], [toBase64(bob.signKey), 1], [toBase64(mallory.signKey), 1]].sort());
  });
});
