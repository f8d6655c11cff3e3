// Writes one identity or bundle after the other until it is killed: node write-worker.js identity|bundle FOLDER. It says when it begins.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { buildBundle } from '../../../../lib/families/gage/domain/bundle/build.ts';
import { writeBundleFolder } from '../../../../lib/families/gage/domain/bundle/folder.ts';
import { createIdentity } from '../../../../lib/families/gage/domain/identity/identity-file.ts';
import { testIdentity } from '../crypto/vectors.ts';

const [what, folder = ''] = process.argv.slice(2);
const surroundings = { now: Date.now, random: randomBytes };
const bundle = buildBundle(
  { to: testIdentity('bob').signKey, subject: 'kill me', items: ['a', 'b', 'c'].map((name) => ({ name, kind: 'file' as const, bytes: new Uint8Array(20_000) })) },
  testIdentity('alice'), surroundings,
);

process.stdout.write('begin\n');
for (let index = 0; ; index += 1) {
  const root = path.join(folder, String(index));
  if (what === 'bundle') await writeBundleFolder(root, bundle);
  else await createIdentity({ root, path: (...parts) => path.join(root, ...parts) }, 'alice', surroundings);
}
