// Sends, pushes or pulls as somebody, and dies by kill -9 right before its Nth step on the disk or the network.
import fs from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { randomBytes } from 'node:crypto';

const [what = '', dieAt = '0', home = '', cwd = '', dir = ''] = process.argv.slice(2);
let steps = 0;

type Hooked = Record<string, (...args: unknown[]) => unknown>;
const hook = (target: object, names: readonly string[]): void => {
  for (const name of names) {
    const real = (target as Hooked)[name] as (...args: unknown[]) => unknown;
    (target as Hooked)[name] = function (this: unknown, ...args: unknown[]): unknown {
      steps += 1;
      if (steps === Number(dieAt)) process.kill(process.pid, 'SIGKILL');
      return real.apply(this, args);
    };
  }
};
hook(fs.promises, ['open', 'rename', 'mkdir', 'rm', 'link', 'unlink', 'writeFile', 'rmdir']);
hook(fs, ['mkdirSync', 'renameSync', 'linkSync', 'unlinkSync', 'rmSync', 'rmdirSync', 'writeFileSync', 'writeSync', 'fsyncSync']);
hook(http, ['request']);
syncBuiltinESMExports();

// Its working folder is a send root as long as it is nobody's home.
const env = { GAGE_HOME: home, HOME: '/nonexistent' };
const surroundings = { env, cwd, now: Date.now, random: (size: number) => new Uint8Array(randomBytes(size)), log: () => undefined };
if (what === 'send') await (await import('../../../../lib/families/gage/domain/send/send.ts')).send({ to: 'bob', subject: 's', files: ['sub/a.txt'] }, surroundings, { namesFrom: 'root' });
if (what === 'push') await (await import('../../../../lib/families/gage/domain/send/push.ts')).push({ to: 'bob', dir, confirm: true }, surroundings);
if (what === 'pull') await (await import('../../../../lib/families/gage/domain/send/pull.ts')).pull(surroundings);
process.stdout.write(`${steps}\n`);
