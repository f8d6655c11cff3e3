import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import os from 'node:os';
import { describe, it } from 'node:test';
import { decodeRecord, readRecord, recordFolder, replaceRecord, withRecordLock } from '../../../../lib/families/gadriel/domain/records/record-files.ts';
import { withLock } from '../../../../lib/store/lock.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { assertFails } from './records-kit.ts';

const posix = process.platform !== 'win32';

describe('the records of a repository', () => {
  const temp = tempFolder();

  it('are read whole, up to a limit', async () => {
    temp.write('a/record', 'x'.repeat(1024 * 1024));
    assert.equal((await readRecord(temp.at('a'), 'record', 1024 * 1024))?.length, 1024 * 1024);
    await assertFails(readRecord(temp.at('a'), 'record', 512 * 1024), 'record is larger than 0.5 MiB');
    assert.equal(await readRecord(temp.at('a'), 'deep/none', 1), undefined);
  });

  it('are text in UTF-8, without the mark before it', async () => {
    assert.equal(decodeRecord(Buffer.from('\ufeffgrün'), 'record'), 'grün');
    assert.throws(() => decodeRecord(Uint8Array.of(0xc3), 'record'), { name: 'ToolFailed', message: 'record is not UTF-8' });
  });

  it('are told of by the system’s own word where there is no plain one', { skip: !posix }, async () => {
    const server = createServer().listen(temp.at('a/socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    await assertFails(readRecord(temp.at('a'), 'socket', 1), /^socket (?:can not be read: ENXIO|is no regular file)$/);
    await new Promise((resolve) => server.close(resolve));
  });

  it('are in folders that are made, and remade where they are', async () => {
    for (let time = 0; time < 2; time++) assert.equal(await recordFolder(temp.folder('b'), 'deep', 'er'), temp.at('b/.security/deep/er'));
    await replaceRecord(temp.at('b'), '.security/deep/er/file', 'x');
    assert.equal((await readRecord(temp.at('b'), '.security/deep/er/file', 9))?.toString(), 'x');
  });

  it('are refused by name while somebody else holds the lock', async () => {
    const [mine, odd] = [temp.folder('mine'), temp.folder('odd')];
    const lock = `${await recordFolder(mine)}/file.lock`;
    fs.writeFileSync(`${await recordFolder(odd)}/file.lock`, 'by hand');
    let release = (): void => {};
    const held = withLock(lock, () => new Promise<void>((resolve) => (release = resolve)));
    const work = (): Promise<never> => Promise.reject(new Error('it ran'));
    await Promise.all([
      assertFails(withRecordLock(mine, '.security/file', work), `.security/file can not be written: its lock is held by process ${process.pid} on host ${os.hostname()}`),
      assertFails(withRecordLock(odd, '.security/file', work), '.security/file can not be written: its lock .security/file.lock is held by something that is no toolwire process: delete that file if nothing uses it'),
    ]);
    release();
    await held;
  });

  it('are refused where the file system can make no locks', async (t) => {
    t.mock.method(fs, 'linkSync', () => {
      throw Object.assign(new Error('no links'), { code: 'ENOTSUP' });
    });
    syncBuiltinESMExports();
    try {
      await assertFails(withRecordLock(temp.folder('c'), 'file', async () => {}), 'file can not be written: its file system has no hard links, which locks need');
    } finally {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    }
  });

  it('let an error of the work itself through', async () => {
    await assert.rejects(withRecordLock(temp.folder('d'), 'file', () => Promise.reject(new RangeError('a bug'))), { name: 'RangeError', message: 'a bug' });
  });
});
