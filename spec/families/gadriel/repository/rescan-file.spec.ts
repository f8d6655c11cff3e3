import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { Rescans, rescanFile } from '../../../../lib/families/gadriel/domain/repository/rescan-file.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { places, project, shop, surroundings } from './kit.ts';

describe('a scan of one file again', () => {
  const temp = tempFolder();
  const root = project(temp, 'again', shop);

  it('tells what a scan of all would tell of it, from the disk or of a text that is not there yet', async () => {
    const around = surroundings(root);
    assert.deepEqual(places(await rescanFile(root, 'shop/db.py', undefined, around)), ['shop/db.py:6 L3-014']);
    const mended = (shop['shop/db.py'] as string).replace(/"select[^\n]*name\)/, '"select * from t where n = ?", (name,))').replace('execute(', 'execute(');
    assert.deepEqual(places(await rescanFile(root, 'shop/db.py', mended, around)), []);
  });

  it('goes on with the same workers, also after they were closed, and stops where it is told to', async () => {
    const rescans = new Rescans();
    const around = surroundings(root);
    const again = (file: string): Promise<unknown> => rescans.rescanFile(root, file, undefined, around).then(places);
    assert.deepEqual(await Promise.all([again('alone.py'), again('shop/tools/shell.py')]), [['alone.py:3 CRYPTO-001'], ['shop/tools/shell.py:5 L3-017']]);
    await rescans.close();
    assert.deepEqual(await again('alone.py'), ['alone.py:3 CRYPTO-001']);
    const stop = new AbortController();
    const stopped = rescans.rescanFile(root, 'alone.py', 'x = (' + '1 + '.repeat(400_000) + '1)\n', around, stop.signal);
    stop.abort(new Error('enough'));
    await assert.rejects(stopped, /enough/);
    assert.deepEqual(await again('alone.py'), ['alone.py:3 CRYPTO-001']);
    await rescans.close();
  });

  it('says of a file that is gone what it has', async () => {
    await assert.rejects(rescanFile(root, 'gone.py', undefined, surroundings(root)), { name: 'ToolFailed' });
  });
});
