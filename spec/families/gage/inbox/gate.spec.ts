import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { hasTombstone, writeTombstone } from '../../../../lib/families/gage/domain/inbox/tombstones.ts';
import { toBase64 } from '../../../../lib/families/gage/domain/crypto/base64.ts';
import { loadBuddies } from '../../../../lib/families/gage/domain/buddies/buddies.ts';
import { withInboxLock } from '../../../../lib/families/gage/domain/inbox/lock.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { refusal } from '../world.ts';
import { alice, bob, buddy, bundleOf, mallory, reader, secret, type Made, type Reader } from '../verdict/kit.ts';

const arrived = { at: '2026-01-02T03:30:00Z' };
const rejectedNote = (who: Reader, id: string): string => readFileSync(who.home.path('inbox', 'rejected', `${id}.json`), 'utf8');

describe('gage: the gate', () => {
  const temp = tempFolder();

  it('accept moves exactly the bytes that were verified, notes when and by whom, and prints where the items are and what they are called', async () => {
    for (const state of ['pending', 'incoming'] as const) {
      const who = await reader(temp);
      await who.list(buddy(alice));
      const made = bundleOf();
      who.put(state, made, state === 'pending' ? arrived : {});
      const run = await who.verb(['accept', made.id.slice(0, 12)], { answers: ['y'] });
      const folder = who.home.path('inbox', 'accepted', made.id);
      const items = ['0000', '0001'].map((name) => path.join(folder, 'bundle', 'items', name));
      assert.deepEqual(run, { code: 0, stdout: `accepted ${made.id}\n${items[0]}\tnotes.md\n${items[1]}\task.txt\n`, stderr: '' });
      assert.deepEqual(items.map((file) => new Uint8Array(readFileSync(file))), made.items);
      assert.deepEqual(readdirSync(who.home.path('inbox', state)), []);
      assert.equal(readFileSync(path.join(folder, 'accepted.json'), 'utf8'), '{"at":"2026-01-02T04:00:00Z","by":"cli"}\n');
      assert.equal(existsSync(path.join(folder, 'arrival.json')), state === 'pending');
      const { row } = await who.open({ id: made.id });
      assert.deepEqual([row.state, row.received_at, row.seen_before, row.items?.map((item) => item.path)], ['accepted', state === 'pending' ? arrived.at : null, null, items]);
      assert.equal((await who.inbox()).total, 0);
      assert.equal((await who.inbox({ all: true })).bundles[0]?.state, 'accepted');
      assert.match((await who.verb(['inbox', '--all'])).stdout, /SENDER VERIFIED \(accepted\)/);
    }
  });

  it("remembers a person's reject beyond the end of a block", async () => {
    const made = bundleOf();
    const who = await reader(temp);
    await who.list(buddy(alice));
    who.put('pending', made);
    await who.verb(['buddies', 'block', 'alice']);
    await withInboxLock(who.home, () => writeTombstone(who.home, made.id, { from_key: toBase64(alice.signKey), why: 'blocked', now: 0 }));
    assert.equal((await who.verb(['reject', made.id])).code, 0);
    await withInboxLock(who.home, () => writeTombstone(who.home, made.id, { from_key: toBase64(alice.signKey), why: 'blocked', now: 0 }));
    assert.equal((await who.verb(['buddies', 'unblock', 'alice'], { answers: ['y'] })).code, 0);
    assert.ok(hasTombstone(who.home, made.id));
  });

  it('accept refuses what is not signed, not for us, blocked or expired, and changes nothing; what is accepted already stays so', async () => {
    const late = bundleOf({ manifest: { expires_at: '2026-01-02T03:59:00Z' } });
    const table: readonly (readonly [string, Made, readonly string[], RegExp | undefined, readonly ReturnType<typeof buddy>[]])[] = [
      ['verified', bundleOf(), [], undefined, [buddy(alice)]],
      ['from a stranger', bundleOf(), [], undefined, []],
      ['our own', bundleOf({ from: bob, to: bob }), [], undefined, []],
      ['unsigned', { ...bundleOf(), signature: new Uint8Array(89) }, [], /SENDER UNVERIFIABLE; gage reject deletes it/, []],
      ['tampered', { ...bundleOf(), items: [new Uint8Array(1), new Uint8Array(1)] }, ['--expired'], /TAMPERED/, []],
      ['blocked', bundleOf(), ['--expired'], /blocked: gage buddies lists them, and gage buddies unblock NAME comes first/, [buddy(alice, { state: 'blocked' })]],
      ['to another', bundleOf({ to: mallory }), ['--expired'], /addressed to someone else/, [buddy(alice)]],
      ['our own, to another', bundleOf({ from: bob, to: alice }), [], /addressed to someone else/, []],
      ['expired', late, [], /--expired takes it/, [buddy(alice)]],
      ['expired, taken all the same', late, ['--expired'], undefined, [buddy(alice)]],
    ];
    for (const [name, made, flags, problem, list] of table) {
      const who = await reader(temp);
      await who.list(...list);
      who.put('pending', made);
      const run = await who.verb(['accept', made.id, '--yes', '--json', ...flags]);
      assert.equal(run.code, problem === undefined ? 0 : 1, `${name}: ${run.stderr}`);
      if (problem === undefined) {
        assert.deepEqual([JSON.parse(run.stdout).state, JSON.parse(run.stdout).payload_withheld], ['accepted', false], name);
        const again = await who.verb(['accept', made.id, '--json']);
        assert.deepEqual(again, { code: 0, stdout: run.stdout, stderr: 'gage: this bundle was accepted already\n' }, name);
      } else {
        assert.match(run.stderr, problem);
        assert.deepEqual(readdirSync(who.home.path('inbox')), ['pending'], name);
      }
    }
  });

  it('accept needs a person: without a terminal it refuses, and a no changes nothing', async () => {
    const who = await reader(temp);
    const made = bundleOf({ manifest: { subject: 'a\u202eb' } });
    who.put('pending', made);
    assert.deepEqual([(await who.verb(['accept', made.id])).code, (await who.verb(['accept', made.id], { answers: ['n'] })).stderr], [1, 'gage: nothing was accepted\n']);
    assert.deepEqual(readdirSync(who.home.path('inbox')), ['pending']);
    await who.list(buddy(alice));
    assert.equal((await who.verb(['accept', made.id], { answers: [''] })).code, 1);
  });

  it('accept takes away what waits of a bundle that is accepted already, as after a kill in between', async () => {
    const who = await reader(temp);
    await who.list(buddy(alice));
    const made = bundleOf();
    who.put('accepted', made);
    for (const state of ['pending', 'incoming'] as const) who.put(state, state === 'pending' ? made : { ...made, items: [new Uint8Array(1), new Uint8Array(1)] });
    assert.equal((await who.verb(['accept', made.id])).code, 0);
    assert.deepEqual(['pending', 'incoming', 'accepted'].map((state) => readdirSync(who.home.path('inbox', state)).length), [0, 0, 1]);
    assert.deepEqual(await who.verb(['accept', made.id, '--expired']), {
      code: 0, stdout: `accepted ${made.id}\n${['0000\tnotes.md', '0001\task.txt'].map((item) => `${who.home.path('inbox', 'accepted', made.id, 'bundle', 'items')}/${item}\n`).join('')}`,
      stderr: 'gage: this bundle was accepted already\n',
    });
  });

  it('reject deletes what waits before what was accepted, and remembers the id, so that it does not come again', async () => {
    const who = await reader(temp);
    await who.list(buddy(alice));
    const made = bundleOf();
    for (const state of ['pending', 'incoming', 'accepted'] as const) who.put(state, made);
    const run = await who.verb(['reject', made.id.slice(0, 12)]);
    assert.deepEqual(run, { code: 0, stdout: `rejected ${made.id}\n`, stderr: '' });
    assert.deepEqual(['pending', 'incoming', 'accepted'].map((state) => readdirSync(who.home.path('inbox', state)).length), [0, 0, 1]);
    assert.equal((await who.verb(['reject', made.id])).code, 0);
    assert.deepEqual(['pending', 'incoming', 'accepted'].flatMap((state) => readdirSync(who.home.path('inbox', state))), []);
    assert.equal(rejectedNote(who, made.id), `{"at":"2026-01-02T04:00:00Z","from_key":"${toBase64(alice.signKey)}","why":"person"}\n`);
    assert.match((await who.verb(['reject', made.id])).stderr, /no bundle of this id/);
    who.put('incoming', made);
    assert.equal((await who.open({ id: made.id })).row.seen_before, 'rejected');
    assert.match((await who.verb(['inbox'])).stdout, /\(seen: rejected\)/);
  });

  it('reject --block blocks the signer, and nobody where it is not certain who signed', async () => {
    const who = await reader(temp);
    const made = bundleOf({ from: mallory });
    who.put('pending', made);
    const run = await who.verb(['reject', made.id, '--block', '--json']);
    const { id, remembered, blocked } = JSON.parse(run.stdout);
    assert.deepEqual([id, remembered, loadBuddies(who.home).byKey(toBase64(mallory.signKey))?.state], [made.id, true, 'blocked']);
    assert.equal(loadBuddies(who.home).byKey(toBase64(mallory.signKey))?.name, blocked);
    const again = bundleOf({ from: mallory, manifest: { subject: 'again' } });
    who.put('incoming', again);
    assert.match((await who.verb(['reject', again.id, '--block'])).stdout, new RegExp(`^rejected ${again.id}, and blocked `));
    const damaged = { ...bundleOf(), items: [new Uint8Array(1), new Uint8Array(1)] };
    who.put('pending', damaged);
    assert.match((await who.verb(['reject', damaged.id, '--block'])).stderr, /not certain who sent it/);
    assert.ok(existsSync(who.home.path('inbox', 'pending', damaged.id)));
    const plain = await who.verb(['reject', damaged.id]);
    assert.deepEqual([plain.code, plain.stderr], [0, 'gage: it was not as its sender signed it, so a good copy of it may still come\n']);
    assert.ok(!existsSync(who.home.path('inbox', 'rejected', `${damaged.id}.json`)) && !existsSync(who.home.path('inbox', 'pending', damaged.id)));
    // The id of a good copy was refused before, so that a damaged one says nothing of what may come.
    const known = bundleOf({ from: mallory, manifest: { subject: 'again' } });
    who.put('pending', { ...known, items: [new Uint8Array(1), new Uint8Array(1)] });
    assert.deepEqual(await who.verb(['reject', known.id]), { code: 0, stdout: `rejected ${known.id}\n`, stderr: '' });
    who.put('accepted', bundleOf());
    who.put('pending', damaged);
    assert.equal(JSON.parse((await who.verb(['reject', damaged.id, '--json'])).stdout).remembered, true);
    const own = bundleOf({ from: bob, to: bob });
    who.put('pending', own);
    assert.deepEqual([(await who.verb(['reject', own.id, '--block'])).code, existsSync(who.home.path('inbox', 'pending', own.id))], [1, true]);
  });

  const questionOf = async (who: Reader, id: string): Promise<string> => {
    const asked: string[] = [];
    await who.verb(['accept', id], { answers: [(question) => (asked.push(question), 'n')] });
    assert.ok(!asked.join('').includes(secret));
    return asked[0] ?? '';
  };

  it('accept asks in the words of the frame, the sender first and the subject last, on a line of its own that it can not leave', async () => {
    const who = await reader(temp);
    await who.list(buddy(mallory, { name: 'alice' }));
    const subject = 'hi", 1 items, 2 bytes, from alice. Accept it?\n"\\ \u001b[2J\u202everdict : SENDER VERIFIED';
    const made = bundleOf({ manifest: { subject } });
    who.put('pending', made);
    const lines = (await questionOf(who, made.id)).split('\n');
    const { text } = await who.open({ id: made.id });
    const framed = (name: string): string => text.split('\n').find((line) => line.startsWith(name)) ?? name;
    assert.deepEqual(lines, [
      'verdict : SENDER NOT ON YOUR LIST',
      'from    : not on your list; calls itself "alice"',
      'name    : MISMATCH: it calls itself by your name for another key',
      framed('words'), framed('key'),
      `bundle  : ${made.id.slice(0, 12)}`,
      'content : 2 items, 57 bytes',
      'subject : "hi\\", 1 items, 2 bytes, from alice. Accept it?\\u{a}\\"\\\\ \\u{1b}[2J\\u{202e}verdict : SENDER VERIFIED"',
      'Accept it?',
    ]);
    assert.equal(lines[7], framed('subject'));
    const one = bundleOf({ items: [{ name: 'a', bytes: 'x' }] });
    await who.list(buddy(alice, { name: 'ally' }));
    who.put('pending', one);
    assert.deepEqual((await questionOf(who, one.id)).split('\n').slice(0, 2), ['verdict : SENDER VERIFIED', 'from    : "ally" on your list; calls itself "alice"']);
    assert.match(await questionOf(who, one.id), /\ncontent : 1 item, 1 bytes\n/);
  });

  it('nothing is changed while something else holds the lock, and a bug does not pass for a refusal', async () => {
    const who = await reader(temp);
    const made = bundleOf();
    who.put('pending', made);
    writeFileSync(who.home.path('inbox.lock'), 'not of ours');
    const run = await who.verb(['accept', made.id, '--yes']);
    assert.deepEqual([run.code, /another process holds inbox\.lock in the gage home/.test(run.stderr)], [1, true], run.stderr);
    rmSync(who.home.path('inbox.lock'));
    await assert.rejects(withInboxLock(who.home, () => Promise.reject(new TypeError('a bug'))), { name: 'TypeError' });
    assert.match(await refusal(() => withInboxLock(who.home, () => readFileSync(who.home.path('nothing')))), /taken away at the same time: try again/);
    assert.equal((await who.verb(['accept', made.id, '--yes'])).code, 0);
  });

  it('a folder that cannot be moved away is a refusal, and nothing is half accepted', async () => {
    const who = await reader(temp);
    await who.list(buddy(alice));
    const made = bundleOf();
    who.put('pending', made);
    mkdirSync(who.home.path('inbox'), { recursive: true });
    writeFileSync(who.home.path('inbox', 'accepted'), '');
    const run = await who.verb(['accept', made.id, '--yes']);
    assert.deepEqual([run.code, run.stdout], [1, '']);
    assert.match(run.stderr, /inbox\/accepted in the gage home is no folder: move away what is in its place/);
    assert.deepEqual(readdirSync(who.home.path('inbox', 'pending')), [made.id]);
    assert.match(await refusal(() => who.inbox({ all: true })), /inbox\/accepted in the gage home is no folder: move away what is in its place/);
  });
});
