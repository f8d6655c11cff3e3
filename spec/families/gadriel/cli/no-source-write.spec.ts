import assert from 'node:assert/strict';
import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { cli } from '../../../../lib/families/gadriel/cli.ts';
import { gadriel } from '../../../../lib/families/gadriel/index.ts';
import { createServer } from '../../../../lib/mcp/create-server.ts';
import { isUsageError } from '../../../../lib/terminal/usage-error.ts';
import { makeRepository, untouchables } from '../support/repository.ts';
import { runVerb } from '../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

/** Sets the modes of every file and folder below the root. Without the right to write, to a process of root this is a wish: the hashes tell. */
function setModes(root: string, mode: { readonly file: number; readonly folder: number }): void {
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const stats = lstatSync(path.join(root, name));
    if (stats.isDirectory()) chmodSync(path.join(root, name), mode.folder);
    else if (stats.isFile()) chmodSync(path.join(root, name), mode.file);
  }
}

describe('over a read-only copy of a repository', () => {
  // Before the folder is removed, which only its writable folders allow.
  after(() => setModes(root, { file: 0o644, folder: 0o755 }));
  const temp = tempFolder();
  const root = makeRepository(temp, 'repo');
  const env = { PATH: process.env['PATH'] ?? '', GADRIEL_HOME: temp.folder('home'), GADRIEL_TIER2: '1' };
  temp.write('claims.json', '[]');
  setModes(root, { file: 0o444, folder: 0o555 });
  const before = untouchables(root);
  const unchanged = (): void => assert.deepEqual(untouchables(root), before);

  it('every verb leaves every file as it is', async () => {
    const ending = new AbortController();
    let campaign = '';
    const runs: readonly (() => readonly string[])[] = [
      () => ['code', 'init'], () => ['code', 'init', '--pre-commit'],
      () => ['code', 'scan'], () => ['scan', 'src', '--no-cache'], () => ['code', 'scan', '--staged'], () => ['code', 'scan', '--since', 'HEAD', '--json'],
      () => ['code', 'scan', '--history', '--profile', 'audit', '--sarif', temp.at('out.sarif'), '--html', temp.at('out.html')],
      () => ['code', 'scan', '--sarif', 'src/app.py'], () => ['code', 'report', '--html', 'src/app.py'], () => ['code', 'report', '--sarif', 'link.py'], () => ['code', 'report', '--html', '.git/config'],
      () => ['code', 'findings'], () => ['code', 'report', '--summary', '--html', temp.at('out.html')], () => ['code', 'rules'], () => ['code', 'rules', 'L3-017'],
      () => ['code', 'validate', 'src/app.py'], () => ['code', 'validate', '-', '--path', 'src/app.py'], () => ['code', 'submit', temp.at('claims.json'), 'src/app.py'],
      () => ['code', 'fix', 'CODE-W1-L3-029', '--runner', 'rules'], () => ['code', 'fix', 'CODE-W1-L3-029', '--runner', 'claude'], () => ['code', 'fix', 'CODE-W1-L3-037'],
      () => ['code', 'fix', 'CODE-W1-L3-037', '--false-positive', 'a demo'],
      () => ['code', 'campaign', 'start', '--severity', 'critical', '--runner', 'rules', '--json'],
      () => ['code', 'campaign', 'advance', campaign], () => ['code', 'campaign', 'advance', campaign, '--applied'], () => ['code', 'campaign', 'advance', campaign, '--declined', 'no'],
      () => ['hooks', 'post-edit', 'src/app.py'], () => ['hooks', 'session-end'], () => ['code', 'cbom'], () => ['code', 'status'],
      () => ['code', 'watch'],
    ];
    const done = new Set<string>();
    for (const wordsOf of runs) {
      const words = wordsOf();
      // Only the watch writes to standard output and goes on; it ends with its first words.
      const signal = words[1] === 'watch' ? ending.signal : undefined;
      try {
        const { stdout, stderr } = await runVerb(words, { cwd: root, env, stdin: 'x = 1\n', ...(signal !== undefined && { signal, onOutput: () => ending.abort() }) });
        if (words[2] === 'start') campaign = (JSON.parse(stdout || `{"error":${JSON.stringify(stderr)}}`) as { campaign_id: string }).campaign_id;
      } catch (error) {
        assert.ok(isUsageError(error), String(error));
      }
      unchanged();
      done.add(Object.keys(cli.verbs).sort((a, b) => b.length - a.length).find((verb) => words.join(' ').startsWith(verb)) ?? '');
    }
    assert.match(campaign, /^campaign-/);
    assert.deepEqual(Object.keys(cli.verbs).filter((verb) => !done.has(verb)), []);
  });

  it('every tool leaves every file as it is', async () => {
    const server = createServer({ name: 'gadriel', version: '0.0.0', families: [gadriel()], cwd: root, env });
    after(() => server.close());
    let id = 0;
    const ask = async (method: string, params: object): Promise<any> => JSON.parse((await server.handle(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }))) as string);
    const call = async (name: string, args: object): Promise<any> => (await ask('tools/call', { name, arguments: args })).result?.structuredContent;
    await runVerb(['code', 'scan'], { cwd: root, env });
    const { session_id } = (await call('validate_file', { file_path: 'src/app.py' })).tier2_request;
    const { campaign_id } = await call('start_remediation_campaign', { severity: ['critical'], runner_id: 'rules', force: true });
    assert.match(campaign_id, /^campaign-/);
    const calls: readonly (readonly [string, object])[] = [
      ['validate_buffer', { content: 'eval(input())\n', file_path: 'src/app.py' }], ['validate_file', { file_path: 'src/app.py' }], ['findings_for_path', { path: 'src' }],
      ['fix_finding', { finding_id: 'CODE-W1-L3-029', runner_id: 'rules' }], ['fix_finding', { finding_id: 'CODE-W1-L3-029', runner_id: 'claude' }], ['fix_finding', { finding_id: 'CODE-W1-L3-029' }],
      ['dismiss_false_positive', { finding_id: 'CODE-W1-SECRET-004', reason: 'a demo' }], ['submit_ai_findings', { session_id, ai_findings: [] }],
      ['start_remediation_campaign', { force: true, runner_id: 'rules' }], ['start_remediation_campaign', { severity: ['critical'], force: true, runner_id: 'rules' }],
      ['campaign_advance', { campaign_id }], ['campaign_advance', { campaign_id, applied: true }], ['campaign_advance', { campaign_id, applied: false, reason: 'no' }],
    ];
    for (const [name, args] of calls) {
      await call(name, args);
      unchanged();
    }
    const { result } = await ask('tools/list', {});
    assert.deepEqual(result.tools.map((tool: { name: string }) => tool.name).filter((name: string) => !calls.some(([called]) => called === name)), []);
  });
});
