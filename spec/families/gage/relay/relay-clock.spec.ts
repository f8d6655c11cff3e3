import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  /** Each look: hours of uptime, and days that the wall clock is beside them; the days beside them of what is dated, and of what is removed. */
  type Look = readonly [up: number, beside: number, date: number, prune: number];
  const rows: readonly (readonly [what: string, seen: boolean, looks: readonly Look[], warnings: number])[] = [
    ['is that of the clock where nothing is known', false, [[0, 400, 400, 400], [1, 400, 400, 400]], 0],
    ['is that of the clock while it is steady', true, [[0, 0.5, 0.5, 0.5], [30, 0.5, 0.5, 0.5], [31, 1.4, 1.4, 1.4], [32, 0.5, 0.5, 0.5]], 0],
    ['removes nothing by a step ahead for an hour, and dates by it', true, [[0, 40, 40, 0], [0.9, 40, 40, 0], [1, 40, 40, 40], [2, 40, 40, 40]], 1],
    ['never dates by a step back, and removes nothing by it', true, [[0, -40, 0, -40], [5, -40, 0, -40], [50, -40, 0, -40]], 1],
    ['comes back from a step ahead that is taken back', true, [[0, 40, 40, 0], [0.5, 0, 40, 0], [30, 0, 40, 0]], 2],
    ['comes back from a step back that is taken back', true, [[0, -40, 0, -40], [9, 0, 0, -40], [9.5, 0, 0, -40], [10, 0, 0, 0]], 2],
    ['doubts each step anew', true, [[0, 40, 40, 0], [1, 40, 40, 40], [2, 80, 80, 40], [2.9, 80, 80, 40], [3, 80, 80, 80]], 2],
  ];
  for (const [what, seen, looks, warnings] of rows) {
    it(what, () => {
      let up = 0;
      const logged: string[] = [];
      const clock = createRelayClock({ seen: seen ? START : undefined, uptime: () => up, log: (_level, text) => void logged.push(text) });
      for (const [hours, beside, ...expected] of looks) {
        up = hours * HOUR;
        const { date, prune } = clock(START + up + beside * DAY);
        assert.deepEqual([date, prune].map((time) => (time - START - up) / DAY), expected, `after ${hours} hours`);
      }
      assert.equal(logged.length, warnings, logged.join('\n'));
      for (const line of logged) assert.match(line, /^the clock is 40 days (?:ahead of|behind) what it was: /);
    });
  }

  it('leaves a note by which the next start doubts as this one did', () => {
    const seenBy = (beside: number): number => createRelayClock({ seen: START, uptime: () => 0, log: () => {} })(START + beside * DAY).seen;
    assert.deepEqual([0.5, 40, -40].map((beside) => (seenBy(beside) - START) / DAY), [0.5, 0, 0]);
  });
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

  for (const [what, folder, away, opened] of [['down for ten days', 'ten', 10, false], ['down for 31 days', 'month', 31, true]] as const) {
    it(`keeps what comes after it was ${what}`, async () => {
      let hours = 0;
      let store = await open(temp.at(folder), () => hours);
      await store.expire(START);
      await store.close();
      const back = START + away * DAY;
      store = await open(temp.at(folder), () => hours);
      const id = await leave(store, back);
      if (opened) await store.markOpened(anna, back);
      const gone = await leave(store, back);
      await store.remove(anna, gone, back);
      hours = 2;
      assert.equal(await store.expire(back + 2 * HOUR), 0);
      assert.deepEqual(await listed(store, back + 2 * HOUR), [id]);
      assert.equal(await store.put(anna, { id: gone, bytes: 1, content: Buffer.from('x') }, '0'.repeat(16), back + 2 * HOUR), 'known');
      await store.close();
    });
  }

  it('keeps what comes after a machine has slept for eight days', async () => {
    let hours = 0;
    const store = await open(temp.at('slept'), () => hours);
    await store.expire(START);
    hours = 1;
    const woken = START + 8 * DAY;
    const id = await leave(store, woken);
    hours = 3;
    assert.equal(await store.expire(woken + 2 * HOUR), 0);
    assert.deepEqual(await listed(store, woken + 2 * HOUR), [id]);
    await store.close();
  });

  it('keeps mail and collected ids while the clock is behind, however long, and after it was set right', async () => {
    let hours = 0;
    const store = await open(temp.at('long behind'), () => hours);
    const early = await leave(store, START);
    const taken = await leave(store, START);
    await store.remove(anna, taken, START);
    hours = 3;
    const late = await leave(store, 1_000);
    hours = 6;
    await store.expire(3 * HOUR);
    for (hours = 6; hours < 10; hours += 1) assert.deepEqual(await listed(store, START + hours * HOUR), [early, late]);
    assert.equal(await store.put(anna, { id: taken, bytes: 1, content: Buffer.from('x') }, '0'.repeat(16), START + hours * HOUR), 'known');
    hours = 7 * 24;
    assert.deepEqual(await listed(store, START + 7 * DAY), [late], 'and no longer than that');
    await store.close();
  });

  it('starts without its note of the time, and with one that is none', async () => {
    const folder = temp.folder('note');
    for (const text of ['', 'yesterday\n', '9999999999999\n', '99999999999999999\n']) {
      writeFileSync(path.join(folder, '.seen'), text);
      const store = await open(folder, () => 0);
      const id = await leave(store, START + 40 * DAY);
      assert.ok((await listed(store, START + 40 * DAY)).includes(id));
      await store.close();
    }
    // A link in its place leads nowhere, and a folder is in nobody's way.
    rmSync(path.join(folder, '.seen'), { force: true });
    mkdirSync(path.join(folder, '.seen'));
    const store = await open(folder, () => 0);
    assert.equal(await store.expire(START + 40 * DAY), 0);
    await store.close();
  });
});
