import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { shellCommand } from '../../lib/text/shell-command.ts';

describe('shellCommand', () => {
  const rows: readonly (readonly [readonly string[], string])[] = [
    [[], 'gage push'], [['bob', '0123abcd'], 'gage push bob 0123abcd'], [['bob b'], "gage push 'bob b'"], [["it's"], "gage push 'it'\\''s'"],
    [['-x', 'a'], 'gage push -- -x a'], [['a', '--help'], 'gage push -- a --help'], [['a-b', './-x'], 'gage push a-b ./-x'], [['$(id)', '`id`', ''], "gage push '$(id)' '`id`' ''"], [['Żółw'], "gage push 'Żółw'"],
  ];
  for (const [operands, expected] of rows) it(`gives ${expected}`, () => assert.equal(shellCommand('gage push', ...operands), expected));

  it('comes back from a shell as the words that it was given', () => {
    // One shell for all of them: each word ends with a line end that no word has.
    const words = fc.sample(fc.stringMatching(/^[^\0\n\ud800-\udfff]{0,12}$/u), { numRuns: 300, seed: 7 });
    const { stdout, status } = spawnSync('sh', ['-c', shellCommand("printf '%s\\n'", ...words.map((word) => `.${word}`))], { encoding: 'utf8' });
    assert.deepEqual([status, stdout.split('\n')], [0, [...words.map((word) => `.${word}`), '']]);
  });
});
