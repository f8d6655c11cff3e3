import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import { noPrompt } from '../../../support/run-verb.ts';
import { cli } from '../../../../lib/families/gadriel/cli.ts';
import type { CliContext, Verb } from '../../../../lib/mcp/family.types.ts';
import { isUsageError } from '../../../../lib/terminal/usage-error.ts';
import { launcher } from '../../../support/server-process.ts';
import { githubToken, sampleSecrets } from '../support/sample-secrets.ts';
import { served } from '../support/served.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

type Run = { readonly code: number; readonly stdout: string; readonly stderr: string };
type Setting = { readonly stdin?: string | Uint8Array; readonly colour?: boolean; readonly signal?: AbortSignal };

describe('gadriel code validate', () => {
  const temp = tempFolder();
  temp.folder('.git');
  temp.write('critical.py', 'import os, sys\n\nos.system("ls " + sys.argv[1])\n');
  temp.write('medium.py', 'password = "hunter2"\n');
  temp.write('clean.py', 'x = 1\n');
  temp.write('both.py', `import sys\nt = "${githubToken(1)}"\neval(sys.argv[1])\n`);
  temp.write('-odd.py', 'x = 1\n');
  temp.write('many.py', Array.from({ length: 400 }, (_, index) => `t${index} = "${githubToken(index)}"\n`).join(''));

  async function run(words: readonly string[], { stdin = '', colour = false, signal = new AbortController().signal }: Setting = {}): Promise<Run> {
    let [stdout, stderr] = ['', ''];
    const terminal: CliContext = {
      env: { FORCE_COLOR: colour ? '1' : '0' }, cwd: temp.root, now: () => 0, random: (size) => new Uint8Array(size), signal, prompt: noPrompt,
      stdin: { isTTY: false, read: async () => Buffer.from(stdin as string) },
      stdout: { isTTY: false, write: (text) => void (stdout += text) },
      stderr: { isTTY: false, write: (text) => void (stderr += text) },
    };
    const verb = cli.verbs['code validate'] as Verb;
    return { code: await verb.run(words, terminal), stdout, stderr };
  }

  it('prints each finding with its place, severity, rule, flow and remedy', async () => {
    const { code, stdout, stderr } = await run(['critical.py']);
    assert.deepEqual({ code, stderr }, { code: 1, stderr: '' });
    const [head, message, ...rest] = stdout.trimEnd().split('\n');
    assert.equal(head, 'critical.py:3:1  critical  CODE-W1-L3-003  CWE-78');
    assert.match(message ?? '', /^ {2}\S.*os\.system/);
    assert.ok(rest.some((line) => /^ {4}line 3: /.test(line)));
    assert.ok(rest.some((line) => /^ {2}fix: /.test(line)));
    assert.equal(rest.at(-1), '1 finding');
  });

  it('says that a clean file has no findings', async () => {
    assert.deepEqual(await run(['clean.py']), { code: 0, stdout: 'no findings\n', stderr: '' });
  });

  it('leaves waived findings out, of the gate too, and says how many', async () => {
    temp.write('waived.py', 'password = "hunter2"\nimport sys; eval(sys.argv[1])\n');
    temp.write('.gadriel-waivers.toml', '[[waiver]]\nrule_id = "CODE-W1-L3-002"\npath = "waived.py"\n');
    const { code, stdout } = await run(['waived.py']);
    assert.match(stdout, /^waived\.py:1:13 [^]*\n1 finding \(1 waived\)\n$/);
    assert.equal(code, 0);
    temp.write('.gadriel-waivers.toml', '[[waiver]\n');
    assert.deepEqual(await run(['waived.py']), { code: 1, stdout: '', stderr: 'gadriel: waived.py: .gadriel-waivers.toml is not valid TOML: see line 1\n' });
    assert.equal((await run(['clean.py'])).code, 0);
    rmSync(temp.at('.gadriel-waivers.toml'));
  });

  it('says how many findings it leaves out', async () => {
    const { stdout } = await run(['many.py']);
    assert.match(stdout, /\n… and \d+ less severe ones\n400 findings\n$/);
  });

  it('colours on a terminal alone', async () => {
    assert.match((await run(['critical.py'], { colour: true })).stdout, /\u001b\[31mcritical\u001b\[39m/);
    assert.doesNotMatch((await run(['critical.py'])).stdout, /\u001b/);
  });

  const gates: readonly (readonly [string, string | undefined, number])[] = [
    ['critical.py', undefined, 1], ['critical.py', 'critical', 1], ['critical.py', 'info', 1],
    ['medium.py', undefined, 0], ['medium.py', 'high', 0], ['medium.py', 'medium', 1], ['medium.py', 'low', 1],
    ['both.py', 'critical', 1], ['clean.py', 'info', 0],
  ];
  for (const [file, level, code] of gates) {
    it(`exits ${code} for ${file} with the threshold ${level ?? 'left alone'}`, async () => {
      const words = level === undefined ? [file] : [file, '--severity', level];
      assert.equal((await run(words)).code, code);
      if (level !== undefined) assert.equal((await run([`--severity=${level}`, file, '--json'])).code, code);
    });
  }

  const usage: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /needs a file, or - for standard input/],
    [[''], /needs a file/],
    [['a.py', 'b.py'], /takes one file/],
    [['a.py', '--', 'b.py'], /takes one file/],
    [['--severity', 'dire', 'a.py'], /--severity needs one of critical, high, medium, low, info$/],
    [['--severity', 'hig', 'a.py'], /low, info; did you mean high\?$/],
    [['a.py', '--severity'], /--severity needs a value/],
    [['-', '--path'], /--path needs a value/],
    [['-', '--path='], /--path needs a value/],
    [['a.py', '--fix'], /unknown flag --fix/],
    [['a.py', '--serverity', 'low'], /unknown flag --serverity; did you mean --severity\?/],
    [['a.py', '-x'], /unknown flag -x/],
    [['a.py', '--json=yes'], /--json takes no value/],
  ];
  for (const [words, reason] of usage) {
    it(`refuses ${JSON.stringify(words)} as wrong usage`, async () => {
      const isWanted = (error: unknown): boolean => isUsageError(error) && reason.test(error.message) && error.help === 'gadriel code validate --help';
      await assert.rejects(run(words), isWanted);
    });
  }

  it('takes a file whose name begins with a dash behind --', async () => {
    assert.equal((await run(['--', '-odd.py'])).code, 0);
  });

  it('exits 1 with one line for a file that can not be scanned', async () => {
    assert.deepEqual(await run(['missing.py', '--json']), { code: 1, stdout: '', stderr: 'gadriel: missing.py: the file does not exist\n' });
    const { stderr } = await run(['a\u001b[2J.py']);
    assert.equal(stderr, 'gadriel: a\\x1b[2J.py: the file does not exist\n');
  });

  it('reads standard input as text without a path, and as what --path says with one', async () => {
    const stdin = 'import sys\neval(sys.argv[1])\n';
    assert.equal((await run(['-'], { stdin })).code, 0);
    const { code, stdout } = await run(['-', '--path', 'src/x.py'], { stdin });
    assert.equal(code, 1);
    assert.match(stdout, /^src\/x\.py:2:1 /);
    assert.equal((await run(['-', '--path=src/x.py'], { stdin: Buffer.from(`\ufeff${stdin}`, 'utf16le') })).code, 1);
    assert.deepEqual(await run(['-'], { stdin: Uint8Array.of(0, 1) }), { code: 1, stdout: '', stderr: 'gadriel: -: the file is binary: it has NUL bytes\n' });
  });

  it('prints no secret and nothing that drives a terminal', async () => {
    const samples = sampleSecrets(11);
    const stdin = samples.map(({ line }) => `${line}\n`).join('');
    for (const words of [['-', '--path', '\u001b[2J\u202e.py'], ['-', '--path', 'a.py', '--json']]) {
      const { stdout, stderr } = await run(words, { stdin });
      for (const { secret } of samples) assert.ok(!`${stdout}${stderr}`.includes(secret), secret);
      assert.doesNotMatch(stdout, /(?!\n)[\p{Cc}\p{Cf}]/u);
    }
  });

  it('says nothing of what its user interrupts', async () => {
    assert.deepEqual(await run(['clean.py'], { signal: AbortSignal.abort() }), { code: 130, stdout: '', stderr: '' });
  });

  it('passes on what is no failure of the scan', async () => {
    const broken = { cwd: temp.root, env: {}, signal: new AbortController().signal, stdout: {}, stderr: {} } as unknown as CliContext;
    await assert.rejects((cli.verbs['code validate'] as Verb).run(['-'], broken) as Promise<number>, TypeError);
  });

  describe('and the tools', () => {
    const { call } = served(temp.root);
    for (const file of ['critical.py', 'medium.py', 'clean.py', 'both.py', 'many.py']) {
      it(`answer the same for ${file} as a file and as a buffer`, async () => {
        const viaFile = (await call('validate_file', { file_path: file })).result.structuredContent;
        assert.deepEqual(JSON.parse((await run([file, '--json'])).stdout), viaFile);
        const stdin = readFileSync(temp.at(file));
        const viaBuffer = (await call('validate_buffer', { content: stdin.toString(), file_path: file })).result.structuredContent;
        assert.deepEqual(JSON.parse((await run(['-', '--path', file, '--json'], { stdin })).stdout), viaBuffer);
        assert.deepEqual(viaBuffer.findings, viaFile.findings);
      });
    }
  });

  describe('as a program', () => {
    const program = (words: readonly string[], input = ''): Run => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [...launcher, 'gadriel', 'code', 'validate', ...words], { cwd: temp.root, input, encoding: 'utf8' });
      return { code: status ?? -1, stdout, stderr };
    };

    it('scans a file and standard input', () => {
      const { code, stdout, stderr } = program(['both.py', '--json']);
      assert.deepEqual({ code, stderr, count: JSON.parse(stdout).count }, { code: 1, stderr: '', count: 2 });
      assert.equal(program(['-', '--path', 'a.py'], 'eval(input())\n').code, 1);
    });

    it('refuses wrong usage with exit code 2, in words that drive no terminal', () => {
      const { code, stdout, stderr } = program(['a.py', '-x\u001b[2J\u202e']);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
      assert.match(stderr, /^toolwire: unknown flag -x\\x1b\[2J\\u\{202e\}\nTry: gadriel code validate --help\n$/);
    });

    it('shows its help with an example', () => {
      const { code, stdout } = program(['--help']);
      assert.equal(code, 0);
      assert.match(stdout, /Example:\n {2}gadriel code validate /);
    });
  });
});
