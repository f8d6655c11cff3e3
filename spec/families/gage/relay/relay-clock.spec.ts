import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
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

describe('the time that ages are counted by', () => {
  /** Each look: hours of uptime, days that the wall clock is beside them, and days beside them that are believed; undefined for none at all. */
  const rows: readonly (readonly [what: string, looks: readonly (readonly [up: number, beside: number, believed: number | undefined])[], warnings: number])[] = [
    ['is none in the first hour', [[0, 0, undefined], [0.99, 400, undefined], [1, 400, 0], [2, 400, 400]], 1],
    ['is that of the clock while it is steady', [[0, 0, undefined], [1.5, 0, 0], [30, 0.2, 0], [31, 0.4, 0.2], [33, 0.4, 0.4]], 0],
    ['is what it was for an hour after a step ahead', [[0, 0, undefined], [1.5, 0, 0], [1.6, 40, 0], [2.59, 40, 0], [2.6, 40, 40]], 1],
    ['is what it was for an hour also at the end of an hour', [[0, 0, undefined], [1.99, 40, 0], [2.01, 40, 0], [2.98, 40, 0], [2.99, 40, 40]], 1],
    ['goes back with the clock at once, and ahead again an hour later', [[0, 0, undefined], [1.5, -40, -40], [1.6, 0, -40], [2.59, 0, -40], [2.6, 0, 0]], 2],
    ['is what it was for an hour after the first look for long', [[0, 0, undefined], [9, 40, 0], [9.5, 40, 0], [10, 40, 40]], 1],
    ['is never that of a clock that is ahead at every look but one', [[0, 0, undefined], [2, 40, 0], [2.5, 0, 0], [2.6, 40, 0], [3.4, 40, 0], [3.6, 40, 40]], 3],
  ];
  for (const [what, looks, warnings] of rows) {
    it(what, () => {
      let up = 0;
      const logged: string[] = [];
      const clock = createRelayClock({ uptime: () => 12_345.678 + up, log: (_level, text) => void logged.push(text) });
      for (const [hours, beside, believed] of looks) {
        up = hours * HOUR;
        const { prune } = clock(START + up + beside * DAY);
        if (believed === undefined) assert.equal(prune, -Infinity);
        else assert.ok(Math.abs(prune - START - up - believed * DAY) < 1, `after ${hours} hours ${(prune - START - up) / DAY}`);
      }
      assert.equal(logged.length, warnings, logged.join('\n'));
      for (const line of logged) assert.match(line, /^the clock went (?:40|400) days (?:ahead|back): nothing is removed/);
    });
  }
});

describe('a relay whose clock steps', () => {
  const temp = tempFolder();
  let hours = 0;
  const open = async (name: string): Promise<RelayStore> => openDiskStore({ folder: temp.at(name), random, uptime: () => 77.7 + hours * HOUR });
  const leave = async (store: RelayStore, now: number): Promise<string> => {
    const content = sealedOf();
    assert.equal(await store.put(anna, { id: idOf(content), bytes: content.length, content }, '0'.repeat(16), now), 'stored');
    return idOf(content);
  };
  const listed = async (store: RelayStore, now: number): Promise<readonly string[]> => (await store.list(anna, { after: undefined, limit: 9 }, now)).messages.map(({ id }) => id);
  const again = async (store: RelayStore, id: string, now: number): Promise<string> => store.put(anna, { id, bytes: 1, content: Buffer.from('x') }, '0'.repeat(16), now);
  const restart = async (store: RelayStore, name: string): Promise<RelayStore> => {
    await store.close();
    return open(name);
  };

  it('removes nothing that waits, where it starts with a clock that is ahead and is set right within the hour', async () => {
    let store = await open('ahead');
    const id = await leave(store, START);
    store = await restart(store, 'ahead');
    assert.equal(await store.expire(START + 40 * DAY), 0);
    hours += 0.5;
    assert.deepEqual(await listed(store, START + HOUR), [id]);
    hours += 5;
    assert.equal(await store.expire(START + 6 * HOUR), 0);
    await store.close();
  });

  it('removes what is too old once the clock has said so for an hour, over restarts too', async () => {
    let store = await open('down');
    await leave(store, START);
    store = await restart(store, 'down');
    assert.equal(await store.expire(START + 8 * DAY), 0);
    hours += 1;
    assert.equal(await store.expire(START + 8 * DAY + HOUR), 1);
    assert.ok(!existsSync(temp.at(`down/${anna}`)));
    await store.close();
  });

  for (const [what, name, away, opened] of [['down for ten days', 'ten', 10, false], ['down for 31 days', 'month', 31, true]] as const) {
    it(`keeps what comes after it was ${what}, also before its clock is set right`, async () => {
      for (const first of [START + away * DAY, START + 1_000, 1_000]) {
        const folder = `${name}-${first}`;
        let store = await open(folder);
        await leave(store, START);
        store = await restart(store, folder);
        const [id, gone] = [await leave(store, first), await leave(store, first)];
        if (opened) await store.markOpened(anna, first);
        await store.remove(anna, gone, first);
        for (let looks = 0; looks < 6; looks += 1) {
          hours += 0.5;
          const now = START + away * DAY + looks * HOUR / 2;
          await store.expire(now);
          assert.ok((await listed(store, now)).includes(id), `${first} ${looks}`);
        }
        if (first > START + DAY) assert.equal(await again(store, gone, START + away * DAY + 3 * HOUR), 'known');
        await store.close();
      }
    });
  }

  it('keeps what comes after a machine has slept for eight days, and what waited for its time', async () => {
    const store = await open('slept');
    const early = await leave(store, START + 2 * DAY);
    hours += 1;
    const woken = START + 8 * DAY;
    const id = await leave(store, woken);
    hours += 3;
    assert.equal(await store.expire(woken + 3 * HOUR), 0);
    assert.deepEqual(await listed(store, woken + 3 * HOUR), [early, id]);
    await store.close();
  });

  it('keeps mail and collected ids while the clock is behind, by whatever, and after it was set right', async () => {
    let store = await open('behind');
    const [early, taken] = [await leave(store, START), await leave(store, START)];
    await store.remove(anna, taken, START);
    store = await restart(store, 'behind');
    const begin = hours;
    for (const now of [1_000, START - 400 * DAY, START - 100 * DAY]) {
      hours += 2;
      await store.expire(now);
      hours += 2;
      await store.expire(now + 2 * HOUR);
    }
    const late = await leave(store, START - 100 * DAY + 3 * HOUR);
    for (let looks = 0; looks < 5; looks += 1) {
      hours += 1;
      assert.deepEqual([...(await listed(store, START + (hours - begin) * HOUR))].sort(), [early, late].sort());
    }
    assert.equal(await again(store, taken, START + (hours - begin) * HOUR), 'known');
    hours += 7 * 24;
    assert.equal(await store.expire(START + (hours - begin) * HOUR), 2, 'and no longer than that');
    await store.close();
  });

  it('counts a message of a time that has not come from when it was seen first', async () => {
    const store = await open('future');
    const id = await leave(store, START + 300 * DAY);
    const begin = hours;
    hours = begin + 7 * 24 - 1;
    assert.deepEqual(await listed(store, START + 7 * DAY - HOUR), [id]);
    hours = begin + 7 * 24;
    assert.deepEqual(await listed(store, START + 7 * DAY), []);
    await store.close();
  });

  it('leaves a folder that holds what is none of its own, when nobody needs it any more', async () => {
    const store = await open('other');
    await leave(store, START);
    writeFileSync(path.join(temp.at('other'), anna, '1796254064094.385-note'), 'x');
    hours += 1;
    await store.expire(START);
    hours += 8 * 24;
    assert.equal(await store.expire(START + 8 * DAY), 1);
    assert.deepEqual(readdirSync(path.join(temp.at('other'), anna)), ['1796254064094.385-note']);
    await store.close();
  });
});
