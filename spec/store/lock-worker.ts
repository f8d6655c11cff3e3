// A process of lock-kill.spec.ts: takes the lock again and again, and dies by SIGKILL at the places it is told to.
// argv: folder, then `forever` (until the file `stop` exists) or `once`. DIE_AT: the number of the file system call
// of the lock before which it dies. DIE_ODDS: the probability of dying before each such call; inside the
// lock it is fifty times that.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';

const [folder = '', mode] = process.argv.slice(2);
const dieAt = Number(process.env['DIE_AT'] ?? 0);
const odds = Number(process.env['DIE_ODDS'] ?? 0);
const insideOdds = odds * 50;
const real = { ...fs };
// readFileSync and its like call the patched functions too, so the places to die at include reads of /proc.
let calls = 0;

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

function before<A extends unknown[], R>(call: (...args: A) => R, pauses = 0): (...args: A) => R {
  return (...args) => {
    calls += 1;
    if (calls === dieAt || Math.random() < odds) die();
    // Pauses between looking and acting make the rare interleavings common.
    if (odds > 0 && Math.random() < pauses) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 15);
    return call(...args);
  };
}

const { withLock } = await import('../../lib/store/lock.ts');
fs.linkSync = before(real.linkSync, 0.1);
fs.unlinkSync = before(real.unlinkSync, 0.5);
fs.openSync = before(real.openSync) as typeof fs.openSync;
fs.writeSync = before(real.writeSync) as typeof fs.writeSync;
fs.fsyncSync = before(real.fsyncSync);
syncBuiltinESMExports();

const inside = path.join(folder, 'inside');
const counter = path.join(folder, 'counter');

/** Two in the section at once show as a marker whose maker still lives, or as a number made twice. */
async function step(): Promise<void> {
  try {
    real.writeFileSync(inside, String(process.pid), { flag: 'wx' });
  } catch {
    const other = Number(real.readFileSync(inside, 'utf8') || 0);
    if (other > 0 && lives(other)) real.appendFileSync(path.join(folder, 'violations'), `${process.pid} met ${other}\n`);
    real.writeFileSync(inside, String(process.pid));
  }
  const next = Number(real.readFileSync(counter, 'utf8')) + 1;
  // Reading and writing lie apart, so that a second holder in between is seen and does harm.
  if (mode === 'forever') await new Promise((resolve) => setTimeout(resolve, 1));
  real.writeFileSync(`${counter}.tmp`, String(next));
  if (Math.random() < insideOdds) die();
  real.renameSync(`${counter}.tmp`, counter);
  real.appendFileSync(path.join(folder, `made-${process.pid}`), `${next}\n`);
  real.unlinkSync(inside);
}

function lives(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(real.readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

do {
  await withLock(path.join(folder, 'lock'), step, { waitMs: 20_000 });
} while (mode === 'forever' && !real.existsSync(path.join(folder, 'stop')));
