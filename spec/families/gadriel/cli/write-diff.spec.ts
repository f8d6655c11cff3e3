import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeDiff } from '../../../../lib/families/gadriel/cli/write-diff.ts';

describe('writeDiff', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\ta\n+\u001b[2K\u202eb\n';
  for (const [what, isTTY, expected] of [['byte for byte through a pipe', false, diff], ['without what a terminal would obey', true, diff.replace('\u001b', '\\x1b').replace('\u202e', '\\u{202e}')]] as const) {
    it(`writes ${what}`, () => {
      let written = '';
      writeDiff(diff, { isTTY, write: (text: string) => ((written += text), true) } as unknown as Parameters<typeof writeDiff>[1]);
      assert.equal(written, expected);
    });
  }
});
