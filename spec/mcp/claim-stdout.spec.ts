import assert from 'node:assert/strict';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { startServer } from '../support/server-process.ts';

const child = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'support', 'claim-child.js');

describe('a claim on stdout', () => {
  it('leaves stdout to its owner, sends everyone else to stderr, is not ended or held back by them, nests over copies of the module, and gives stdout back', async () => {
    const { code, stdout, stderr } = await startServer([], 'pipe', [child]).ended;
    assert.equal(code, 0);
    assert.deepEqual(stdout.split('\n'), ['before', 'protocol one', 'protocol two', 'given back true', '']);
    assert.deepEqual(stderr.split('\n'), ['by console.log', 'by write', 'by write of bytes', 'by end', 'still claimed', 'claimed again', '']);
  });
});
