import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { noPrompt } from '../../../support/run-verb.ts';
import { cli } from '../../../../lib/families/gadriel/cli.ts';
import { submitHelp } from '../../../../lib/families/gadriel/cli/help/submit.ts';
import { severities } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import { aiFindingSchema, aiKinds } from '../../../../lib/families/gadriel/domain/tier2/ai-findings.ts';
import { gadriel } from '../../../../lib/families/gadriel/index.ts';
import { createServer } from '../../../../lib/mcp/create-server.ts';
import type { CliContext, Verb } from '../../../../lib/mcp/family.types.ts';
import { isUsageError } from '../../../../lib/terminal/usage-error.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

describe('gadriel code submit', () => {
  const temp = tempFolder();
  temp.folder('.git');
  temp.write('src/db.py', 'import sys, sqlite3\n\nsqlite3.connect("a").execute("select " + sys.argv[1])\n');
  temp.write('src/other.py', 'x = 1\n');
  const claim = { cwe: 'CWE-89', severity: 'high', file: 'src/db.py', line: 3, rationale: 'argv flows into execute', confidence: 'low', kind: 'new_finding' };
  const ai_findings = [claim, { ...claim, cwe: 'CWE-862', line: 1 }, { ...claim, file: 'src/other.py', line: 1 }, { ...claim, file: '../../etc/passwd' }, { ...claim, file: 'missing.py' }, null];
  temp.write('list.json', JSON.stringify(ai_findings));
  temp.write('args.json', JSON.stringify({ session_id: 'tier2-session-1', ai_findings, mode: 'corroborate_only' }));

  async function run(words: readonly string[], stdin = ''): Promise<{ code: number; stdout: string; stderr: string }> {
    let [stdout, stderr] = ['', ''];
    const terminal: CliContext = {
      env: { GADRIEL_HOME: temp.at('.git/home') }, cwd: temp.root, now: () => 0, random: (size) => new Uint8Array(size), signal: new AbortController().signal, prompt: noPrompt,
      stdin: { isTTY: false, read: async () => Buffer.from(stdin) },
      stdout: { isTTY: false, write: (text) => void (stdout += text) },
      stderr: { isTTY: false, write: (text) => void (stderr += text) },
    };
    return { code: await (cli.verbs['code submit'] as Verb).run(words, terminal), stdout, stderr };
  }
  const reportOf = async (words: readonly string[], stdin?: string): Promise<unknown> => JSON.parse((await run([...words, '--json'], stdin)).stdout).report;

  it('scans the files that the findings name, inside of the repository', async () => {
    const { code, stdout, stderr } = await run(['list.json', '--json']);
    const { findings, tier2_applied, report } = JSON.parse(stdout);
    assert.deepEqual([code, stderr.split('\n').length, tier2_applied, findings.length], [0, 4, true, 3]);
    assert.deepEqual(report, { corroborated: 1, contested: 0, advisory_added: 2, rejected_count: 2, malformed_skipped: 1 });
  });

  it('scans the sources that are named, and no others', async () => {
    assert.deepEqual(await reportOf(['list.json', 'src/db.py', './src/db.py']), { corroborated: 1, contested: 0, advisory_added: 1, rejected_count: 3, malformed_skipped: 1 });
  });

  it('follows the settings of the repository, and does not pass over broken ones', async () => {
    temp.write('.gadriel.toml', '[rules]\nL3-014 = "off"\n');
    assert.deepEqual(await reportOf(['list.json', 'src/db.py']), { corroborated: 0, contested: 0, advisory_added: 2, rejected_count: 3, malformed_skipped: 1 });
    temp.write('.gadriel.toml', '[rules]\nL3-014 = "of"\n');
    for (const words of [['list.json'], ['list.json', 'src/db.py']]) {
      const { code, stderr } = await run(words);
      assert.equal(code, 1);
      assert.match(stderr, /^gadriel: list\.json: \.gadriel\.toml, line 2: L3-014 must be/);
    }
    rmSync(temp.at('.gadriel.toml'));
  });

  it('takes the mode of the file, unless a flag says otherwise, and reads standard input', async () => {
    const kept = { corroborated: 1, contested: 0, advisory_added: 0, rejected_count: 4, malformed_skipped: 1 };
    assert.deepEqual(await reportOf(['args.json']), kept);
    assert.deepEqual(await reportOf(['-', '--mode', 'corroborate_only'], JSON.stringify(ai_findings)), kept);
    assert.deepEqual(await reportOf(['args.json', '--mode=advisory']), { ...kept, advisory_added: 2, rejected_count: 2 });
  });

  it('answers what the tool answers for the same scan', async () => {
    const server = createServer({ name: 'gadriel', version: '0', families: [gadriel()], cwd: temp.root, env: { GADRIEL_TIER2: '1', GADRIEL_HOME: temp.at('.git/home') }, now: () => 0 });
    after(() => server.close());
    const ask = async (method: string, params: unknown): Promise<any> => JSON.parse((await server.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))) as string).result;
    const { tier2_request } = await ask('validate_file', { file_path: 'src/db.py' });
    const viaTool = await ask('submit_ai_findings', { session_id: tier2_request.session_id, ai_findings });
    assert.deepEqual(JSON.parse((await run(['list.json', 'src/db.py', '--json'])).stdout), viaTool);
  });

  const dropped: readonly (readonly [unknown, string])[] = [
    [null, 'it is no object'],
    [{ ...claim, cwe: 89 }, 'cwe must be a text such as CWE-89'],
    [{ ...claim, severity: 'grave' }, 'severity must be one of critical, high, medium, low, info'],
    [{ ...claim, file: 1 }, 'file must be a text'],
    [{ ...claim, line: 0 }, 'line must be a number from 1'],
    [{ ...claim, line: '3' }, 'line must be a number from 1'],
    [{ ...claim, rationale: ' ' }, 'rationale must be a text that is not empty'],
    [{ ...claim, kind: 'new' }, 'kind must be one of new_finding, corroborate, contest'],
    [{ ...claim, confidence: 'sure' }, 'confidence must be one of high, medium, low'],
    [{ ...claim, cwe: 'CWE-\u001b' }, 'the CWE CWE-\\x1b is not known'],
    [{ ...claim, file: 'missing.py' }, 'missing.py was not scanned: name files as findings do, from the root of the repository'],
    [{ ...claim, line: 99 }, 'src/db.py has no line 99'],
    [{ ...claim, cwe: 'CWE-862', kind: 'contest' }, 'no finding of the scan is near that could be meant (kind contest)'],
  ];
  for (const [entry, why] of dropped) {
    it(`tells that an entry is dropped since ${why}`, async () => {
      const { code, stderr } = await run(['-', 'src/db.py', '--json'], JSON.stringify([claim, entry]));
      assert.deepEqual([code, stderr], [0, `gadriel: ai_findings[1] is dropped: ${why}\n`]);
    });
  }

  it('tells what the mode drops, and how many more than it lists', async () => {
    const other = { ...claim, cwe: 'CWE-862', line: 1 };
    assert.match((await run(['-', 'src/db.py', '--mode', 'corroborate_only'], JSON.stringify([other]))).stderr, /^gadriel: ai_findings\[0\] is dropped: [^\n]*corroborate_only adds none\n$/);
    assert.equal((await run(['-', 'src/db.py'], JSON.stringify(Array.from({ length: 53 }, () => claim)))).stderr, 'gadriel: 3 more of ai_findings are dropped; at most the 50 most severe are taken\n');
    const lines = (await run(['-', 'src/db.py'], JSON.stringify(Array.from({ length: 60 }, () => null)))).stderr.trimEnd().split('\n');
    assert.deepEqual([lines.length, lines.at(-1)], [51, 'gadriel: 10 more of ai_findings are dropped; at most the 50 most severe are taken']);
  });

  it('takes the example and the words of its help', async () => {
    const [, example = ''] = /echo '([^']+)'/.exec(submitHelp) ?? [];
    assert.deepEqual(await reportOf(['-', 'src/db.py'], example), { corroborated: 1, contested: 0, advisory_added: 0, rejected_count: 0, malformed_skipped: 0 });
    for (const word of [...aiKinds, ...severities, ...aiFindingSchema.required]) assert.match(submitHelp, new RegExp(`\\b${word}\\b`));
  });

  it('shows findings and counts to people', async () => {
    const { stdout } = await run(['list.json']);
    assert.match(stdout, /^src\/db\.py:1:1 {2}low {2}CODE-W1-AI-690 {2}CWE-862\n/);
    assert.match(stdout, /\n1 corroborated, 0 contested, 2 added as advisory, 2 rejected, 1 malformed\n$/);
  });

  const refused: readonly (readonly [string, readonly string[], string, RegExp])[] = [
    ['a missing file', ['nothing.json'], '', /^gadriel: nothing\.json: the file can not be read \(ENOENT\)\n$/],
    ['a file that is no JSON', ['src/db.py'], '', /no JSON in UTF-8/],
    ['an object without findings', ['-'], '{}', /neither a list of findings nor an object/],
    ['a word', ['-'], '"x"', /neither a list of findings nor an object/],
    ['a mode that is no text', ['-'], '{"ai_findings":[],"mode":1}', /mode is no text/],
    ['too much', ['-'], ' '.repeat(16 * 1024 * 1024 + 1), /larger than 16 MiB/],
    ['a source that is missing', ['list.json', 'nothing.py'], '', /the file does not exist/],
  ];
  for (const [what, words, stdin, message] of refused) {
    it(`refuses ${what} with exit code 1`, async () => {
      const { code, stdout, stderr } = await run(words, stdin);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, message);
    });
  }

  for (const [words, reason] of [[[], /needs a file/], [['list.json', '--mode', 'all'], /^mode must be advisory or corroborate_only$/], [['list.json', '--fix'], /unknown flag/]] as const) {
    it(`refuses ${JSON.stringify(words)} as wrong usage`, () => assert.rejects(run(words), (error) => isUsageError(error) && reason.test(error.message)));
  }
});
