import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { isRefused } from '../../../../lib/families/gage/domain/refused.ts';
import { claimFolder } from '../../../../lib/families/gage/domain/relay/claim-folder.ts';
import { readSystem } from '../../../../lib/store/system.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const { pid, start, boot, ns, host } = readSystem();
const refuses = (pattern: RegExp) => (error: unknown): boolean => isRefused(error) && pattern.test(error.message);

describe('the folder of a relay', () => {
  const temp = tempFolder();
  const folderWith = (name: string, lock: string): string => {
    const folder = temp.at(name);
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(path.join(folder, '.lock'), lock);
    return folder;
  };
  const holder = (change: object): string => `${JSON.stringify({ pid, start, boot, ns, host, random: 'a'.repeat(24), ...change })}\n`;

  const unseen: readonly (readonly [what: string, lock: string])[] = [
    ['of another container', holder({ ns: 'pid:[1]' })], ['of another machine', holder({ boot: 'another', host: 'another' })], ['that says nothing', ''], ['that is none of ours', 'mine!\n'],
  ];
  for (const [what, lock] of unseen) {
    it(`is not taken over a lock ${what}, unless a person says so`, { skip: boot === null }, async () => {
      const folder = folderWith(what.replaceAll(' ', '-'), lock);
      await assert.rejects(claimFolder(folder, { breakLock: false }), refuses(/^\.lock in the folder of the relay is of a process that cannot be seen from here .*; if no relay uses the folder, start this one with --break-lock$/));
      assert.equal(readFileSync(path.join(folder, '.lock'), 'utf8'), lock);
      const free = await claimFolder(folder, { breakLock: true });
      await assert.rejects(claimFolder(folder, { breakLock: false }), refuses(/^another relay uses this folder/));
      await free();
      assert.deepEqual(readdirSync(folder), []);
    });
  }

  it('is taken from a relay that was killed here, without a word', { skip: boot === null }, async () => {
    const folder = folderWith('killed', holder({ pid: 0x7fff_fffe }));
    await (await claimFolder(folder, { breakLock: false }))();
    assert.ok(!existsSync(path.join(folder, '.lock')));
  });

  it('is never taken from a relay that runs, whoever says so, and is free when there is nothing to break', async () => {
    const folder = temp.at('running');
    const free = await claimFolder(folder, { breakLock: true });
    await assert.rejects(claimFolder(folder, { breakLock: true }), refuses(/^another relay uses this folder/));
    await free();
    await (await claimFolder(folder, { breakLock: true }))();
  });

  it('is refused where others may write into it', { skip: process.platform === 'win32' }, async () => {
    const folder = temp.folder('open');
    chmodSync(folder, 0o777);
    await assert.rejects(claimFolder(folder, { breakLock: false }), refuses(/the folder of the relay can be written by others/));
  });
});
