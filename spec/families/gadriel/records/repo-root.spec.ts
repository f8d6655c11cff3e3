import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import { isInvalidParams } from '../../../../lib/domain/invalid-params.ts';
import { repoRootOf, toolRoot } from '../../../../lib/families/gadriel/domain/records/repo-root.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { assertFails, gitInit } from './records-kit.ts';

describe('the root of a repository', () => {
  const temp = tempFolder();
  gitInit(temp.folder('repo'));
  const file = temp.write('repo/src/deep/a.py', '');
  temp.write('worktree/.git', 'gitdir: elsewhere\n');
  temp.folder('loose/deep');
  symlinkSync(temp.at('repo/src'), temp.at('alias'));

  const cases: [title: string, given: string, cwd: string, root: string][] = [
    ['itself', '.', 'repo', 'repo'],
    ['the nearest folder above with .git', 'src/deep', 'repo', 'repo'],
    ['that of a file', file, 'loose', 'repo'],
    ['one whose .git is a file', 'worktree', '.', 'worktree'],
    ['the folder itself outside a checkout', 'deep', 'loose', 'loose/deep'],
    ['where a link leads', 'alias', '.', 'repo'],
  ];
  for (const [title, given, cwd, root] of cases) it(`is ${title}`, async () => assert.equal(await repoRootOf(given, temp.at(cwd)), temp.at(root)));

  it('is that of the working folder where a tool is given none', async () => {
    assert.equal(await toolRoot(undefined, temp.at('repo/src')), temp.at('repo'));
    assert.equal(await toolRoot('../loose', temp.at('repo')), temp.at('loose'));
  });

  it('is refused in plain words', async () => {
    await assertFails(repoRootOf('nowhere', temp.root), 'the repository does not exist');
    await assertFails(toolRoot('nowhere', temp.root), 'the repository does not exist');
    await assertFails(repoRootOf(`${file}/x`, temp.root), 'the repository can not be read: a part of its path is no folder');
    await assertFails(repoRootOf('a\0b', temp.root), 'the repository can not be read: its name holds a NUL character');
    await assertFails(repoRootOf('x'.repeat(300), temp.root), 'the repository can not be read: the name is too long');
    await assertFails(toolRoot(file, temp.root), 'repo_root is a file: give the folder of the repository');
    await assert.rejects(toolRoot('', temp.root), (error: Error) => isInvalidParams(error) && error.message.startsWith('repo_root is empty'));
  });
});
