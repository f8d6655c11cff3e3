import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import { writeNewFile } from '../../lib/store/new-file.ts';
import { tempFolder } from '../support/temp-folder.ts';

describe('writeNewFile', () => {
  const temp = tempFolder();
  it('writes texts and bytes, closed to others', async () => {
    for (const [name, bytes] of [['text', 'é'], ['bytes', new Uint8Array([0, 255])], ['empty', '']] as const) {
      await writeNewFile(temp.at(name), bytes);
      assert.deepEqual(readFileSync(temp.at(name)), Buffer.from(bytes as string));
      if (process.platform !== 'win32') assert.equal(statSync(temp.at(name)).mode & 0o777, 0o600);
    }
  });
  it('leaves what is there alone, also behind a link', async () => {
    temp.write('there', 'mine');
    symlinkSync(temp.at('nowhere'), temp.at('link'));
    for (const name of ['there', 'link']) await assert.rejects(writeNewFile(temp.at(name), 'x'), { code: 'EEXIST' });
    assert.deepEqual([readFileSync(temp.at('there'), 'utf8'), existsSync(temp.at('nowhere'))], ['mine', false]);
  });
  it('leaves nothing where writing fails', async () => {
    await assert.rejects(writeNewFile(temp.at('no/folder'), 'x'), { code: 'ENOENT' });
    await assert.rejects(writeNewFile(temp.at('bad'), { length: 1 } as never));
    assert.ok(!existsSync(temp.at('bad')));
  });
});
