import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { text as readText } from 'node:stream/consumers';
import { isRefused } from '../../../../lib/families/gage/domain/refused.ts';
import { FolderSyncs } from '../../../../lib/families/gage/domain/relay/folder-syncs.ts';
import { openDiskStore } from '../../../../lib/families/gage/domain/relay/disk-store.ts';
import type { Arrival, RelayStore } from '../../../../lib/families/gage/domain/relay/store.types.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { bearerOf, Clock, idOf, openSession, person, push, random, sealedOf, send, signedChallenge, START, startTestRelay } from './test-relay.ts';

const DAY = 86_400_000;
const [anna, bert] = ['a'.repeat(64), 'b'.repeat(64)];
const sender = '0'.repeat(16);

function arrivalOf(size = 100): Arrival {
  const content = sealedOf(size);
  return { id: idOf(content), bytes: content.length, content };
}

/** A store, what it listed of a mailbox, and a way to start it anew. */
async function openStore(folder: string, maxBytes?: number): Promise<RelayStore> {
  return openDiskStore({ folder, random, ...(maxBytes !== undefined && { maxBytes }) });
}

const idsOf = async (store: RelayStore, mailbox: string, now: number): Promise<string[]> =>
  (await store.list(mailbox, { after: undefined, limit: 100 }, now)).messages.map(({ id }) => id);

describe('the disk store', () => {
  const temp = tempFolder();

  it('lays a message down under its time, id and sender, for its owner alone', async () => {
    const folder = temp.at('layout');
    const store = await openStore(folder);
    const arrival = arrivalOf();
    assert.equal(await store.put(anna, arrival, sender, START), 'stored');
    assert.deepEqual(readdirSync(path.join(folder, anna)), [`${START}-${arrival.id}.${sender}.msg`]);
    assert.deepEqual(readdirSync(path.join(folder, '.incoming')), []);
    const file = path.join(folder, anna, `${START}-${arrival.id}.${sender}.msg`);
    assert.deepEqual(readFileSync(file), arrival.content);
    if (process.platform !== 'win32') assert.deepEqual([statSync(folder).mode & 0o777, statSync(path.join(folder, anna)).mode & 0o777, statSync(file).mode & 0o777], [0o700, 0o700, 0o600]);
    await store.close();
  });

  it('knows after a restart what it had: messages in order, collected ids, owners, and what is left over of a killed upload is gone', async () => {
    const folder = temp.at('restart');
    let store = await openStore(folder);
    const [one, two, three] = [arrivalOf(), arrivalOf(300_000), arrivalOf()];
    for (const each of [one, two, three]) await store.put(anna, each, sender, START);
    await store.remove(anna, one.id, START);
    await store.markOpened(anna, START);
    writeFileSync(path.join(store.spoolFolder, 'left.in'), 'x');
    writeFileSync(path.join(folder, anna, 'README'), 'not ours');
    await store.close();
    store = await openStore(folder);
    assert.deepEqual(readdirSync(store.spoolFolder), []);
    assert.deepEqual(await idsOf(store, anna, START), [two.id, three.id]);
    assert.equal(await store.put(anna, one, sender, START), 'known');
    assert.equal(await store.put(anna, two, sender, START), 'known');
    assert.deepEqual(await idsOf(store, anna, START + 8 * DAY), [two.id, three.id], 'its owner has been there');
    await store.close();
  });

  it('ends a removal that was killed between its two steps', async () => {
    const folder = temp.at('half');
    const first = await openStore(folder);
    const arrival = arrivalOf();
    await first.put(anna, arrival, sender, START);
    await first.close();
    writeFileSync(path.join(folder, anna, 'collected'), `${START}-${arrival.id}\n`);
    const store = await openStore(folder);
    assert.deepEqual(await idsOf(store, anna, START), []);
    assert.equal(await store.put(anna, arrival, sender, START), 'known');
    assert.deepEqual(readdirSync(path.join(folder, anna)), ['collected']);
    await store.close();
  });

  it('remembers answered challenges for as long as they could be answered again, and so many of them', async () => {
    const store = await openStore(temp.at('challenges'));
    assert.equal(await store.useChallenge('first', START), true);
    for (const after of [0, 1, 119_999]) assert.equal(await store.useChallenge('first', START + after), false);
    for (let index = 1; index < 100_000; index++) await store.useChallenge(`${index}`, START + 1);
    assert.equal(await store.useChallenge('one more', START + 2), false, 'full');
    assert.equal(await store.useChallenge('99999', START + 120_000), false, 'still known');
    assert.equal(await store.useChallenge('one more', START + 120_001), true, 'room again');
    await store.close();
  });

  it('gives each message a later cursor than the one before, also when the clock stands or goes back', async () => {
    const store = await openStore(temp.at('cursor'));
    const all = Array.from({ length: 4 }, () => arrivalOf());
    for (const [index, each] of all.entries()) await store.put(anna, each, sender, START - index * 1_000);
    const { messages } = await store.list(anna, { after: undefined, limit: 100 }, START);
    assert.deepEqual(messages.map(({ id, at }) => [id, at - START]), all.map(({ id }, index) => [id, index]));
    await store.close();
  });

  it('keeps mail 7 days, 30 where the owner has been, and collected ids as long', async () => {
    const folder = temp.at('retention');
    const store = await openStore(folder);
    const [stranger, known, collected] = [arrivalOf(), arrivalOf(), arrivalOf()];
    await store.put(anna, stranger, sender, START);
    await store.put(bert, known, sender, START);
    await store.put(bert, collected, sender, START);
    await store.remove(bert, collected.id, START);
    await store.markOpened(bert, START);
    assert.equal(await store.expire(START + 7 * DAY - 1), 0);
    assert.deepEqual(await idsOf(store, anna, START + 7 * DAY - 1), [stranger.id]);
    assert.equal(await store.expire(START + 7 * DAY), 1);
    assert.deepEqual(await idsOf(store, anna, START + 7 * DAY), []);
    assert.ok(!existsSync(path.join(folder, anna)), 'a folder that nobody needs');
    assert.deepEqual(await idsOf(store, bert, START + 30 * DAY - 1), [known.id]);
    assert.equal(await store.put(bert, collected, sender, START + 30 * DAY - 1), 'known');
    assert.equal(await store.get(bert, known.id, START + 30 * DAY), undefined, 'too old is gone before a sweep too');
    assert.equal(await store.put(bert, collected, sender, START + 31 * DAY), 'stored');
    await store.markOpened(bert, START + 31 * DAY);
    assert.equal(await store.expire(START + 61 * DAY + 1), 1);
    assert.equal(await store.put(bert, known, sender, START + 61 * DAY + 1), 'stored', 'and the mailbox begins anew');
    await store.close();
  });

  it('gives back the room of what goes', async () => {
    // Three messages of 15,000 bytes with what their files and folders cost do not fit into seven eighths of it; two do, and an owner into the eighth.
    let store = await openStore(temp.at('room'), 65_536);
    const [one, two, three] = [arrivalOf(15_000), arrivalOf(15_000), arrivalOf(15_000)];
    assert.equal(await store.put(anna, one, sender, START), 'stored');
    assert.equal(await store.put(bert, two, sender, START), 'stored');
    assert.equal(await store.put(bert, three, sender, START), 'relay_full');
    await store.markOpened(anna, START);
    await store.close();
    store = await openStore(temp.at('room'), 65_536);
    assert.equal(await store.put(bert, three, sender, START), 'relay_full', 'counted at the start');
    await store.remove(anna, one.id, START);
    assert.equal(await store.put(bert, three, sender, START), 'stored');
    assert.equal(await store.expire(START + 8 * DAY), 2);
    assert.equal(await store.put(bert, arrivalOf(57_344 - 8_192 + 1), sender, START + 8 * DAY), 'relay_full');
    assert.equal(await store.put(bert, arrivalOf(57_344 - 8_192), sender, START + 8 * DAY), 'stored');
    await store.close();
  });

  it('gives no sender more than an eighth of its room, over all mailboxes, and what was collected or is too old is theirs again', async () => {
    // An eighth of this is six messages of 20 MiB with what their files cost; its files are sparse, so that none is written.
    const message = 20 * 1024 * 1024;
    const maxBytes = 8 * (6 * (message + 8_192) + 1_000);
    const folder = temp.at('share');
    let store = await openStore(folder, maxBytes);
    const other = 'f'.repeat(16);
    let count = 0;
    const leave = async (from: string): Promise<string> => {
      const file = path.join(store.spoolFolder, 'sparse');
      writeFileSync(file, '');
      truncateSync(file, message);
      return store.put((count += 1).toString(16).padStart(64, '0'), { id: count.toString(16).padStart(64, '0'), bytes: message, content: { file } }, from, START + count);
    };
    for (let sent = 0; sent < 6; sent += 1) assert.equal(await leave(sender), 'stored');
    assert.equal(await leave(sender), 'sender_full');
    assert.equal(await leave(other), 'stored');
    await store.close();
    store = await openStore(folder, maxBytes);
    assert.equal(await leave(sender), 'sender_full', 'counted at the start');
    const first = '1'.padStart(64, '0');
    await store.remove(first, first, START);
    assert.equal(await leave(sender), 'stored');
    assert.equal(await leave(sender), 'sender_full');
    assert.equal(await store.expire(START + 8 * DAY), 7);
    assert.equal(await leave(sender), 'stored');
    await store.close();
  });

  it('gives a message to its reader to the end, also when it is removed meanwhile', async () => {
    const store = await openStore(temp.at('reading'));
    const arrival = arrivalOf(300_000);
    await store.put(anna, arrival, sender, START);
    const found = await store.get(anna, arrival.id, START);
    await store.remove(anna, arrival.id, START);
    assert.ok(found !== undefined);
    assert.equal((await readText(found.stream.setEncoding('latin1'))).length, 300_000);
    assert.equal(await store.get(anna, arrival.id, START), undefined);
    await store.close();
  });

  it('lets one of two pushes of the same bytes store them', async () => {
    const store = await openStore(temp.at('twice'));
    const arrival = arrivalOf();
    assert.deepEqual((await Promise.all([1, 2, 3].map(() => store.put(anna, arrival, sender, START)))).sort(), ['known', 'known', 'stored']);
    await store.close();
  });

  it('counts a quota before the next push is looked at, however many come at once', async () => {
    const store = await openStore(temp.at('rush'));
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => store.put(anna, arrivalOf(), sender, START)));
    assert.equal(outcomes.filter((each) => each === 'stored').length, 25);
    await store.close();
  });

  it('remembers 10,000 collected ids, the newest ones', async () => {
    const folder = temp.at('marks');
    mkdirSync(path.join(folder, anna), { recursive: true, mode: 0o700 });
    const old = Array.from({ length: 10_000 }, (_, index) => arrivalOf(56 + (index % 3)));
    writeFileSync(path.join(folder, anna, 'collected'), old.map(({ id }, index) => `${START + index}-${id}\n`).join(''));
    const store = await openStore(folder);
    const arrival = arrivalOf();
    await store.put(anna, arrival, sender, START + 20_000);
    await store.remove(anna, arrival.id, START + 20_000);
    assert.equal(await store.put(anna, old[1] as Arrival, sender, START), 'known');
    assert.equal(await store.put(anna, old[0] as Arrival, sender, START), 'stored');
    await store.close();
  });

  it('keeps the mailboxes that were used last in memory, and the others on disk', async () => {
    const store = await openStore(temp.at('many'));
    const arrival = arrivalOf();
    await store.put(anna, arrival, sender, START);
    for (let index = 0; index < 2_001; index++) await store.list(index.toString(16).padStart(64, '0'), { after: undefined, limit: 1 }, START);
    assert.deepEqual(await idsOf(store, anna, START), [arrival.id]);
    await store.close();
  });

  it('reads a mailbox again after a step that failed', async (t) => {
    if (process.platform === 'win32') return t.skip('needs folders that cannot be written');
    const folder = temp.at('failing');
    const store = await openStore(folder);
    const arrival = arrivalOf();
    await store.put(anna, arrivalOf(), sender, START);
    renameSync(path.join(folder, '.incoming'), path.join(folder, '.away'));
    await assert.rejects(store.put(anna, arrival, sender, START), { code: 'ENOENT' });
    renameSync(path.join(folder, '.away'), path.join(folder, '.incoming'));
    assert.equal(await store.put(anna, arrival, sender, START), 'stored');
    await store.close();
  });

  it('answers for a message whose step failed behind its renaming when its name is durable, and counts its age from then', async (t) => {
    const folder = temp.at('unsynced');
    let up = 0;
    const store = await openDiskStore({ folder, random, uptime: () => up });
    const arrival = arrivalOf();
    // The clock is years behind until the relay has run for two hours.
    const behind = START - 3_000 * DAY;
    await store.put(anna, arrivalOf(), sender, behind);
    let fails = true;
    let syncs = 0;
    const sync = FolderSyncs.prototype.sync;
    t.mock.method(FolderSyncs.prototype, 'sync', async function (this: FolderSyncs, each: string): Promise<void> {
      syncs += 1;
      if (fails) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      await sync.call(this, each);
    });
    await assert.rejects(store.put(anna, arrival, sender, behind), { code: 'EIO' });
    await assert.rejects(store.put(anna, arrival, sender, behind), { code: 'EIO' });
    fails = false;
    syncs = 0;
    assert.deepEqual([await store.put(anna, arrival, sender, behind), await store.put(anna, arrival, sender, behind), syncs], ['known', 'known', 1]);
    for (up = 0; up < 7 * DAY; up += DAY / 24) assert.equal(await store.expire(START + up), 0);
    assert.deepEqual((await idsOf(store, anna, START + up)).length, 0);
    await store.close();
  });

  it('leaves nothing behind of a message that it could not put in its place', async () => {
    const folder = temp.at('nowhere');
    const store = await openStore(folder, 34_286);
    await store.put(anna, arrivalOf(), sender, START);
    rmSync(path.join(folder, anna), { recursive: true });
    for (let tries = 0; tries < 3; tries++) {
      // Known to have a folder until the step fails; then read again.
      if (tries === 0) await assert.rejects(store.put(anna, arrivalOf(9_000), sender, START), { code: 'ENOENT' });
      else assert.equal(await store.put(tries === 1 ? anna : bert, arrivalOf(5_500), sender, START), 'stored', 'its room is free');
      assert.deepEqual(readdirSync(path.join(folder, '.incoming')), []);
    }
    await store.close();
  });

  it('is one process its own', async () => {
    const folder = temp.at('own');
    const store = await openStore(folder);
    await assert.rejects(openStore(folder), (error: unknown) => isRefused(error) && /another relay uses this folder/.test(error.message));
    await store.close();
    await (await openStore(folder)).close();
  });

  it('refuses a folder that is none, or that holds something else in the place of a mailbox', async () => {
    const file = temp.write('file', '');
    await assert.rejects(openStore(file), (error: unknown) => isRefused(error) && /folder of the relay cannot be used/.test(error.message));
    const inner = temp.at('blocked');
    mkdirSync(inner);
    writeFileSync(path.join(inner, anna), 'a file in the place of a mailbox');
    await assert.rejects(openStore(inner), (error: unknown) => isRefused(error) && error.message.startsWith(`${anna} in the folder of the relay`) && /it is no folder; move it away/.test(error.message));
  });
});

describe('a relay that was restarted', () => {
  const temp = tempFolder();

  it('takes no challenge that was made before, as it may have been used', async () => {
    const folder = temp.folder('a');
    const bob = person();
    const clock = new Clock();
    const before = await startTestRelay(folder, { clock });
    const used = await signedChallenge(before.origin, bob);
    assert.equal((await openSession(before.origin, used)).status, 200);
    const port = Number(new URL(before.origin).port);
    const headers = await bearerOf(before.origin, bob);
    await push(before.origin, bob.mailbox, sealedOf());
    await before.close();
    clock.time += 1;
    const after = await startTestRelay(folder, { clock, port });
    assert.equal((await openSession(after.origin, used)).status, 401);
    assert.equal((await send(after.origin, { path: `/v1/mailboxes/${bob.mailbox}/messages`, headers })).json.messages.length, 1, 'a session outlives a restart');
    await bearerOf(after.origin, bob);
  });

  it('opens sessions also when its clock was set back, and no challenge twice', async () => {
    const { origin, clock } = await startTestRelay(temp.folder('back'));
    const bob = person();
    await bearerOf(origin, bob);
    for (const step of [-300_000, -86_400_000, 1_000]) {
      clock.time += step;
      const used = await signedChallenge(origin, bob);
      assert.equal((await openSession(origin, used)).status, 200);
      assert.equal((await openSession(origin, used)).status, 401);
    }
  });

  it('answers 500 when its store fails, without saying how, and goes on', async (t) => {
    if (process.platform === 'win32') return t.skip('needs a folder that can be moved while it is open');
    const folder = temp.folder('b');
    const relay = await startTestRelay(folder);
    renameSync(path.join(folder, '.incoming'), path.join(folder, '.away'));
    for (const size of [100, 300_000]) {
      const { status, json } = await push(relay.origin, anna, sealedOf(size));
      assert.deepEqual([status, json.error], [500, { code: 'internal', message: 'the relay failed; try again later' }]);
    }
    assert.ok(relay.logged.includes('the store failed: it does not exist'), relay.logged.join('\n'));
    renameSync(path.join(folder, '.away'), path.join(folder, '.incoming'));
    assert.equal((await push(relay.origin, anna, sealedOf())).status, 201);
    return undefined;
  });
});
