import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { gadriel } from '../../../../lib/families/gadriel/index.ts';
import { Sessions } from '../../../../lib/families/gadriel/domain/tier2/sessions.ts';
import { createServer } from '../../../../lib/mcp/create-server.ts';
import { served, type Reply } from '../support/served.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const scanned = { findings: [], lineCounts: new Map<string, number>() };
const isUnknown = (id: string): object => ({ name: 'InvalidParams', message: `session expired or unknown: ${id}` });

describe('Sessions', () => {
  it('give a scan back once', () => {
    const sessions = new Sessions();
    const [one, other] = [sessions.open(scanned, 0), sessions.open(scanned, 0)];
    assert.match(one, /^tier2-session-[1-9]\d*$/);
    assert.notEqual(one, other);
    assert.equal(sessions.take(one, 1), scanned);
    assert.throws(() => sessions.take(one, 1), isUnknown(one));
    assert.equal(sessions.take(other, 1), scanned);
  });

  it('last 120 seconds', () => {
    const sessions = new Sessions();
    const [late, intime] = [sessions.open(scanned, 5_000), sessions.open(scanned, 5_000)];
    assert.equal(sessions.take(intime, 124_999), scanned);
    assert.throws(() => sessions.take(late, 125_000), isUnknown(late));
  });

  it('are 64 at most: the oldest goes first', () => {
    const sessions = new Sessions();
    const ids = Array.from({ length: 65 }, (_, index) => sessions.open(scanned, index));
    assert.throws(() => sessions.take(ids[0] as string, 70), isUnknown(ids[0] as string));
    for (const id of ids.slice(1)) assert.equal(sessions.take(id, 70), scanned);
  });

  it('name a hostile id in safe and short words', () => {
    assert.throws(() => new Sessions().take(`\u001b[2J${'x'.repeat(1_000)}`, 0), ({ message }: Error) => message.length < 150 && !message.includes('\u001b'));
  });
});

describe('tier 2 of a server', () => {
  const temp = tempFolder();
  temp.folder('.git');
  temp.write('src/db.py', 'import sys, sqlite3\n\nsqlite3.connect("a").execute("select " + sys.argv[1])\r\nx = 1');
  let clock = 1_000_000;
  const open = (env: Record<string, string>): ((name: string, args: unknown) => Promise<Reply>) => {
    const server = createServer({ name: 'gadriel', version: '0', families: [gadriel()], cwd: temp.root, env, now: () => clock });
    after(() => server.close());
    return async (name, args) => JSON.parse((await server.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: args }))) as string) as Reply;
  };
  const on = open({ GADRIEL_TIER2: '1' });
  const other = open({ GADRIEL_TIER2: '1' });
  const claim = { cwe: 'CWE-89', severity: 'high', file: 'src/db.py', line: 3, rationale: 'argv flows into execute', confidence: 'low', kind: 'new_finding' };

  it('asks for findings of the model after validate_file', async () => {
    const { result } = await on('validate_file', { file_path: 'src/db.py' });
    const { session_id, schema, ...request } = result.tier2_request;
    const [{ finding_id, cwe, severity }] = result.findings;
    assert.match(session_id, /^tier2-session-\d+$/);
    assert.deepEqual(request, {
      expires_in_s: 120, candidate_files: ['src/db.py'], deterministic: [{ finding_id, cwe, file: 'src/db.py', line: 3, severity }], submit_tool: 'submit_ai_findings',
    });
    assert.deepEqual(Object.keys(schema.properties), Object.keys(claim));
    assert.deepEqual(Object.keys(result), ['findings', 'count', 'tier2_request']);
  });

  it('fuses what the model submits, once', async () => {
    const { result } = await on('validate_file', { file_path: 'src/db.py' });
    const { session_id } = result.tier2_request;
    const submission = { session_id, ai_findings: [claim, { ...claim, cwe: 'CWE-862', line: 4 }, { ...claim, line: 5 }, 7], mode: 'advisory' };
    const first = (await on('submit_ai_findings', submission)).result;
    assert.deepEqual(Object.keys(first), ['findings', 'tier2_applied', 'report']);
    assert.deepEqual(first.report, { corroborated: 1, contested: 0, advisory_added: 1, rejected_count: 1, malformed_skipped: 1 });
    assert.deepEqual([first.tier2_applied, first.findings.length, first.findings[0].finding_id], [true, 2, result.findings[0].finding_id]);
    const { error } = await on('submit_ai_findings', submission);
    assert.deepEqual(error, { code: -32602, message: `session expired or unknown: ${session_id}` });
  });

  it('knows lines and label of a buffer', async () => {
    const { result } = await on('validate_buffer', { content: 'a = 1\nb = 2\n', file_path: 'src\\new.py' });
    const { session_id, candidate_files } = result.tier2_request;
    assert.deepEqual(candidate_files, ['src/new.py']);
    const ai_findings = [1, 2, 3].map((line) => ({ ...claim, file: 'src/new.py', line }));
    const { report } = (await on('submit_ai_findings', { session_id, ai_findings })).result;
    assert.deepEqual([report.advisory_added, report.rejected_count], [2, 1]);
    const empty = (await on('validate_buffer', { content: '', file_path: 'src/new.py' })).result.tier2_request.session_id;
    assert.equal((await on('submit_ai_findings', { session_id: empty, ai_findings })).result.report.rejected_count, 3);
  });

  it('ends a session by a failing submission, by time, and for others not at all', async () => {
    const ask = async (): Promise<string> => (await on('validate_file', { file_path: 'src/db.py' })).result.tier2_request.session_id;
    const burned = await ask();
    assert.deepEqual((await on('submit_ai_findings', { session_id: burned, ai_findings: [], mode: 'all' })).error, { code: -32602, message: 'mode must be advisory or corroborate_only' });
    assert.equal((await on('submit_ai_findings', { session_id: burned, ai_findings: [] })).error.message, `session expired or unknown: ${burned}`);
    const late = await ask();
    clock += 120_000;
    assert.equal((await on('submit_ai_findings', { session_id: late, ai_findings: [] })).error.message, `session expired or unknown: ${late}`);
    const mine = await ask();
    assert.equal((await other('submit_ai_findings', { session_id: mine, ai_findings: [] })).error.code, -32602);
    assert.equal((await on('submit_ai_findings', { session_id: mine, ai_findings: [] })).result.tier2_applied, true);
  });

  const bad: readonly unknown[] = [{}, { session_id: 'x' }, { session_id: 7, ai_findings: [] }, { session_id: 'x', ai_findings: {} }, { session_id: 'x', ai_findings: [], mode: 1 }];
  for (const args of bad) {
    it(`refuses ${JSON.stringify(args)} by -32602`, async () => assert.equal((await on('submit_ai_findings', args)).error.code, -32602));
  }

  for (const env of [{}, { GADRIEL_TIER2: '0' }, { GADRIEL_TIER2: 'true' }, { GADRIEL_TIER2: '' }] as Record<string, string>[]) {
    it(`is off with ${JSON.stringify(env)}`, async () => {
      const off = open(env);
      for (const [tool, args] of [['validate_file', { file_path: 'src/db.py' }], ['validate_buffer', { content: 'x', file_path: 'a.py' }]] as const) {
        assert.equal((await off(tool, args)).result.tier2_request, null);
      }
      assert.equal((await off('submit_ai_findings', { session_id: 'tier2-session-1', ai_findings: [] })).error.message, 'session expired or unknown: tier2-session-1');
    });
  }

  it('answers an unknown session the same way through tools/call', async () => {
    const { error } = await served(temp.root).call('submit_ai_findings', { session_id: 'x', ai_findings: [claim] });
    assert.deepEqual(error, { code: -32602, message: 'session expired or unknown: x' });
  });
});
