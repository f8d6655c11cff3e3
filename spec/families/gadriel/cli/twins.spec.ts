import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gadriel } from '../../../../lib/families/gadriel/index.ts';
import { createServer } from '../../../../lib/mcp/create-server.ts';
import { copyRepository, git, makeRepository } from '../support/repository.ts';
import { runVerb } from '../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const now = (): number => Date.UTC(2026, 5, 1, 12);

/** One repository as a tool and as its verb have it, each with a home of its own. */
type Side = { readonly root: string; readonly env: Readonly<Record<string, string>> };

describe('a tool and its verb', () => {
  const temp = tempFolder();
  const origin = makeRepository(temp, 'origin');
  let count = 0;
  before(async () => {
    assert.equal((await runVerb(['code', 'scan'], { cwd: origin, now, env: { PATH: process.env['PATH'] ?? '', GADRIEL_HOME: temp.at('home') } })).code, 1);
  });

  const side = (name: string): Side => ({
    root: copyRepository(origin, temp.at(`${name}${++count}`)),
    env: { PATH: process.env['PATH'] ?? '', GADRIEL_HOME: temp.folder(`home${count}`) },
  });

  /** What a tool answers, in the same words as a verb prints it: paths of its root replaced. */
  async function viaTool({ root, env }: Side, calls: readonly (readonly [name: string, args: object])[]): Promise<unknown[]> {
    const server = createServer({ name: 'gadriel', version: '0.0.0', families: [gadriel()], cwd: root, env, now });
    after(() => server.close());
    const answers: unknown[] = [];
    for (const [index, [name, args]] of calls.entries()) {
      const line = await server.handle(JSON.stringify({ jsonrpc: '2.0', id: index + 1, method: 'tools/call', params: { name, arguments: args } }));
      const { result, error } = JSON.parse((line as string).replaceAll(root, 'ROOT'));
      assert.ok(error === undefined && result.isError !== true, line);
      answers.push(result.structuredContent);
    }
    return answers;
  }

  async function viaVerb({ root, env }: Side, words: readonly string[], stdin?: Uint8Array): Promise<unknown> {
    const { stdout, stderr } = await runVerb([...words, '--json'], { cwd: root, env, now, ...(stdin !== undefined && { stdin }) });
    assert.ok(stdout !== '', stderr);
    return JSON.parse(stdout.replaceAll(root, 'ROOT'));
  }

  const files = ['src/app.py', 'src/ümlaut blank.py', 'src/keys.py', 'src/silenced.py', '.mcp.json', 'README.md'];

  it('answer the same for each file: validate_file, validate_buffer, findings_for_path', async () => {
    const [tool, verb] = [side('tool'), side('verb')];
    const bytes = files.map((file) => readFileSync(path.join(tool.root, file)));
    const answers = await viaTool(tool, files.flatMap((file, index) => [
      // A buffer is text: the byte order mark went with the bytes.
      ['validate_file', { file_path: file }], ['validate_buffer', { content: new TextDecoder().decode(bytes[index]), file_path: file }], ['findings_for_path', { path: file }],
    ] as const));
    for (const [index, file] of files.entries()) {
      const [onDisk, buffer, found] = answers.slice(3 * index) as { findings: object[] }[];
      assert.deepEqual(await viaVerb(verb, ['code', 'validate', file]), onDisk);
      assert.deepEqual(await viaVerb(verb, ['code', 'validate', '-', '--path', file], bytes[index]), buffer);
      assert.deepEqual(await viaVerb(verb, ['code', 'findings', file]), found);
      // No flow crosses files here, so one file alone shows what the scan of all has found.
      if (file !== 'src/silenced.py') assert.deepEqual(onDisk?.findings, found?.findings);
    }
  });

  for (const id of ['CODE-W1-CONFIG-001', 'CODE-W1-L3-037', 'CODE-W2-CONFIG-MCP-004']) {
    it(`propose the same fix for ${id}, and one that applies: fix_finding`, async () => {
      const tool = side('tool');
      const [proposal] = (await viaTool(tool, [['fix_finding', { finding_id: id, runner_id: 'rules' }]])) as [{ status: string; diff: string | null }];
      const verb = side('verb');
      assert.deepEqual(await viaVerb(verb, ['code', 'fix', id, '--runner', 'rules']), proposal);
      const { stdout } = await runVerb(['code', 'fix', id, '--runner', 'rules'], { cwd: verb.root, env: verb.env, now });
      assert.equal(stdout, proposal.diff ?? '');
      if (proposal.diff !== null) git(verb.root, ['apply', '--check'], stdout);
    });
  }

  it('propose in a verdict what the verb prints: fix_finding without a runner', async () => {
    const [verdict] = (await viaTool(side('tool'), [['fix_finding', { finding_id: 'CODE-W1-L3-029' }]])) as [{ confirmation: string; fix: { diff: string } }];
    assert.equal(verdict.confirmation, 'real_risk');
    const verb = side('verb');
    assert.equal((await runVerb(['code', 'fix', 'CODE-W1-L3-029'], { cwd: verb.root, env: verb.env, now })).stdout, verdict.fix.diff);
  });

  it('dismiss alike: dismiss_false_positive', async () => {
    const reason = 'legitimate filesystem MCP with allow-list';
    const tool = side('tool');
    const [dismissed] = await viaTool(tool, [['dismiss_false_positive', { finding_id: 'CODE-W2-CONFIG-MCP-004', reason }]]);
    const verb = side('verb');
    assert.deepEqual(await viaVerb(verb, ['code', 'fix', 'CODE-W2-CONFIG-MCP-004', '--false-positive', reason]), dismissed);
    const waiver = (root: string): string => readFileSync(path.join(root, '.gadriel-waivers.toml'), 'utf8');
    // Only who decided differs: a person at the command line, somebody behind a tool.
    assert.equal(waiver(verb.root).replace('"cli"', '"human"'), waiver(tool.root));
    const log = (root: string): string => readFileSync(path.join(root, '.security/audit-log.jsonl'), 'utf8');
    assert.equal(log(verb.root), log(tool.root));
  });

  it('work findings off alike: start_remediation_campaign, campaign_advance', async () => {
    const tool = side('tool');
    const verb = side('verb');
    const [started] = (await viaTool(tool, [['start_remediation_campaign', { severity: ['critical'], scan_type: ['sast'], runner_id: 'rules' }]])) as [{ campaign_id: string; total: number }];
    assert.deepEqual(await viaVerb(verb, ['code', 'campaign', 'start', '--severity', 'critical', '--scan-type', 'sast', '--runner', 'rules']), started);
    assert.ok(started.total >= 2);
    let applied: boolean | undefined;
    for (let step = 0; step < 20; step++) {
      const id = started.campaign_id;
      const [answer] = (await viaTool(tool, [['campaign_advance', { campaign_id: id, ...(applied !== undefined && { applied }) }]])) as [{ status: string; proposed_fix?: { diff: string } }];
      assert.deepEqual(await viaVerb(verb, ['code', 'campaign', 'advance', id, ...(applied === undefined ? [] : ['--applied'])]), answer);
      if (answer.status === 'campaign_complete') return;
      for (const { root } of [tool, verb]) git(root, ['apply'], answer.proposed_fix?.diff ?? '');
      applied = true;
    }
    assert.fail('the campaign does not end');
  });

  it('join findings of a model alike: submit_ai_findings', async () => {
    const tool = side('tool');
    const env = { ...tool.env, GADRIEL_TIER2: '1' };
    const claim = (members: object): object => ({ cwe: 'CWE-862', severity: 'high', file: 'src/app.py', line: 12, rationale: 'no check of who asks', confidence: 'low', kind: 'new_finding', ...members });
    const ai_findings = [claim({}), claim({ kind: 'corroborate', cwe: 'CWE-502' }), claim({ kind: 'contest', cwe: 'CWE-502' }), claim({ cwe: 'x' }), { cwe: 1 }];
    const [, fused] = (await viaTool({ root: tool.root, env }, [
      ['validate_file', { file_path: 'src/app.py' }], ['submit_ai_findings', { session_id: 'tier2-session-1', ai_findings }],
    ])) as [unknown, { report: Record<string, number> }];
    assert.equal(Object.values(fused.report).reduce((sum, each) => sum + each, 0), ai_findings.length);
    temp.write('claims.json', JSON.stringify(ai_findings));
    assert.deepEqual(await viaVerb(side('verb'), ['code', 'submit', temp.at('claims.json'), 'src/app.py']), fused);
  });
});
