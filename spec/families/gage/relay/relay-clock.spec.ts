import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { openDiskStore } from '../../../../lib/families/gage/domain/relay/disk-store.ts';
import { createRelayClock } from '../../../../lib/families/gage/domain/relay/relay-clock.ts';
import type { RelayStore } from '../../../../lib/families/gage/domain/relay/store.types.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { idOf, random, sealedOf, START } from './test-relay.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const anna = 'a'.repeat(64);

describe('the time that a relay goes by', () => {
  /** Each look: hours of uptime, and days that the wall clock is beside them; the days that come of it. */
  const rows: readonly (readonly [what: string, seen: number | undefined, looks: readonly (readonly [up: number, beside: number, believed: number])[], warnings: number])[] = [
    ['is that of the clock where nothing is known', undefined, [[0, 400, 400], [1, 400, 400]], 0],
    ['is that of the clock while it is steady', 0, [[0, 0.5, 0.5], [30, 0.5, 0.5], [31, 1.4, 1.4], [32, 0.5, 0.5]], 0],
    ['is what it was for an hour after a step ahead', 0, [[0, 40, 0], [0.9, 40, 0], [1, 40, 40], [2, 40, 40]], 1],
    ['is what it was for an hour after a step back', 0, [[0, -40, 0], [0.5, -40, 0], [1.5, -40, -40]], 1],
    ['comes back to a clock that is set right', 0, [[0, 40, 0], [0.5, 0, 0], [0.6, 40, 0], [1.4, 40, 0], [1.7, 40, 40]], 2],
  ];
  for (const [what, seen, looks, warnings] of rows) {
    it(what, () => {
      let up = 0;
      const logged: string[] = [];
      const clock = createRelayClock({ seen: seen === undefined ? undefined : START, uptime: () => up, log: (_level, text) => void logged.push(text) });
      for (const [hours, beside, believed] of looks) {
        up = hours * HOUR;
        assert.equal((clock(START + up + beside * DAY) - START - up) / DAY, believed, `after ${hours} hours`);
      }
      assert.equal(logged.length, warnings);
      for (const line of logged) assert.match(line, /^the clock is 40 days (?:ahead of|behind) what it was: nothing is removed/);
    });
  }
});

describe('a relay whose clock steps', () => {
  const temp = tempFolder();
  const open = async (folder: string, hours: () => number): Promise<RelayStore> => openDiskStore({ folder, random, uptime: () => hours() * HOUR });
  const leave = async (store: RelayStore, now: number): Promise<string> => {
    const content = sealedOf();
    assert.equal(await store.put(anna, { id: idOf(content), bytes: content.length, content }, '0'.repeat(16), now), 'stored');
    return idOf(content);
  };
  const listed = async (store: RelayStore, now: number): Promise<readonly string[]> => (await store.list(anna, { after: undefined, limit: 9 }, now)).messages.map(({ id }) => id);

  it('removes nothing that waits, where it starts with a clock that is ahead and is set right within the hour', async () => {
    const folder = temp.at('ahead');
    let store = await open(folder, () => 0);
    const id = await leave(store, START);
    await store.expire(START);
    await store.close();
    assert.equal(readFileSync(path.join(folder, '.seen'), 'utf8'), `${START}\n`);
    store = await open(folder, () => 0);
    assert.equal(await store.expire(START + 40 * DAY), 0);
    assert.deepEqual(await listed(store, START + HOUR), [id]);
    await store.close();
  });

  it('removes what is too old once the clock has said so for an hour', async () => {
    const folder = temp.at('down');
    let hours = 0;
    let store = await open(folder, () => hours);
    await leave(store, START);
    await store.expire(START);
    await store.close();
    store = await open(folder, () => hours);
    assert.equal(await store.expire(START + 40 * DAY), 0);
    hours = 1;
    assert.equal(await store.expire(START + 40 * DAY + HOUR), 1);
    await store.close();
  });

  it('keeps what comes while the clock is behind', async () => {
    const folder = temp.at('behind');
    let hours = 0;
    const store = await open(folder, () => hours);
    await store.expire(START);
    const id = await leave(store, 1_000);
    hours = 0.1;
    assert.deepEqual(await listed(store, START + HOUR), [id]);
    hours = 50;
    assert.deepEqual(await listed(store, START + 50 * HOUR), [id]);
    await store.close();
  });

  it('counts a message of a time that has not come from when that is seen', async () => {
    const store = await openDiskStore({ folder: temp.at('future'), random });
    const id = await leave(store, START + 300 * DAY);
    assert.deepEqual(await listed(store, START), [id]);
    assert.deepEqual(await listed(store, START + 7 * DAY - 1), [id]);
    assert.deepEqual(await listed(store, START + 7 * DAY), []);
    await store.close();
  });

  it('starts without its note of the time, and with one that is none', async () => {
    const folder = temp.folder('note');
    for (const text of ['', 'yesterday\n', '99999999999999999\n']) {
      writeFileSync(path.join(folder, '.seen'), text);
      const store = await open(folder, () => 0);
      const id = await leave(store, START + 40 * DAY);
      assert.ok((await listed(store, START + 40 * DAY)).includes(id));
      await store.close();
    }
    assert.ok(!existsSync(path.join(folder, anna, 'opened')));
  });
});
