import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { noPrompt } from '../../../support/run-verb.ts';
import { cli } from '../../../../lib/families/gadriel/cli.ts';
import { gadriel } from '../../../../lib/families/gadriel/index.ts';
import { createServer } from '../../../../lib/mcp/create-server.ts';
import type { CliContext, Verb } from '../../../../lib/mcp/family.types.ts';
import { isUsageError } from '../../../../lib/terminal/usage-error.ts';
import { openClient } from '../../../support/in-process.ts';
import { launcher } from '../../../support/server-process.ts';
import { githubToken } from '../support/sample-secrets.ts';
import type { Reply } from '../support/served.ts';
import { tempFolder, type TempFolder } from '../../../support/temp-folder.ts';

const files: Readonly<Record<string, string>> = {
  'src/load.py': 'import yaml\n\n\ndef load(text):\n    return yaml.load(text)\n',
  'src/run.py': 'import subprocess, sys\nsubprocess.run("ls " + sys.argv[1], shell=True)\n',
  'src/hash.py': 'import hashlib\nprint(hashlib.md5(b"x").hexdigest())\nprint(hashlib.md5(b"x").hexdigest())\n',
  'src/crlf.py': 'import yaml\r\n\r\nyaml.load(open("a"))\r\n',
  'src/pickled.py': 'import pickle, sys\npickle.loads(sys.stdin.buffer.read())\n',
  'src/token.py': `token = "${githubToken(3)}"\n`,
};

function repository(temp: TempFolder): void {
  execFileSync('git', ['init', '-q', temp.root]);
  for (const [name, text] of Object.entries(files)) temp.write(name, text);
}

type Run = { readonly code: number; readonly stdout: string; readonly stderr: string };

async function run(cwd: string, verb: string, words: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  let [stdout, stderr] = ['', ''];
  const terminal: CliContext = {
    env: { HOME: cwd, GADRIEL_HOME: `${cwd}/.git/home`, ...env }, cwd, now: () => 1_000, random: (size) => new Uint8Array(size), signal: new AbortController().signal, prompt: noPrompt,
    stdin: { isTTY: false, read: async () => new Uint8Array() },
    stdout: { isTTY: false, write: (text) => void (stdout += text) },
    stderr: { isTTY: false, write: (text) => void (stderr += text) },
  };
  return { code: await (cli.verbs[verb] as Verb).run(words, terminal), stdout, stderr };
}

const apply = (cwd: string, diff: string): void => void execFileSync('git', ['apply', '-'], { cwd, input: diff });

describe('a campaign through the server', () => {
  const temp = tempFolder();
  repository(temp);
  const server = createServer({ name: 'gadriel', version: '0', families: [gadriel()], cwd: temp.root, env: { GADRIEL_HOME: temp.at('.git/home') } });
  after(() => server.close());
  let id = 0;
  const call = async (name: string, args: unknown): Promise<Reply> =>
    JSON.parse((await server.handle(JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name, arguments: args } }))) as string) as Reply;

  it('goes from the scan to the summary with the offline runner, the host applying each diff by git', async () => {
    assert.equal((await run(temp.root, 'code scan', ['.'])).code, 1);
    const started = (await call('start_remediation_campaign', { repo_root: temp.root, runner_id: 'rules' })).result.structuredContent;
    assert.equal(started.total, 7);
    const { campaign_id } = started;
    const outcomes: Record<string, string> = {};
    let answer = (await call('campaign_advance', { campaign_id, repo_root: temp.root, applied: null, after_hash: null, reason: null })).result.structuredContent;
    for (let step = 0; step < 12 && answer.status === 'in_progress'; step++) {
      const { finding_id, proposed_fix } = answer;
      const file = /^\+\+\+ b\/(.*)$/m.exec(proposed_fix.diff)?.[1] ?? '';
      const args: Record<string, unknown> = { campaign_id, applied: true };
      if (file === 'src/run.py' && outcomes[file] === undefined) temp.write(file, `${files[file]}eval(sys.argv[2])\n`);
      else if (file === 'src/load.py') Object.assign(args, { applied: false, reason: 'the tags are needed' });
      else if (file === 'src/crlf.py' && outcomes[file] === undefined) temp.write(file, `import yaml\r\n\r\nyaml.load(open("a"))  # gadriel:ignore[CODE-W1-L3-029] no\r\n`);
      else {
        apply(temp.root, proposed_fix.diff);
        const now = createHash('sha256').update(readFileSync(temp.at(file))).digest('hex');
        assert.equal(proposed_fix.after_hash, now);
        args['after_hash'] = now;
      }
      outcomes[file] = finding_id;
      answer = (await call('campaign_advance', args)).result.structuredContent;
    }
    assert.equal(answer.status, 'campaign_complete');
    // Of two equal lines each is mended for itself; a line that was silenced is not mended, and then is; no template has pickle.
    assert.deepEqual(answer.summary, {
      total: 7, cost_usd: 0, by_status: answer.summary.by_status, regressed: [outcomes['src/run.py'], ...answer.summary.regressed.slice(1)],
    });
    const { by_status } = answer.summary as { by_status: Record<string, number> };
    assert.equal(by_status['verified'], readStatuses(temp, campaign_id).filter(([, status]) => status === 'verified').length);
    assert.deepEqual(readStatuses(temp, campaign_id).filter(([file]) => file !== 'src/crlf.py'), [
      ['src/hash.py', 'verified'], ['src/hash.py', 'verified'], ['src/token.py', 'verified'], ['src/load.py', 'waived'], ['src/pickled.py', 'skipped_no_agent'], ['src/run.py', 'regressed'],
    ].sort());
    assert.ok(!existsSync(temp.at('.security/campaigns/.lock')));
    const again = (await call('campaign_advance', { campaign_id, applied: true })).result.structuredContent;
    assert.deepEqual(again, answer);
  });

  it('starts after a dismissal that was sent before it, and leaves out what that waived', async () => {
    const { findings } = (await call('findings_for_path', { path: 'src/pickled.py', repo_root: temp.root })).result.structuredContent;
    assert.equal(findings.length, 1);
    const [{ finding_id }] = findings;
    const [dismissed, started] = await Promise.all([
      call('dismiss_false_positive', { finding_id, reason: 'trusted input', repo_root: temp.root }),
      call('start_remediation_campaign', { finding_ids: [finding_id] }),
    ]);
    assert.equal(dismissed.result.structuredContent.logged, true);
    assert.equal(started.result.structuredContent.total, 0);
  });

  it('tells how far it is, in numbers that grow', async () => {
    const client = openClient([gadriel()], { cwd: temp.root, env: { GADRIEL_HOME: temp.at('.git/home') } });
    const { campaign_id } = (await call('start_remediation_campaign', { rule_id: ['CODE-W1-L3-017', 'CODE-W1-SECRET-004'], runner_id: 'rules', force: true })).result.structuredContent;
    const params = { name: 'campaign_advance', arguments: { campaign_id }, _meta: { progressToken: 't' } };
    const answer = await client.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
    await client.server.close();
    assert.ok(answer['result'].isError === undefined, JSON.stringify(answer));
    const told = client.lines.map((line) => JSON.parse(line)).filter(({ method }) => method === 'notifications/progress').map((each) => each.params.progress as number);
    assert.ok(told.length >= 2 && told.every((each, index) => index === 0 || each > (told[index - 1] as number)), String(told));
  });

  const bad: readonly (readonly [string, unknown, RegExp])[] = [
    ['start_remediation_campaign', { severity: 'high' }, /severity/],
    ['start_remediation_campaign', { severity: ['High'] }, /^severity has the unknown word "High": use critical/],
    ['start_remediation_campaign', { repo_root: '' }, /repo_root is empty/],
    ['start_remediation_campaign', { force: 'yes' }, /force/],
    ['campaign_advance', {}, /campaign_id/],
    ['campaign_advance', { campaign_id: 'campaign-1', applied: 'yes' }, /applied/],
    ['campaign_advance', { campaign_id: 'campaign-1', applied: false }, /^reason is needed/],
  ];
  for (const [tool, args, message] of bad) {
    it(`refuses ${tool} with ${JSON.stringify(args)} by -32602`, async () => {
      const { error } = await call(tool, args);
      assert.equal(error.code, -32602);
      assert.match(error.message, message);
    });
  }

  it('refuses an unknown campaign and a missing repository with ToolFailed', async () => {
    const reasonOf = async (args: object): Promise<string> => (await call('campaign_advance', args)).result.structuredContent.reason;
    assert.equal(await reasonOf({ campaign_id: 'campaign-1' }), 'there is no campaign campaign-1 in .security/campaigns');
    assert.equal(await reasonOf({ campaign_id: 'campaign-1', repo_root: '/nowhere' }), 'the repository does not exist');
  });
});

function readStatuses(temp: TempFolder, id: string): (readonly [string, string])[] {
  const { items } = JSON.parse(readFileSync(temp.at(`.security/campaigns/${id}.json`), 'utf8')) as { items: { file: string; status: string }[] };
  return items.map(({ file, status }) => [file, status] as const).sort();
}

describe('gadriel code campaign', () => {
  const temp = tempFolder();
  repository(temp);
  const start = 'code campaign start';
  const advance = 'code campaign advance';

  it('needs a scan first', async () => {
    const { code, stdout, stderr } = await run(temp.root, start, []);
    assert.deepEqual([code, stdout, stderr.startsWith('gadriel: ')], [1, '', true]);
  });

  it('starts a campaign and prints diffs that git takes, then its summary on stderr', async () => {
    await run(temp.root, 'code scan', ['.']);
    const started = await run(temp.root, start, ['--rule', 'CODE-W1-CRYPTO-001', '--rule', 'CODE-W1-CRYPTO-002', '--scan-type', 'sast', '--runner', 'rules']);
    assert.match(started.stdout, /^campaign-1000: 2 findings\n(?: {2}CODE-\S+\n){2}Next: gadriel code campaign advance campaign-1000\n$/);
    let last = await run(temp.root, advance, ['campaign-1000']);
    for (let step = 0; step < 6 && last.stdout !== ''; step++) {
      assert.match(last.stderr, /^CODE-\S+: .+\nApply the diff, then: gadriel code campaign advance campaign-1000 --applied\n$/);
      apply(temp.root, last.stdout);
      last = await run(temp.root, advance, ['campaign-1000', '--applied']);
    }
    assert.deepEqual(last, { code: 0, stdout: '', stderr: 'campaign-1000 is complete: 2 finding(s), $0\n  2 verified\n' });
    const json = JSON.parse((await run(temp.root, advance, ['campaign-1000', '--json'])).stdout);
    assert.deepEqual(json.summary, { total: 2, cost_usd: 0, by_status: { verified: 2 }, regressed: [] });
  });

  it('sums up what regressed, what is not proven and what is of unknown cost', async () => {
    const name = '.security/campaigns/campaign-1000.json';
    const campaign = JSON.parse(readFileSync(temp.at(name), 'utf8')) as { items: { finding_id: string; status: string }[] };
    const items = campaign.items.map((item, index) => ({ ...item, status: index === 0 ? 'regressed' : 'verified_partial' }));
    temp.write('.security/campaigns/campaign-900.json', JSON.stringify({ ...campaign, campaign_id: 'campaign-900', items, cost_usd: 0.5, cost_unknown: 1 }));
    assert.equal((await run(temp.root, advance, ['campaign-900'])).stderr, [
      'campaign-900 is complete: 2 finding(s), $0.5, and 1 run(s) of unknown cost', '  1 verified_partial', '  1 regressed', `  regressed: ${items[0]?.finding_id}`,
      '  1 item(s) marked verified_partial: a re-scan of one file proves only secrets and Python code; check these by a full scan', '',
    ].join('\n'));
  });

  it('waives what is declined', async () => {
    const { stdout } = await run(temp.root, start, ['--finding', 'CODE-W1-L3-017', '--json']);
    const { campaign_id, total } = JSON.parse(stdout);
    assert.equal(total, 1);
    await run(temp.root, advance, [campaign_id, '--repo', temp.at('src')]);
    const { stderr } = await run(temp.root, advance, [campaign_id, '--declined', 'only admins']);
    assert.match(stderr, /\n {2}1 waived\n {2}waived: CODE-\S+ at src\/run\.py:2: only admins\n$/);
    assert.match(readFileSync(temp.at('.gadriel-waivers.toml'), 'utf8'), /reason = "only admins"/);
    assert.equal((await run(temp.root, start, ['--severity', 'info'])).stdout, 'campaign-1002: no finding fits, nothing to do\n');
  });

  it('is refused in one line', async () => {
    assert.deepEqual(await run(temp.root, advance, ['campaign-7\u001b']), { code: 1, stdout: '', stderr: 'gadriel: there is no campaign campaign-7\\x1b in .security/campaigns\n' });
  });

  const usage: readonly (readonly [string, readonly string[], RegExp])[] = [
    [start, ['src'], /takes no words/],
    [start, ['--severity', 'dire'], /unknown word "dire"/],
    [advance, [], /needs one id/],
    [advance, ['a', 'b'], /needs one id/],
    [advance, ['a', '--applied', '--declined', 'x'], /can not both be/],
    [advance, ['a', '--after-hash', 'x'], /needs --applied/],
    [advance, ['a', '--declined', ' '], /^reason is needed/],
  ];
  for (const [verb, words, reason] of usage) {
    it(`refuses ${verb} ${words.join(' ')} as wrong usage`, () => assert.rejects(run(temp.root, verb, words), (error) => isUsageError(error) && reason.test(error.message)));
  }

  it('keeps the campaign as it was where the disk takes no more', { skip: process.platform === 'win32' }, async () => {
    temp.write('many.py', `import sys\n${Array.from({ length: 24 }, (_, index) => `eval(sys.argv[${index}])\n`).join('')}`);
    await run(temp.root, 'code scan', ['.']);
    assert.match((await run(temp.root, start, ['--severity', 'critical', '--severity', 'high', '--repo', '.'])).stdout, /^campaign-\d+: \d\d findings\n(?: {2}CODE-\S+\n){5} {2}… and \d+ more\n/);
    const { campaign_id } = JSON.parse((await run(temp.root, start, ['--json', '--force', '--runner', 'nobody'])).stdout);
    const file = temp.at(`.security/campaigns/${campaign_id}.json`);
    const before = readFileSync(file, 'utf8');
    const words = [...launcher, 'gadriel', 'code', 'campaign', 'advance', campaign_id].map((word) => `'${word}'`).join(' ');
    const script = `ulimit -f 8; exec '${process.execPath}' ${words}`;
    const { status, stderr } = spawnSync('sh', ['-c', script], { cwd: temp.root, encoding: 'utf8', env: { PATH: process.env['PATH'], GADRIEL_HOME: temp.at('.git/home') } });
    assert.equal(status, 1);
    assert.match(stderr, /^gadriel: .*can not be written: the limit for the size of files is reached\n$/);
    assert.equal(readFileSync(file, 'utf8'), before);
    assert.match((await run(temp.root, advance, [campaign_id])).stderr, /is complete/);
  });
});
