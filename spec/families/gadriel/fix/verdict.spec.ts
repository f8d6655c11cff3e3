import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, it } from 'node:test';
import type { Runner, RunnerFix, RunnerOpinion } from '../../../../lib/families/gadriel/domain/fix/runners/runner.types.ts';
import { rulesRunner } from '../../../../lib/families/gadriel/domain/fix/runners/rules-runner.ts';
import { confirmFinding } from '../../../../lib/families/gadriel/domain/fix/verdict.ts';
import { partsOf, scannedRepository, surroundings } from './fix-kit.ts';

const source = 'import yaml\n\n\ndef read(text):\n    return yaml.load(text)\n';

describe('confirmFinding', async () => {
  const { root, findings } = await scannedRepository({ 'a.py': source, 'b.py': 'import secrets\ndef f(b):\n    import subprocess\n    subprocess.run("a | " + b, shell=True)\n', 'c.py': source });
  const id = findings.find(({ file }) => file === 'a.py')!.finding_id;
  const home = path.join(root, '.home');
  const log = path.join(root, '.security/audit-log.jsonl');
  afterEach(() => {
    rmSync(log, { force: true });
    rmSync(home, { recursive: true, force: true });
    writeFileSync(path.join(root, 'a.py'), source);
  });
  const events = (): any[] => readFileSync(log, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const around = (env: Readonly<Record<string, string>> = {}) => {
    let held = 0;
    return { ...surroundings({ GADRIEL_HOME: home, ...env }), held: () => held, exclusive: <T>(fn: () => Promise<T>): Promise<T> => (held++, fn()) };
  };

  it('confirms and fixes by the rules where no key is set, and logs both', async () => {
    const asked = around();
    const verdict = await confirmFinding({ root, findingId: id }, asked, partsOf(rulesRunner));
    assert.deepEqual(Object.keys(verdict), ['finding_id', 'runner', 'confirmation', 'confirmation_rationale', 'explanation', 'effort', 'fix', 'compliance_controls', 'additional_actions', 'prior', 'posterior', 'cost_usd']);
    assert.deepEqual([verdict.runner, verdict.confirmation, verdict.prior, verdict.posterior, verdict.cost_usd], ['rules', 'real_risk', { mean: 0.5, band: 'likely' }, 0.5, 0]);
    assert.match(verdict.fix!.diff, /SafeLoader/);
    assert.ok(verdict.compliance_controls.includes('A08:2021'));
    const [first, second, ...more] = events();
    assert.deepEqual([first.event, first.finding_id, first.rule_id, first.path, first.line, first.agent_runner, first.before_hash], ['confirmed_real', id, 'CODE-W1-L3-029', 'a.py', 5, 'rules', undefined]);
    assert.deepEqual([second.event, second.before_hash, second.after_hash, more], ['fix_proposed', createHash('sha256').update(source).digest('hex'), undefined, []]);
    assert.equal(asked.held(), 1);
    assert.equal(readFileSync(path.join(root, 'a.py'), 'utf8'), source);
    // Rules do not teach themselves.
    assert.ok(!existsSync(home));
  });

  it('is unsure of findings of little confidence, and logs no fix where there is none', async () => {
    const found = findings.find(({ file }) => file === 'b.py')!;
    const verdict = await confirmFinding({ root, findingId: found.finding_id }, around(), partsOf(rulesRunner));
    assert.deepEqual([verdict.confirmation, verdict.fix], ['uncertain', null]);
    assert.deepEqual(events().map(({ event }) => event), ['surfaced']);
  });

  it('says of how many findings a rule id is the first', async () => {
    assert.equal((await confirmFinding({ root, findingId: 'CODE-W1-L3-029' }, around(), partsOf(rulesRunner))).ambiguous, 2);
  });

  it('surfaces a finding whose code has changed', async () => {
    writeFileSync(path.join(root, 'a.py'), 'x = 1\n');
    const verdict = await confirmFinding({ root, findingId: id }, around(), partsOf(rulesRunner));
    assert.deepEqual([verdict.confirmation, verdict.fix, events()[0].event], ['uncertain', null, 'surfaced']);
    assert.match(verdict.confirmation_rationale, /no longer what was scanned/);
  });

  const model = (opinion: RunnerOpinion, fix?: RunnerFix): Runner => ({
    id: 'claude', maxAttempts: 1, unavailable: () => undefined, maySeeSource: () => true,
    confirm: async () => opinion, propose: async () => fix ?? assert.fail('no fix is wanted'),
  });
  const opinion = { confirmation: 'real_risk', confirmation_rationale: 'why', explanation: 'long', effort: 'high', additional_actions: ['rotate'] } as const;
  const ask = (runner: Runner) => confirmFinding({ root, findingId: id }, around({ ANTHROPIC_API_KEY: 'k' }), partsOf(runner));

  it('asks claude where a key is set, and learns from what it says', async () => {
    const verdict = await ask(model({ kind: 'opinion', opinion, cost_usd: 0.01 }, { kind: 'declined', rationale: 'no', cost_usd: 0.02 }));
    assert.deepEqual([verdict.runner, verdict.confirmation, verdict.effort, verdict.additional_actions, verdict.fix, verdict.cost_usd], ['claude', 'real_risk', 'high', ['rotate'], null, 0.03]);
    assert.deepEqual([verdict.prior.mean, verdict.posterior], [0.5, 0.5556]);
  });

  it('makes no fix of what the model calls false, and lowers the prior', async () => {
    const verdict = await ask(model({ kind: 'opinion', opinion: { ...opinion, confirmation: 'false_positive' }, cost_usd: null }));
    assert.deepEqual([verdict.confirmation, verdict.fix, verdict.posterior, verdict.cost_usd, events()[0].event], ['false_positive', null, 0.4444, null, 'suppressed_by_agent']);
  });

  it('surfaces a finding that the model is not sure of, and learns nothing', async () => {
    const verdict = await ask(model({ kind: 'opinion', opinion: { ...opinion, confirmation: 'uncertain' }, cost_usd: 0 }, { kind: 'declined', rationale: 'no', cost_usd: 0 }));
    assert.deepEqual([verdict.posterior, events()[0].event], [0.5, 'surfaced']);
  });

  it('surfaces a finding when the model fails', async () => {
    const verdict = await ask(model({ kind: 'failed', error: { kind: 'timeout', message: 'too slow', retryable: true }, cost_usd: 0 }));
    assert.deepEqual([verdict.confirmation, verdict.confirmation_rationale, verdict.fix], ['uncertain', 'The runner could not judge it: too slow.', null]);
  });
});
