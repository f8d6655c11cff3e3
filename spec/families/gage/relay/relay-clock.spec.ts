import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { openDiskStore } from '../../../../lib/families/gage/domain/relay/disk-store.ts';
import { createRelayClock } from '../../../../lib/families/gage/domain/relay/relay-clock.ts';
import type { RelayStore } from '../../../../lib/families/gage/domain/relay/store.types.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { idOf, random, sealedOf, START } from './test-relay.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const [anna, bert] = ['a'.repeat(64), 'b'.repeat(64)];

describe('the time that ages are counted by', () => {
  /** Each look: hours of uptime, days that the wall clock is beside them, and days beside them that are believed; undefined for none at all. */
  const rows: readonly (readonly [what: string, looks: readonly (readonly [up: number, beside: number, believed: number | undefined])[], warnings: number])[] = [
    ['is none in the first hour', [[0, 0, undefined], [0.99, 400, undefined], [1, 400, 0], [2, 400, 400]], 1],
    ['is that of the clock while it is steady', [[0, 0, undefined], [1.5, 0, 0], [30, 0.2, 0], [31, 0.4, 0.2], [33, 0.4, 0.4]], 0],
    ['is what it was for an hour after a step ahead', [[0, 0, undefined], [1.5, 0, 0], [1.6, 40, 0], [2.59, 40, 0], [2.6, 40, 40]], 1],
    ['is what it was for an hour also at the end of an hour', [[0, 0, undefined], [1.99, 40, 0], [2.01, 40, 0], [2.98, 40, 0], [2.99, 40, 40]], 1],
    ['goes back with the clock at once, and ahead again an hour later', [[0, 0, undefined], [1.5, -40, -40], [1.6, 0, -40], [2.59, 0, -40], [2.6, 0, 0]], 2],
    ['is what it was for an hour after the first look for long', [[0, 0, undefined], [9, 40, 0], [9.5, 40, 0], [10, 40, 40]], 1],
    ['is none in the first hour of looks, however late the first one comes', [[5, 40, undefined], [5.99, 0, undefined], [6, 40, 0]], 2],
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

  const others = Array.from({ length: 2_001 }, (_, index) => index.toString(16).padStart(64, '0'));
  const ways: readonly (readonly [what: string, folder: string, forget: (store: RelayStore, now: number) => Promise<void>])[] = [
    ['that left memory', 'left', async (store, now) => {
      for (const each of others) await store.list(each, { after: undefined, limit: 1 }, now);
    }],
    ['that was read again after a step that failed', 'failed', async (store, now) => {
      const incoming = temp.at('failed/.incoming');
      renameSync(incoming, `${incoming}-away`);
      await assert.rejects(leave(store, now), { code: 'ENOENT' });
      renameSync(`${incoming}-away`, incoming);
    }],
  ];
  for (const [what, folder, forget] of ways) {
    it(`keeps what came in a run, and ends what is dated ahead, also in a mailbox ${what}`, async () => {
      const store = await open(folder);
      const begin = hours;
      const [id, gone] = [await leave(store, START), await leave(store, START)];
      const ahead = START + 60 * DAY;
      for (let looks = 0; looks < 4; looks += 1) {
        await forget(store, ahead + (hours - begin) * HOUR);
        assert.equal(await store.expire(ahead + (hours - begin) * HOUR), 0);
        hours += 1;
      }
      const late = await leave(store, ahead + (hours - begin) * HOUR);
      await store.remove(anna, gone, ahead + (hours - begin) * HOUR);
      const back = (): number => START + (hours - begin) * HOUR;
      assert.equal(await store.expire(back()), 0);
      await forget(store, back());
      assert.deepEqual(await listed(store, back()), [id, late]);
      hours = begin + 7 * 24 - 0.1;
      assert.equal(await store.expire(back()), 0);
      await forget(store, back());
      hours = begin + 7 * 24 + 0.1;
      assert.equal(await store.expire(back()), 1, 'the first one is seven days old');
      await forget(store, back());
      hours += 4;
      assert.equal(await store.expire(back()), 1, 'and then the one that is dated ahead');
      await store.close();
    });
  }

  for (const [what, wrong] of [['behind', -100 * DAY], ['ahead', 100 * DAY], ['in the year 2400', 13_569_465_600_000 - START], ['before 1970', -START - DAY]] as const) {
    it(`knows an owner who came while the clock was ${what}, and what came then, also after a restart`, async () => {
      const folder = `owner-${wrong}`;
      let store = await open(folder);
      const begin = hours;
      const at = (days: number): number => START + days * DAY + (hours - begin) * HOUR;
      for (const each of [anna, bert]) await store.markOpened(each, at(0) + wrong);
      const [id, gone, second] = [await leave(store, at(0) + wrong), await leave(store, at(0) + wrong), await leave(store, at(0) + wrong)];
      await store.remove(anna, gone, at(0) + wrong);
      assert.deepEqual([...(await listed(store, at(0)))].sort(), [id, second].sort());
      await store.remove(anna, second, at(0) + wrong);
      await store.remove(anna, id, at(0));
      for (let looks = 0; looks < 6; looks += 1) {
        hours += 1;
        await store.expire(at(0));
      }
      for (const each of [anna, bert]) assert.ok(existsSync(temp.at(`${folder}/${each}/opened`)));
      await store.markOpened(anna, at(0));
      assert.ok(Math.abs(statSync(temp.at(`${folder}/${anna}/opened`)).mtimeMs - at(0)) < 1, 'put right with the clock');
      const late = await leave(store, at(0) + wrong);
      store = await restart(store, folder);
      assert.deepEqual(await listed(store, at(0)), [late]);
      for (const each of [id, gone, second]) if (wrong > -DAY) assert.equal(await again(store, each, at(0)), 'known');
      await store.close();
    });
  }

  it('keeps what came in a run for its time, and no message much longer, whatever the clock does meanwhile', async () => {
    let run = 0;
    const steps = fc.array(fc.record({
      pause: fc.constantFrom(0.1, 1, 5, 24, 60), beside: fc.constantFrom(0, 0, 0, 3, -3, 40, -40, 4_000, -30_000, 200_000), act: fc.constantFrom('leave', 'open', 'look', 'collect'),
    }), { minLength: 5, maxLength: 30 });
    await fc.assert(fc.asyncProperty(steps, async (history) => {
      const store = await open(`random-${(run += 1)}`);
      const begin = hours;
      const left = new Map<string, number>();
      let keep = 7 * 24;
      const check = async (now: number): Promise<void> => {
        const there = new Set(await listed(store, now));
        for (const [id, since] of left) {
          const age = hours - since;
          if (age < keep) assert.ok(there.has(id), `gone after ${age} hours`);
          else if (!there.has(id)) left.delete(id);
        }
      };
      for (const { pause, beside, act } of history) {
        hours += pause;
        const now = START + (hours - begin) * HOUR + beside * DAY;
        await check(now);
        if (act === 'leave' && left.size < 9) left.set(await leave(store, now), hours);
        if (act === 'open') {
          await store.markOpened(anna, now);
          keep = 30 * 24;
        }
        if (act === 'collect' && left.size > 0) {
          const id = [...left.keys()][0] ?? '';
          await store.remove(anna, id, now);
          assert.equal(await again(store, id, now), 'known');
          left.delete(id);
        }
      }
      // A right clock from here on: all ends in its time, counted from the last message.
      for (let looks = 0; looks < 3; looks += 1) {
        hours += looks < 2 ? 1.5 : keep;
        await check(START + (hours - begin) * HOUR);
      }
      assert.deepEqual(await listed(store, START + (hours - begin) * HOUR), []);
      await store.close();
    }), { numRuns: 40 });
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
