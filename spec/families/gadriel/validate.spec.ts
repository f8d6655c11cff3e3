import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gadriel } from '../../../lib/families/gadriel/index.ts';
import { createServer } from '../../../lib/mcp/create-server.ts';
import { githubToken, sampleSecrets } from './support/sample-secrets.ts';
import { served } from './support/served.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const flaw = 'import os, sys\nos.system("ls " + sys.argv[1])\n';
const findingKeys = [
  'finding_id', 'rule_id', 'title', 'message', 'severity', 'confidence', 'confidence_score', 'cwe', 'file', 'line', 'end_line', 'column', 'end_column',
  'remediation', 'pillar', 'scan_type', 'owasp', 'tags', 'source', 'fingerprint', 'trace', 'waived',
];
// In the order of the reference.
const toolNames = [
  'validate_buffer', 'validate_file', 'findings_for_path', 'fix_finding', 'dismiss_false_positive', 'submit_ai_findings', 'start_remediation_campaign', 'campaign_advance',
];

describe('the tools of gadriel', () => {
  const temp = tempFolder();
  temp.folder('.git');
  temp.write('src/auth.py', flaw);
  temp.write('src/clean.py', 'x = 1\n');
  temp.write('notes.md', `token: ${githubToken(3)}\n`);
  const { ask, call } = served(temp.root);

  it('are listed with open schemas and as read-only', async () => {
    const { result } = await ask('tools/list');
    assert.deepEqual(result.tools.map((tool: { name: string }) => tool.name), toolNames);
    for (const { name, inputSchema, annotations } of result.tools) {
      assert.equal(inputSchema.additionalProperties, true, name);
      if (!name.startsWith('validate_')) continue;
      assert.deepEqual([annotations.readOnlyHint, annotations.destructiveHint, annotations.idempotentHint, annotations.openWorldHint], [true, false, true, false]);
    }
  });

  it('answer validate_buffer in the shape that is documented', async () => {
    const { result } = await call('validate_buffer', { content: 'import os\npassword = "hunter2"\n', file_path: 'src/config.py' });
    assert.deepEqual(Object.keys(result).sort(), ['content', 'structuredContent']);
    assert.deepEqual(result.content, [{ type: 'text', text: JSON.stringify(result.structuredContent) }]);
    const report = result.structuredContent;
    assert.deepEqual(Object.keys(report), ['findings', 'count', 'language_coverage', 'tier2_request']);
    assert.deepEqual([report.count, report.language_coverage, report.tier2_request], [1, null, null]);
    const [finding] = report.findings;
    assert.deepEqual(Object.keys(finding), findingKeys);
    assert.match(finding.finding_id, /^CODE-W1-SECRET-076:[0-9a-f]{8}$/);
    assert.deepEqual([finding.file, finding.line, finding.column, finding.end_line, finding.end_column], ['src/config.py', 2, 13, 2, 20]);
    assert.deepEqual([finding.severity, finding.confidence, finding.confidence_score, finding.cwe], ['medium', 'low', 35, 'CWE-798']);
    assert.deepEqual([finding.pillar, finding.scan_type, finding.source, finding.waived], ['security', 'secrets', 'deterministic', false]);
  });

  it('answer validate_file in the same shape but for the language coverage', async () => {
    const { result } = await call('validate_file', { file_path: 'src/auth.py' });
    const report = result.structuredContent;
    assert.deepEqual(Object.keys(report), ['findings', 'count', 'tier2_request']);
    assert.deepEqual([report.count, report.tier2_request], [1, null]);
    const [finding] = report.findings;
    assert.deepEqual(Object.keys(finding), findingKeys);
    assert.deepEqual([finding.rule_id, finding.file, finding.line, finding.severity, finding.cwe, finding.scan_type], ['CODE-W1-L3-003', 'src/auth.py', 2, 'critical', 'CWE-78', 'sast']);
    assert.ok(finding.trace.length > 0 && finding.owasp.length > 0);
    for (const { line, note } of finding.trace) assert.ok(line === 1 || line === 2, note);
  });

  it('answer an empty list for clean code', async () => {
    assert.deepEqual((await call('validate_file', { file_path: 'src/clean.py' })).result.structuredContent, { findings: [], count: 0, tier2_request: null });
    assert.deepEqual((await call('validate_buffer', { content: '', file_path: '' })).result.structuredContent, {
      findings: [], count: 0, language_coverage: { language: 'unknown', sast: false, secrets: true }, tier2_request: null,
    });
  });

  it('tell how far a language is covered', async () => {
    const coverage = async (file_path: string, content = '{}'): Promise<unknown> => (await call('validate_buffer', { content, file_path })).result.structuredContent.language_coverage;
    assert.equal(await coverage('a.py'), null);
    assert.deepEqual(await coverage('a.go'), { language: 'go', sast: false, secrets: true });
    assert.deepEqual(await coverage('a.ipynb'), { language: 'jupyter', sast: false, secrets: true });
    const cells = [{ cell_type: 'code', source: 'x = 1' }];
    assert.deepEqual(await coverage('a.ipynb', JSON.stringify({ cells })), { language: 'jupyter', sast: true, secrets: true });
    const julia = { metadata: { kernelspec: { language: 'julia', name: 'julia-1.10' } }, cells };
    assert.deepEqual(await coverage('a.ipynb', JSON.stringify(julia)), { language: 'jupyter', sast: false, secrets: true });
  });

  it('say how many findings did not fit the answer', async () => {
    const content = Array.from({ length: 400 }, (_, index) => `t${index} = "${githubToken(index)}"`).join('\n');
    const { result } = await call('validate_buffer', { content, file_path: 'a.py' });
    const { findings, count, truncated } = result.structuredContent;
    assert.equal(count, 400);
    assert.equal(findings.length + truncated, 400);
    assert.ok(truncated > 0 && JSON.stringify(findings).length <= 102_402);
  });

  it('ignore arguments that they do not know', async () => {
    const { result } = await call('validate_file', { file_path: 'src/clean.py', repo_root: '/', tier2: true });
    assert.equal(result.structuredContent.count, 0);
  });

  it('answer a file that can not be scanned with ToolFailed, a result', async () => {
    const { result } = await call('validate_file', { file_path: 'src/missing.py' });
    const reason = 'the file does not exist';
    assert.deepEqual(result, {
      content: [{ type: 'text', text: `ToolFailed: ${reason}` }],
      structuredContent: { error: 'ToolFailed', tool: 'validate_file', reason },
      isError: true,
    });
  });

  it('answer a direct invocation with the bare value', async () => {
    const viaCall = await call('validate_file', { file_path: 'src/auth.py' });
    assert.deepEqual((await ask('validate_file', { file_path: 'src/auth.py' })).result, viaCall.result.structuredContent);
    assert.equal((await ask('validate_buffer', { content: flaw, file_path: 'a.py' })).result.count, 1);
  });

  it('answer ToolFailed of a direct invocation as an error', async () => {
    assert.deepEqual((await ask('validate_file', { file_path: '.' })).error, {
      code: -32603,
      message: 'ToolFailed: the path is a folder: give the path of one file',
      data: { kind: 'ToolFailed', tool: 'validate_file', reason: 'the path is a folder: give the path of one file' },
    });
  });

  const bad: readonly (readonly [string, unknown, RegExp])[] = [
    ['validate_file', {}, /file_path/],
    ['validate_file', { file_path: 7 }, /file_path/],
    ['validate_file', { file_path: null }, /file_path/],
    ['validate_buffer', { file_path: 'a.py' }, /content/],
    ['validate_buffer', { content: 'x' }, /file_path/],
    ['validate_buffer', { content: ['x'], file_path: 'a.py' }, /content/],
  ];
  for (const [tool, args, words] of bad) {
    it(`refuse ${tool} with ${JSON.stringify(args)} by -32602, called either way`, async () => {
      for (const { error } of [await call(tool, args), await ask(tool, args)]) {
        assert.equal(error.code, -32602);
        assert.match(error.message, words);
        assert.ok(error.data.issues.length > 0);
      }
    });
  }

  it('never answer a secret, however the file is named and wherever the secret stands', async () => {
    const samples = sampleSecrets(5);
    const content = samples.map(({ line }, index) => `${line}\nopen(input() + "${samples[index]?.secret}")  # ${samples[index]?.secret}\n`).join('');
    temp.write('leaks.py', content);
    const replies = [
      await call('validate_buffer', { content, file_path: 'src/a.py' }), await call('validate_buffer', { content, file_path: 'a.ini' }),
      await ask('validate_buffer', { content, file_path: 'a.js' }), await call('validate_file', { file_path: 'leaks.py' }),
    ];
    for (const reply of replies) {
      assert.ok((reply.result.structuredContent ?? reply.result).count >= 5);
      for (const { secret } of samples) assert.ok(!JSON.stringify(reply).includes(secret), secret);
    }
  });

  it('go on in one server when another one of the process is closed', async () => {
    const other = createServer({ name: 'other', version: '0', families: [gadriel()], cwd: temp.root });
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'validate_buffer', params: { content: flaw.repeat(3_000), file_path: 'a.py' } });
    assert.ok((await other.handle(line))?.includes('"count":3000'));
    const running = call('validate_buffer', { content: flaw.repeat(3_000), file_path: 'a.py' });
    await other.close();
    assert.equal((await running).result.structuredContent.count, 3_000);
  });

  it('echo a hostile label as data only, never in words', async () => {
    const label = 'a\u001b[2J\u202e\ud800\\b.py';
    const { result } = await call('validate_buffer', { content: flaw, file_path: label });
    const [finding] = result.structuredContent.findings;
    assert.equal(finding.file, 'a\u001b[2J\u202e\ud800/b.py');
    for (const text of [finding.title, finding.message, finding.remediation]) assert.doesNotMatch(text, /[\p{Cc}\p{Cf}\p{Cs}]/u);
    const { error } = await ask('validate_file', { file_path: '\u001b[2J\u202e' });
    assert.doesNotMatch(error.message, /[\p{Cc}\p{Cf}]/u);
  });
});
