import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { Answer } from '../../lib/mcp/answer.ts';
import { maxUntaken, Outbox } from '../../lib/mcp/outbox.ts';
import { settled } from '../support/in-process.ts';

let writes: string[];
let untaken: number;

function open(ordered: boolean): Outbox {
  writes = [];
  untaken = 0;
  return new Outbox({
    write: (text) => void writes.push(text),
    get untaken() {
      return untaken;
    },
  }, ordered);
}

describe('the outbox', () => {
  let outbox: Outbox;
  beforeEach(() => {
    outbox = open(false);
  });

  it('writes nothing until it is flushed, then all in one write', () => {
    outbox.add('a');
    outbox.add(undefined);
    outbox.notify('n', false);
    outbox.add('b');
    assert.deepEqual(writes, []);
    outbox.flush();
    outbox.flush();
    assert.deepEqual(writes, ['a\nn\nb\n']);
  });

  it('writes answers that come later together, when the turn of the event loop ends', async () => {
    const [first, second] = [new Answer(), new Answer()];
    outbox.add(first);
    outbox.add(second);
    second.settle('second');
    first.settle('first');
    assert.deepEqual(writes, []);
    await settled();
    assert.deepEqual(writes, ['second\nfirst\n']);
  });

  it('writes an answer that is there already, once, and none for a cancelled call', async () => {
    const [done, cancelled] = [new Answer(), new Answer()];
    done.settle('done');
    done.settle('again');
    cancelled.settle(undefined);
    outbox.add(done);
    outbox.add(cancelled);
    await settled();
    assert.deepEqual(writes, ['done\n']);
  });

  it('leaves droppable notifications out while the reader is more than 16 MiB behind, and no others', () => {
    assert.equal(maxUntaken, 16 * 1024 * 1024);
    untaken = maxUntaken;
    outbox.notify('just in time', true);
    assert.ok(outbox.full);
    outbox.notify('dropped', true);
    outbox.notify('kept', false);
    outbox.add('answer');
    outbox.flush();
    assert.deepEqual(writes, ['just in time\nkept\nanswer\n']);
    untaken = 0;
    assert.ok(!outbox.full);
  });

  it('is full of what it has collected itself too', () => {
    outbox.add('x'.repeat(maxUntaken));
    assert.ok(outbox.full);
  });

  describe('with ordered', () => {
    beforeEach(() => {
      outbox = open(true);
    });

    it('passes answers on at once while none is held', () => {
      outbox.add('a');
      outbox.flush();
      assert.deepEqual([writes, outbox.heldBytes], [['a\n'], 0]);
    });

    it('holds answers behind an earlier one that is still to come', async () => {
      const [first, second] = [new Answer(), new Answer()];
      outbox.add(first);
      outbox.add('ping');
      outbox.add(second);
      outbox.add('last');
      second.settle('second');
      await settled();
      assert.deepEqual([writes, outbox.heldBytes], [[], 'pingsecondlast'.length]);
      first.settle('first');
      await settled();
      assert.deepEqual([writes, outbox.heldBytes], [['first\nping\nsecond\nlast\n'], 0]);
    });

    it('releases only up to the next one that is missing', async () => {
      const [first, second] = [new Answer(), new Answer()];
      for (const reply of [first, 'a', second, 'b']) outbox.add(reply);
      first.settle('first');
      await settled();
      assert.deepEqual([writes, outbox.heldBytes], [['first\na\n'], 1]);
      outbox.add('c');
      second.settle('second');
      await settled();
      assert.deepEqual(writes, ['first\na\n', 'second\nb\nc\n']);
    });

    it('goes on behind a cancelled call', async () => {
      const cancelled = new Answer();
      outbox.add(cancelled);
      outbox.add('next');
      cancelled.settle(undefined);
      await settled();
      assert.deepEqual(writes, ['next\n']);
    });

    it('never holds notifications', async () => {
      outbox.add(new Answer());
      outbox.notify('progress', true);
      await settled();
      assert.deepEqual(writes, ['progress\n']);
    });

    it('does not wait for the answer of a subscription, which comes at the end', async () => {
      const subscription = new Answer(true);
      outbox.add(subscription);
      outbox.add('next');
      outbox.flush();
      subscription.settle('closed');
      await settled();
      assert.deepEqual(writes, ['next\n', 'closed\n']);
    });

    it('releases forty thousand held answers in time linear in their number', async () => {
      const answers = Array.from({ length: 40_000 }, () => new Answer());
      for (const answer of answers) outbox.add(answer);
      const started = performance.now();
      for (const answer of answers) answer.settle('x');
      assert.ok(performance.now() - started < 2_000, `took ${performance.now() - started} ms`);
      await settled();
      assert.equal(writes.join('').length, 80_000);
    });
  });
});
