import assert from 'node:assert/strict';
import { chmodSync, existsSync, symlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import { makeFolders } from '../../lib/store/make-folders.ts';
import { tempFolder } from '../support/temp-folder.ts';

const posix = process.platform !== 'win32';
const modesBind = posix && process.getuid?.() !== 0;

describe('folders that are made', { skip: !posix }, () => {
  const temp = tempFolder();

  it('are made level by level, and are no fault when they are there', () => {
    assert.equal(makeFolders(temp.at('a/b/c')), temp.at('a'));
    assert.equal(makeFolders(temp.at('a/b/d/e')), temp.at('a/b/d'));
    assert.equal(makeFolders(temp.at('a/b/c')), undefined);
    symlinkSync('a', temp.at('link'));
    assert.equal(makeFolders(temp.at('link')), undefined);
    assert.equal(makeFolders('/'), undefined);
  });

  it('are refused where something else is in the way', () => {
    temp.write('file', '');
    symlinkSync('nowhere', temp.at('dangling'));
    assert.throws(() => makeFolders(temp.at('file')), { code: 'EEXIST' });
    assert.throws(() => makeFolders(temp.at('file/below/it')), { code: 'ENOTDIR' });
    assert.throws(() => makeFolders(temp.at('dangling')), { code: 'EEXIST' });
    assert.throws(() => makeFolders(temp.at('dangling/below')), { code: 'EEXIST' });
  });

  it('are refused where nobody may make them', { skip: !modesBind }, () => {
    temp.folder('closed');
    chmodSync(temp.at('closed'), 0o500);
    assert.throws(() => makeFolders(temp.at('closed/a/b')), { code: 'EACCES' });
  });

  // Node's own recursive way is busy there for ever.
  it('are given up where there is no place for them', { skip: !existsSync('/proc/self/fd') }, () => {
    assert.throws(() => makeFolders('/proc/.gadriel/store/priors'), { code: 'ENOENT' });
  });
});
