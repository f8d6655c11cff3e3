// A process of dismissal-kill.spec.ts. argv: root, number of the first finding to dismiss, and the step at which it dies by
// SIGKILL, or `never`: then it dismisses on and on, a line on stdout for each. A step is a call that changes a file; those of
// the locks have a spec of their own.
import fs from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [root = '', from = '0', step = ''] = process.argv.slice(2);
const dieAt = Number(step);
let steps = 0;

function before<A extends unknown[], R>(call: (...args: A) => R): (...args: A) => R {
  return function (this: unknown, ...args: A): R {
    steps += 1;
    if (steps === dieAt) process.kill(process.pid, 'SIGKILL');
    return call.apply(this, args);
  };
}

const handle = await promises.open(process.execPath);
const methods = Object.getPrototypeOf(handle) as FileHandle;
await handle.close();
for (const name of ['writeFile', 'write', 'sync', 'chmod'] as const) methods[name] = before(methods[name] as () => never) as never;
promises.rename = before(promises.rename);
fs.mkdirSync = before(fs.mkdirSync as () => never) as never;
syncBuiltinESMExports();

const { dismissFalsePositive } = await import('../../../../lib/families/gadriel/domain/records/dismiss.ts');
const around = { env: process.env, cwd: root, now: Date.now, random: (size: number) => new Uint8Array(size), log: () => {} };
const last = dieAt > 0 ? Number(from) + 1 : 200;
for (let index = Number(from); index < last; index++) {
  await dismissFalsePositive({ root, finding_id: `R:${String(index).padStart(8, '0')}`, reason: 'x'.repeat(300), by: 'tool' }, around);
  console.log(index);
}
