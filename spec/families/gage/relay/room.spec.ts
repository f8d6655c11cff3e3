import assert from 'node:assert/strict';
import { readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { openDiskStore } from '../../../../lib/families/gage/domain/relay/disk-store.ts';
import { loadMailbox } from '../../../../lib/families/gage/domain/relay/mailbox-folder.ts';
import { costOf, FILE_COST, Room, type Cost, type NoRoom } from '../../../../lib/families/gage/domain/relay/room.ts';
import type { RelayStore } from '../../../../lib/families/gage/domain/relay/store.types.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { idOf, random, sealedOf, START } from './test-relay.ts';

const MAX = 3_000_000;
const MESSAGES = MAX * 7 / 8;
const DAY = 86_400_000;
const messagesOf = ({ bySender }: Cost): number => [...bySender.values()].reduce((sum, bytes) => sum + bytes, 0);
const boxes = ['a', 'b', 'c'].map((letter) => letter.repeat(64));

describe('the room of a relay', () => {
  const temp = tempFolder();

  it('is what its files take, after whatever was done', async () => {
    const steps = fc.array(fc.record({
      act: fc.constantFrom('leave', 'leave', 'leave', 'leave twice at once', 'fail', 'collect', 'open', 'sweep', 'restart'),
      box: fc.nat(boxes.length - 1), size: fc.integer({ min: 60, max: 90_000 }), sender: fc.nat(2), hours: fc.constantFrom(0, 1, 30, 200),
    }), { minLength: 5, maxLength: 50 });
    let run = 0;
    await fc.assert(fc.asyncProperty(steps, async (history) => {
      const folder = temp.at(`run-${(run += 1)}`);
      const open = (): Promise<RelayStore> => openDiskStore({ folder, random, maxBytes: MAX });
      let [store, now] = [await open(), START];
      const left = new Map<string, string[]>(boxes.map((box) => [box, []]));
      for (const { act, box: index, size, sender, hours } of history) {
        now += hours * 3_600_000;
        const box = boxes[index] as string;
        const ids = left.get(box) as string[];
        const content = sealedOf(size);
        const leave = async (): Promise<void> => {
          if ((await store.put(box, { id: idOf(content), bytes: size, content }, String(sender).repeat(16), now)) === 'stored') ids.push(idOf(content));
        };
        if (act === 'leave') await leave();
        if (act === 'leave twice at once') await Promise.all([leave(), leave(), store.expire(now)]);
        if (act === 'fail') {
          renameSync(path.join(folder, '.incoming'), path.join(folder, '.away'));
          await leave().catch(() => {});
          renameSync(path.join(folder, '.away'), path.join(folder, '.incoming'));
        }
        if (act === 'collect') await store.remove(box, ids.pop() ?? '0'.repeat(64), now);
        if (act === 'open') await store.markOpened(box, now);
        if (act === 'sweep') await store.expire(now);
        if (act === 'restart') {
          await store.close();
          store = await open();
        }
      }
      await store.expire(now);
      let taken = 0;
      for (const name of readdirSync(folder)) if (!name.startsWith('.')) taken += messagesOf(costOf(await loadMailbox(path.join(folder, name))));
      const fits = async (size: number): Promise<string> => {
        const content = Buffer.alloc(size, 1);
        return store.put('f'.repeat(64), { id: idOf(content), bytes: size, content }, 'f'.repeat(16), now);
      };
      const free = MESSAGES - taken - 2 * FILE_COST;
      assert.deepEqual([await fits(free + 1), await fits(free)], ['relay_full', 'stored']);
      await store.close();
    }), { numRuns: 25 });
  });

  it('is what is there again, where a file was changed from outside while its mailbox was not in memory', async () => {
    const folder = temp.at('outside');
    const open = (): Promise<RelayStore> => openDiskStore({ folder, random, maxBytes: MAX });
    const leave = (store: RelayStore, content: Buffer, box = boxes[0] as string): Promise<string> => store.put(box, { id: idOf(content), bytes: content.length, content }, '0'.repeat(16), START);
    const [first, second] = [sealedOf(1_000_000), sealedOf(2_000_000)];
    let store = await open();
    await leave(store, first);
    await store.close();
    // Counted at the start, and read when it is asked for.
    store = await open();
    const [name = ''] = readdirSync(path.join(folder, boxes[0] as string));
    truncateSync(path.join(folder, boxes[0] as string, name), 10);
    assert.equal(await leave(store, second, boxes[1]), 'relay_full');
    assert.equal(await store.get(boxes[0] as string, idOf(first), START), undefined);
    assert.equal(await leave(store, second, boxes[1]), 'stored');
    await store.close();
  });

  it('is free again when a mailbox was removed by hand', async () => {
    const folder = temp.at('by-hand');
    const store = await openDiskStore({ folder, random, maxBytes: MAX });
    const leave = (box: string): Promise<string> => ((content) => store.put(box, { id: idOf(content), bytes: content.length, content }, '0'.repeat(16), START))(sealedOf(2_000_000));
    assert.deepEqual([await leave(boxes[0] as string), await leave(boxes[1] as string)], ['stored', 'relay_full']);
    rmSync(path.join(folder, boxes[0] as string), { recursive: true });
    assert.equal(await store.expire(START), 0);
    assert.equal(await leave(boxes[1] as string), 'stored');
    await store.close();
  });

  it('is shared by senders: each gets an eighth, and no less than one mailbox takes from one', () => {
    const mib = 1024 * 1024;
    const room = new Room(400 * mib);
    const takes = (one: Room, bytes: number, sender?: string): NoRoom | undefined => ((taken) => (typeof taken === 'string' ? taken : undefined))(one.take(bytes, sender));
    assert.deepEqual([takes(room, 50 * mib, 'a'), takes(room, 1, 'a'), takes(room, 50 * mib, 'b')], [undefined, 'sender_full', undefined]);
    for (const sender of ['c', 'd', 'e', 'f', 'g']) assert.equal(takes(room, 50 * mib, sender), undefined);
    assert.equal(takes(room, 1, 'h'), 'relay_full');
    room.add({ marks: 0, bySender: new Map([['a', 50 * mib]]) }, -1);
    assert.equal(takes(room, 50 * mib, 'a'), undefined);
    // Marks are nobody's, and have their own part beside.
    assert.deepEqual([takes(room, 50 * mib), takes(room, 1)], [undefined, 'relay_full']);
    const small = new Room(40 * mib);
    assert.deepEqual([takes(small, 20 * mib + 26 * FILE_COST, 'a'), takes(small, 1, 'a'), takes(small, 1, 'b')], [undefined, 'sender_full', undefined]);
  });

  it('has place for nothing but messages of mailboxes: what is none of its own in a folder counts for nothing', async () => {
    const folder = temp.at('other');
    const store = await openDiskStore({ folder, random, maxBytes: MAX });
    const content = sealedOf(100);
    await store.put(boxes[0] as string, { id: idOf(content), bytes: 100, content }, '0'.repeat(16), START);
    writeFileSync(path.join(folder, boxes[0] as string, 'README'), 'x'.repeat(1_000));
    assert.deepEqual(costOf(await loadMailbox(path.join(folder, boxes[0] as string))), { marks: 0, bySender: new Map([['0'.repeat(16), 100 + 2 * FILE_COST]]) });
    assert.equal(await store.expire(START + 8 * DAY), 1);
    await store.close();
  });
});
