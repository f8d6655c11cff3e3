import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Places } from '../../../../lib/families/gage/domain/relay/places.ts';

describe('places for work', () => {
  it('let so many pieces run at a time, and the others in the order of their coming', async () => {
    const places = new Places(3);
    const ends: (() => void)[] = [];
    const begun: number[] = [];
    const work = (index: number): Promise<number> => places.run(async () => {
      begun.push(index);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (index % 2 === 1) throw new Error(String(index));
      return index;
    });
    const all = Promise.allSettled([0, 1, 2, 3, 4, 5, 6].map(work));
    for (const most of [3, 4, 5, 6, 7, 7, 7]) {
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(begun.length, most);
      ends.shift()?.();
    }
    assert.deepEqual((await all).map(({ status }) => status === 'fulfilled'), [true, false, true, false, true, false, true]);
    assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6]);
    // A place that was given on is not free for another one beside.
    const more = Promise.all([10, 12, 14, 16].map(work));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(begun.length, 10);
    for (let count = 0; count < 4; count += 1) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await more;
  });
});
