// Writes identities or bundles, `0` and `1` in FOLDER, and dies by kill -9 in its Nth step on the disk, a write of bytes when half of
// them are written: node write-worker.js identity|bundle FOLDER N. Says after each how many steps it took until then.
import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { buildBundle } from '../../../../lib/families/gage/domain/bundle/build.ts';
import { writeBundleFolder } from '../../../../lib/families/gage/domain/bundle/folder.ts';
import { createIdentity } from '../../../../lib/families/gage/domain/identity/identity-file.ts';
import { testIdentity } from '../crypto/vectors.ts';

const [what, folder = '', dieAt = ''] = process.argv.slice(2);
const surroundings = { now: Date.now, random: randomBytes };
const bundle = buildBundle(
  { to: testIdentity('bob').signKey, subject: 'kill me', items: ['a', 'b', 'c'].map((name) => ({ name, kind: 'file' as const, bytes: new Uint8Array(20_000) })) },
  testIdentity('alice'), surroundings,
);

let steps = 0;
const die = (): void => void process.kill(process.pid, 'SIGKILL');
const isLast = (): boolean => (steps += 1) === Number(dieAt);

type Hooked = Record<string, (...args: unknown[]) => unknown>;
const hook = (target: object, names: readonly string[]): void => {
  for (const name of names) {
    const real = (target as Hooked)[name] as (...args: unknown[]) => unknown;
    (target as Hooked)[name] = function (this: unknown, ...args: unknown[]): unknown {
      if (isLast()) die();
      return real.apply(this, args);
    };
  }
};
hook(fs.promises, ['rename', 'mkdir', 'link', 'readdir']);
hook(fs, ['mkdirSync']);
const { open } = fs.promises;
fs.promises.open = async (...args: Parameters<typeof open>): Promise<FileHandle> => {
  if (isLast()) die();
  const handle = await open(...args);
  const write = handle.writeFile.bind(handle);
  handle.writeFile = async (bytes) => {
    if (isLast()) {
      await write((bytes as Uint8Array).slice(0, (bytes as Uint8Array).length / 2));
      die();
    }
    await write(bytes);
  };
  hook(handle, ['sync']);
  return handle;
};
syncBuiltinESMExports();

for (const name of ['0', '1']) {
  const root = path.join(folder, name);
  if (what === 'bundle') await writeBundleFolder(root, bundle);
  else await createIdentity({ root, path: (...parts) => path.join(root, ...parts) }, 'alice', surroundings);
  process.stdout.write(`${steps}\n`);
}
