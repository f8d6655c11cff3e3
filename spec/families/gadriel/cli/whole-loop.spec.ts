import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { call, launcher, watchServer, type ServerProcess } from '../../../support/server-process.ts';
import { git } from '../support/repository.ts';
import { runVerb } from '../support/run-verb.ts';
import { githubToken } from '../support/sample-secrets.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

type Edit = { readonly start_line: number; readonly end_line: number; readonly new_text: string };

const files: Readonly<Record<string, string>> = {
  'src/load.py': 'import sys\nimport yaml\n\nyaml.load(sys.stdin, Loader=yaml.Loader)\n',
  'src/run.py': 'import subprocess\nimport sys\n\nsubprocess.run("ls " + sys.argv[1], shell=True)\n',
  'src/db.py': 'import sqlite3\nimport sys\n\ndb = sqlite3.connect("a.db")\ndb.execute("SELECT * FROM t WHERE a = \'" + sys.argv[1] + "\'")\n',
  'src/etag.py': 'import hashlib\n\n\ndef etag(body):\n    return hashlib.md5(body).hexdigest()\n',
  'src/fetch.py': 'import requests\n\nrequests.get("https://example.invalid", verify=False, timeout=3)\n',
  'src/keys.py': `token = "${githubToken(9)}"\n`,
  '.mcp.json': '{ "mcpServers": {\n  "files": { "command": "mcp-server-filesystem", "args": ["/"] }\n} }\n',
};

/** What the model behind the loopback address answers for a file. */
const edits: Readonly<Record<string, Edit>> = {
  'load.py': { start_line: 4, end_line: 4, new_text: 'yaml.safe_load(sys.stdin)\n' },
  'run.py': { start_line: 4, end_line: 4, new_text: 'subprocess.run(["ls", "--", sys.argv[1]])\n' },
  'db.py': { start_line: 5, end_line: 5, new_text: 'db.execute("SELECT * FROM t WHERE a = ?", (sys.argv[1],))\n' },
  '.mcp.json': { start_line: 2, end_line: 2, new_text: '  "files": { "command": "mcp-server-filesystem", "args": ["/srv/project"] }\n' },
};

describe('the whole loop through the real server', () => {
  const temp = tempFolder();
  const root = temp.folder('repo');
  for (const [name, text] of Object.entries(files)) temp.write(`repo/${name}`, text);
  git(root, ['init', '-q']);
  git(root, ['add', '.']);
  git(root, ['commit', '-qm', 'first']);

  const model = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += piece)).on('end', () => {
      const [, name = ''] = /<code file="([^"]+)">/.exec((JSON.parse(body) as { messages: { content: string }[] }).messages.map(({ content }) => JSON.stringify(content).replaceAll('\\"', '"')).join()) ?? [];
      const text = JSON.stringify({ decision: 'fix', rationale: `The model mends ${name}.`, edits: [edits[name]] });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ type: 'message', content: [{ type: 'text', text }], stop_reason: 'end_turn', usage: { input_tokens: 1_000, output_tokens: 0 } }));
    });
  });
  // 1.30 a call: after four of them the budget of 5 is spent.
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '', HOME: temp.folder('home'), GADRIEL_HOME: temp.folder('home/.gadriel'), ANTHROPIC_API_KEY: 'no-key', GADRIEL_MCP_SOURCE_CONSENT: 'true',
    GADRIEL_MODEL: 'm', GADRIEL_PRICES: '{"m":{"in":1300,"out":1300}}',
  };
  let server: ServerProcess;
  let id = 0;
  const tool = async (name: string, args: object): Promise<any> => {
    server.send(call(++id, name, args));
    const { result, error } = await server.answer(id);
    assert.equal(error, undefined);
    assert.notEqual(result.isError, true, result.content[0].text);
    return result.structuredContent;
  };
  const scan = async (): Promise<any> => JSON.parse((await runVerb(['code', 'scan', '--json'], { cwd: root, env })).stdout);

  before(async () => {
    await once(model.listen(0, '127.0.0.1'), 'listening');
    env['ANTHROPIC_BASE_URL'] = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
    server = watchServer(spawn(process.execPath, [...launcher, 'gadriel', 'code', 'mcp'], { cwd: root, env: { ...process.env, ...env }, stdio: 'pipe' }));
  });
  after(async () => {
    server.end();
    await server.ended;
    model.close();
  });

  it('finds, mends by template, dismisses, and works the rest off as a campaign', async () => {
    assert.equal((await scan()).count, 7);

    const { findings } = await tool('findings_for_path', { path: 'src/fetch.py' });
    assert.deepEqual(findings.map(({ rule_id }: { rule_id: string }) => rule_id), ['CODE-W1-CONFIG-001']);
    const fixed = await tool('fix_finding', { finding_id: findings[0].finding_id, runner_id: 'rules' });
    assert.deepEqual([fixed.status, fixed.tool_calls], ['proposed', []]);
    assert.equal(readFileSync(temp.at('repo/src/fetch.py'), 'utf8'), files['src/fetch.py']);
    git(root, ['apply'], fixed.diff);
    assert.equal((await tool('validate_file', { file_path: 'src/fetch.py' })).count, 0);

    const dismissed = await tool('dismiss_false_positive', { finding_id: 'CODE-W1-SECRET-004', reason: 'a revoked one, for a test' });
    assert.deepEqual(dismissed, { logged: true, audit_log_path: temp.at('repo/.security/audit-log.jsonl') });
    const again = await scan();
    assert.deepEqual([again.count, again.waived], [5, 1]);

    const started = await tool('start_remediation_campaign', { runner_id: 'claude' });
    assert.equal(started.total, 5);
    const { campaign_id } = started;
    let answer = await tool('campaign_advance', { campaign_id });
    for (let step = 0; step < 8 && answer.status === 'in_progress'; step++) {
      const { diff } = answer.proposed_fix as { diff: string };
      let outcome: object = { applied: true };
      if (diff.includes('src/db.py')) outcome = { applied: false, reason: 'accepted risk: a tool of ours' };
      else git(root, ['apply'], diff);
      // Whoever applies it also brings in another flaw of the same severity.
      if (diff.includes('src/run.py')) temp.write('repo/src/run.py', `${readFileSync(temp.at('repo/src/run.py'), 'utf8')}eval(sys.argv[2])\n`);
      answer = await tool('campaign_advance', { campaign_id, ...outcome });
    }
    const { summary } = answer;
    assert.equal(answer.status, 'campaign_complete');
    assert.deepEqual(summary.by_status, { verified: 1, verified_partial: 1, regressed: 1, waived: 1, skipped_no_agent: 1 });
    assert.deepEqual([summary.total, summary.cost_usd, summary.regressed.length], [5, 5.2, 1]);
    assert.match(summary.verified_partial_note, /^1 item/);
    assert.deepEqual(await tool('campaign_advance', { campaign_id, applied: true }), answer);

    const last = await scan();
    assert.deepEqual(last.findings.filter(({ waived }: { waived: boolean }) => waived).map(({ file }: { file: string }) => file), ['src/db.py', 'src/keys.py']);
    assert.deepEqual(last.findings.filter(({ waived }: { waived: boolean }) => !waived).map(({ file }: { file: string }) => file), ['src/etag.py', 'src/run.py']);
  });

  it('leaves an audit trail, and no secret in it', () => {
    const log = readFileSync(temp.at('repo/.security/audit-log.jsonl'), 'utf8');
    const events = log.trimEnd().split('\n').map((line) => (JSON.parse(line) as { event: string }).event);
    for (const event of ['confirmed_false_positive', 'campaign_started', 'item_status', 'waiver_written', 'campaign_complete']) assert.ok(events.includes(event), event);
    for (const text of [log, readFileSync(temp.at('repo/.security/findings.json'), 'utf8'), server.lines().join('\n')]) {
      for (const secret of [githubToken(9), 'no-key']) assert.ok(!text.includes(secret));
    }
  });
});
