import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import fsPromises, { open as openFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { buffer as readAll } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { openDiskStore } from '../../../../lib/families/gage/domain/relay/disk-store.ts';
import type { Arrival, RelayStore } from '../../../../lib/families/gage/domain/relay/store.types.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { bearerOf, Clock, idOf, person, push, random, sealedOf, send, START, startTestRelay } from './test-relay.ts';

const anna = 'a'.repeat(64);
const bert = 'b'.repeat(64);
const sender = '0'.repeat(16);
const arrivalOf = (size: number): Arrival => {
  const content = sealedOf(size);
  return { id: idOf(content), bytes: content.length, content };
};
const idsOf = async (store: RelayStore): Promise<string[]> => (await store.list(anna, { after: undefined, limit: 100 }, START)).messages.map(({ id }) => id);

const damages: [title: string, damage: (file: string) => void, problem: string][] = [
  ['is gone', (file) => rmSync(file), 'gone'],
  ['is empty', (file) => truncateSync(file, 0), 'damaged'],
  ['was cut short', (file) => truncateSync(file, 299_999), 'damaged'],
  ['has more at its end', (file) => appendFileSync(file, 'x'), 'damaged'],
  ['has another byte in its middle', (file) => writeFileSync(file, Buffer.from(readFileSync(file)).fill(readFileSync(file).readUInt8(150_000) ^ 1, 150_000, 150_001)), 'damaged'],
  ['is a folder', (file) => {
    rmSync(file);
    mkdirSync(file);
  }, 'damaged'],
];

describe('a message on disk whose file', () => {
  const temp = tempFolder();
  const open = (name: string, logged: string[], maxBytes?: number): Promise<RelayStore> =>
    openDiskStore({ folder: temp.at(name), random, log: (level, message) => void logged.push(`${level} ${message}`), ...(maxBytes !== undefined && { maxBytes }) });

  for (const [title, damage, problem] of damages) {
    for (const restarted of [false, true]) {
      it(`${title} is never given out${restarted ? ' after a restart' : ''}: it goes, the mail around it stays, and its sender may send it again`, async () => {
        const logged: string[] = [];
        const name = `${title} ${restarted}`;
        let store = await open(name, logged);
        const [one, two, three] = [arrivalOf(300_000), arrivalOf(300_000), arrivalOf(100)];
        for (const each of [one, two, three]) await store.put(anna, each, sender, START);
        const file = readdirSync(temp.at(`${name}/${anna}`)).find((each) => each.includes(two.id)) ?? '';
        if (restarted) await store.close();
        damage(temp.at(`${name}/${anna}/${file}`));
        if (restarted) store = await open(name, logged);
        assert.equal(await store.get(anna, two.id, START), undefined);
        assert.deepEqual(await idsOf(store), [one.id, three.id]);
        // What was gone before the start, nobody could miss.
        if (!(restarted && title === 'is gone')) assert.match(logged.join('\n'), new RegExp(`^error a message of \\d+ bytes could not be given out: its file is ${problem}$`));
        for (const each of [one, three]) {
          const found = await store.get(anna, each.id, START);
          assert.deepEqual(found === undefined ? undefined : await readAll(found.stream), each.content);
        }
        assert.equal(await store.put(anna, two, sender, START), 'stored');
        assert.deepEqual(await idsOf(store), [one.id, three.id, two.id]);
        const again = await store.get(anna, two.id, START);
        assert.deepEqual(again === undefined ? undefined : await readAll(again.stream), two.content);
        await store.close();
      });
    }
  }

  const changes: [title: string, change: (file: string) => void, given: boolean][] = [
    ['has another time of change', (file) => utimesSync(file, 1, 1), true],
    ['has another byte in its middle', (file) => damages[4]?.[1](file), false],
    ['has another byte and its old time of change', (file) => {
      damages[4]?.[1](file);
      utimesSync(file, 5, 5);
    }, false],
    ['is another file of the same size and time', (file) => {
      writeFileSync(`${file}.x`, readFileSync(file).fill(0));
      renameSync(`${file}.x`, file);
      utimesSync(file, 5, 5);
    }, false],
    ['was cut short', (file) => truncateSync(file, 299_999), false],
  ];
  for (const [title, change, given] of changes) {
    it(`is given out again and again is read through once, and ${given ? 'once more' : 'not given out'} when it ${title}`, async (t) => {
      const name = `again ${title}`;
      const store = await open(name, []);
      const one = arrivalOf(300_000);
      await store.put(anna, one, sender, START);
      const file = temp.at(`${name}/${anna}/${readdirSync(temp.at(`${name}/${anna}`))[0]}`);
      utimesSync(file, 5, 5);
      const handle = await openFile(file);
      const reads = t.mock.method(Object.getPrototypeOf(handle) as typeof handle, 'read').mock;
      await handle.close();
      /** How often the file was read before it was given out, and whether it was. */
      const get = async (): Promise<[boolean, number]> => {
        reads.resetCalls();
        const found = await store.get(anna, one.id, START);
        const count = reads.callCount();
        if (found !== undefined) assert.deepEqual(await readAll(found.stream), one.content);
        return [found !== undefined, count];
      };
      const [, first] = await get();
      assert.ok(first > 1, String(first));
      assert.deepEqual([await get(), await get()], [[true, 0], [true, 0]]);
      // The clock of a file system moves in steps of some milliseconds.
      do writeFileSync(temp.at('clock'), 'x'); while (statSync(temp.at('clock')).ctimeMs <= statSync(file).ctimeMs);
      change(file);
      const [stillGiven, count] = await get();
      assert.equal(stillGiven, given);
      if (given) assert.deepEqual([count, await get()], [first, [true, 0]]);
      await store.close();
    });
  }

  it('cannot be read now stays for another time, and is not given out either', async (t) => {
    if (process.platform !== 'linux') return t.skip('needs a file that reports an error of the disk');
    const logged: string[] = [];
    const [one, two] = [arrivalOf(100), arrivalOf(100)];
    const folder = temp.folder(`unreadable/${anna}`);
    // Its first page is nobody's, so that reading it is an error; as the disk has it, it is an empty file.
    symlinkSync('/proc/self/mem', path.join(folder, `${START}-${one.id}.${sender}.msg`));
    const store = await open('unreadable', logged);
    await store.put(anna, two, sender, START);
    assert.equal(await store.get(anna, one.id, START), undefined);
    assert.deepEqual(logged, ['error a message of 0 bytes could not be given out: its file is unreadable']);
    assert.deepEqual(await idsOf(store), [one.id, two.id]);
    return store.close();
  });

  it('cannot be opened for a reason that says nothing of it is no lost message: the request fails', async (t) => {
    if (process.platform === 'win32') return t.skip('needs links');
    const store = await open('loop', []);
    const one = arrivalOf(100);
    await store.put(anna, one, sender, START);
    const [name = ''] = readdirSync(temp.at(`loop/${anna}`));
    const file = temp.at(`loop/${anna}/${name}`);
    rmSync(file);
    symlinkSync(file, file);
    await assert.rejects(store.get(anna, one.id, START), { code: 'ELOOP' });
    rmSync(file);
    writeFileSync(file, one.content as Buffer);
    const again = await store.get(anna, one.id, START);
    assert.deepEqual(again === undefined ? undefined : await readAll(again.stream), one.content);
    return store.close();
  });

  it('is a link to nothing is none', async (t) => {
    if (process.platform === 'win32') return t.skip('needs links');
    symlinkSync('nothing', path.join(temp.folder(`dangling/${anna}`), `${START}-${'1'.repeat(64)}.${sender}.msg`));
    const store = await open('dangling', []);
    assert.deepEqual(await idsOf(store), []);
    return store.close();
  });

  it('was damaged gives its room back', async () => {
    const store = await open('room', [], 11_000);
    const [one, two] = [arrivalOf(900), arrivalOf(900)];
    assert.equal(await store.put(anna, one, sender, START), 'stored');
    assert.equal(await store.put(bert, two, sender, START), 'relay_full');
    truncateSync(temp.at(`room/${anna}/${readdirSync(temp.at(`room/${anna}`))[0]}`), 10);
    assert.equal(await store.get(anna, one.id, START), undefined);
    assert.equal(await store.put(bert, two, sender, START), 'stored');
    await store.close();
  });
});

describe('a relay with a damaged message', () => {
  const temp = tempFolder();

  it('answers 404 for it, says so in its log without an id, and gives out what lies behind', async () => {
    const folder = temp.folder('a');
    const clock = new Clock();
    const logged: string[] = [];
    const store = await openDiskStore({ folder, random, log: (_level, message) => void logged.push(message) });
    const { origin } = await startTestRelay(folder, { store, clock });
    const bob = person();
    const [one, two] = [sealedOf(1_000), sealedOf(1_000)];
    for (const each of [one, two]) await push(origin, bob.mailbox, each);
    const [name = ''] = readdirSync(path.join(folder, bob.mailbox)).sort();
    truncateSync(path.join(folder, bob.mailbox, name), 500);
    const headers = await bearerOf(origin, bob);
    const at = (message: Uint8Array): string => `/v1/mailboxes/${bob.mailbox}/messages/${idOf(message)}`;
    const lost = await send(origin, { path: at(one), headers });
    assert.deepEqual([lost.status, lost.json.error.code], [404, 'not_found']);
    assert.deepEqual((await send(origin, { path: at(two), headers })).status, 200);
    assert.deepEqual(logged, ['a message of 1000 bytes could not be given out: its file is damaged']);
    assert.ok(!existsSync(path.join(folder, bob.mailbox, name)));
  });
});

describe('a sweep of mailboxes of which one fails', () => {
  const temp = tempFolder();

  it('goes through all the others, says that one failed, and ends when it is told to', async () => {
    const logged: string[] = [];
    const store = await openDiskStore({ folder: temp.root, random, log: (_level, message) => void logged.push(message) });
    for (const mailbox of [anna, bert]) await store.put(mailbox, arrivalOf(100), sender, START);
    writeFileSync(temp.at('0'.repeat(64)), 'a file in the place of a mailbox');
    const later = START + 8 * 86_400_000;
    assert.equal(await store.expire(later, AbortSignal.abort()), 0);
    assert.equal(await store.expire(later), 2);
    assert.deepEqual(logged, ['old messages of a mailbox could not be removed: a part of its path is no folder']);
    await store.close();
  });
});

describe('a folder of a relay in which nothing can be changed', () => {
  const temp = tempFolder();

  /** Lets nothing be written or removed, as on a disk that can only be read, until what it answers is called. */
  function readOnly(t: TestContext): () => void {
    const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error('EROFS'), { code: 'EROFS' }));
    const open = fsPromises.open;
    const mocks = [
      t.mock.method(fsPromises, 'rm', refuse),
      t.mock.method(fsPromises, 'open', (file: string, flags: string | number, mode?: number) => (flags === 'r' || (typeof flags === 'number' && (flags & 3) === 0) ? open(file, flags, mode) : refuse())),
    ];
    syncBuiltinESMExports();
    return () => {
      for (const { mock } of mocks) mock.restore();
      syncBuiltinESMExports();
    };
  }

  it('lets owners in and gives out their mail, and what is too old stays until it can go', async (t) => {
    const folder = temp.at('stuck');
    const logged: string[] = [];
    const store = await openDiskStore({ folder, random, log: (level, message) => void logged.push(`${level} ${message}`) });
    const [old, young] = [arrivalOf(100), arrivalOf(100)];
    await store.put(anna, old, sender, START - 10 * 86_400_000);
    await store.put(anna, young, sender, START - 4 * 86_400_000);
    const release = readOnly(t);
    await store.markOpened(anna, START);
    assert.deepEqual(await idsOf(store), [old.id, young.id]);
    assert.equal(await store.expire(START), 0);
    for (const expected of ['warning what is too old in a mailbox could not be removed: the file system is read-only', 'warning an owner could not be noted: the file system is read-only']) {
      assert.ok(logged.includes(expected), logged.join('\n'));
    }
    release();
    assert.deepEqual(await idsOf(store), [young.id]);
    // Nothing says that the owner was there, until they come again.
    assert.equal(await store.expire(START + 4 * 86_400_000), 1);
    await store.close();
  });

  it('knows of an owner what is on the disk, also when noting them failed in the middle', async (t) => {
    const folder = temp.at('half-noted');
    const store = await openDiskStore({ folder, random });
    const arrival = arrivalOf(100);
    await store.put(anna, arrival, sender, START);
    const real = fsPromises.open;
    const { mock } = t.mock.method(fsPromises, 'open', async (file: string, flags: string | number, mode?: number) => {
      const handle = await real(file, flags, mode);
      if (flags !== 'a') return handle;
      await handle.close();
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    });
    syncBuiltinESMExports();
    await store.markOpened(anna, START);
    mock.restore();
    syncBuiltinESMExports();
    assert.equal(existsSync(path.join(folder, anna, 'opened')), true);
    assert.equal(await store.expire(START + 8 * 86_400_000), 0);
    assert.deepEqual(await idsOf(store), [arrival.id]);
    await store.close();
  });

  it('gives out what waits beside a leftover of a kill that cannot be removed either', async (t) => {
    const folder = temp.at('leftover');
    let store = await openDiskStore({ folder, random });
    const [collected, waits] = [arrivalOf(100), arrivalOf(100)];
    for (const each of [collected, waits]) await store.put(anna, each, sender, START);
    await store.close();
    // Between the two steps of a removal, and while the ids were written anew.
    writeFileSync(path.join(folder, anna, 'collected'), `${START + 1}-${collected.id}\n`);
    writeFileSync(path.join(folder, anna, 'collected.new'), 'x');
    const left = readdirSync(path.join(folder, anna)).length;
    store = await openDiskStore({ folder, random });
    // Read again with the first step, after the start.
    for (const [name, content] of [['collected.new', 'x'], [`${START}-${collected.id}.${sender}.msg`, 'x']] as const) writeFileSync(path.join(folder, anna, name), content);
    const release = readOnly(t);
    assert.deepEqual(await idsOf(store), [waits.id]);
    release();
    assert.equal(readdirSync(path.join(folder, anna)).length, left);
    await store.close();
    store = await openDiskStore({ folder, random });
    assert.deepEqual(await idsOf(store), [waits.id]);
    assert.equal(readdirSync(path.join(folder, anna)).length, left - 2);
    await store.close();
  });
});
