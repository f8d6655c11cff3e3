import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { fingerprints } from '../../../../lib/families/gadriel/domain/fingerprint.ts';
import { proposeFix } from '../../../../lib/families/gadriel/domain/fix/propose.ts';
import type { Runner, RunnerFix, RunnerRequest } from '../../../../lib/families/gadriel/domain/fix/runners/runner.types.ts';
import { isToolFailed, ToolFailed } from '../../../../lib/families/gadriel/domain/tool-failed.ts';
import { makeFinding } from '../support/finding.ts';
import { partsOf, scannedRepository, surroundings } from './fix-kit.ts';

/** A runner that gives these answers in turn and keeps what it was asked. */
function played(...answers: readonly Partial<RunnerFix>[]): Runner & { readonly asked: RunnerRequest[] } {
  const asked: RunnerRequest[] = [];
  return {
    id: 'played', maxAttempts: 3, asked, unavailable: () => undefined, maySeeSource: () => true,
    propose: async (request) => {
      asked.push(request);
      return { kind: 'fixed', rationale: 'because', cost_usd: 0.01, ...answers[Math.min(asked.length, answers.length) - 1] } as RunnerFix;
    },
    confirm: () => assert.fail('not asked'),
  };
}

const fingerprintOf = (ruleId: string, file: string, lineText: string): string => fingerprints([{ ruleId, path: file, lineText, line: 1, column: 1 }])[0]!;
const plain = partsOf();

const yaml = 'import yaml\n\n\ndef read(text):\n    return yaml.load(text)\n';

describe('proposeFix with the offline templates', async () => {
  const files: Record<string, string> = {
    'plain.py': yaml,
    'crlf.py': yaml.replaceAll('\n', '\r\n'),
    'mark.py': `\ufeff${yaml}`,
    'open.py': yaml.trimEnd(),
    'my dir/na"me ü.py': yaml,
    'twice.py': 'import yaml\n\n\ndef one(text):\n    return yaml.load(text)\n\n\ndef two(text):\n    return yaml.load(text)\n',
  };
  const { root, findings, git } = await scannedRepository(files);

  for (const name of Object.keys(files)) {
    it(`gives a diff of ${name} that git takes, and writes nothing`, async () => {
      const finding = findings.find(({ file }) => file === name)!;
      const asked = surroundings();
      const proposal = await proposeFix({ root, findingId: finding.finding_id, runnerId: 'rules' }, asked);
      const { status, diff, iterations_used, tool_calls, cost_usd, runner_id, finding_id, before_hash, after_hash } = proposal;
      assert.deepEqual({ status, iterations_used, tool_calls, cost_usd, runner_id, finding_id }, { status: 'proposed', iterations_used: 1, tool_calls: [], cost_usd: 0, runner_id: 'rules', finding_id: finding.finding_id });
      assert.equal(readFileSync(path.join(root, name), 'utf8'), files[name]);
      git(['apply', '--whitespace=nowarn', '-'], diff!);
      const after = readFileSync(path.join(root, name), 'utf8');
      assert.equal(after, files[name]!.replace('load(text)', 'load(text, Loader=yaml.SafeLoader)'));
      assert.notEqual(before_hash, after_hash);
      assert.match(asked.reports[0]![1]!, /^rules: attempt 1 of 1$/);
    });
  }

  it('finds the second of two equal lines again after the first was fixed', async () => {
    const second = findings.filter(({ file }) => file === 'twice.py')[1]!;
    const { status, diff } = await proposeFix({ root, findingId: second.finding_id, runnerId: 'rules' }, surroundings());
    assert.equal(status, 'proposed');
    git(['apply', '-'], diff!);
    assert.equal(readFileSync(path.join(root, 'twice.py'), 'utf8').match(/SafeLoader/g)?.length, 2);
  });

  it('calls a finding stale whose code has changed', async () => {
    const first = findings.find(({ file }) => file === 'plain.py')!;
    const proposal = await proposeFix({ root, findingId: first.finding_id, runnerId: 'rules' }, surroundings());
    assert.deepEqual([proposal.status, proposal.diff, proposal.iterations_used], ['stale', null, 0]);
    assert.match(proposal.rationale, /scan again/);
  });
});

describe('proposeFix', async () => {
  const { root, findings, idOf, git } = await scannedRepository({
    'a.py': 'import yaml\nimport random\n\n\ndef read(text):\n    return yaml.load(text)\n\n\ndef again(text):\n    return yaml.load(text)  # again\n',
    'b.py': 'from flask import request\nexec(request.args["x"])\n',
    'c.py': 'import subprocess\ndef f(b):\n    subprocess.run("a | " + b, shell=True)\n',
    'latin.py': Buffer.from('# -*- coding: latin-1 -*-\nimport yaml\nx = "\xe9"\ndef f(t):\n    return yaml.load(t)\n', 'latin1'),
    'sub/target.py': yaml,
    'old.py': 'import yaml\rdef f(t):\r    return yaml.load(t)\r',
    'note.json': '{"token": 1}\n',
  });
  symlinkSync('sub/target.py', path.join(root, 'link.py'));
  writeFileSync(path.join(root, 'big.py'), `${yaml}# ${'x'.repeat(1024 * 1024)}\n`);
  writeFileSync(path.join(root, 'nul.py'), `${'#\n'.repeat(9_000)}\0\n`);
  const id = findings.find(({ file }) => file === 'a.py')!.finding_id;
  const text = readFileSync(path.join(root, 'a.py'), 'utf8');
  const good = text.replace('load(text)', 'safe_load(text)');
  const ask = (runner: Runner, more: { readonly findingId?: string; readonly lastError?: string } = {}) =>
    proposeFix({ root, findingId: id, runnerId: 'played', ...more }, surroundings(), partsOf(runner));

  it('refuses an id that no finding has', async () => {
    await assert.rejects(proposeFix({ root, findingId: 'CODE-W1-L3-099', runnerId: 'rules' }, surroundings()), (error) => isToolFailed(error));
  });

  it('takes a bare rule id for its first finding and says of how many', async () => {
    const proposal = await proposeFix({ root, findingId: 'CODE-W1-L3-029', runnerId: 'rules' }, surroundings());
    assert.equal(proposal.ambiguous, findings.filter(({ rule_id }) => rule_id === 'CODE-W1-L3-029').length);
    assert.equal(proposal.status, 'proposed');
  });

  it('answers no_agent for a runner that is unknown or not set up', async () => {
    for (const runnerId of ['nobody', 'claude', 'claude-cli', 'toString']) {
      const { status, diff, rationale } = await proposeFix({ root, findingId: id, runnerId }, surroundings({ PATH: '/nonexistent' }));
      assert.deepEqual([status, diff], ['no_agent', null], rationale);
    }
  });

  it('says where there is no template, and where a template declines', async () => {
    assert.equal((await proposeFix({ root, findingId: idOf('L3-001'), runnerId: 'rules' }, surroundings())).status, 'not_fixable');
    const declined = await proposeFix({ root, findingId: idOf('L3-017'), runnerId: 'rules' }, surroundings());
    assert.deepEqual([declined.status, declined.iterations_used], ['declined', 1]);
    assert.match(declined.rationale, /needs a shell/);
  });

  for (const [what, wrong, reason] of [
    ['changes nothing', text, /nothing was changed/],
    ['leaves the finding', text.replace('import random', 'import random  # x'), /still finds CODE-W1-L3-029/],
    ['mends another finding of the same rule', text.replace('load(text)  # again', 'safe_load(text)'), /still finds CODE-W1-L3-029/],
    ['moves the finding', text.replace('yaml.load(text)\n\n', 'yaml.load(text,)\n\n'), /still finds/],
    ['is no Python', good.replace('def read(', 'def read(('), /no valid Python/],
    ['brings in something as bad', good.replace('import random', 'import random, os\nfrom flask import request\nos.system("ls " + request.args["x"])'), /not there before: CODE-W1-L3-003/],
    ['silences the finding', text.replace('load(text)\n', 'load(text)  # nosec\n'), /silences/],
  ] as const) {
    it(`lets no fix out that ${what}, tells the runner, and gives up after three`, async () => {
      const runner = played({ text: wrong } as Partial<RunnerFix>);
      const proposal = await ask(runner);
      assert.deepEqual([proposal.status, proposal.diff, proposal.iterations_used, proposal.cost_usd], ['invalid_diff', null, 3, 0.03]);
      assert.match(proposal.rationale, reason);
      assert.match(runner.asked[2]!.lastError!, reason);
      assert.deepEqual(runner.asked.map(({ attempt }) => attempt), [1, 2, 3]);
    });
  }

  it('takes the first fix that passes, and a smaller flaw that comes with it', async () => {
    const runner = played({ text } as Partial<RunnerFix>, { kind: 'invalid', wrong: 'edits overlap' }, { text: good.replace('import random', 'import random\nimport requests\nrequests.get("https://x.org")') } as Partial<RunnerFix>);
    const proposal = await ask(runner, { lastError: 'the host says no' });
    assert.deepEqual([proposal.status, proposal.iterations_used, proposal.rationale], ['proposed', 3, 'because']);
    assert.deepEqual(runner.asked.map(({ lastError }) => lastError), ['the host says no', 'nothing was changed', 'edits overlap']);
    git(['apply', '--check', '-'], proposal.diff!);
  });

  it('lets no JSON out that is none', async () => {
    const finding = makeFinding({ finding_id: 'J', rule_id: 'CODE-W1-API-002', scan_type: 'api', file: 'note.json', fingerprint: fingerprintOf('CODE-W1-API-002', 'note.json', '{"token": 1}') });
    const request = { root, findingId: 'J', runnerId: 'played', findings: [finding] };
    const parts = partsOf(played({ text: '{"token": }\n' } as Partial<RunnerFix>, { text: '{"token": 2}\n' } as Partial<RunnerFix>));
    assert.deepEqual((await proposeFix(request, surroundings(), parts)).iterations_used, 2);
  });

  it('tells the runner that a text can not be scanned, and fails where the file itself can not', async () => {
    let scans = 0;
    const failing = { ...partsOf(played({ text: good } as Partial<RunnerFix>)), rescan: async (...asked: Parameters<typeof plain.rescan>) => {
      if (scans++ > 0) throw new ToolFailed('too odd');
      return plain.rescan(...asked);
    } };
    const proposal = await proposeFix({ root, findingId: id, runnerId: 'played' }, surroundings(), failing);
    assert.match(proposal.rationale, /can not be scanned: too odd/);
    await assert.rejects(proposeFix({ root, findingId: id, runnerId: 'played' }, surroundings(), failing), (error) => isToolFailed(error));
    const broken = { ...failing, rescan: async () => assert.fail('a fault') };
    await assert.rejects(proposeFix({ root, findingId: id, runnerId: 'played' }, surroundings(), broken), { message: 'a fault' });
  });

  it('passes on what a runner failed at, and what it cost', async () => {
    const error = { kind: 'timeout', message: 'the model did not answer in time', retryable: true } as const;
    const proposal = await ask(played({ kind: 'failed', error, cost_usd: null } as Partial<RunnerFix>));
    assert.deepEqual([proposal.status, proposal.error, proposal.cost_usd, proposal.iterations_used], ['runner_failed', error, null, 1]);
    assert.equal((await ask(played({ kind: 'declined', rationale: 'no way' } as Partial<RunnerFix>))).rationale, 'no way');
  });

  it('stops when it is cancelled', async () => {
    const abort = new AbortController();
    const runner = played({ text: good } as Partial<RunnerFix>);
    const cancelling: Runner = { ...runner, propose: (request) => (abort.abort(), runner.propose(request)) };
    await assert.rejects(proposeFix({ root, findingId: id, runnerId: 'played' }, surroundings({}, abort.signal), partsOf(cancelling)), { name: 'AbortError' });
    await assert.rejects(proposeFix({ root, findingId: id, runnerId: 'played' }, surroundings({}, abort.signal), partsOf(runner)), { name: 'AbortError' });
    assert.equal(runner.asked.length, 1);
  });

  it('reports progress every second while a runner works, and none afterwards', async () => {
    const runner = played({ text: good } as Partial<RunnerFix>);
    const slow: Runner = { ...runner, propose: async (request) => (await new Promise((resolve) => setTimeout(resolve, 1_150)), runner.propose(request)) };
    const asked = surroundings();
    await proposeFix({ root, findingId: id, runnerId: 'played' }, asked, partsOf(slow));
    const times = asked.reports.map(([done]) => done);
    assert.ok(times.length >= 2, `${times}`);
    assert.deepEqual(times, [...new Set(times)].sort((a, b) => a - b));
  });

  for (const [what, file, status, why] of [
    ['an absolute path', '/etc/passwd', 'not_fixable', /absolute/], ['a parent', '../x.py', 'not_fixable', /\.\. segment/],
    ['a link', 'link.py', 'not_fixable', /symbolic link/], ['a file that is gone', 'gone.py', 'stale', /gone/],
    ['a file over 1 MiB', 'big.py', 'not_fixable', /1 MiB/], ['a file in another encoding', 'latin.py', 'not_fixable', /UTF-8/],
    ['a folder', 'sub', 'not_fixable', /folder/], ['a binary file', 'nul.py', 'not_fixable', /binary/],
    ['a file with old line ends', 'old.py', 'not_fixable', /carriage return/],
    ['a path through a file', 'a.py/x', 'not_fixable', /folder/], ['an empty path', '', 'not_fixable', /empty/],
  ] as const) {
    it(`answers ${status} for ${what}`, async () => {
      const runner = played({ text: good } as Partial<RunnerFix>);
      const proposal = await proposeFix({ root, findingId: 'x', runnerId: 'played', findings: [makeFinding({ finding_id: 'x', file })] }, surroundings(), partsOf(runner));
      assert.equal(proposal.status, status);
      assert.match(proposal.rationale, why);
      assert.equal(runner.asked.length, 0);
    });
  }

  it('works on what another program found as long as its line stands, and lets nothing new in', async () => {
    const known = findings.find(({ finding_id }) => finding_id === id)!;
    const foreign = { ...known, finding_id: 'OTHER', rule_id: 'CODE-W1-L3-029', scan_type: 'api', fingerprint: known.fingerprint, line: known.line } as const;
    // The same line under a rule that no scan here shows.
    const fingerprint = fingerprintOf('CODE-W1-API-001', 'a.py', '    return yaml.load(text)');
    const finding = { ...foreign, rule_id: 'CODE-W1-API-001', fingerprint };
    const request = { root, findingId: 'OTHER', runnerId: 'played', findings: [finding] };
    assert.equal((await proposeFix(request, surroundings(), partsOf(played({ text: good } as Partial<RunnerFix>)))).status, 'proposed');
    const worse = good.replace('import random', 'import random\nexec(input())');
    assert.equal((await proposeFix(request, surroundings(), partsOf(played({ text: worse } as Partial<RunnerFix>)))).status, 'invalid_diff');
    assert.equal((await proposeFix({ ...request, findings: [{ ...finding, line: 1 }] }, surroundings(), partsOf(played({})))).status, 'stale');
  });

  it('works on findings of a file that has a flaw of syntax elsewhere, but adds none', async () => {
    unlinkSync(path.join(root, 'b.py'));
    writeFileSync(path.join(root, 'b.py'), 'print "old"\nimport yaml\ndef f(t):\n    return yaml.load(t)\n');
    const { rescanFile } = await import('../../../../lib/families/gadriel/domain/repository/rescan-file.ts');
    const fresh = await rescanFile(root, 'b.py', undefined, surroundings());
    const request = { root, findingId: 'CODE-W1-L3-029', runnerId: 'rules', findings: fresh };
    assert.equal((await proposeFix(request, surroundings())).status, 'proposed');
  });
});

describe('a proposal that leaves a lighter flaw of the same kind', async () => {
  const text = 'import subprocess\nfrom flask import request\n\n\ndef f():\n    subprocess.run("git log " + request.args["x"], shell=True)\n';
  const { root, findings } = await scannedRepository({ 'a.py': text });

  it('says so', async () => {
    const runner = played({ text: text.replace('"git log " + request.args["x"], shell=True', '["git", "log", request.args["x"]]') } as Partial<RunnerFix>);
    const proposal = await proposeFix({ root, findingId: findings[0]!.finding_id, runnerId: 'played' }, surroundings(), partsOf(runner));
    assert.deepEqual([proposal.status, proposal.rationale], ['proposed', 'because Review: the new lines still have CODE-W1-L3-006, a lighter flaw of the same kind.']);
  });
});
