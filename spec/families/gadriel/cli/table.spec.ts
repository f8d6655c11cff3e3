import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { cli } from '../../../../lib/families/gadriel/cli.ts';
import { projectRoot } from '../../../support/project.ts';
import { runProgram } from '../../../cli/run-program.ts';

describe('the verbs of gadriel', () => {
  const verbs = Object.entries(cli.verbs);

  it('are listed by --help, a line each', async () => {
    const { code, stdout } = await runProgram(['--help'], { env: { TOOLWIRE_FAMILY: 'gadriel' } });
    assert.equal(code, 0);
    for (const [name, { summary }] of verbs) assert.match(stdout, new RegExp(`^ {2}${name} +${summary}$`, 'm'));
    assert.ok(stdout.split('\n').every((line) => line.length <= 100));
  });

  it('are on the page of the family, with every variable that it reads', () => {
    const page = readFileSync(path.join(projectRoot, 'docs/gadriel.md'), 'utf8');
    for (const [name] of verbs) assert.ok(page.includes(`\`gadriel ${name}`) || page.includes(`\`${name}\``), name);
    const folder = path.join(projectRoot, 'lib/families/gadriel');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')).map((name) => readFileSync(path.join(folder, name), 'utf8'));
    const variables = new Set(sources.flatMap((text) => [...text.matchAll(/env(?:\.|\[')((?:GADRIEL|ANTHROPIC)_[A-Z0-9_]+)/g)].map(([, name = '']) => name)));
    assert.ok(variables.size >= 6);
    for (const name of variables) assert.ok(page.includes(`\`${name}\``), name);
  });

  for (const [name, { help, summary }] of verbs) {
    it(`tell of ${name} its use, and show an example at the end`, () => {
      assert.match(help, new RegExp(`^Usage: gadriel (?:code )?${name.replace('code ', '')}\\b`));
      assert.match(help, /\n\nExample:\n(?: {2}\S.*\n)+$/);
      assert.ok(help.split('\n').every((line) => line.length <= 130), 'a line is longer than a terminal');
      assert.ok(summary.length <= 60 && !summary.endsWith('.'));
    });
  }
});
