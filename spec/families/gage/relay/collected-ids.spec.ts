import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { addCollected, dropCollected, loadCollected } from '../../../../lib/families/gage/domain/relay/collected-ids.ts';
import { openDiskStore } from '../../../../lib/families/gage/domain/relay/disk-store.ts';
import type { Arrival } from '../../../../lib/families/gage/domain/relay/store.types.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { idOf, random, sealedOf, START } from './test-relay.ts';

const anna = 'a'.repeat(64);
const sender = '0'.repeat(16);
const idFor = (index: number): string => index.toString(16).padStart(64, '0');
const arrivalOf = (size = 100): Arrival => {
  const content = sealedOf(size);
  return { id: idOf(content), bytes: content.length, content };
};
const RECORD = 79;

describe('the ids that were collected', () => {
  const temp = tempFolder();
  const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);

  it('are the same after they were read again, in a file of at most twice their size', async () => {
    let run = 0;
    await fc.assert(fc.asyncProperty(fc.array(fc.oneof(
      fc.record({ add: fc.integer({ min: 1, max: 90 }) }), fc.record({ most: fc.nat(120) }), fc.record({ oldest: fc.nat(300) }),
    ), { maxLength: 12 }), async (steps) => {
      run += 1;
      const file = temp.at(`ids-${run}`);
      const ids = await loadCollected(file);
      let at = 0;
      for (const step of steps) {
        if ('add' in step) for (let count = 0; count < step.add; count++) assert.equal(await addCollected(ids, idFor((at += 1)), at), true);
        else await dropCollected(ids, { most: 1_000, oldest: -1, ...step });
        const again = await loadCollected(file);
        assert.equal(again.bytes, ids.bytes);
        assert.equal(sizeOf(file), ids.bytes);
        for (const [id, time] of ids.byId) assert.equal(again.byId.get(id), time);
        assert.ok(ids.bytes / RECORD <= 2 * ids.byId.size + 64 + ('add' in step ? step.add : 0));
        assert.equal(existsSync(file), ids.bytes > 0);
      }
    }), { numRuns: 25 });
    assert.deepEqual(readdirSync(temp.root).filter((name) => name.endsWith('.new')), []);
  });

  it('outlive what a kill left at the end of their file, and what is no record', async () => {
    const file = temp.at('torn');
    writeFileSync(file, `${String(1).padStart(13, '0')}-${idFor(1)}\n${'#'.repeat(RECORD - 1)}\n${String(2).padStart(13, '0')}-${idFor(2)}\n`);
    appendFileSync(file, `${String(3).padStart(13, '0')}-abc`);
    const ids = await loadCollected(file);
    assert.deepEqual([...ids.byId], [[idFor(1), 1], [idFor(2), 2]]);
    await addCollected(ids, idFor(4), 4);
    assert.deepEqual([...(await loadCollected(file)).byId], [[idFor(1), 1], [idFor(2), 2], [idFor(4), 4]]);
    assert.equal(statSync(file).size, 4 * RECORD);
  });

  const lineOf = (at: number): string => `${String(at).padStart(13, '0')}-${idFor(at)}\n`;
  const lostBytes: [what: string, place: number, lost: readonly number[]][] = [
    ['the time', 3, [11]], ['the hyphen', 13, [11]], ['the id', 40, [11]], ['the line end', 78, [11, 12]],
  ];
  for (const [what, place, lost] of lostBytes) {
    it(`are all there but ${lost.join(' and ')} when a byte of ${what} of number 11 is lost`, async () => {
      const file = temp.at(`lost-${place}`);
      const lines = Array.from({ length: 50 }, (_, index) => lineOf(index + 1));
      const at = 10 * RECORD + place;
      writeFileSync(file, lines.join('').slice(0, at) + lines.join('').slice(at + 1));
      const expected = lines.map((_, index) => index + 1).filter((each) => !lost.includes(each));
      const ids = await loadCollected(file);
      assert.deepEqual([...ids.byId.values()], expected);
      await addCollected(ids, idFor(51), 51);
      assert.deepEqual([...(await loadCollected(file)).byId], [...expected, 51].map((each) => [idFor(each), each]));
    });
  }

  it('are in order of collection, also when the clock goes back, and keep the last time of an id', async () => {
    const file = temp.at('order');
    const ids = await loadCollected(file);
    await addCollected(ids, idFor(1), 100);
    await addCollected(ids, idFor(2), 50);
    for (const each of [ids, await loadCollected(file)]) assert.deepEqual([...each.byId], [[idFor(1), 100], [idFor(2), 100]]);
    await dropCollected(ids, { most: 9, oldest: 99 });
    assert.equal(ids.byId.size, 2);
    await dropCollected(ids, { most: 9, oldest: 100 });
    assert.equal(ids.byId.size, 0);
    for (const [id, at] of [[1, 60], [2, 70], [1, 80]] as const) await addCollected(ids, idFor(id), at);
    for (const each of [ids, await loadCollected(file)]) assert.deepEqual([...each.byId], [[idFor(2), 70], [idFor(1), 80]]);
    writeFileSync(file, [3, 9, 1].map(lineOf).join(''));
    assert.deepEqual([...(await loadCollected(file)).byId.values()], [1, 3, 9], 'whatever wrote it');
  });

  for (const restarted of [false, true]) {
    it(`are kept for 30 days from when they were collected, whenever their messages came${restarted ? ', also over restarts' : ''}`, async () => {
      const DAY = 86_400_000;
      const open = (): ReturnType<typeof openDiskStore> => openDiskStore({ folder: temp.at(`days-${restarted}`), now: () => START, random });
      let store = await open();
      const again = async (): Promise<void> => {
        if (!restarted) return;
        await store.close();
        store = await open();
      };
      const [early, late] = [arrivalOf(), arrivalOf()];
      await store.markOpened(anna, START);
      await store.put(anna, early, sender, START);
      await store.put(anna, late, sender, START + 20 * DAY);
      await store.remove(anna, late.id, START + 21 * DAY);
      await again();
      await store.remove(anna, early.id, START + 29 * DAY);
      await again();
      assert.equal(await store.put(anna, late, sender, START + 51 * DAY - 1), 'known');
      assert.equal(await store.put(anna, early, sender, START + 51 * DAY - 1), 'known');
      await again();
      assert.equal(await store.put(anna, late, sender, START + 51 * DAY), 'stored');
      await again();
      assert.deepEqual((await store.list(anna, { after: undefined, limit: 9 }, START + 52 * DAY)).messages.map(({ id }) => id), [late.id], 'its old line takes nothing away');
      assert.equal(await store.put(anna, early, sender, START + 59 * DAY - 1), 'known');
      assert.equal(await store.put(anna, early, sender, START + 59 * DAY), 'stored');
      await store.close();
    });
  }

  it('that a kill left half written in a new file take no room: it goes at the start', async () => {
    const folder = temp.at('killed');
    const file = path.join(temp.folder(`killed/${anna}`), 'collected');
    writeFileSync(file, lineOf(START));
    writeFileSync(`${file}.new`, lineOf(START).repeat(100).slice(0, -7));
    const store = await openDiskStore({ folder, now: () => START, random });
    assert.deepEqual(readdirSync(path.join(folder, anna)), ['collected']);
    assert.equal(await store.put(anna, { ...arrivalOf(), id: idFor(START) }, sender, START), 'known');
    await store.close();
  });

  it('stay in their longer file where a shorter one cannot be written', async (t) => {
    if (process.platform !== 'linux') return t.skip('needs a device that is always full');
    const file = temp.at('longer');
    const ids = await loadCollected(file);
    for (let at = 1; at <= 200; at++) await addCollected(ids, idFor(at), at);
    symlinkSync('/dev/full', `${file}.new`);
    await dropCollected(ids, { most: 40, oldest: -1 });
    assert.deepEqual([ids.byId.size, ids.bytes, existsSync(`${file}.new`)], [40, 200 * RECORD, false]);
    assert.deepEqual([...(await loadCollected(file)).byId].slice(-40), [...ids.byId]);
    temp.folder('longer.new');
    await assert.rejects(dropCollected(ids, { most: 39, oldest: -1 }), { code: 'EISDIR' });
    await dropCollected(ids, { most: 38, oldest: -1 });
    assert.equal(statSync(file).size, 38 * RECORD);
    assert.deepEqual([...(await loadCollected(file)).byId], [...ids.byId]);
    return undefined;
  });

  it('are not read where their file cannot be, and not lost over another error of the disk', async () => {
    await assert.rejects(loadCollected(temp.folder('a folder')), { code: 'EISDIR' });
    const ids = await loadCollected(temp.at('missing/file'));
    await assert.rejects(addCollected(ids, idFor(1), 1), { code: 'ENOENT' });
  });

  it('take one file of a mailbox, and their room of the relay, until their time is over', async () => {
    const folder = temp.at('relay');
    const maxBytes = 20_000;
    const open = (): ReturnType<typeof openDiskStore> => openDiskStore({ folder, maxBytes, now: () => START, random });
    let store = await open();
    // Each id takes a record, the file of them and a message 4,096 bytes more each.
    const room = Math.floor((maxBytes - 4_096 - 4_096 - 100) / RECORD) + 1;
    const sent: Arrival[] = [];
    for (let outcome = ''; sent.length < 1_000; ) {
      const arrival = arrivalOf();
      outcome = await store.put(anna, arrival, sender, START);
      if (outcome !== 'stored') {
        assert.equal(outcome, 'relay_full');
        break;
      }
      sent.push(arrival);
      await store.remove(anna, arrival.id, START);
    }
    assert.equal(sent.length, room);
    assert.deepEqual(readdirSync(path.join(folder, anna)), ['collected']);
    await store.close();
    store = await open();
    assert.equal(await store.put(anna, arrivalOf(), sender, START), 'relay_full');
    for (const each of sent) assert.equal(await store.put(anna, each, sender, START), 'known');
    const later = START + 31 * 86_400_000;
    assert.equal(await store.put(anna, arrivalOf(10_000), sender, later), 'stored');
    assert.equal(readdirSync(path.join(folder, anna)).includes('collected'), false);
    await store.close();
  });

  it('are kept where a disk was too full to write one down before its message went', async (t) => {
    if (process.platform !== 'linux') return t.skip('needs a device that is always full');
    const folder = temp.at('full');
    const store = await openDiskStore({ folder, now: () => START, random });
    const arrival = arrivalOf();
    await store.put(anna, arrival, sender, START);
    symlinkSync('/dev/full', path.join(folder, anna, 'collected'));
    await store.remove(anna, arrival.id, START);
    assert.equal(await store.put(anna, arrival, sender, START), 'known');
    await store.close();
    assert.deepEqual(readdirSync(path.join(folder, anna)), ['collected']);
    assert.equal(statSync(path.join(folder, anna, 'collected')).size, RECORD);
    return undefined;
  });
});
