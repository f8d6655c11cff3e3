import { strict as assert } from 'node:assert';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, it } from 'node:test';
import { UsageError } from '../../../../lib/terminal/usage-error.ts';
import { git, makeRepository, untouchables } from '../support/repository.ts';
import { runVerb, type VerbRun, type VerbSetting } from '../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { project } from './kit.ts';

describe('gadriel code scan', () => {
  const temp = tempFolder();
  const env = { PATH: process.env['PATH'] as string, GADRIEL_HOME: temp.at('home') };
  const run = (words: readonly string[], cwd: string, setting: Partial<VerbSetting> = {}): Promise<VerbRun> => runVerb(['code', 'scan', ...words], { cwd, env, ...setting });

  it('shows the most severe first, says what was left out, and exits by the threshold', async () => {
    const root = makeRepository(temp, 'shown');
    const { code, stdout, stderr } = await run([], root);
    assert.equal(code, 1);
    const heads = stdout.split('\n').filter((line) => /^\S+:\d+:\d+ /.test(line));
    assert.match(heads[0] ?? '', /src\/app\.py:\d+:\d+ {2}critical/);
    assert.match(stdout, /\d+ findings: \d+ critical, .*\n\d+ files scanned; 1 waived; left out: 1 binary, 1 symlink\n$/);
    assert.equal(stderr, '');
    const again = await run([], root);
    assert.match(again.stdout, /files scanned \(\d+ unchanged\)/);
    assert.equal((await runVerb(['scan'], { cwd: root, env })).stdout, again.stdout);
  });

  it('gates at the severity given, and not on what is waived, silenced or in the baseline', async () => {
    const root = project(temp, 'gate', { 'a.py': 'import hashlib\nhashlib.md5(b"x")\n', 'b.py': 'eval(input())  # nosec\n' });
    const codes = await Promise.all(['critical', 'high', 'medium', 'low'].map(async (severity) => (await run(['--severity', severity], root)).code));
    const level = JSON.parse((await run(['--json'], root)).stdout) as { findings: { severity: string; waived: boolean }[]; count: number; waived: number };
    const open = level.findings.filter((finding) => !finding.waived).map((finding) => finding.severity);
    assert.deepEqual(codes, ['critical', 'high', 'medium', 'low'].map((_, index, all) => (open.some((each) => all.indexOf(each) <= index) ? 1 : 0)));
    assert.deepEqual([level.count, level.waived], [1, 1]);
    for (const baseline of ['.security/findings.json', '../answer.json']) {
      writeFileSync(path.join(root, '../answer.json'), JSON.stringify(level));
      temp.write('gate/c.py', 'exec(input())\n');
      const known = await run(['--severity', 'low', '--baseline', baseline, '--json', 'a.py'], root);
      assert.deepEqual([known.code, (JSON.parse(known.stdout) as { known: number }).known], [0, 1]);
      assert.equal((await run(['--baseline', baseline, 'c.py'], root)).code, 1);
    }
    assert.match((await run(['--baseline', '../answer.json', 'a.py'], root)).stdout, /no findings\n1 file scanned.*; 1 in the baseline/);
  });

  it('answers JSON with the counts and the gate', async () => {
    const root = project(temp, 'json', { 'a.py': 'eval(input())\n', 'bad.py': Uint8Array.of(0xff) });
    const { stdout } = await run(['--json', '--history'], root);
    const { findings, ...rest } = JSON.parse(stdout) as { findings: { file: string }[] };
    assert.deepEqual(findings.map((finding) => finding.file), ['a.py']);
    assert.deepEqual(rest, {
      count: 1, waived: 0, files: 2, cached: 0, skipped: {}, incomplete: [{ file: 'bad.py', reason: 'the file is not valid UTF-8 and declares no other encoding (PEP 263)', undecoded: true }],
      commits: 1, gate: { severity: 'high', failed: true },
    });
    assert.match((await run(['--history'], root)).stdout, /bad\.py: the file is not valid UTF-8[^\n]*\n1 finding: 1 critical\n2 files scanned.*; 1 commit searched/);
  });

  it('writes SARIF and a page, never over a source file', async () => {
    const root = makeRepository(temp, 'reports');
    const before = untouchables(root);
    await run(['--sarif', '../out.sarif', '--html', '../page.html'], root);
    const log = JSON.parse(readFileSync(temp.at('out.sarif'), 'utf8')) as { version: string; runs: { results: unknown[] }[] };
    assert.equal(log.version, '2.1.0');
    assert.ok((log.runs[0]?.results.length ?? 0) > 3);
    assert.match(readFileSync(temp.at('page.html'), 'utf8'), /^<!doctype html>/i);
    assert.equal((await run(['--html', '../page.html', 'README.md'], root)).code, 0);
    const refused = await run(['--sarif', 'src/app.py'], root);
    assert.deepEqual([refused.code, /app\.py is not written/.test(refused.stderr)], [1, true]);
    assert.deepEqual(untouchables(root), before);
  });

  it('draws a bar on a terminal alone, and takes it away', async () => {
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`m${index}.py`, `${'x = [1, 2, 3]\n'.repeat(10_000)}eval(input())\n`]));
    const root = project(temp, 'bar', files, false);
    const { stderr } = await run(['--no-cache'], root, { isTTY: true });
    assert.match(stderr, /scanning \[[# -]+\] +\d+ % \d+\/8/);
    assert.match(stderr, /\r\u001b\[K$/);
    assert.equal((await run(['--no-cache', 'm1.py'], root)).stderr, '');
  });

  it('tells what it refuses in one line', async () => {
    const root = project(temp, 'refused', { 'a.py': '' });
    for (const [words, reason] of [
      [['nowhere'], /^gadriel: nowhere does not exist\n/],
      [['--since', 'nowhere'], /there is no revision nowhere/],
      [['--baseline', 'nowhere.json'], /baseline nowhere\.json can not be read: it does not exist/],
      [['--baseline', 'a.py'], /baseline a\.py can not be read: it is not JSON/],
      [['--baseline', '.'], /baseline .* can not be read: EISDIR/],
      [['--baseline', '../scalar.json'], /holds no findings/],
      [['--baseline', '../element.json'], /0/],
    ] as const) {
      writeFileSync(temp.at('scalar.json'), '3');
      writeFileSync(temp.at('element.json'), '[3]');
      const { code, stdout, stderr } = await run(words, root);
      assert.deepEqual([code, stdout, stderr.split('\n').length], [1, '', 2], words.join(' '));
      assert.match(stderr, reason);
    }
    temp.write('refused/.gadriel.toml', '\nwrong = 1\n');
    assert.match((await run([], root)).stderr, /^gadriel: \.gadriel\.toml, line 2: unknown key wrong/);
  });

  it('takes wrong words for wrong usage', async () => {
    for (const words of [['a', 'b'], [''], ['--staged', '--history'], ['--since', 'x', '--staged'], ['--profile', 'loud'], ['--severity', 'loud'], ['--sarf', 'x'], ['--sarif', '-'], ['--html', '-']]) {
      await assert.rejects(run(words, temp.root), UsageError, words.join(' '));
    }
  });

  it('scans what is staged for a hook, and reads a repository that it may not write only then', async () => {
    const root = project(temp, 'hook', { 'a.py': 'pass\n' });
    temp.write('hook/a.py', 'eval(input())\n');
    git(root, ['add', '.']);
    assert.equal((await run(['--staged'], root)).code, 1);
    assert.equal(existsSync(path.join(root, '.security')), false);
    if (process.getuid?.() === 0) return;
    chmodSync(root, 0o555);
    const { code, stderr } = await run([], root);
    chmodSync(root, 0o755);
    assert.deepEqual([code, /permission denied/.test(stderr)], [1, true]);
  });
});
