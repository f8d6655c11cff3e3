import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { parseHolder, readLockFile, stateOf } from '../../lib/store/lock-holder.ts';
import type { LockHolder } from '../../lib/store/lock-holder.ts';
import { parseStat, readSystem } from '../../lib/store/system.ts';
import type { System } from '../../lib/store/system.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'toolwire-holder-'));
after(() => rmSync(folder, { recursive: true }));

const BOOTED = Date.UTC(2026, 0, 1);
const here: System = {
  pid: 10, host: 'anna', boot: 'boot-1', ns: 'pid:[1]', start: '100',
  gone: (pid) => pid === 404,
  stat: (pid) => ({ state: pid === 66 ? 'Z' : pid === 67 ? 'X' : 'S', start: '100' }),
  bootedAt: () => BOOTED,
};
/** A system without /proc, such as macOS. */
const plain: System = { ...here, boot: null, ns: null, start: null, stat: () => null };
const holder: LockHolder = { pid: 20, start: '100', boot: 'boot-1', ns: 'pid:[1]', host: 'anna', random: 'a'.repeat(24) };
const noProc: LockHolder = { ...holder, start: null, boot: null, ns: null };

const cases: [title: string, system: System, holder: LockHolder | null, expected: string, writtenAt?: number][] = [
  ['a running process is alive', here, holder, 'alive'],
  ['a missing pid is dead', here, { ...holder, pid: 404 }, 'dead'],
  ['a zombie is dead', here, { ...holder, pid: 66 }, 'dead'],
  ['a process being buried is dead', here, { ...holder, pid: 67 }, 'dead'],
  ['a reused pid is dead: the start time differs', here, { ...holder, start: '99' }, 'dead'],
  ['a holder of unknown start is alive while its pid is', here, { ...holder, start: null }, 'alive'],
  ['an earlier boot of this host is dead', here, { ...holder, boot: 'boot-0' }, 'dead'],
  ['an earlier boot is dead whatever the namespace', here, { ...holder, boot: 'boot-0', ns: 'pid:[2]' }, 'dead'],
  ['another boot of another host is unknown', here, { ...holder, boot: 'boot-0', host: 'otto' }, 'unknown'],
  ['another namespace is unknown, even of a missing pid', here, { ...holder, ns: 'pid:[2]', pid: 404 }, 'unknown'],
  ['the same boot and namespace under another host name is judged', here, { ...holder, host: 'otto', pid: 404 }, 'dead'],
  ['a hidden /proc entry of a living pid is alive', { ...here, stat: () => null }, holder, 'alive', BOOTED - 1e6],
  ['a holder that knew no boot is unknown to one who does', here, { ...holder, boot: null }, 'unknown'],
  ['a holder that knew its boot is unknown to one who does not', plain, holder, 'unknown'],
  ['without /proc a missing pid is dead', plain, { ...noProc, pid: 404 }, 'dead'],
  ['without /proc a running pid is alive', plain, noProc, 'alive', BOOTED + 1],
  ['without /proc a lock older than the boot is dead', plain, noProc, 'dead', BOOTED - 60_000],
  ['without /proc a lock of about the boot’s time is alive', plain, noProc, 'alive', BOOTED - 1_000],
  ['without /proc another host is unknown', plain, { ...noProc, host: 'otto', pid: 404 }, 'unknown'],
  ['a file that is none of ours is unknown', here, null, 'unknown'],
];
for (const [title, system, of, expected, writtenAt = BOOTED + 1] of cases) {
  test(title, () => assert.equal(stateOf({ holder: of, writtenAt }, system), expected));
}

test('an identity survives being written and read', () => {
  const file = path.join(folder, 'identity');
  writeFileSync(file, JSON.stringify(holder));
  assert.deepEqual(readLockFile(file)?.holder, holder);
  assert.deepEqual(parseHolder(JSON.stringify(noProc)), noProc);
});

test('what is no identity has no holder, and its random or pid is never used', () => {
  const broken: Record<string, unknown>[] = [
    { pid: 0 }, { pid: -1 }, { pid: 1.5 }, { pid: '20' }, { pid: 2 ** 31 }, { random: '../../x' }, { random: 'A'.repeat(24) },
    { random: 7 }, { host: null }, { start: 100 }, { boot: undefined }, { ns: {} },
  ];
  const texts = ['', '{', 'null', '7', '[]', ...broken.map((change) => JSON.stringify({ ...holder, ...change }))];
  for (const text of texts) assert.equal(parseHolder(text), null, text);
});

test('a missing lock file is undefined, and anything strange in its place has no holder', () => {
  const [target, link, sub] = ['target', 'link', 'sub'].map((name) => path.join(folder, name)) as [string, string, string];
  writeFileSync(target, JSON.stringify(holder));
  symlinkSync(target, link);
  mkdirSync(sub);
  assert.equal(readLockFile(path.join(folder, 'none')), undefined);
  assert.equal(readLockFile(link)?.holder, null, 'a link is not followed');
  assert.equal(readLockFile(sub)?.holder, null);
});

test('a pipe in place of a lock does not make the reader wait', { skip: process.platform === 'win32' }, () => {
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  assert.equal(readLockFile(pipe)?.holder, null);
});

test('a stat line is read past a process name full of parentheses and spaces', () => {
  const fields = ['S', ...Array.from({ length: 18 }, (_, index) => String(index)), '4711', 'rest'];
  assert.deepEqual(parseStat(`12 (a) b) c) ${fields.join(' ')}`), { state: 'S', start: '4711' });
  assert.equal(parseStat('12 (a) S 1 2'), null);
  assert.equal(parseStat(''), null);
});

test('the real system sees itself, and a pid that cannot be as gone', () => {
  const system = readSystem();
  assert.equal(system.pid, process.pid);
  assert.equal(system.gone(process.pid), false);
  assert.equal(system.gone(0x7fff_fffe), true);
  assert.ok(system.bootedAt() < Date.now());
  assert.equal(system.stat(0x7fff_fffe), null);
  assert.equal(system.stat(process.pid)?.start ?? null, system.start);
});

test('a /proc of another pid namespace is not believed', () => {
  const proc = path.join(folder, 'proc');
  mkdirSync(path.join(proc, String(process.pid)), { recursive: true });
  writeFileSync(path.join(proc, String(process.pid), 'stat'), `1 (x) S ${'0 '.repeat(30)}`);
  symlinkSync(String(process.pid + 1), path.join(proc, 'self'));
  const system = readSystem(proc);
  assert.equal(system.stat(process.pid), null);
  assert.deepEqual([system.start, system.boot, system.ns], [null, null, null]);
});

test('the namespace of a system without time namespaces is that of its pids alone', () => {
  const proc = path.join(folder, 'proc2');
  mkdirSync(path.join(proc, 'self', 'ns'), { recursive: true });
  symlinkSync('pid:[7]', path.join(proc, 'self', 'ns', 'pid'));
  assert.equal(readSystem(proc).ns, 'pid:[7]');
});
