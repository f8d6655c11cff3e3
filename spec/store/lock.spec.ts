import assert from 'node:assert/strict';
import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { TestContext } from 'node:test';
import { FileLock } from '../../lib/store/file-lock.ts';
import { isLockHeldError, isLockUnsupportedError } from '../../lib/store/lock-errors.ts';
import type { LockHolder } from '../../lib/store/lock-holder.ts';
import { breakLock, openLock, withLock } from '../../lib/store/lock.ts';
import { readSystem } from '../../lib/store/system.ts';
import { Turnstile } from '../../lib/store/turnstile.ts';

const system = readSystem();
let folder = '';
let lock = '';
beforeEach(() => {
  folder = fs.realpathSync(mkdtempSync(path.join(os.tmpdir(), 'toolwire-lock-')));
  lock = path.join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const holderOf = (change: Partial<LockHolder>): LockHolder => {
  const { pid, start, boot, ns, host } = system;
  return { pid, start, boot, ns, host, random: 'b'.repeat(24), ...change };
};
const dead = (digit: string): LockHolder => holderOf({ pid: 0x7fff_fffe, random: digit.repeat(24) });
const hidden = (digit: string): LockHolder => holderOf({ ns: 'pid:[1]', pid: 0x7fff_fffe, random: digit.repeat(24) });
const put = (name: string, holder: LockHolder): void => writeFileSync(path.join(folder, name), `${JSON.stringify(holder)}\n`);
const names = (): string[] => readdirSync(folder).filter((name) => !name.includes('.id-')).sort();
const soon = (): { deadline: number } => ({ deadline: performance.now() + 20 });

/** Makes one of the functions of node:fs fail or do more, for the length of a test. */
function patch(t: TestContext, name: 'linkSync' | 'fsyncSync' | 'unlinkSync', change: (file: string) => void): void {
  const real = fs[name] as (...args: unknown[]) => void;
  t.mock.method(fs, name, (...args: unknown[]) => {
    change(String(args.at(-1)));
    real(...args);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}
const failure = (code: string): Error => Object.assign(new Error(code), { code });

test('the work runs while the lock file is there, which is gone afterwards', async () => {
  assert.equal(await withLock(lock, () => existsSync(lock)), true);
  assert.deepEqual(names(), []);
});

test('the lock is given back when the work fails, and the failure arrives', async () => {
  await assert.rejects(withLock(lock, () => { throw new Error('work failed'); }), /work failed/);
  assert.deepEqual(names(), []);
});

test('calls of one process take turns in the order they came, whatever spelling the path has', async () => {
  symlinkSync(folder, path.join(folder, 'alias'));
  const seen: number[] = [];
  let inside = 0;
  await Promise.all([0, 1, 2, 3, 4].map((index) =>
    withLock(index % 2 === 0 ? lock : path.join(folder, 'alias', 'lock'), async () => {
      inside += 1;
      assert.equal(inside, 1);
      await new Promise(setImmediate);
      seen.push(index);
      inside -= 1;
    })));
  assert.deepEqual(seen, [0, 1, 2, 3, 4]);
});

test('a call inside the work of the same lock is refused in time instead of waiting for itself', async () => {
  await withLock(lock, async () => {
    await assert.rejects(withLock(lock, () => undefined, { waitMs: 10 }), (error) =>
      isLockHeldError(error) && error.state === 'alive' && error.holder?.pid === process.pid && error.file === lock);
  });
  assert.equal(await withLock(lock, () => 'free again', { waitMs: Infinity }), 'free again');
});

test('an aborted signal ends the wait in the queue, for the file, and before it begins', async () => {
  const other = new FileLock(lock, system);
  for (const where of ['file', 'queue', 'start']) {
    const stop = new AbortController();
    if (where === 'start') stop.abort(new Error('stopped'));
    else setTimeout(() => stop.abort(new Error('stopped')), 15);
    if (where === 'file') await other.take(soon());
    const wait = (): Promise<unknown> => withLock(lock, () => 'never', { signal: stop.signal });
    await assert.rejects(where === 'queue' ? withLock(lock, wait) : wait(), /stopped/, where);
    if (where === 'file') other.release();
  }
  assert.equal(await withLock(lock, () => 'free'), 'free');
});

test('a turn that comes at the moment of an abort is passed on', async () => {
  const stop = new AbortController();
  const turn = new Turnstile();
  // This listener gives the turn before the waiter's own listener sees the abort.
  stop.signal.addEventListener('abort', () => turn.leave());
  assert.equal(await turn.enter(10), true);
  const second = turn.enter(1_000, stop.signal);
  const third = turn.enter(1_000);
  stop.abort(new Error('stopped'));
  await assert.rejects(second, /stopped/);
  assert.equal(await third, true);
});

test('a lock that stays held is refused naming the file and its holder', async () => {
  const other = new FileLock(lock, system);
  await other.take(soon());
  await assert.rejects(withLock(lock, () => undefined, { waitMs: 30 }), (error) =>
    isLockHeldError(error) && error.file === lock && error.holder?.random === other.holder.random &&
    error.name === 'LockHeldError' && error.message.includes(`process ${process.pid} on host`));
  other.release();
});

const takenOver: [string, () => void][] = [
  ['of a dead process', () => put('lock', dead('1'))],
  ['of another boot of this host', () => put('lock', holderOf({ boot: 'before' }))],
  ['of a reused pid', () => put('lock', holderOf({ start: '1' }))],
  ['whose reaper died too', () => { put('lock', dead('1')); put(`lock.reap-${'1'.repeat(24)}`, dead('2')); }],
  ['whose reaper’s reaper died as well', () => {
    put('lock', dead('1'));
    put(`lock.reap-${'1'.repeat(24)}`, dead('2'));
    put(`lock.reap-${'2'.repeat(24)}`, dead('3'));
  }],
];
for (const [title, prepare] of takenOver) {
  test(`a lock ${title} is taken over and nothing is left of it`, { skip: system.boot === null }, async () => {
    // Opened first, so that taking and not the sweep at opening clears the way.
    const file = new FileLock(lock, system);
    prepare();
    await file.take({ deadline: performance.now() + 5_000 });
    assert.deepEqual(names(), ['lock']);
    file.release();
    assert.deepEqual(names(), []);
  });
}

test('a dead holder’s lock is taken even when no time to wait is left', async () => {
  put('lock', dead('1'));
  assert.equal(await withLock(lock, () => 'mine', { waitMs: 0 }), 'mine');
});

const refused: [string, RegExp, () => void][] = [
  ['of another namespace', /lock is held by process .* cannot be seen from here/, () => put('lock', hidden('1'))],
  ['of a dead process whose reaper is in another namespace', /reap-1{24} is held by .* cannot be seen/, () => {
    put('lock', dead('1'));
    put(`lock.reap-${'1'.repeat(24)}`, hidden('2'));
  }],
  ['that no process of ours has written', /no toolwire process/, () => writeFileSync(lock, 'hello')],
  ['that is a folder', /no toolwire process/, () => mkdirSync(lock)],
  ['that is a link to nowhere', /no toolwire process/, () => symlinkSync('nowhere', lock)],
  ['with forged marks that lead in a circle', /is held by process/, () => {
    put('lock', dead('1'));
    put(`lock.reap-${'1'.repeat(24)}`, dead('2'));
    put(`lock.reap-${'2'.repeat(24)}`, dead('1'));
  }],
];
for (const [title, message, prepare] of refused) {
  test(`a lock ${title} is never taken`, { skip: system.boot === null }, async () => {
    prepare();
    const before = names();
    await assert.rejects(withLock(lock, () => undefined, { waitMs: 30 }), (error) => isLockHeldError(error) && message.test(error.message));
    assert.deepEqual(names(), before);
  });
}

test('a lock that changed hands while the mark was made is left alone', async (t) => {
  put('lock', dead('1'));
  const file = new FileLock(lock, system);
  const other = holderOf({ random: 'c'.repeat(24) });
  let marks = 0;
  // Another process reaps the dead one and takes the lock, just before we get the mark.
  patch(t, 'linkSync', (target) => {
    if (!target.includes('.reap-')) return;
    marks += 1;
    put('lock', other);
  });
  await assert.rejects(file.take(soon()), (error) => isLockHeldError(error) && error.holder?.random === other.random);
  assert.equal(marks, 1);
  assert.deepEqual(names(), ['lock']);
});

test('a release leaves the lock alone that a person broke and another process took', async () => {
  const file = new FileLock(lock, system);
  await file.take(soon());
  put('lock', holderOf({ random: 'c'.repeat(24) }));
  file.release();
  assert.deepEqual(names(), ['lock']);
});

test('a lock that could not be unlinked at release, or was linked without our knowing, is ours', async (t) => {
  const file = new FileLock(lock, system);
  await file.take(soon());
  patch(t, 'unlinkSync', () => { throw failure('EIO'); });
  assert.throws(() => file.release(), { code: 'EIO' });
  t.mock.restoreAll();
  syncBuiltinESMExports();
  await file.take(soon());
  file.release();
  assert.deepEqual(names(), []);
});

test('who had to wait gives way after a release for as long as it held, who had not does not', async () => {
  const [one, two] = [new FileLock(lock, system), new FileLock(lock, system)];
  const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  await one.take(soon());
  setTimeout(() => one.release(), 20);
  await two.take({ deadline: performance.now() + 5_000 });
  const taken = performance.now();
  await later(60);
  two.release();
  const held = performance.now() - taken;
  const released = performance.now();
  await two.take({ deadline: performance.now() + 5_000 });
  assert.ok(performance.now() - released >= held - 2, 'gave way');
  two.release();
  const again = performance.now();
  await two.take({ deadline: again });
  assert.ok(performance.now() - again < held, 'gives way no longer than it may wait');
  two.release();
  await one.take(soon());
  await later(120);
  one.release();
  const free = performance.now();
  await one.take(soon());
  assert.ok(performance.now() - free < 100, 'never waited, so takes at once');
  one.release();
});

test('opening sweeps identities and marks of dead processes and keeps those of others', { skip: system.boot === null }, () => {
  put(`lock.id-${'1'.repeat(24)}`, dead('1'));
  put(`lock.id-${'2'.repeat(24)}`, hidden('2'));
  put(`lock.id-${'3'.repeat(24)}`, holderOf({ random: '3'.repeat(24) }));
  put(`lock.reap-${'4'.repeat(24)}`, dead('1'));
  put(`lock.reap-${'5'.repeat(24)}`, hidden('2'));
  writeFileSync(`${lock}.id-fresh`, '');
  writeFileSync(`${lock}.id-old`, '');
  utimesSync(`${lock}.id-old`, 1_000, 1_000);
  writeFileSync(path.join(folder, 'lock2.id-x'), '');
  const opened = openLock(lock);
  opened.close();
  opened.close();
  assert.deepEqual(readdirSync(folder).sort(), [
    `lock.id-${'2'.repeat(24)}`, `lock.id-${'3'.repeat(24)}`, 'lock.id-fresh', `lock.reap-${'5'.repeat(24)}`, 'lock2.id-x',
  ]);
  assert.throws(() => opened.run(() => undefined), /is closed/);
});

test('handles of one file share one identity, which goes with the last of them', async () => {
  const [one, two] = [openLock(lock), openLock(lock)];
  assert.equal(readdirSync(folder).length, 1);
  one.close();
  assert.equal(await two.run(() => readdirSync(folder).length), 2);
  two.close();
  assert.deepEqual(readdirSync(folder), []);
});

test('an identity file that was cleaned away is written again', async () => {
  const opened = openLock(lock);
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
  assert.equal(await opened.run(() => existsSync(lock)), true);
  opened.close();
  assert.deepEqual(readdirSync(folder), []);
});

test('idle locks are closed when there are many', async () => {
  for (let index = 0; index < 40; index += 1) await withLock(`${lock}${index}`, () => undefined);
  assert.ok(readdirSync(folder).length <= 16);
});

for (const code of ['EPERM', 'ENOTSUP', 'EXDEV', 'EMLINK']) {
  test(`where link() fails with ${code} the lock is refused: local disks only`, async (t) => {
    patch(t, 'linkSync', () => { throw failure(code); });
    await assert.rejects(withLock(lock, () => undefined), (error) =>
      isLockUnsupportedError(error) && error.file === lock && error.name === 'LockUnsupportedError' && /local disks only/.test(error.message));
  });
}

test('other failures of the file system arrive as they are and leave nothing', async (t) => {
  await assert.rejects(withLock(path.join(folder, 'none', 'lock'), () => undefined), { code: 'ENOENT' });
  const opened = openLock(lock);
  patch(t, 'linkSync', () => { throw failure('EIO'); });
  await assert.rejects(opened.run(() => undefined), { code: 'EIO' });
  opened.close();
  patch(t, 'fsyncSync', () => { throw failure('ENOSPC'); });
  await assert.rejects(withLock(lock, () => undefined), { code: 'ENOSPC' });
  assert.deepEqual(readdirSync(folder), []);
});

test('breaking removes a lock of an unseen holder with its marks and says what it removed', { skip: system.boot === null }, async () => {
  put('lock', dead('1'));
  put(`lock.reap-${'1'.repeat(24)}`, hidden('2'));
  assert.deepEqual(breakLock(lock).map(({ file, holder, state }) => [path.basename(file), holder?.random.slice(0, 1), state]), [
    ['lock', '1', 'dead'], [`lock.reap-${'1'.repeat(24)}`, '2', 'unknown'],
  ]);
  assert.equal(await withLock(lock, () => 'mine'), 'mine');
  assert.deepEqual(breakLock(lock), []);
});

test('breaking takes no lock that came into the place of the unseen one meanwhile', { skip: system.boot === null }, (t) => {
  put('lock', hidden('1'));
  patch(t, 'linkSync', (file) => {
    // Another process broke it first, and holds it by now.
    if (!file.includes('.reap-')) return;
    rmSync(lock);
    put('lock', holderOf({ random: '3'.repeat(24) }));
  });
  breakLock(lock);
  assert.match(readFileSync(lock, 'utf8'), /"random":"3{24}"/);
  assert.deepEqual(names(), ['lock']);
});

test('breaking takes away what is no lock, a folder too', () => {
  for (const make of [() => writeFileSync(lock, ''), () => writeFileSync(lock, 'mine'), () => fs.mkdirSync(path.join(lock, 'deep'), { recursive: true })]) {
    make();
    assert.equal(breakLock(lock).length, 1);
    assert.deepEqual(names(), []);
  }
});

test('breaking refuses a holder that runs', async () => {
  const other = new FileLock(lock, system);
  await other.take(soon());
  assert.throws(() => breakLock(lock), isLockHeldError);
  assert.deepEqual(names(), ['lock']);
});

test('errors of other kinds are none of the lock’s', () => {
  for (const value of [undefined, null, 'x', new Error('x')]) {
    assert.equal(isLockHeldError(value), false);
    assert.equal(isLockUnsupportedError(value), false);
  }
});
