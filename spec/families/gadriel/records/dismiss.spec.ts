import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import { isInvalidParams } from '../../../../lib/domain/invalid-params.ts';
import { auditLogPath } from '../../../../lib/families/gadriel/domain/records/audit-log.ts';
import { dismissFalsePositive, recordDismissal, type Dismissal } from '../../../../lib/families/gadriel/domain/records/dismiss.ts';
import { writeFindings } from '../../../../lib/families/gadriel/domain/records/findings-file.ts';
import { judge } from '../../../../lib/families/gadriel/domain/records/judge.ts';
import { openPriors } from '../../../../lib/families/gadriel/domain/records/priors.ts';
import { parseWaivers } from '../../../../lib/families/gadriel/domain/records/waiver-file.ts';
import { makeFinding } from '../support/finding.ts';
import { githubToken } from '../support/sample-secrets.ts';
import { served } from '../support/served.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { assertFails, noon, surroundings } from './records-kit.ts';

const rule = 'CODE-W2-CONFIG-MCP-004';
const finding = makeFinding({ finding_id: `${rule}:0000abcd`, rule_id: rule, file: 'src/a.py', line: 7, pillar: 'compliance', fingerprint: 'f0' });
const ts = new Date(noon).toISOString();

describe('a dismissal', () => {
  const temp = tempFolder();
  const env = { GADRIEL_HOME: temp.at('home') };
  let count = 0;
  const scanned = async (findings: readonly Finding[] = [finding]): Promise<string> => {
    const root = temp.folder(`repo-${++count}`);
    await writeFindings(root, findings, noon);
    return root;
  };
  const dismiss = (root: string, members: Partial<Dismissal> = {}): ReturnType<typeof dismissFalsePositive> =>
    dismissFalsePositive({ root, finding_id: finding.finding_id, reason: 'allow-listed', by: 'tool', ...members }, surroundings({ env }));
  const waivers = (root: string): object[] => parseWaivers(readFileSync(path.join(root, '.gadriel-waivers.toml'), 'utf8'));
  const events = (root: string): any[] => readFileSync(auditLogPath(root), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const betaOf = (root: string, pillar: Finding['pillar'] = 'compliance', ruleId = rule): number => openPriors(root, env).get(ruleId, pillar).beta;

  it('writes a waiver, an event and a prior, and answers where the log is', async () => {
    const root = await scanned();
    assert.deepEqual(await dismiss(root), { logged: true, audit_log_path: path.join(root, '.security', 'audit-log.jsonl') });
    assert.deepEqual(waivers(root), [{
      rule_id: rule, path: 'src/a.py', line: 7, reason: 'allow-listed', kind: 'false_positive', created_by: 'human', created_at: ts, fingerprint: 'f0', finding_id: finding.finding_id,
    }]);
    assert.deepEqual(events(root), [{
      ts, event: 'confirmed_false_positive', finding_id: finding.finding_id, rule_id: rule, path: 'src/a.py', line: 7, agent_runner: 'human', notes: 'allow-listed',
    }]);
    assert.equal(betaOf(root), 1.5);
    assert.deepEqual(readdirSync(root).sort(), ['.gadriel-waivers.toml', '.security']);
  });

  const weights: [reason: string, by: Dismissal['by'], beta: number, kind: string][] = [
    ['not reachable', 'tool', 1.5, 'false_positive'],
    ['Accepted Risk until the rewrite', 'tool', 1.3, 'accepted_risk'],
    ['wontfix', 'tool', 1.3, 'accepted_risk'],
    ["we WON'T FIX this", 'tool', 1.3, 'accepted_risk'],
    ['we won’t fix this', 'tool', 1.3, 'accepted_risk'],
    ['this is acceptable for now.', 'tool', 1.3, 'accepted_risk'],
    ['acceptable', 'tool', 1.5, 'false_positive'],
    ['not reachable', 'cli', 2, 'false_positive'],
    ['accepted risk', 'cli', 2, 'accepted_risk'],
  ];
  for (const [reason, by, beta, kind] of weights) {
    it(`by ${by} that says "${reason}" weighs ${(beta - 1).toFixed(1)}`, async () => {
      const root = await scanned();
      await dismiss(root, { reason, by });
      assert.equal(betaOf(root), beta);
      assert.deepEqual(waivers(root).map((waiver: any) => [waiver.kind, waiver.created_by]), [[kind, by === 'cli' ? 'cli' : 'human']]);
      assert.equal(events(root)[0].agent_runner, 'human');
    });
  }

  it('by a rule id alone is for its first finding by risk', async () => {
    const root = await scanned([makeFinding({ ...finding, finding_id: `${rule}:00000001`, severity: 'low', line: 1 }), finding]);
    await dismiss(root, { finding_id: rule });
    assert.deepEqual(waivers(root).map((waiver: any) => waiver.line), [7]);
    assert.equal(events(root)[0].finding_id, finding.finding_id);
  });

  it('by a rule id goes on to the next one each time, and tells what is left', async () => {
    const root = await scanned([1, 2, 3].map((line) => makeFinding({ ...finding, finding_id: `${rule}:0000000${line}`, line, fingerprint: `f${line}` })));
    const told: unknown[] = [];
    for (let time = 0; time < 4; time++) {
      const { outcome, finding: waived, open, rule_id } = await recordDismissal({ root, finding_id: 'CONFIG-MCP-004', reason: 'x', by: 'cli' }, surroundings({ env }));
      told.push([outcome, waived?.line, open, rule_id]);
    }
    assert.deepEqual(told, [['added', 1, 2, rule], ['added', 2, 1, rule], ['added', 3, 0, rule], ['present', 1, 0, rule]]);
    assert.deepEqual(waivers(root).map((waiver: any) => waiver.line), [1, 2, 3]);
  });

  it('by a rule id passes over what the source itself silences', async () => {
    const root = await scanned([makeFinding({ ...finding, line: 1, waived: true, tags: ['suppressed:insource'] }), finding]);
    await dismiss(root, { finding_id: rule });
    assert.deepEqual(waivers(root).map((waiver: any) => waiver.line), [7]);
  });

  for (const [short, id] of [['CONFIG-MCP-004:0000ABCD', finding.finding_id], ['config-mcp-004', finding.finding_id]] as const) {
    it(`takes the short id ${short}`, async () => {
      const root = await scanned();
      await dismiss(root, { finding_id: short, by: 'cli' });
      assert.deepEqual(waivers(root).map((waiver: any) => [waiver.rule_id, waiver.path, waiver.finding_id]), [[rule, 'src/a.py', id]]);
      assert.deepEqual([events(root)[0].finding_id, betaOf(root)], [id, 2]);
    });
  }

  it('of a short id that is not in the file is kept by the rule that it means', async () => {
    const root = await scanned([]);
    const around = surroundings({ env });
    for (const finding_id of ['SECRET-004', 'secret-005:0000000A']) await dismissFalsePositive({ root, finding_id, reason: 'x', by: 'tool' }, around);
    assert.deepEqual(waivers(root).map((waiver: any) => [waiver.rule_id, waiver.finding_id]), [['CODE-W1-SECRET-004', undefined], ['CODE-W1-SECRET-005', 'CODE-W1-SECRET-005:0000000a']]);
    assert.deepEqual(around.logged, ['warning: "secret-005:0000000A" is no finding of the last scan; the dismissal is kept all the same']);
  });

  for (const finding_id of ['L3-9999', 'CODE-W2-CONFIG-MCP-4', `${rule}:0000dcba`, 'src/a.py', 'x\u001b[31m']) {
    it(`of ${JSON.stringify(finding_id)}, which says nothing, is kept with a warning by the tool and refused at the command line`, async () => {
      const root = await scanned();
      const around = surroundings({ env });
      await assertFails(recordDismissal({ root, finding_id, reason: 'x', by: 'cli' }, around), /^"[^\u001b]*" is no finding of the last scan(?:, and no rule)?: gadriel code findings shows /);
      assert.deepEqual([readdirSync(root), around.logged], [['.security'], []]);
      assert.equal((await dismissFalsePositive({ root, finding_id, reason: 'x', by: 'tool' }, around)).logged, true);
      assert.match(around.logged.join(), /^warning: "[^\u001b]*" is no finding of the last scan(?:, and no rule)?; the dismissal is kept all the same$/);
      assert.equal(waivers(root).length, 1);
    });
  }

  it('at the command line is by any id where no scan was made, and by none where its file is broken', async () => {
    const root = temp.folder(`repo-${++count}`);
    const { outcome, finding: waived, open } = await recordDismissal({ root, finding_id: 'any', reason: 'x', by: 'cli' }, surroundings({ env }));
    assert.deepEqual([outcome, waived, open, waivers(root).length], ['added', undefined, 0, 1]);
    temp.write(`repo-${count}/.security/findings.json`, '{');
    await assertFails(recordDismissal({ root, finding_id: rule, reason: 'x', by: 'cli' }, surroundings({ env })), '.security/findings.json is not valid OCSF: it is not JSON');
    assert.equal(waivers(root).length, 1);
  });

  const unknown: [title: string, make: () => Promise<string>][] = [
    ['not in the file', () => scanned([])],
    ['looked for where no scan was made', async () => temp.folder(`repo-${++count}`)],
    ['looked for in a broken file', async () => { temp.write(`repo-${++count}/.security/findings.json`, '{'); return temp.at(`repo-${count}`); }],
  ];
  for (const [title, make] of unknown) {
    it(`of a rule that is ${title} is kept by rule alone`, async () => {
      const root = await make();
      await dismiss(root, { finding_id: rule });
      assert.deepEqual(waivers(root), [{ rule_id: rule, reason: 'allow-listed', kind: 'false_positive', created_by: 'human', created_at: ts }]);
      assert.deepEqual([events(root)[0].rule_id, events(root)[0].path, events(root)[0].line], [rule, null, null]);
      assert.equal(betaOf(root), 1.5);
      assert.deepEqual((await judge(root, [finding], surroundings({ env }))).map(({ waived }) => waived), [true]);
    });
  }

  it('of a finding that is not known waives that one, not all others of its rule', async () => {
    const root = await scanned([]);
    await dismiss(root);
    await dismiss(root, { finding_id: `${rule}:00000002` });
    assert.equal(waivers(root).length, 2);
    const judged = await judge(root, [finding, makeFinding({ ...finding, finding_id: `${rule}:00000003` })], surroundings({ env }));
    assert.deepEqual(judged.map(({ waived }) => waived), [true, false]);
  });

  it('of another program’s finding without a file is kept by rule and id', async () => {
    const root = await scanned([makeFinding({ ...finding, file: '' })]);
    await dismiss(root);
    assert.deepEqual(waivers(root).map((waiver: any) => [waiver.path, waiver.finding_id]), [[undefined, finding.finding_id]]);
  });

  it('of an id that is no rule counts for security', async () => {
    const root = await scanned([]);
    await dismiss(root, { finding_id: 'weird "id"\n[[waiver]]' });
    assert.equal(betaOf(root, 'security', 'weird "id"\n[[waiver]]'), 1.5);
    assert.equal(waivers(root).length, 1);
  });

  it('done twice is one waiver and one lesson, and two events', async () => {
    const root = await scanned();
    await dismiss(root);
    await dismiss(root, { reason: 'again' });
    assert.deepEqual([waivers(root).length, events(root).length, betaOf(root)], [1, 2, 1.5]);
  });

  it('writes no secret that its reason holds', async () => {
    const root = await scanned();
    await dismiss(root, { reason: `the token ${githubToken(4)} is revoked` });
    assert.deepEqual(waivers(root).map((waiver: any) => waiver.reason), ['the token *** is revoked']);
    assert.equal(events(root)[0].notes, 'the token *** is revoked');
  });

  it('stands though the prior can not be written', async () => {
    const root = await scanned();
    const around = surroundings({ env: { GADRIEL_HOME: temp.write('no-folder', '') } });
    assert.equal((await dismissFalsePositive({ root, finding_id: rule, reason: 'x', by: 'tool' }, around)).logged, true);
    assert.deepEqual([waivers(root).length, events(root).length], [1, 1]);
    assert.match(around.logged.join(), /^warning: the learned priors can not be read .*,warning: the learned priors can not be written /);
  });

  it('leaves no event and no prior where the waiver can not be written', async () => {
    const root = await scanned();
    temp.write(`${path.basename(root)}/.gadriel-waivers.toml`, '[[waiver]');
    await assertFails(dismiss(root), '.gadriel-waivers.toml is not valid TOML: see line 1');
    assert.ok(!existsSync(auditLogPath(root)));
    assert.equal(betaOf(root), 1);
  });

  it('says that the waiver stands where the event can not be written, and can be repeated', async () => {
    const root = await scanned();
    mkdirSync(auditLogPath(root));
    await assertFails(dismiss(root), 'the waiver is written, but not the audit event: .security/audit-log.jsonl can not be written: a folder is in its place');
    assert.equal(waivers(root).length, 1);
    rmdirSync(auditLogPath(root));
    await dismiss(root);
    await dismiss(root);
    assert.deepEqual([waivers(root).length, events(root).length, betaOf(root)], [1, 2, 1.5]);
  });

  it('needs an id and a reason that say something', async () => {
    const root = await scanned();
    for (const members of [{ finding_id: ' ' }, { reason: '\n ' }]) await assert.rejects(dismiss(root, members), isInvalidParams);
    assert.deepEqual(readdirSync(root), ['.security']);
  });
});

describe('dismiss_false_positive', () => {
  const temp = tempFolder();
  const { ask, call } = served(temp.root, { GADRIEL_HOME: temp.at('home') });

  it('answers the documented value, and the next scans leave the finding out', async () => {
    const file_path = temp.write('repo/src/a.py', 'import sys\neval(sys.argv[1])\nexec(sys.argv[2])\n');
    temp.folder('repo/.git');
    const repo_root = temp.at('repo');
    const before = (await call('validate_file', { file_path })).result.structuredContent;
    assert.equal(before.count, 2);
    await writeFindings(repo_root, before.findings, noon);
    const [dismissed, other] = before.findings;
    const { result } = await ask('dismiss_false_positive', { finding_id: dismissed.finding_id, reason: 'a tool of ours', repo_root });
    assert.deepEqual(result, { logged: true, audit_log_path: path.join(repo_root, '.security', 'audit-log.jsonl') });
    const after = (await call('validate_file', { file_path })).result.structuredContent;
    assert.deepEqual([after.count, after.waived, after.findings.map((one: Finding) => one.line)], [1, 1, [other.line]]);
    const content = `# moved\n\n${readFileSync(file_path, 'utf8')}`;
    // A label is echoed, but waived as the file that it names; the lines have moved and the code has not.
    for (const label of ['repo/src/a.py', 'repo\\src\\a.py', './repo/x/../src/a.py', file_path]) {
      const buffer = (await call('validate_buffer', { file_path: label, content })).result.structuredContent;
      assert.deepEqual([buffer.count, buffer.waived, buffer.findings.map((one: Finding) => [one.file, one.line, one.finding_id])], [1, 1, [[label.replaceAll('\\', '/'), 5, other.finding_id]]]);
    }
    const elsewhere = (await call('validate_buffer', { file_path: 'repo/src/b.py', content })).result.structuredContent;
    assert.deepEqual([elsewhere.count, elsewhere.waived], [2, undefined]);
  });

  it('fails as a tool does, and tells wrong arguments as such', async () => {
    const { result } = await call('dismiss_false_positive', { finding_id: 'R', reason: 'x', repo_root: temp.at('nowhere') });
    assert.deepEqual([result.isError, result.structuredContent.reason], [true, 'the repository does not exist']);
    const wrong = [{}, { finding_id: 'R' }, { reason: 'x' }, { finding_id: '', reason: 'x' }, { finding_id: 'R', reason: '' }, { finding_id: 'R', reason: ' ' }, { finding_id: 'R', reason: 'x'.repeat(5_000) }];
    for (const args of wrong) assert.equal((await call('dismiss_false_positive', args)).error.code, -32602, JSON.stringify(args).slice(0, 80));
  });

  it('is listed as a tool that writes', async () => {
    const { result } = await ask('tools/list');
    const { annotations } = result.tools.find((tool: { name: string }) => tool.name === 'dismiss_false_positive');
    assert.deepEqual([annotations.readOnlyHint, annotations.destructiveHint], [false, false]);
  });
});
