import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const child = fileURLToPath(new URL('slow-answer-child.js', import.meta.url));

describe('an answer that drips', () => {
  for (const [how, said] of [['deadline', 'timeout'], ['cancel', 'AbortError']] as const) {
    it(`is broken off by the ${how}, though garbage was collected after its headers`, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', child, how], { timeout: 15_000 });
      assert.deepEqual(JSON.parse(stdout), { said, isInTime: true, isClosed: true });
    });
  }
});
