import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Ending } from '../../../../lib/families/gage/domain/relay/ending.ts';

describe('what runs in something that ends', () => {
  it('ends with it, and not after it is done', () => {
    const over = new AbortController();
    const ending = new Ending(over.signal);
    const [running, done] = [ending.part(), ending.part()];
    done.end();
    assert.deepEqual([running.signal.aborted, done.signal.aborted, ending.isOver], [false, true, false]);
    over.abort();
    assert.deepEqual([running.signal.aborted, ending.isOver], [true, true]);
    for (const late of [ending, new Ending(over.signal)]) assert.equal(late.part().signal.aborted, true);
  });

  it('ends when its time is over, as not in time', async () => {
    const { signal, within } = new Ending().part();
    within(60_000);
    within(1);
    const alive = setTimeout(() => {}, 10_000);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    clearTimeout(alive);
    assert.equal((signal.reason as Error).name, 'TimeoutError');
  });

  it('is forgotten when it is done, as what it runs in may live for months', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const ending = new Ending(new AbortController().signal);
    const refs: WeakRef<AbortSignal>[] = [];
    for (let index = 0; index < 100; index += 1) {
      const part = ending.part();
      part.within(60_000);
      refs.push(new WeakRef(part.signal));
      if (index > 0) part.end();
    }
    // A target of a WeakRef lives to the end of the task that made it.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    const left = refs.filter((ref) => ref.deref() !== undefined);
    // And what the machine has not let go of yet.
    assert.ok(left.includes(refs[0] as WeakRef<AbortSignal>) && left.length < 5, String(left.length));
    ending.end();
  });
});
