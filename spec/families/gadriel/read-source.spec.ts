import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { maxSourceBytes } from '../../../lib/families/gadriel/domain/decode-source.ts';
import { readSource } from '../../../lib/families/gadriel/domain/read-source.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { assertToolFailed } from './support/tool-failure.ts';

const posix = process.platform !== 'win32';

/** Runs `step` without the rights of root; false where that is not possible. */
function asNobody(step: () => void): boolean {
  const root = process.geteuid?.() === 0;
  try {
    if (root) process.seteuid?.(65_534);
  } catch {
    return false;
  }
  try {
    step();
  } finally {
    if (root) process.seteuid?.(0);
  }
  return true;
}

describe('readSource', () => {
  const temp = tempFolder();

  it('gives the bytes of a regular file', () => {
    assert.deepEqual(Buffer.from(readSource(temp.write('a.py', 'x = "é"\n'))), Buffer.from('x = "é"\n'));
    assert.equal(readSource(temp.write('empty.py', '')).length, 0);
  });

  it('follows symlinks', () => {
    temp.write('target.py', 'y = 2\n');
    symlinkSync(temp.at('target.py'), temp.at('link1.py'));
    symlinkSync(temp.at('link1.py'), temp.at('link2.py'));
    assert.equal(Buffer.from(readSource(temp.at('link2.py'))).toString(), 'y = 2\n');
  });

  it('reads a file of exactly the largest size, and refuses one byte more', () => {
    assert.equal(readSource(temp.write('most.txt', Buffer.alloc(maxSourceBytes, 'a'))).length, maxSourceBytes);
    assertToolFailed(() => readSource(temp.write('more.txt', Buffer.alloc(maxSourceBytes + 1, 'a'))), 'the file is larger than 5 MiB, the most that is scanned');
  });

  const refusals: readonly (readonly [string, () => string, string])[] = [
    ['a missing file', () => temp.at('missing.py'), 'the file does not exist'],
    ['a path through a file', () => `${temp.write('plain', 'x')}/b.py`, 'the file can not be read: a part of its path is no folder'],
    ['a folder', () => temp.folder('folder'), 'the path is a folder: give the path of one file'],
    ['a path with a NUL', () => temp.at('a\0b.py'), 'the file can not be read: its name holds a NUL character'],
    ['a name that is too long', () => temp.at('n'.repeat(300)), 'the file can not be read: the name is too long'],
  ];
  for (const [title, make, reason] of refusals) {
    it(`refuses ${title}`, () => assertToolFailed(() => readSource(make()), reason));
  }

  it('refuses a loop of symlinks', { skip: !posix }, () => {
    symlinkSync(temp.at('loop-b'), temp.at('loop-a'));
    symlinkSync(temp.at('loop-a'), temp.at('loop-b'));
    assertToolFailed(() => readSource(temp.at('loop-a')), 'the file can not be read: too many symbolic links');
  });

  it('refuses a dangling symlink like a missing file', { skip: !posix }, () => {
    symlinkSync(temp.at('nowhere'), temp.at('dangling'));
    assertToolFailed(() => readSource(temp.at('dangling')), 'the file does not exist');
  });

  it('refuses a FIFO without a writer at once, also through a symlink', { skip: !posix }, () => {
    assert.equal(spawnSync('mkfifo', [temp.at('pipe.py')]).status, 0);
    symlinkSync(temp.at('pipe.py'), temp.at('pipe-link.py'));
    assertToolFailed(() => readSource(temp.at('pipe.py')), 'the path is a FIFO, not a regular file');
    assertToolFailed(() => readSource(temp.at('pipe-link.py')), 'the path is a FIFO, not a regular file');
  });

  it('refuses a device without end', { skip: !existsSync('/dev/zero') }, () => {
    symlinkSync('/dev/zero', temp.at('zero.py'));
    assertToolFailed(() => readSource('/dev/zero'), 'the path is a device, not a regular file');
    assertToolFailed(() => readSource(temp.at('zero.py')), 'the path is a device, not a regular file');
  });

  it('refuses a socket', { skip: !posix }, async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(temp.at('socket'), resolve));
    try {
      assertToolFailed(() => readSource(temp.at('socket')), 'the path is a socket, not a regular file');
    } finally {
      server.close();
    }
  });

  it('reads a file of /proc, which says that it is empty', { skip: !existsSync('/proc/self/status') }, () => {
    assert.match(Buffer.from(readSource('/proc/self/status')).toString(), /^Name:/);
  });

  it('tells a system error by its code, without the path', { skip: !existsSync('/proc/self/mem') }, () => {
    assertToolFailed(() => readSource('/proc/self/mem'), 'the file can not be read: the disk reports an error');
  });

  it('stops at 5 MiB of a file that does not say how large it is', { skip: !existsSync('/proc/self/pagemap') }, () => {
    assertToolFailed(() => readSource('/proc/self/pagemap'), 'the file is larger than 5 MiB, the most that is scanned');
  });

  it('refuses a file without permission', { skip: !posix }, (test) => {
    chmodSync(temp.root, 0o755);
    chmodSync(temp.write('closed.py', 'x = 1\n'), 0);
    // Root may read everything, so it has to be somebody else for a moment.
    if (!asNobody(() => assertToolFailed(() => readSource(temp.at('closed.py')), 'the file can not be read: permission denied'))) test.skip('can not act as another user');
  });

  it('never tells a path in a reason', () => {
    for (const name of ['missing.py', 'folder', 'plain/x', 'a\0b']) {
      assert.throws(() => readSource(temp.at(name)), (error: Error) => !error.message.includes(temp.root));
    }
  });
});
