import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Effects } from '../../lib/mcp/family.types.ts';
import { cancelledGraceMs, FamilyQueue, maxStarted, Scheduler, type Ticket } from '../../lib/mcp/schedule.ts';
import { deferred, settled, type Deferred } from '../support/in-process.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let scheduler: Scheduler;
let queue: FamilyQueue;
let started: string[];
let running: Map<string, Deferred>;

/** Submits a call the way the core does: it starts at once where it need not wait. */
function submit(name: string, effects: Effects, within: FamilyQueue = queue, sync = false): Ticket | undefined {
  const start = (): Promise<unknown> | undefined => {
    started.push(name);
    if (sync) return undefined;
    const open = deferred();
    running.set(name, open);
    return open.promise;
  };
  if (scheduler.mustWait(effects, within)) return scheduler.submit({ effects, queue: within, start });
  const settling = start();
  return settling === undefined ? undefined : scheduler.adopt(settling, effects, within);
}

async function settle(...names: string[]): Promise<void> {
  for (const name of names) running.get(name)?.resolve(undefined);
  await settled();
}

describe('the scheduler', () => {
  beforeEach(() => {
    scheduler = new Scheduler();
    queue = new FamilyQueue();
    started = [];
    running = new Map();
  });
  afterEach(() => mock.timers.reset());

  it('starts calls without effects, and own ones, beside everything', () => {
    submit('ordered', 'ordered');
    submit('none', 'none');
    submit('own', 'own');
    assert.deepEqual(started, ['ordered', 'none', 'own']);
  });

  it('starts ordered calls of a family one after the other, first in, first out', async () => {
    for (const name of ['a', 'b', 'c']) submit(name, 'ordered');
    assert.deepEqual(started, ['a']);
    assert.equal(scheduler.waiting, 2);
    await settle('a');
    assert.deepEqual(started, ['a', 'b']);
    await settle('b');
    assert.deepEqual(started, ['a', 'b', 'c']);
    assert.equal(scheduler.waiting, 0);
  });

  it('starts the next ordered call after one that fails', async () => {
    submit('a', 'ordered');
    submit('b', 'ordered');
    running.get('a')?.reject(new Error('failed'));
    await settled();
    assert.deepEqual(started, ['a', 'b']);
  });

  it('orders each family by itself', () => {
    submit('a', 'ordered');
    submit('other', 'ordered', new FamilyQueue());
    assert.deepEqual(started, ['a', 'other']);
  });

  it('lets a call that comes after the waiting ones wait behind them', async () => {
    submit('a', 'ordered');
    submit('b', 'ordered', queue, true);
    submit('c', 'ordered', queue, true);
    assert.ok(scheduler.mustWait('ordered', queue));
    await settle('a');
    assert.deepEqual(started, ['a', 'b', 'c']);
    assert.ok(!scheduler.mustWait('ordered', queue));
  });

  it('runs a long queue of calls that settle at once without recursion', async () => {
    submit('first', 'ordered');
    for (let i = 0; i < 20_000; i++) submit(String(i), 'ordered', queue, true);
    await settle('first');
    assert.equal(started.length, 20_001);
    assert.equal(started.at(-1), '19999');
  });

  it('starts at most 64 calls at once, and the next as soon as one settles', async () => {
    for (let i = 0; i < maxStarted + 3; i++) submit(`n${i}`, 'none');
    assert.equal(maxStarted, 64);
    assert.equal(started.length, 64);
    assert.equal(scheduler.waiting, 3);
    await settle('n10');
    assert.deepEqual(started.slice(64), ['n64']);
    await settle('n11', 'n12');
    assert.deepEqual(started.slice(64), ['n64', 'n65', 'n66']);
    assert.equal(scheduler.waiting, 0);
  });

  it('lets a waiting call hold no slot: ordered calls that wait for their turn keep nobody out', () => {
    for (let i = 0; i < 200; i++) submit(`o${i}`, 'ordered');
    for (let i = 0; i < 63; i++) submit(`n${i}`, 'none');
    assert.equal(started.length, 64);
  });

  it('lets an ordered call wait for a slot, with its place in the queue', async () => {
    for (let i = 0; i < maxStarted; i++) submit(`n${i}`, 'none');
    submit('o1', 'ordered');
    submit('o2', 'ordered');
    assert.equal(started.length, 64);
    await settle('n0', 'n1');
    assert.deepEqual(started.slice(64), ['o1']);
    await settle('o1');
    assert.deepEqual(started.slice(64), ['o1', 'o2']);
  });

  it('takes a cancelled call out of the queue when it waits', async () => {
    submit('a', 'ordered');
    const b = submit('b', 'ordered');
    submit('c', 'ordered');
    assert.equal(b?.started, false);
    b?.cancel(assert.fail);
    b?.cancel(assert.fail);
    assert.equal(scheduler.waiting, 1);
    await settle('a');
    assert.deepEqual(started, ['a', 'c']);
  });

  it('takes a cancelled call out when it waits for a slot', async () => {
    for (let i = 0; i < maxStarted; i++) submit(`n${i}`, 'none');
    submit('x', 'none')?.cancel(assert.fail);
    submit('y', 'none');
    await settle('n0');
    assert.deepEqual(started.slice(64), ['y']);
  });

  it('lets a cancelled call keep its place until it settles', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const a = submit('a', 'ordered');
    submit('b', 'ordered');
    assert.equal(a?.started, true);
    a?.cancel(assert.fail);
    mock.timers.tick(cancelledGraceMs - 1);
    await settled();
    assert.deepEqual(started, ['a']);
    await settle('a');
    assert.deepEqual(started, ['a', 'b']);
    mock.timers.tick(cancelledGraceMs);
  });

  it('lets a cancelled call keep its place at most two seconds, then says so once and goes on', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    let said = 0;
    const a = submit('a', 'ordered');
    submit('b', 'ordered');
    submit('c', 'ordered');
    for (let i = 0; i < 3; i++) a?.cancel(() => void said++);
    mock.timers.tick(cancelledGraceMs);
    await settled();
    assert.equal(cancelledGraceMs, 2_000);
    assert.deepEqual([started, said], [['a', 'b'], 1]);
    // The late end of the overdue call frees nothing a second time.
    await settle('a');
    assert.deepEqual(started, ['a', 'b']);
    await settle('b');
    assert.deepEqual(started, ['a', 'b', 'c']);
  });

  it('gives the place of a call that waited first and was cancelled while it ran the same two seconds', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    submit('a', 'ordered');
    const b = submit('b', 'ordered');
    submit('c', 'ordered');
    await settle('a');
    assert.equal(b?.started, true);
    b?.cancel(() => undefined);
    mock.timers.tick(cancelledGraceMs);
    await settled();
    assert.deepEqual(started, ['a', 'b', 'c']);
  });

  it('does nothing for a call that has settled and is cancelled late', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const a = submit('a', 'ordered');
    await settle('a');
    a?.cancel(assert.fail);
    mock.timers.tick(cancelledGraceMs);
  });

  describe('exclusive sections', () => {
    it('run after the earlier ordered calls and before the later ones', async () => {
      submit('a', 'ordered');
      const inside = deferred();
      const section = queue.section(scheduler, () => {
        started.push('section');
        return inside.promise;
      });
      submit('b', 'ordered');
      assert.deepEqual(started, ['a']);
      await settle('a');
      assert.deepEqual(started, ['a', 'section']);
      inside.resolve('value');
      assert.equal(await section.result, 'value');
      await settled();
      assert.deepEqual(started, ['a', 'section', 'b']);
    });

    it('hand on what their function throws or rejects with, and free the queue', async () => {
      const broken = queue.section(scheduler, () => {
        throw new Error('thrown');
      });
      const rejected = queue.section(scheduler, () => Promise.reject(new Error('rejected')));
      await Promise.all([assert.rejects(broken.result, /thrown/), assert.rejects(rejected.result, /rejected/)]);
      submit('a', 'ordered');
      assert.deepEqual(started, ['a']);
    });

    it('run one at a time', async () => {
      let inside = 0;
      const enter = async (): Promise<void> => {
        inside++;
        assert.equal(inside, 1);
        await settled();
        inside--;
      };
      await Promise.all(Array.from({ length: 5 }, () => queue.section(scheduler, enter).result));
    });

    it('are given up when their call is cancelled while they wait', async () => {
      submit('a', 'ordered');
      const section = queue.section(scheduler, () => void started.push('section'));
      submit('b', 'ordered');
      section.giveUp(assert.fail);
      await assert.rejects(section.result, { name: 'AbortError' });
      await settle('a');
      assert.deepEqual(started, ['a', 'b']);
    });

    it('keep the queue for two seconds at most once their call is cancelled', async () => {
      mock.timers.enable({ apis: ['setTimeout'] });
      let said = 0;
      const section = queue.section(scheduler, () => new Promise(() => undefined));
      submit('b', 'ordered');
      section.giveUp(() => void said++);
      await settled();
      mock.timers.tick(cancelledGraceMs - 1);
      assert.deepEqual(started, []);
      mock.timers.tick(1);
      assert.deepEqual([started, said], [['b'], 1]);
    });

    it('are not begun for a cancelled call where they would pass an ordered one that waits for a slot', async () => {
      for (let i = 0; i < maxStarted; i++) submit(`n${i}`, 'none');
      const inside = deferred();
      const first = queue.section(scheduler, () => inside.promise);
      submit('b', 'ordered');
      const second = queue.section(scheduler, () => void started.push('second section'));
      second.giveUp(assert.fail);
      await assert.rejects(second.result, { name: 'AbortError' });
      inside.resolve('value');
      assert.equal(await first.result, 'value');
      await settled();
      assert.equal(started.length, maxStarted);
      await settle('n0');
      assert.deepEqual(started.slice(maxStarted), ['b']);
    });

    it('get through when 64 own calls hold every slot and an ordered call waits for one', async () => {
      const own = Array.from({ length: maxStarted }, (_, index) => {
        const name = `own${index}`;
        submit(name, 'own');
        return name;
      });
      submit('ordered', 'ordered', queue, true);
      const sections = own.map((name) => queue.section(scheduler, () => name).result.then(() => running.get(name)?.resolve(undefined)));
      await Promise.all(sections);
      await settled();
      assert.deepEqual(started.slice(64), ['ordered']);
    });
  });

  it('forgets the turns that are over, also while there is always one waiting', async () => {
    const refs: WeakRef<object>[] = [];
    let previous = deferred();
    scheduler.adopt(previous.promise, 'ordered', queue);
    for (let i = 1; i <= 5_000; i++) {
      const open = deferred();
      const job = { effects: 'ordered' as const, queue, start: () => open.promise };
      refs.push(new WeakRef(job));
      scheduler.submit(job);
      previous.resolve(undefined);
      await Promise.resolve();
      previous = open;
    }
    await settled();
    collectGarbage();
    const alive = refs.filter((ref) => ref.deref() !== undefined).length;
    assert.ok(alive < 2_500, `${alive} of 5000 turns are still held`);
  });

  it('forgets cancelled calls that waited, while what they waited for goes on', async () => {
    for (const effects of ['ordered', 'none'] as const) {
      scheduler = new Scheduler();
      queue = new FamilyQueue();
      for (let i = 0; i < maxStarted; i++) scheduler.adopt(new Promise(() => undefined), i === 0 ? 'ordered' : 'none', queue);
      const refs: WeakRef<object>[] = [];
      for (let i = 0; i < 5_000; i++) {
        const job = { effects, queue, start: () => undefined };
        refs.push(new WeakRef(job));
        scheduler.submit(job).cancel(assert.fail);
      }
      await settled();
      collectGarbage();
      const alive = refs.filter((ref) => ref.deref() !== undefined).length;
      assert.ok(alive < 2_500, `${alive} of 5000 cancelled ${effects} calls are still held`);
    }
  });
});
