import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { initHelp } from '../../../../lib/families/gadriel/cli/help/init.ts';
import { scanHelp } from '../../../../lib/families/gadriel/cli/help/scan.ts';
import { hookText } from '../../../../lib/families/gadriel/cli/init.ts';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import { writeFindings } from '../../../../lib/families/gadriel/domain/records/findings-file.ts';
import { parseConfig } from '../../../../lib/families/gadriel/domain/repository/config.ts';
import { launcherOf } from '../../../../lib/terminal/launcher.ts';
import { isUsageError } from '../../../../lib/terminal/usage-error.ts';
import { sarifFault } from '../report/sarif-schema.ts';
import { makeFinding } from '../support/finding.ts';
import { served } from '../support/served.ts';
import { runVerb, type VerbRun } from '../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const numbered = (members: Partial<Finding>, index: number): Finding => {
  const fingerprint = index.toString(16).padStart(8, '0').repeat(8);
  return makeFinding({ fingerprint, finding_id: `${members.rule_id ?? 'CODE-W1-L3-002'}:${fingerprint.slice(0, 8)}`, ...members });
};

describe('the verbs that read the last scan', () => {
  const temp = tempFolder();
  temp.folder('repo/.git');
  temp.write('repo/src/a.py', 'eval(input())\n');
  temp.write('repo/.gadriel-waivers.toml', '[[waiver]]\nrule_id = "CODE-W1-L3-021"\npath = "src/b.py"\nline = 4\nreason = "a demo"\nkind = "accepted_risk"\ncreated_by = "human"\ncreated_at = "2026-01-01T00:00:00Z"\n');
  temp.folder('bare/.git');
  temp.folder('broken/.git');
  temp.write('broken/.security/findings.json', '{');
  const root = temp.at('repo');
  const run = (words: readonly string[], cwd = root): Promise<VerbRun> => runVerb(words, { cwd });
  const findings = [
    numbered({ file: 'src/a.py', severity: 'critical', title: 'Eval' }, 1),
    numbered({ file: 'src/a.py', line: 9, severity: 'low', rule_id: 'CODE-W1-L3-033', cwe: 'CWE-117' }, 2),
    numbered({ file: 'src/b.py', line: 4, severity: 'high', rule_id: 'CODE-W1-L3-021', cwe: 'CWE-22', waived: true }, 3),
    numbered({ file: 'src/c.py', severity: 'high', waived: true, tags: ['suppressed:insource'] }, 4),
    numbered({ file: 'gone.py', severity: 'medium' }, 5),
    numbered({ file: 'src.py', severity: 'medium', source: 'ai', scan_type: 'ai' }, 6),
  ];
  before(() => writeFindings(root, findings, 0));

  describe('code findings', () => {
    it('shows all of them, the most severe first, and how many are waived', async () => {
      const { code, stdout, stderr } = await run(['code', 'findings']);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      assert.deepEqual([...stdout.matchAll(/^(\S+):\d+:\d+ {2}(\w+)/gm)].map(([, file, severity]) => [file, severity]), [
        ['src/a.py', 'critical'], ['gone.py', 'medium'], ['src.py', 'medium'], ['src/a.py', 'low'],
      ]);
      assert.match(stdout, /\n4 findings\n2 waived; --waived shows them\n$/);
    });

    const selections: readonly (readonly [readonly string[], readonly number[]])[] = [
      [['src'], [1, 2, 3, 4]], [['src/a.py'], [1, 2]], [['./src/../src/'], [1, 2, 3, 4]], [['gone.py'], [5]], [['.'], [1, 2, 3, 4, 5, 6]],
      [['--severity', 'high'], [1, 3, 4]], [['--severity=critical', 'src'], [1]], [[root], [1, 2, 3, 4, 5, 6]],
    ];
    for (const [words, expected] of selections) {
      it(`answers ${JSON.stringify(words.map((word) => word.replace(root, 'ROOT')))} with the findings of that place`, async () => {
        const { findings: found, count, source } = JSON.parse((await run(['code', 'findings', '--json', ...words])).stdout);
        assert.deepEqual(found.map(({ finding_id }: Finding) => finding_id).sort(), expected.map((index) => findings[index - 1]?.finding_id).sort());
        assert.deepEqual([count, source], [expected.length, '.security/findings.json']);
      });
    }

    it('finds the repository from a folder inside it and through a link', async () => {
      assert.equal(JSON.parse((await run(['code', 'findings', '--json'], temp.at('repo/src'))).stdout).count, 4);
      symlinkSync(temp.at('repo/src'), temp.at('link'));
      assert.equal(JSON.parse((await run(['code', 'findings', 'link', '--json'], temp.root)).stdout).count, 4);
    });

    it('answers no more JSON than the tool does, and says how much it leaves out', async () => {
      temp.folder('many/.git');
      await writeFindings(temp.at('many'), Array.from({ length: 400 }, (_, index) => numbered({ file: 'src/a.py', message: 'm'.repeat(200), line: index + 1 }, index)), 0);
      const { findings: found, count, truncated } = JSON.parse((await run(['code', 'findings', '--json'], temp.at('many'))).stdout);
      assert.deepEqual([count, found.length + truncated], [400, 400]);
      assert.ok(truncated > 0);
      const { call } = served(temp.at('many'));
      for (const place of ['src', 'src/a.py', '.']) {
        assert.deepEqual(JSON.parse((await run(['code', 'findings', place, '--json'], temp.at('many'))).stdout), (await call('findings_for_path', { path: place })).result.structuredContent);
      }
    });

    it('marks waived ones where they are shown', async () => {
      const { stdout } = await run(['code', 'findings', 'src/b.py', '--waived']);
      assert.match(stdout, /^waived src\/b\.py:4:1 /);
      assert.equal((await run(['code', 'findings', 'src/b.py'])).stdout, 'no findings\n1 waived; --waived shows them\n');
      assert.match((await run(['code', 'findings', 'src/a.py', '--severity', 'critical'])).stdout, /\n1 finding\n$/);
    });

    it('ends with 1 and one line where there is nothing to read', async () => {
      for (const [words, cwd, reason] of [
        [['code', 'findings'], temp.at('bare'), /gadriel code scan/],
        [['code', 'findings'], temp.at('broken'), /findings\.json/],
        [['code', 'findings', 'srk'], root, /nothing is at srk, and no finding names it/],
        [['code', 'report'], temp.at('bare'), /gadriel code scan/],
        [['code', 'report', 'none'], root, /^gadriel: none: the repository does not exist\n/],
        [['code', 'init', 'none'], root, /^gadriel: none: the repository does not exist\n/],
        [['code', 'report', '.', '--html', 'none/a.html'], root, /^gadriel: a\.html could not be written: its folder none does not exist\n/],
      ] as const) {
        const { code, stdout, stderr } = await run(words, cwd);
        assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
        assert.match(stderr, reason);
        assert.match(stderr, /^gadriel: [^\n]+\n$/);
      }
    });
  });

  describe('code report', () => {
    it('tells the scan in numbers', async () => {
      for (const words of [['code', 'report'], ['code', 'report', '--summary'], ['code', 'report', root]]) {
        const { code, stdout } = await run(words);
        assert.equal(code, 0);
        assert.match(stdout, /^3 open findings: 1 critical, 1 medium, 1 low\n\nfolder +critical +high +medium +low +info\nsrc +1 +0 +0 +1 +0\n\. +0 +0 +1 +0 +0\n/);
        assert.match(stdout, /\n2 {2}CODE-W1-L3-002 +critical +Eval\n1 {2}CODE-W1-L3-033 +low +title\n\n1 waived, 1 silenced in the source, 1 reported by a model alone\n$/);
      }
      const summary = JSON.parse((await run(['code', 'report', '--json'])).stdout);
      assert.deepEqual([summary.open, summary.waived], [3, { in_source: 1, by_waiver: 1 }]);
    });

    it('writes a page with the reasons of the waiver file, and a valid SARIF log', async () => {
      const { code, stdout, stderr } = await run(['code', 'report', '--html', 'r.html', '--sarif', '../r.sarif']);
      assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: `wrote r.html\nwrote ${temp.at('r.sarif')}\n` });
      assert.match(readFileSync(temp.at('repo/r.html'), 'utf8'), /Risk accepted:<\/b> a demo</);
      const log = JSON.parse(readFileSync(temp.at('r.sarif'), 'utf8'));
      assert.equal(sarifFault(log), undefined);
      assert.equal(log.runs[0].results.length, 6);
      assert.match((await run(['code', 'report', '--html', 'r.html', '--json'])).stdout, /^\{"open":3,/);
    });

    it('prints a report on standard output where - is its file, and nothing else there', async () => {
      const log = await run(['code', 'report', '--sarif', '-']);
      assert.deepEqual([log.code, log.stderr, sarifFault(JSON.parse(log.stdout))], [0, '', undefined]);
      const page = await run(['code', 'report', '--html', '-', '--sarif', '../s.sarif']);
      assert.match(page.stdout, /^<!doctype html>[^]+<\/html>\n?$/i);
      assert.match(page.stderr, /^wrote [^\n]+s\.sarif\n$/);
    });

    it('does not write over a source file', async () => {
      const { code, stderr } = await run(['code', 'report', '--html', 'src/a.py']);
      assert.equal(code, 1);
      assert.match(stderr, /^gadriel: a\.py is not written: it exists inside the repository/);
      assert.equal(readFileSync(temp.at('repo/src/a.py'), 'utf8'), 'eval(input())\n');
    });

    it('says shortly what a clean or a large repository has', async () => {
      temp.folder('clean/.git');
      await writeFindings(temp.at('clean'), [], 0);
      assert.equal((await run(['code', 'report'], temp.at('clean'))).stdout, 'no open findings\n');
      temp.folder('large/.git');
      const many = Array.from({ length: 22 }, (_, index) => numbered({ file: `d${index}/a.py`, rule_id: `CODE-W1-L3-${900 + index}`, contested: true }, index));
      await writeFindings(temp.at('large'), many, 0);
      const { stdout } = await run(['code', 'report'], temp.at('large'));
      assert.match(stdout, /… and 2 more folders\n[^]*… and 12 more rules\n\n22 contested by a model\n$/);
    });
  });

  const usage: readonly (readonly [readonly string[], RegExp])[] = [
    [['code', 'findings', 'a', 'b'], /takes one path/],
    [['code', 'findings', ''], /the path is empty/],
    [['code', 'report', ''], /the path is empty/],
    [['code', 'init', ''], /the path is empty/],
    [['code', 'watch', ''], /the path is empty/],
    [['code', 'findings', '--severity', 'hgh'], /did you mean high\?/],
    [['code', 'report', 'a', 'b'], /takes one path/],
    [['code', 'report', '--html'], /--html needs a value/],
    [['code', 'report', '--html', '-', '--sarif', '-'], /--html - takes all of standard output/],
    [['code', 'report', '--sarif', '-', '--json'], /--sarif - takes all of standard output/],
    [['code', 'submit', ''], /needs a file of findings/],
    [['hooks', ''], /needs an event/],
    [['code', 'report', '--format', 'pdf'], /^code report --format is not built; gadriel code report --html FILE/],
    [['code', 'report', '--all-pillars'], /is not built; gadriel code report --summary/],
    [['code', 'report', '--fail-on', 'render-only'], /is not built; gadriel code scan --severity LEVEL/],
    [['code', 'cbom'], /^code cbom is not built; gadriel code scan/],
    [['code', 'status', 'x', '--y'], /^code status is not built; gadriel code report --summary/],
    [['hooks', 'adapt', '--platform', 'cursor'], /^hooks adapt is not built; gadriel install cursor/],
    [['hooks'], /needs an event/],
    [['hooks', '--event'], /needs an event/],
    [['code', 'rules', 'a', 'b'], /takes one id/],
    [['code', 'rules', 'CODE-W1-L3-O17'], /there is no rule "CODE-W1-L3-O17"; did you mean CODE-W1-L3-017\?/],
    [['code', 'init', 'a', 'b'], /takes one path/],
  ];
  for (const [words, reason] of usage) {
    it(`refuses ${words.join(' ')} as wrong usage`, async () => {
      await assert.rejects(run(words), (error) => isUsageError(error) && reason.test(error.message) && /^gadriel .*--help$/.test(error.help ?? ''));
    });
  }

  describe('code rules', () => {
    it('lists every rule within the width of a terminal', async () => {
      const { stdout } = await run(['code', 'rules']);
      assert.match(stdout, /^rule +severity +CWE +finds\nCODE-W1-AI-601 +high +CWE-1427 +Untrusted/);
      assert.ok(stdout.split('\n').length > 130);
      const wide = (await runVerb(['code', 'rules'], { cwd: root, isTTY: true, env: { NO_COLOR: '1' } })).stdout.split('\n');
      assert.ok(wide.every((line) => line.length <= 100));
    });

    it('explains one, as text and as JSON', async () => {
      assert.match((await run(['code', 'rules', 'L3-017'])).stdout, /^CODE-W1-L3-017: [^]+\nTo silence it\n/);
      const rule = JSON.parse((await run(['code', 'rules', 'secret-004', '--json'])).stdout);
      assert.deepEqual([rule.rule_id, rule.scan_type, typeof rule.bad, rule.silence.length], ['CODE-W1-SECRET-004', 'secrets', 'string', 4]);
      const { rules, count } = JSON.parse((await run(['code', 'rules', '--json'])).stdout);
      assert.equal(rules.length, count);
    });
  });

  describe('code rules in a repository with secrets of its own', () => {
    temp.folder('own/.git');
    temp.write('own/.gadriel.toml', [
      '[rules]', 'SECRET-OWN-BETA = "critical"', '[[secret]]', 'id = "acme"', 'pattern = "acme_[0-9a-f]{24}"', 'title = "ACME \\u001b[31m token"', 'severity = "info"',
      '[[secret]]', 'id = "beta"', 'pattern = "beta_[0-9]{9}"', '',
    ].join('\n'));
    temp.folder('own/deep');
    temp.folder('mistaken/.git');
    temp.write('mistaken/.gadriel.toml', '[[secret]]\nid = "acme"\n');

    it('lists and explains them with their pattern', async () => {
      const { stdout } = await run(['code', 'rules', 'secret-own-acme'], temp.at('own/deep'));
      assert.match(stdout, /^CODE-W1-SECRET-OWN-ACME: ACME \\x1b\[31m token\nCWE-798, severity low, confidence high/);
      assert.match(stdout, /\n {2}# gadriel:ignore\[SECRET-OWN-ACME\] why\n[^]*\nPattern, from \.gadriel\.toml\n {2}acme_\[0-9a-f\]\{24\}\n$/);
      assert.match((await run(['code', 'rules'], temp.at('own'))).stdout, /\nCODE-W1-SECRET-OWN-ACME +low +CWE-798 +ACME \\x1b\[31m token\nCODE-W1-SECRET-OWN-BETA +critical /);
    });

    it('tells the same as JSON', async () => {
      const one = JSON.parse((await run(['code', 'rules', 'CODE-W1-SECRET-OWN-BETA', '--json'], temp.at('own'))).stdout);
      assert.deepEqual([one.rule_id, one.severity, one.title, one.pattern, one.scan_type], ['CODE-W1-SECRET-OWN-BETA', 'critical', 'Secret of the kind beta', 'beta_[0-9]{9}', 'secrets']);
      const { rules, count } = JSON.parse((await run(['code', 'rules', '--json'], temp.at('own'))).stdout);
      assert.deepEqual([rules.length, rules.filter(({ pattern }: { pattern?: string }) => pattern !== undefined).length], [count, 2]);
    });

    it('knows none of another repository, and suggests one of this', async () => {
      await assert.rejects(run(['code', 'rules', 'SECRET-OWN-ACME']), (error) => isUsageError(error) && /there is no rule/.test(error.message));
      await assert.rejects(run(['code', 'rules', 'CODE-W1-SECRET-OWN-ACNE'], temp.at('own')), (error) => isUsageError(error) && /did you mean CODE-W1-SECRET-OWN-ACME/.test(error.message));
    });

    it('lists the built-in ones beside broken settings, with a warning', async () => {
      const { code, stdout, stderr } = await run(['code', 'rules'], temp.at('mistaken'));
      assert.equal(code, 0);
      assert.match(stdout, /CODE-W1-L3-017/);
      assert.match(stderr, /^gadriel: warning: \.gadriel\.toml, line \d+: pattern of secret must be a text; only the built-in rules are known\n$/);
      assert.equal((await run(['code', 'rules', 'L3-017'], temp.at('mistaken'))).stderr, '');
    });
  });

  describe('code init', () => {
    it('makes .security, which git does not see, and says what else to add', async () => {
      mkdirSync(temp.at('fresh/.git'), { recursive: true });
      const first = await run(['code', 'init'], temp.at('fresh'));
      assert.equal(first.code, 0);
      assert.match(first.stdout, /^made: .*fresh\/\.security\n\nWhat else you may add, by hand:\n/);
      assert.equal(readFileSync(temp.at('fresh/.security/.gitignore'), 'utf8'), '*\n');
      assert.deepEqual(readdirSync(temp.at('fresh')), ['.git', '.security']);
      temp.write('fresh/.security/.gitignore', '# mine\n');
      assert.match((await run(['code', 'init', 'fresh'], temp.root)).stdout, /^there already: /);
      assert.equal(readFileSync(temp.at('fresh/.security/.gitignore'), 'utf8'), '# mine\n');
    });

    it('prints a hook alone and writes nothing for it', async () => {
      temp.folder('hooked/.git');
      const { code, stdout } = await run(['code', 'init', '--pre-commit'], temp.at('hooked'));
      assert.equal(code, 0);
      assert.match(stdout, /^#!\/bin\/sh\n#.*\nexec gadriel code scan --staged --severity high\n$/);
      assert.deepEqual(readdirSync(temp.at('hooked')), ['.git']);
    });

    it('prints a hook that starts the very program, and the one on PATH where that is gone', () => {
      const bin = temp.folder("o'dd/bin");
      const marks = temp.folder('marks');
      temp.write("o'dd/bin/gadriel.js", '');
      temp.write("o'dd/bin/toolwire.js", '');
      temp.write('marks/node', '#!/bin/sh\necho "node $*"\n');
      temp.write('marks/gadriel', '#!/bin/sh\necho "PATH $*"\n');
      for (const name of ['node', 'gadriel']) chmodSync(temp.at(`marks/${name}`), 0o755);
      const words = 'code scan --staged --severity high';
      for (const [name, expected] of [['gadriel.js', words], ['toolwire.js', `gadriel ${words}`]] as const) {
        const script = path.join(bin, name);
        const hook = hookText(launcherOf('gadriel', script));
        const started = (): string => execFileSync('sh', ['-c', hook], { env: { PATH: `${marks}:/usr/bin:/bin` }, encoding: 'utf8' });
        assert.equal(started(), `node ${script} ${expected}\n`);
        rmSync(script);
        assert.equal(started(), `PATH ${words}\n`);
      }
    });

    it('shows settings that are read without a complaint, as code scan --help does', async () => {
      temp.folder('shown/.git');
      const { stdout } = await run(['code', 'init'], temp.at('shown'));
      for (const text of [stdout, scanHelp, initHelp]) {
        const [toml = ''] = /^ +exclude = [^]*?^ +L3[^\n]*\n(?: +L3[^\n]*\n)?/m.exec(text) ?? [];
        const { exclude, scan } = parseConfig(toml);
        assert.deepEqual([exclude, scan.off], [['tests/fixtures/'], ['CODE-W1-L3-044']]);
      }
    });

    it('follows no link and overwrites no file in place of its folder', async () => {
      temp.folder('linked/.git');
      symlinkSync(temp.at('repo/src'), temp.at('linked/.security'));
      assert.equal((await run(['code', 'init'], temp.at('linked'))).code, 1);
      rmSync(temp.at('linked/.security'));
      temp.write('linked/.security', 'mine');
      assert.equal((await run(['code', 'init'], temp.at('linked'))).code, 1);
      assert.equal(readFileSync(temp.at('linked/.security'), 'utf8'), 'mine');
      assert.equal((await run(['code', 'init', 'nowhere'], temp.root)).code, 1);
      temp.folder('odd/.git');
      temp.folder('odd/.security/.gitignore');
      assert.match((await run(['code', 'init'], temp.at('odd'))).stdout, /^there already/);
    });
  });
});
