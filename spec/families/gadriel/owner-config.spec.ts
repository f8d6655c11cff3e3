import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Finding } from '../../../lib/families/gadriel/domain/finding.types.ts';
import { OwnerConfigs } from '../../../lib/families/gadriel/domain/owner-config.ts';
import { isToolFailed } from '../../../lib/families/gadriel/domain/tool-failed.ts';
import { projectRoot } from '../../support/project.ts';
import { runVerb } from './support/run-verb.ts';
import { served } from './support/served.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const page = readFileSync(path.join(projectRoot, 'docs', 'gadriel.md'), 'utf8');
const [, example = ''] = /<!-- settings:begin -->\n```toml\n([^]*?)```\n<!-- settings:end -->/.exec(page) ?? [];

/** One finding or none for each key of the example. */
const app = `import sys
import requests
from acme import db, queue


def work(url):
    eval(sys.argv[1])
    requests.get("https://example.invalid/")
    db.run(queue.read())
    db.run(db.quote(queue.read()))
    return "acme_0123456789abcdef01234567"
`;
const silent = (): void => undefined;
const seen = (findings: readonly Finding[]): unknown[] => findings.map(({ rule_id, line, severity }) => [rule_id, line, severity]);
const expected = [
  ['CODE-W1-L3-002', 7, 'low'], ['CODE-W1-L3-014', 9, 'critical'], ['CODE-W1-SECRET-OWN-ACME', 11, 'critical'],
];

describe('the example of settings in docs/gadriel.md', () => {
  const temp = tempFolder();
  temp.folder('.git');
  temp.write('.gadriel.toml', example);
  temp.write('src/app.py', app);
  temp.write('tests/fixtures/bad.py', app);
  temp.write('src/wire_pb2.py', app);
  const { call } = served(temp.root);
  const inTool = async (name: string, args: object): Promise<any> => (await call(name, args)).result.structuredContent;
  const viaVerb = async (words: readonly string[], stdin = ''): Promise<{ findings: Finding[] }> => JSON.parse((await runVerb([...words, '--json'], { cwd: temp.root, stdin })).stdout);

  it('changes what a scan finds as it says', async () => {
    const { findings } = await viaVerb(['code', 'scan']);
    assert.deepEqual(seen(findings), expected);
    assert.deepEqual([...new Set(findings.map(({ file }) => file))], ['src/app.py']);
    assert.ok(findings.some(({ title, trace }) => title === 'ACME token' || trace.some(({ note }) => note.includes('a message of the queue'))));
  });

  it('changes what every scan of one file finds in the same way', async () => {
    for (const report of [
      await inTool('validate_file', { file_path: 'src/app.py' }), await inTool('validate_file', { file_path: temp.at('src/app.py') }),
      await inTool('validate_buffer', { file_path: 'src/app.py', content: app }), await viaVerb(['code', 'validate', 'src/app.py']),
      await viaVerb(['code', 'validate', '-', '--path', 'src/app.py'], app),
    ]) assert.deepEqual(seen(report.findings), expected);
  });

  it('does not keep an excluded file from being scanned by its name', async () => {
    assert.deepEqual(seen((await inTool('validate_file', { file_path: 'src/wire_pb2.py' })).findings), expected);
    assert.deepEqual(seen((await viaVerb(['code', 'validate', 'tests/fixtures/bad.py'])).findings), expected);
  });

  it('stops an agent by the severities of the settings, at no file that they exclude', async () => {
    const hook = async (file: string): Promise<number> => (await runVerb(['hooks', 'post-edit', file], { cwd: temp.root })).code;
    assert.deepEqual([await hook('src/app.py'), await hook('src/wire_pb2.py'), await hook('tests/fixtures/bad.py')], [2, 0, 0]);
    temp.write('src/eval.py', 'import sys\neval(sys.argv[1])\n');
    assert.equal(await hook('src/eval.py'), 0);
    temp.write('bare/.git/HEAD', '');
    temp.write('bare/eval.py', 'import sys\neval(sys.argv[1])\n');
    assert.equal(await hook('bare/eval.py'), 2);
  });
});

describe('the settings of the repository that a file is in', () => {
  const temp = tempFolder();
  temp.folder('.git');
  temp.write('a.py', 'import sys\neval(sys.argv[1])\n');
  const { call } = served(temp.root);
  const severity = async (file_path = 'a.py'): Promise<string> => (await call('validate_file', { file_path })).result.structuredContent.findings[0]?.severity ?? 'none';

  it('are read again when they have changed, and are gone with their file', async () => {
    assert.equal(await severity(), 'critical');
    temp.write('.gadriel.toml', '[rules]\nL3-002 = "low"\n');
    assert.equal(await severity(), 'low');
    // As long as before.
    temp.write('.gadriel.toml', '[rules]\nL3-002 = "off"\n');
    assert.equal(await severity(), 'none');
    rmSync(temp.at('.gadriel.toml'));
    assert.equal(await severity(), 'critical');
  });

  it('are those of the nearest repository alone', async () => {
    temp.write('inner/.git/HEAD', '');
    temp.write('inner/a.py', 'import sys\neval(sys.argv[1])\n');
    temp.write('inner/.gadriel.toml', '[rules]\nL3-002 = "medium"\n');
    temp.write('.gadriel.toml', '[rules]\nL3-002 = "low"\n');
    assert.deepEqual([await severity('inner/a.py'), await severity(), await severity('inner/a.py')], ['medium', 'low', 'medium']);
    rmSync(temp.at('.gadriel.toml'));
  });

  const broken: readonly (readonly [string, RegExp])[] = [
    ['[rules]\nL3-002 = "of"\n', /^\.gadriel\.toml, line 2: L3-002 must be "on", "off" or one of/],
    ['exclude = [\n', /^\.gadriel\.toml, line 2: it is not valid TOML$/],
    ['"a\\u202e\\u001b[2J" = 1\n', /^\.gadriel\.toml, line 1: unknown key a\\u\{202e\}\\x1b\[2J; known are/],
  ];
  for (const [text, reason] of broken) {
    it(`fail each scan with the line where they are broken: ${JSON.stringify(text)}`, async () => {
      temp.write('.gadriel.toml', text);
      for (const [name, args] of [['validate_file', { file_path: 'a.py' }], ['validate_buffer', { file_path: 'b.py', content: 'x = 1\n' }]] as const) {
        const { isError, structuredContent } = (await call(name, args)).result;
        assert.equal(isError, true);
        assert.match(structuredContent.reason, reason);
      }
      const { code, stdout, stderr } = await runVerb(['code', 'validate', 'a.py'], { cwd: temp.root });
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^gadriel: a\.py: \.gadriel\.toml, line \d: [^\u001b\u202e]+\n$/);
    });
  }

  it('do not switch the guardrail off where they are broken: it warns once, and the built-in rules stand', async () => {
    temp.write('.gadriel.toml', 'exclude = ["*"\n');
    const { code, stderr } = await runVerb(['hooks', 'post-edit', 'a.py'], { cwd: temp.root });
    assert.equal(code, 2);
    assert.match(stderr, /^gadriel: warning: \.gadriel\.toml, line 2: it is not valid TOML; the built-in rules are used\ngadriel: 1 finding in a\.py/);
  });

  it('are not followed through a link', async () => {
    rmSync(temp.at('.gadriel.toml'));
    temp.write('elsewhere.toml', '[rules]\nL3-002 = "off"\n');
    symlinkSync('elsewhere.toml', temp.at('.gadriel.toml'));
    await assert.rejects(new OwnerConfigs().of(temp.root, silent), (error) => isToolFailed(error) && error.message.startsWith('.gadriel.toml is a symbolic link'));
  });
});

describe('OwnerConfigs', () => {
  const temp = tempFolder();

  it('reads a file once as long as it stays, and forgets those of long ago', async () => {
    const configs = new OwnerConfigs();
    const roots = Array.from({ length: 20 }, (_, index) => path.dirname(temp.write(`${index}/.gadriel.toml`, 'exclude = ["a"]\n')));
    const first = await configs.of(roots[0] as string, silent);
    assert.equal(first?.excludes('x/a'), true);
    assert.equal(await configs.of(roots[0] as string, silent), first);
    for (const root of roots) await configs.of(root, silent);
    assert.notEqual(await configs.of(roots[0] as string, silent), first);
    const last = await configs.of(roots[19] as string, silent);
    appendFileSync(path.join(roots[19] as string, '.gadriel.toml'), '# more\n');
    assert.notEqual(await configs.of(roots[19] as string, silent), last);
    assert.equal(await configs.of(temp.root, silent), undefined);
    assert.equal(await configs.of(path.join(roots[0] as string, '.gadriel.toml'), silent), undefined);
  });
});
