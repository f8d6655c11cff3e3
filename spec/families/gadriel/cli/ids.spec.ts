import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { git } from '../support/repository.ts';
import { runVerb } from '../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

describe('ids at the command line', () => {
  const temp = tempFolder();
  for (const file of ['a.py', 'b.py', 'c.py']) temp.write(`repo/${file}`, 'eval(input())\n');
  const cwd = temp.folder('repo');
  git(cwd, ['init', '-q']);
  const verb = (...words: string[]) => runVerb(words, { cwd, env: { PATH: process.env['PATH'] ?? '', GADRIEL_HOME: temp.at('home') } });
  const waivers = (): number => (readFileSync(temp.at('repo/.gadriel-waivers.toml'), 'utf8').match(/^\[\[waiver\]\]/gm) ?? []).length;

  it('of a rule stand for its next open finding, and the words say which that was and what is left', async () => {
    await verb('code', 'scan');
    for (const [index, [id, expected]] of ([
      ['CODE-W1-L3-002', /^dismissed CODE-W1-L3-002:[0-9a-f]{8} at a\.py:1: .*; 2 more of this rule are open\n$/],
      ['L3-002', /^dismissed CODE-W1-L3-002:[0-9a-f]{8} at b\.py:1: .*; 1 more of this rule is open\n$/],
      ['l3-002', /^dismissed CODE-W1-L3-002:[0-9a-f]{8} at c\.py:1: \.gadriel-waivers\.toml has a waiver for it\n$/],
      ['L3-002', /: it had a waiver already\n$/],
    ] as const).entries()) {
      const { code, stdout } = await verb('code', 'fix', id, '--false-positive', 'a fixture');
      assert.equal(code, 0);
      assert.match(stdout, expected);
      assert.equal(waivers(), Math.min(3, index + 1));
    }
    assert.match((await verb('code', 'findings')).stdout, /^no findings\n3 waived/);
  });

  it('that no scan has found are waived alone, which the words say', async () => {
    temp.write('fresh/a.py', 'eval(input())\n');
    git(temp.folder('fresh'), ['init', '-q']);
    const fresh = (...words: string[]) => runVerb(words, { cwd: temp.at('fresh'), env: { PATH: process.env['PATH'] ?? '', GADRIEL_HOME: temp.at('home') } });
    assert.match((await fresh('code', 'fix', 'CODE-W1-L3-002:00000000', '--false-positive', 'x')).stdout, /^dismissed CODE-W1-L3-002:00000000, which no scan has found so far: /);
    assert.match((await fresh('code', 'fix', 'CODE-W1-L3-003', '--false-positive', 'x')).stdout, /^dismissed CODE-W1-L3-003 in the whole repository: /);
    assert.equal((await fresh('code', 'scan')).code, 1);
  });

  it('that are mistyped are refused, and nothing is written', async () => {
    const before = waivers();
    for (const id of ['L3-0002', 'CODE-W1-L3-017:deadbeef', 'nope']) {
      const { code, stdout, stderr } = await verb('code', 'fix', id, '--false-positive', 'why');
      assert.deepEqual([code, stdout], [1, ''], id);
      assert.match(stderr, /^gadriel: /);
    }
    assert.equal(waivers(), before);
    for (const words of [['--rule', 'nope'], ['--finding', 'L3-0002']]) {
      await assert.rejects(async () => verb('code', 'campaign', 'start', ...words), /is no finding of the last scan and no rule/);
    }
  });
});
