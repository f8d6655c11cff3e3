import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TempFolder } from '../../../support/temp-folder.ts';

const worker = fileURLToPath(import.meta.resolve('./write-worker.js'));

/**
 * Lets the worker write a first and a second bundle or identity and kills it in the middle of the second, in every `stride`th of its
 * steps and in the last one. Returns the folder of each run: in it stands `0`, and of `1` what the kill left.
 */
export function killedWriters(temp: TempFolder, what: 'bundle' | 'identity', stride: number): readonly string[] {
  const run = (name: string, dieAt: number): { readonly folder: string; readonly signal: string | null; readonly stdout: string } => {
    const folder = temp.folder(name);
    const { signal, stdout, stderr } = spawnSync(process.execPath, [worker, what, folder, String(dieAt)], { encoding: 'utf8' });
    assert.equal(stderr, '');
    return { folder, signal, stdout };
  };
  const [first = 0, second = 0] = run('kill-none', 0).stdout.trim().split('\n').map(Number);
  assert.ok(first > 5 && second > first, `${first} ${second}`);
  const stops = Array.from({ length: Math.ceil((second - first) / stride) }, (_each, index) => second - index * stride);
  return stops.map((dieAt) => {
    const { folder, signal, stdout } = run(`kill-${dieAt}`, dieAt);
    assert.deepEqual([signal, stdout], ['SIGKILL', `${first}\n`]);
    return folder;
  });
}
