import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs, { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, it } from 'node:test';
import { foldersOf } from '../../../../lib/families/gadriel/domain/watch/folders-of.ts';
import { watchFolders, type FolderWatch } from '../../../../lib/families/gadriel/domain/watch/watch-folders.ts';
import { isToolFailed } from '../../../../lib/families/gadriel/domain/tool-failed.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

describe('watchFolders', () => {
  const temp = tempFolder();
  const open: FolderWatch[] = [];
  let ending = new AbortController();
  afterEach(() => {
    ending.abort();
    ending = new AbortController();
    for (const watch of open.splice(0)) watch.close();
  });
  let count = 0;
  const start = (...names: readonly string[]): { watch: FolderWatch; root: string } => {
    const root = temp.folder(`case${++count}`);
    for (const name of names) mkdirSync(path.join(root, name), { recursive: true });
    const watch = watchFolders(ending.signal);
    open.push(watch);
    watch.follow([root, ...names.map((name) => path.join(root, name))]);
    return { watch, root };
  };
  /** Whether a change is reported at all; nothing may come, so this waits longer than the quiet time. */
  const isQuiet = async (watch: FolderWatch): Promise<boolean> => Promise.race([watch.changed().then(() => false), sleep(500, true)]);

  it('tells of a written, a replaced and a removed file', async () => {
    const { watch, root } = start();
    writeFileSync(path.join(root, 'a.py'), '1');
    await watch.changed();
    writeFileSync(path.join(root, 'b.py'), '2');
    renameSync(path.join(root, 'b.py'), path.join(root, 'a.py'));
    await watch.changed();
    rmSync(path.join(root, 'a.py'));
    await watch.changed();
  });

  it('tells once of many changes', async () => {
    const { watch, root } = start('src');
    for (let index = 0; index < 50; index++) writeFileSync(path.join(root, 'src', `${index}.py`), 'x');
    await watch.changed();
    assert.ok(await isQuiet(watch));
  });

  it('forgets nothing that happens between two waits', async () => {
    const { watch, root } = start();
    writeFileSync(path.join(root, 'a.py'), '1');
    await sleep(50);
    await watch.changed();
  });

  it('does not tell of what git and this program write, nor of files in folders that it does not follow', async () => {
    const { watch, root } = start();
    for (const name of ['.git', '.security']) mkdirSync(path.join(root, name));
    writeFileSync(path.join(root, '.toolwire-00000000-1-1-000000000000.tmp'), 'x');
    writeFileSync(path.join(root, '.git/index'), 'x');
    assert.ok(await isQuiet(watch));
  });

  it('follows folders that are made while it runs, before a file is in them', async () => {
    const { watch, root } = start();
    mkdirSync(path.join(root, 'new/deep/er'), { recursive: true });
    mkdirSync(path.join(root, 'node_modules/x'), { recursive: true });
    await watch.changed();
    watch.follow([root]);
    writeFileSync(path.join(root, 'new/deep/er/a.py'), 'x');
    await watch.changed();
    watch.follow([root]);
    writeFileSync(path.join(root, 'node_modules/x/a.py'), 'x');
    assert.ok(await isQuiet(watch));
  });

  it('lets go of folders that are not wanted any more, or are gone', async () => {
    const { watch, root } = start('a', 'b');
    rmSync(path.join(root, 'b'), { recursive: true });
    await watch.changed();
    watch.follow([root, path.join(root, 'b')]);
    writeFileSync(path.join(root, 'a/x.py'), 'x');
    assert.ok(await isQuiet(watch));
  });

  const faults = [['ENOSPC', true], ['EMFILE', true], ['EIO', false], ['ENOENT', undefined]] as const;
  for (const [code, told] of faults) {
    it(`${told === undefined ? 'passes over' : told ? 'explains' : 'passes on'} ${code} of the system`, () => {
      const { watch, root } = start();
      const real = fs.watch;
      fs.watch = () => {
        throw Object.assign(new Error(code), { code });
      };
      syncBuiltinESMExports();
      try {
        const follow = (): void => watch.follow([root, path.join(root, 'new')]);
        if (told === undefined) follow();
        else assert.throws(follow, (error) => isToolFailed(error) === told);
      } finally {
        fs.watch = real;
        syncBuiltinESMExports();
      }
    });
  }

  it('ends with the signal, at once or later', async () => {
    const { watch } = start();
    const waiting = watch.changed();
    ending.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    await assert.rejects(watch.changed(), { name: 'AbortError' });
  });
});

describe('foldersOf', () => {
  it('lists the folders of the files that count and those above, but none of its own records', async () => {
    const temp = tempFolder();
    execFileSync('git', ['init', '-q'], { cwd: temp.root });
    temp.write('a/b/c/x.py', '');
    temp.write('node_modules/y/y.js', '');
    temp.write('ignored/z.py', '');
    temp.write('.security/cache/scan.json', '');
    temp.write('.gitignore', 'ignored\n');
    symlinkSync(temp.at('a'), temp.at('link'));
    const folders = await foldersOf(temp.root, { env: process.env }, new AbortController().signal);
    assert.deepEqual([...folders].sort(), [temp.root, temp.at('a'), temp.at('a/b'), temp.at('a/b/c')]);
  });
});
