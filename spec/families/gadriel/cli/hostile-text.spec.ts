import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { before, describe, it } from 'node:test';
import { writeFindings } from '../../../../lib/families/gadriel/domain/records/findings-file.ts';
import { safeText } from '../../../../lib/text/safe-text.ts';
import { makeFinding } from '../support/finding.ts';
import { git } from '../support/repository.ts';
import { runVerb, type VerbRun } from '../support/run-verb.ts';
import { served } from '../support/served.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

/** Sequences that clear and colour a terminal, a character that reorders text, one that breaks lines, one that hides. */
const evil = '\u001b[2J\u009b31m\u202e\u2028\u200b';
const assertSafe = ({ stdout, stderr }: VerbRun, what: string): void => {
  for (const text of [stdout, stderr]) assert.equal(safeText(text, Infinity, { keep: '\n' }), text, what);
  assert.notEqual(stdout + stderr, '', what);
};

describe('hostile text in a repository drives no terminal', () => {
  const temp = tempFolder();
  const root = temp.folder('repo');
  const name = `a\u009b\u202e\u2028b.py`;
  temp.write(`repo/${name}`, 'import sys\neval(sys.argv[1])\n');
  temp.write('foreign/.git/HEAD', '');
  const run = (words: readonly string[], cwd = root): Promise<VerbRun> => runVerb(words, { cwd, isTTY: true, env: { NO_COLOR: '1', PATH: process.env['PATH'] ?? '', GADRIEL_HOME: temp.at('home') } });
  before(async () => {
    git(root, ['init', '-q']);
    await run(['code', 'scan']);
    await writeFindings(temp.at('foreign'), [makeFinding({
      rule_id: `R${evil}`, cwe: `CWE-1${evil}`, title: evil, message: evil, remediation: evil, file: `x${evil}.py`, owasp: [evil], tags: [evil], contested: true, contest_rationale: evil,
      trace: [{ line: 1, note: evil, file: evil }],
    })], 0);
  });

  for (const words of [['code', 'scan'], ['code', 'findings'], ['code', 'validate', name], ['code', 'report'], ['hooks', 'post-edit', name], ['code', 'submit', 'none\u009b.json']]) {
    it(`as it is printed by ${words.slice(0, 2).join(' ')}`, async () => {
      assertSafe(await run(words), 'text');
      if (words[0] === 'hooks' || words[1] === 'submit') return;
      const json = await run([...words, '--json']);
      assertSafe(json, 'JSON');
      // The same value all the same.
      if (words[1] !== 'report') assert.equal(JSON.parse(json.stdout).findings[0].file, name);
    });
  }

  for (const words of [['code', 'findings'], ['code', 'findings', '--json'], ['code', 'report'], ['code', 'report', '--json']]) {
    it(`as another program has left it in findings.json: ${words.join(' ')}`, async () => assertSafe(await run(words, temp.at('foreign')), 'text'));
  }

  it('as settings have it', async () => {
    temp.write('settings/.git/HEAD', '');
    temp.write('settings/a.py', 'x = 1\n');
    temp.write('settings/.gadriel.toml', '"\\u009b\\u202e" = 1\n');
    for (const words of [['code', 'validate', 'a.py'], ['hooks', 'post-edit', 'a.py']]) assertSafe(await run(words, temp.at('settings')), words.join(' '));
  });

  it('and no answer of a tool holds half a character', async () => {
    const { server } = served(root);
    const params = { name: 'validate_buffer', arguments: { content: 'eval(input())\n', file_path: 'a\ud800.py' } };
    const line = (await server.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))) as string;
    assert.equal(Buffer.from(line).toString(), line);
    assert.match(line, /a\\ud800\.py/);
  });
});
