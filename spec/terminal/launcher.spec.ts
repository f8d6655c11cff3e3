import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { launcherOf } from '../../lib/terminal/launcher.ts';

describe('launcherOf', () => {
  it('names the file behind links, and the family where the program is not its own', (t) => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'launcher-')));
    t.after(() => rmSync(folder, { recursive: true }));
    for (const name of ['mine.js', 'toolwire.js']) {
      writeFileSync(path.join(folder, name), '');
      symlinkSync(name, path.join(folder, name.slice(0, -3)));
    }
    const cases: readonly (readonly [string | undefined, string, string, readonly string[]])[] = [
      ['mine', 'mine.js', 'mine.js', []], ['mine', 'mine', 'mine.js', []], ['mine', 'toolwire', 'toolwire.js', ['mine']], [undefined, 'toolwire', 'toolwire.js', []],
    ];
    for (const [family, started, script, words] of cases) {
      assert.deepEqual(launcherOf(family, path.join(folder, started)), { script: path.join(folder, script), words });
    }
    assert.equal(launcherOf(undefined).script, realpathSync(process.argv[1] as string));
  });
});
