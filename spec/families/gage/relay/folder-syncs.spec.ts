import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import { FolderSyncs } from '../../../../lib/families/gage/domain/relay/folder-syncs.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

describe('synced folders', () => {
  const temp = tempFolder();

  it('are as many as there are, at the same time and again', async () => {
    const syncs = new FolderSyncs();
    const folders = Array.from({ length: 100 }, (_, index) => temp.folder(`many/${index}`));
    for (let round = 0; round < 2; round++) await Promise.all([...folders, ...folders].map((folder) => syncs.sync(folder)));
    await syncs.close();
    await syncs.sync(folders[0] ?? '');
    await syncs.close();
  });

  it('may go and come again', async () => {
    const syncs = new FolderSyncs();
    const folder = temp.folder('again');
    await syncs.sync(folder);
    await syncs.forget(folder);
    rmSync(folder, { recursive: true });
    await assert.rejects(syncs.sync(folder), { code: 'ENOENT' });
    mkdirSync(folder);
    await syncs.sync(folder);
    await syncs.close();
  });
});
