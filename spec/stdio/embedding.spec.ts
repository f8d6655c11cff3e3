import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { call, launcher, startServer } from '../support/server-process.ts';

const child = path.join(path.dirname(launcher[0] as string), 'embed-child.js');

describe('the library in another program', () => {
  it('touches nothing when it is imported, takes stdout over while it serves, and gives everything back', async () => {
    const program = startServer([], 'pipe', [child]);
    program.child.stdin?.end(`${call(1, 'say', { text: 'hi' })}\n`);
    const { code, stdout, stderr } = await program.ended;
    assert.equal(code, 0);
    assert.deepEqual(stdout.split('\n'), [
      'printed before serving',
      '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"}]}}',
      'printed after serving: {"reason":"end-of-input","exitCode":0}',
      '',
    ]);
    assert.deepEqual(stderr.split('\n'), [
      'stdout on import: untouched', 'globals on import: untouched', 'listeners on import: untouched',
      'printed while serving',
      'stdout after serving: untouched', 'signals after serving: untouched', 'exceptions after serving: untouched', '',
    ]);
  });
});
