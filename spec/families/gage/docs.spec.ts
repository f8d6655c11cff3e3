import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { cli } from '../../../lib/families/gage/cli.ts';
import { verdicts } from '../../../lib/families/gage/domain/verdict/judge.ts';
import { gageTools } from '../../../lib/families/gage/tools.ts';
import { projectRoot } from '../../support/project.ts';

const page = readFileSync(path.join(projectRoot, 'docs', 'gage.md'), 'utf8');

describe('docs/gage.md', () => {
  it('has every tool in its table', () => {
    const names = gageTools({ context: undefined as never, loadPairings: () => assert.fail('not asked') }).map(({ name }) => name);
    assert.deepEqual([...page.matchAll(/^\| `(gage_\w+)` \|/gm)].map(([, name]) => name), names);
  });

  it('has every verdict in its table, in the order in which they are decided', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| [^|]+ \| (?:yes|no)[^|]*\|$/gm)].map(([, name = '']) => name).filter((name) => !name.startsWith('gage_'));
    assert.deepEqual(rows, verdicts);
  });

  it('names specs that exist', () => {
    const named = [...page.matchAll(/`([a-z-]+(?:\/[a-z-]+)?\.spec)`/g)].map(([, name]) => name);
    assert.ok(named.length >= 15);
    for (const name of named) assert.ok(existsSync(path.join(projectRoot, 'spec', 'families', 'gage', `${name}.ts`)), name);
  });

  it('names commands that exist', () => {
    const verbs = Object.keys(cli.verbs);
    const blocks = [...page.matchAll(/```\n([^]*?)```/g)].map(([, block = '']) => block).join('');
    const named = [...blocks.matchAll(/^gage ([a-z-]+)/gm)].map(([, name = '']) => name);
    assert.ok(named.length >= 6);
    for (const name of named) assert.ok(verbs.some((verb) => verb.split(' ')[0] === name), name);
  });
});

describe('the help of every verb of gage', () => {
  for (const [name, { help, summary }] of Object.entries(cli.verbs)) {
    it(`shows how ${name} is used, its exit codes and an example`, () => {
      assert.ok(help.startsWith(`Usage: gage ${name}`), help.slice(0, 60));
      assert.match(help, /Exit codes?:/);
      assert.match(help, /\nExamples?:\n {2}(?:\S+=\S+ )?(?:[^\n]* )?gage /);
      assert.ok(summary.length > 5 && summary.length < 80 && help.endsWith('\n'));
      for (const line of help.split('\n')) assert.ok(line.length <= 130, line);
    });
  }
});
