import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { displayPath, forwardSlashes, isNotebook, isPython } from '../../../lib/families/gadriel/domain/source-path.ts';
import { findRoot } from '../../../lib/store/root.ts';
import { tempFolder } from '../../support/temp-folder.ts';

describe('isPython', () => {
  const yes: readonly (readonly [string, string])[] = [
    ['a.py', ''], ['a.pyi', ''], ['src\\win.PYW', ''],
    ['run', '#!/usr/bin/python\n'], ['run', '#!/usr/bin/env python3\nx'], ['run.sh', '#! /opt/python3.11/bin/python3.11 -u\n'], ['run', '#!/usr/bin/env -S python -i'],
  ];
  for (const [file, text] of yes) it(`takes ${file} with ${JSON.stringify(text)} for Python`, () => assert.equal(isPython(file, text), true));
  const no: readonly (readonly [string, string])[] = [
    ['a.pyc', ''], ['a.py.txt', 'import os'], ['py', ''], ['run', '#!/bin/sh\n# python'], ['run', ' #!/usr/bin/python'], ['run', '#!/usr/bin/ipython'],
    ['run', '#!/usr/bin/pythonista'], ['run', `#!${'/x'.repeat(200)}/python`],
  ];
  for (const [file, text] of no) it(`does not take ${file} with ${JSON.stringify(text.slice(0, 30))} for Python`, () => assert.equal(isPython(file, text), false));
});

describe('isNotebook', () => {
  it('goes by the extension', () => {
    assert.deepEqual(['a.ipynb', 'A.IPYNB', 'ipynb', 'a.ipynb.txt'].map(isNotebook), [true, true, false, false]);
  });
});

describe('forwardSlashes', () => {
  it('turns the separators of Windows', () => assert.equal(forwardSlashes('C:\\src\\a/b.py'), 'C:/src/a/b.py'));
});

describe('displayPath', () => {
  const temp = tempFolder();
  temp.folder('repo/.git');
  temp.folder('repo/src');
  temp.write('repo/sub/.git', 'gitdir: ../.git/modules/sub\n');
  temp.folder('repo/sub/lib');
  temp.folder('loose/deep');
  // Where the temporary folder itself lies in a repository, no file is outside of one.
  const skip = findRoot(path.dirname(temp.root)) !== undefined;

  const cases: readonly (readonly [string, string, string, string])[] = [
    ['relative to the root of its repository', 'src/a.py', 'repo', 'src/a.py'],
    ['relative to that root though the working folder is deeper', 'a.py', 'repo/src', 'src/a.py'],
    ['relative to that root though the working folder is elsewhere', '../repo/src/a.py', 'loose', 'src/a.py'],
    ['relative to a worktree or submodule, where .git is a file', 'sub/lib/b.py', 'repo', 'lib/b.py'],
    ['without its detours', './src/../src//a.py', 'repo', 'src/a.py'],
    ['relative to the working folder where there is no repository', 'deep/c.py', 'loose', 'deep/c.py'],
    ['as it is where its name begins with two dots', '..c.py', 'loose', '..c.py'],
  ];
  for (const [title, file, cwd, shown] of cases) {
    it(`names a file ${title}`, { skip }, () => assert.equal(displayPath(file, temp.at(cwd)), shown));
  }

  it('names a file outside of working folder and repositories by its absolute path', { skip }, () => {
    assert.equal(displayPath(temp.at('loose/deep/c.py'), temp.at('repo')), forwardSlashes(temp.at('loose/deep/c.py')));
    assert.equal(displayPath('../c.py', temp.at('loose/deep')), forwardSlashes(temp.at('loose/c.py')));
  });

  it('leaves a backslash alone where it separates nothing', { skip: path.sep === '\\' }, () => {
    assert.equal(displayPath('src/a\\b.py', temp.at('repo')), 'src/a\\b.py');
  });
});
