import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readFindings } from '../../../../lib/families/gadriel/domain/records/findings-file.ts';
import { untouchables } from '../support/repository.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { project, scan, shop } from './kit.ts';

const child = fileURLToPath(new URL('./scan-child.js', import.meta.url));

describe('a scan that is killed', () => {
  const temp = tempFolder();

  it('leaves files that load and sources as they were, at whatever point it was', async () => {
    const files: Record<string, string> = { ...shop };
    for (let index = 0; index < 40; index++) files[`more/m${index}.py`] = `import os\nos.system(input())\n${'x = 1\n'.repeat(200)}`;
    const root = project(temp, 'killed', files);
    const before = untouchables(root);
    await scan(root);
    const whole = (await readFindings(root)).length;
    // Spread over the second that a scan takes.
    for (const delay of [120, 200, 260, 320, 380, 450, 520, 600]) {
      const run = spawn(process.execPath, [child, root], { stdio: 'ignore', env: { PATH: process.env['PATH'], HOME: temp.root } });
      const timer = setTimeout(() => run.kill('SIGKILL'), delay);
      await once(run, 'exit');
      clearTimeout(timer);
      assert.equal((await readFindings(root)).length, whole);
    }
    assert.deepEqual(untouchables(root), before);
    const last = await scan(root);
    assert.equal(last.findings.length, whole);
    assert.ok(existsSync(path.join(root, '.security/cache/scan-outcomes')));
  });

  it('leaves the old findings where the disk is full', async () => {
    const files = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`m${index}.py`, 'eval(input())\n']));
    const root = project(temp, 'full', files);
    await scan(root);
    const old = readFileSync(path.join(root, '.security/findings.json'), 'utf8');
    temp.write('full/m10.py', 'eval(input())\n');
    // Files of more than 4 KiB can not be written.
    const run = spawn('sh', ['-c', 'ulimit -f 8; exec "$0" "$@"', process.execPath, child, root], { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env['PATH'], HOME: temp.root } });
    let said = '';
    run.stderr.on('data', (piece: Buffer) => (said += piece.toString()));
    assert.notEqual((await once(run, 'exit'))[0], 0);
    assert.match(said, /ToolFailed.*findings\.json can not be written/);
    assert.equal(readFileSync(path.join(root, '.security/findings.json'), 'utf8'), old);
  });

  it('lets two scans of parts at once lose nothing of each other', async () => {
    const root = project(temp, 'two', { 'a/x.py': 'eval(input())\n', 'b/y.py': 'eval(input())\n' });
    await scan(root);
    await Promise.all(['a', 'b'].map(async (part) => {
      const run = spawn(process.execPath, [child, path.join(root, part)], { stdio: 'ignore', env: { PATH: process.env['PATH'], HOME: temp.root } });
      assert.equal((await once(run, 'exit'))[0], 0);
    }));
    assert.deepEqual((await readFindings(root)).map((finding) => finding.file), ['a/x.py', 'b/y.py']);
    assert.ok(readFileSync(path.join(root, '.security/findings.json'), 'utf8').endsWith(']\n'));
  });
});
