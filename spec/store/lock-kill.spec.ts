import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openLock } from '../../lib/store/lock.ts';
import { readSystem } from '../../lib/store/system.ts';

const WORKER = fileURLToPath(import.meta.resolve('./lock-worker.js'));
const onLinux = existsSync('/proc/self/stat');
const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

function workFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'toolwire-kill-'));
  folders.push(folder);
  writeFileSync(path.join(folder, 'counter'), '0');
  return folder;
}

function launchWorker(folder: string, mode: 'once' | 'forever', env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [WORKER, folder, mode], { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Takes the lock here, so that a lock left behind for good fails the spec, and says what lies beside it then. */
async function leftovers(folder: string): Promise<string[]> {
  const lock = openLock(path.join(folder, 'lock'));
  const beside = await lock.run(() => readdirSync(folder).filter((name) => /^lock\.(?:id|reap)-/.test(name)));
  // An identity without content, killed between creating and writing it, is kept for an hour: it might be a living one's.
  const written = beside.filter((name) => statSync(path.join(folder, name)).size > 0);
  lock.close();
  return written;
}

function assertNothingLost(folder: string): number[] {
  assert.equal(existsSync(path.join(folder, 'violations')), false, 'two holders at once');
  const made = readdirSync(folder)
    .filter((name) => name.startsWith('made-'))
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').trim().split('\n').map(Number));
  assert.equal(new Set(made).size, made.length, 'a number was made twice: an update was lost');
  assert.ok(Number(readFileSync(path.join(folder, 'counter'), 'utf8')) >= Math.max(...made), 'the counter fell back');
  return made;
}

test('a process killed before any one of its file system calls leaves a lock that the next one takes', { skip: !onLinux }, async () => {
  const folder = workFolder();
  let died = 0;
  // Each child finds what the one before it left, so marks of dead reapers pile up on locks of dead holders.
  for (let call = 1; ; call += 1) {
    const [code, signal] = (await once(launchWorker(folder, 'once', { DIE_AT: String(call) }), 'exit')) as [number | null, string | null];
    if (signal !== 'SIGKILL') {
      assert.equal(code, 0);
      break;
    }
    died += 1;
  }
  // Identity: create, write, sync, read at the sweep. Lock: link, look and unlink at release. Identity: unlink at exit.
  assert.ok(died >= 8, `only ${died} places to die at`);
  assert.equal((await leftovers(folder)).length, 1, 'own identity alone');
  assert.ok(assertNothingLost(folder).length >= 1);
});

test('a process killed while it takes a dead one’s lock over blocks nobody', { skip: !onLinux }, async () => {
  const { boot, ns, host, start } = readSystem();
  let died = 0;
  for (let call = 1; ; call += 1) {
    const folder = workFolder();
    writeFileSync(path.join(folder, 'lock'), JSON.stringify({ pid: 0x7fff_fffe, start, boot, ns, host, random: 'd'.repeat(24) }));
    const [, signal] = (await once(launchWorker(folder, 'once', { DIE_AT: String(call) }), 'exit')) as [unknown, string | null];
    assert.equal((await leftovers(folder)).length, 1);
    assert.equal(existsSync(path.join(folder, 'violations')), false);
    if (signal !== 'SIGKILL') break;
    died += 1;
  }
  assert.ok(died >= 14, `only ${died} places to die at`);
});

test('under random kills there are never two holders, no lost update, and nobody is stuck', { skip: !onLinux, timeout: 60_000 }, async () => {
  const folder = workFolder();
  const running = new Set<ChildProcess>();
  const exitCodes = new Set<number | null>();
  let deaths = 0;
  let stopping = false;
  const launch = (): void => {
    const child = launchWorker(folder, 'forever', { DIE_ODDS: '0.001' });
    running.add(child);
    child.on('exit', (code, signal) => {
      running.delete(child);
      if (signal === 'SIGKILL') deaths += 1;
      else exitCodes.add(code);
      if (!stopping) launch();
    });
  };
  for (let index = 0; index < 5; index += 1) launch();
  const end = performance.now() + 3_500;
  while (performance.now() < end) {
    await sleep(100 + Math.random() * 300);
    const victims = [...running];
    victims[Math.floor(Math.random() * victims.length)]?.kill('SIGKILL');
  }
  stopping = true;
  writeFileSync(path.join(folder, 'stop'), '');
  await Promise.all([...running].map((child) => once(child, 'exit')));
  exitCodes.delete(0);
  assert.equal(exitCodes.size, 0, 'a worker was refused or failed');
  assert.equal((await leftovers(folder)).length, 1, 'own identity alone');
  const made = assertNothingLost(folder);
  assert.ok(deaths >= 10 && made.length >= 20, `${deaths} deaths, ${made.length} updates`);
});
