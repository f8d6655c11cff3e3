import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { addCollected, dropExpired, dropOldest, forgetLine, keepInMemory, loadCollected, MAX_COLLECTED } from '../../../../lib/families/gage/domain/relay/collected-ids.ts';
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

  it('are the same after they were read again, but for those without room, in a file of at most twice their size', async () => {
    let run = 0;
    await fc.assert(fc.asyncProperty(fc.array(fc.oneof(
      fc.record({ add: fc.integer({ min: 1, max: 90 }) }), fc.record({ most: fc.nat(120) }), fc.record({ now: fc.nat(300) }),
      fc.record({ keep: fc.integer({ min: 1, max: 90 }) }), fc.record({ again: fc.nat(300) }),
    ), { minLength: 4, maxLength: 20 }), async (steps) => {
      run += 1;
      const file = temp.at(`ids-${run}`);
      const ids = await loadCollected(file);
      let at = 0;
      let comes = '';
      for (const step of steps) {
        if ('add' in step) for (let count = 0; count < step.add; count++) assert.equal(await addCollected(ids, idFor((at += 1)), at), true);
        else if ('keep' in step) for (let count = 0; count < step.keep; count++) keepInMemory(ids, idFor((at += 1)), at);
        else if ('most' in step) await dropOldest(ids, step.most);
        else if ('again' in step) {
          // Only what is not known comes again.
          comes = [...ids.dropped][step.again % Math.max(1, ids.dropped.size)] ?? idFor(0);
          await forgetLine(ids, comes);
        }
        else await dropExpired(ids, { now: Math.max(step.now, at), keep: 100 });
        const again = await loadCollected(file);
        assert.equal(again.bytes, ids.bytes);
        assert.equal(sizeOf(file), ids.bytes);
        // What had no room is on the disk at no time, also not when the file is written anew.
        const written = [...ids.byId].filter(([id]) => !ids.unwritten.has(id));
        for (const [id, time] of written) assert.equal(again.byId.get(id), time);
        assert.deepEqual(new Set([...again.byId.keys()]), new Set([...written.map(([id]) => id), ...ids.dropped]));
        assert.ok([...ids.unwritten].every((id) => ids.byId.has(id)));
        if ('again' in step) assert.equal(again.byId.has(comes), false);
        assert.ok(ids.bytes / RECORD <= 2 * written.length + 64 + ('add' in step ? step.add : 0));
        assert.equal(existsSync(file), ids.bytes > 0);
      }
    }), { numRuns: 60 });
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
    const left = async (now: number): Promise<unknown> => {
      await dropExpired(ids, { now, keep: 100 });
      return [...ids.byId];
    };
    await addCollected(ids, idFor(1), 100);
    await addCollected(ids, idFor(2), 50);
    for (const each of [ids, await loadCollected(file)]) assert.deepEqual([...each.byId], [[idFor(1), 100], [idFor(2), 50]]);
    assert.deepEqual(await left(149), [[idFor(1), 100], [idFor(2), 50]]);
    assert.deepEqual(await left(150), [[idFor(1), 100]], 'the one behind goes first');
    assert.deepEqual(await left(200), []);
    for (const [id, at] of [[1, 60], [2, 70], [1, 80]] as const) await addCollected(ids, idFor(id), at);
    for (const each of [ids, await loadCollected(file)]) assert.deepEqual([...each.byId], [[idFor(2), 70], [idFor(1), 80]]);
  });

  it('of a time that has not come yet stay, and take none of the others with them', async () => {
    const file = temp.at('ahead');
    writeFileSync(file, [3, 9_000, 4].map(lineOf).join(''));
    const ids = await loadCollected(file);
    await addCollected(ids, idFor(5), 5);
    // A clock that is behind, or of which nothing is known, forgets nothing.
    for (const now of [10, 1, -Infinity]) await dropExpired(ids, { now, keep: 100 });
    assert.deepEqual([...ids.byId.keys()], [3, 9_000, 4, 5].map(idFor));
    await dropExpired(ids, { now: 105, keep: 100 });
    assert.deepEqual([...ids.byId], [[idFor(9_000), 9_000]]);
    await dropExpired(ids, { now: 9_100, keep: 100 });
    assert.equal(ids.byId.size, 0);
  });

  it('beyond the last ten thousand come again, and stay over a restart, whatever the clock said when they were collected', async () => {
    const folder = temp.at('many');
    const YEAR = 365 * 86_400_000;
    const file = path.join(temp.folder(`many/${anna}`), 'collected');
    const [first, second] = [arrivalOf(), arrivalOf()];
    const lines = Array.from({ length: MAX_COLLECTED - 1 }, (_, index) => `${START + YEAR}-${idFor(index)}\n`);
    writeFileSync(file, [`${START + YEAR}-${first.id}\n`, `${START + YEAR}-${second.id}\n`, ...lines].join(''));
    const open = (): ReturnType<typeof openDiskStore> => openDiskStore({ folder, random });
    let store = await open();
    const listed = async (): Promise<readonly string[]> => (await store.list(anna, { after: undefined, limit: 9 }, START)).messages.map(({ id }) => id);
    assert.equal(await store.put(anna, second, sender, START), 'known');
    assert.equal(await store.put(anna, first, sender, START), 'stored');
    await store.close();
    store = await open();
    assert.deepEqual(await listed(), [first.id]);
    await store.remove(anna, first.id, START + 1);
    assert.equal(await store.put(anna, first, sender, START + 2), 'known');
    assert.equal(await store.put(anna, second, sender, START + 2), 'stored', 'the oldest is dropped for the youngest');
    await store.close();
    store = await open();
    assert.deepEqual(await listed(), [second.id]);
    await store.close();
  });

  it('whose line cannot be taken out keep their message from being stored', async (t) => {
    if (process.platform !== 'linux') return t.skip('needs a device that is always full');
    const folder = temp.at('line');
    const file = path.join(temp.folder(`line/${anna}`), 'collected');
    const again = arrivalOf();
    writeFileSync(file, [`${START}-${again.id}\n`, ...Array.from({ length: MAX_COLLECTED }, (_, index) => `${START}-${idFor(index)}\n`)].join(''));
    const store = await openDiskStore({ folder, random });
    await store.list(anna, { after: undefined, limit: 9 }, START);
    symlinkSync('/dev/full', `${file}.new`);
    await assert.rejects(store.put(anna, again, sender, START), { code: 'ENOSPC' });
    assert.deepEqual(readdirSync(path.join(folder, anna)), ['collected']);
    assert.equal(await store.put(anna, again, sender, START), 'stored');
    await store.close();
    return undefined;
  });

  for (const restarted of [false, true]) {
    it(`are kept for 30 days from when they were collected, whenever their messages came${restarted ? ', also over restarts' : ''}`, async () => {
      const DAY = 86_400_000;
      const open = (): ReturnType<typeof openDiskStore> => openDiskStore({ folder: temp.at(`days-${restarted}`), random });
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
    const store = await openDiskStore({ folder, random });
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
    await dropOldest(ids, 40);
    assert.deepEqual([ids.byId.size, ids.bytes, existsSync(`${file}.new`)], [40, 200 * RECORD, false]);
    assert.deepEqual([...(await loadCollected(file)).byId].slice(-40), [...ids.byId]);
    temp.folder('longer.new');
    await assert.rejects(dropOldest(ids, 39), { code: 'EISDIR' });
    await dropOldest(ids, 38);
    assert.equal(statSync(file).size, 38 * RECORD);
    assert.deepEqual([...(await loadCollected(file)).byId], [...ids.byId]);
    return undefined;
  });

  it('are not read where their file cannot be, and not lost over another error of the disk', async () => {
    await assert.rejects(loadCollected(temp.folder('a folder')), { code: 'EISDIR' });
    const ids = await loadCollected(temp.at('missing/file'));
    await assert.rejects(addCollected(ids, idFor(1), 1), { code: 'ENOENT' });
  });

  it('take one file of a mailbox, and the part of the relay that marks have, until their time is over', async () => {
    const folder = temp.at('relay');
    // An eighth of it is for marks: the folder, the file of the ids, and so many of them.
    const maxBytes = 8 * (2 * 4_096 + 20 * RECORD + RECORD - 1);
    const logged: string[] = [];
    const open = (): ReturnType<typeof openDiskStore> => openDiskStore({ folder, maxBytes, random, log: (_level, message) => void logged.push(message) });
    let store = await open();
    const sent = Array.from({ length: 25 }, () => arrivalOf());
    for (const each of sent) {
      assert.equal(await store.put(anna, each, sender, START), 'stored', 'marks keep no message out');
      await store.remove(anna, each.id, START);
      assert.equal(await store.put(anna, each, sender, START), 'known');
    }
    assert.deepEqual(readdirSync(path.join(folder, anna)), ['collected']);
    assert.equal(statSync(path.join(folder, anna, 'collected')).size, 20 * RECORD);
    const bert = 'b'.repeat(64);
    await store.markOpened(bert, START);
    assert.equal(existsSync(path.join(folder, bert)), false);
    assert.deepEqual(logged, ['the part of --max-bytes for marks is full: owners and collected ids are not noted until older ones are gone']);
    await store.close();
    store = await open();
    assert.deepEqual(await Promise.all(sent.map((each) => store.put(anna, each, sender, START))), sent.map((_each, index) => (index < 20 ? 'known' : 'stored')));
    const later = START + 31 * 86_400_000;
    assert.equal(await store.expire(later), 5);
    await store.markOpened(bert, later);
    assert.deepEqual(readdirSync(folder).filter((name) => name.length === 64), [bert]);
    await store.close();
  });

  it('are kept where a disk was too full to write one down before its message went', async (t) => {
    if (process.platform !== 'linux') return t.skip('needs a device that is always full');
    const folder = temp.at('full');
    const store = await openDiskStore({ folder, random });
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
