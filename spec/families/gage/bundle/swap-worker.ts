// Swaps the items of FOLDER/bundle between what belongs there and links to a secret of the same size, until it is killed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = process.argv[2] ?? '';
const at = (...names: string[]): string => path.join(root, ...names);
const items = at('bundle', 'items');

mkdirSync(at('secret'));
for (const name of ['0000', '0001', 'file']) writeFileSync(at('secret', name), 'SECRET!!\n');
process.stdout.write('begin\n');
for (let turn = 0; ; turn += 1) {
  const next = at('next');
  // A pipe takes a process to make, so it comes seldom.
  if (turn % 64 === 0) execFileSync('mkfifo', [next]);
  else if (turn % 2 === 0) symlinkSync(at('secret', 'file'), next);
  else writeFileSync(next, 'item one\n');
  renameSync(next, path.join(items, '0000'));
  // The whole folder for a moment, so that a reader can be between looking and opening.
  renameSync(items, at('aside'));
  symlinkSync(at('secret'), items);
  unlinkSync(items);
  renameSync(at('aside'), items);
}
