import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, readdirSync } from 'node:fs';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gadriel } from '../../../../lib/families/gadriel/index.ts';
import { openClient } from '../../../support/in-process.ts';
import { call, cancel } from '../../../support/server-process.ts';
import { runVerb } from '../support/run-verb.ts';
import { served } from '../support/served.ts';
import { scannedRepository } from './fix-kit.ts';

const source = 'import yaml\n\n\ndef read(text):\n    return yaml.load(text)\n';
const files = { 'a.py': source, 'sub/b.py': 'import subprocess\ndef f(b):\n    subprocess.run("a | " + b, shell=True)\n', 'esc.py': 'import yaml\nx = "\x1b[31m"\ndef f(t):\n    yaml.load(t)\n' };

/** Hashes of every file that is source. */
function hashes(root: string): Record<string, string> {
  const names = (readdirSync(root, { recursive: true }) as string[]).filter((name) => /\.py$/.test(name)).sort();
  return Object.fromEntries(names.map((name) => [name, createHash('sha256').update(readFileSync(path.join(root, name))).digest('hex')]));
}

describe('fix_finding', async () => {
  const { root, findings, git } = await scannedRepository(files);
  const id = findings.find(({ file }) => file === 'a.py')!.finding_id;
  const server = served(root, { GADRIEL_HOME: path.join(root, '.home') });
  const unchanged = hashes(root);

  it('answers a proposal where a runner is named', async () => {
    const { result } = await server.call('fix_finding', { finding_id: id, repo_root: root, runner_id: 'rules' });
    const proposal = JSON.parse(result.content[0].text);
    assert.deepEqual(Object.keys(proposal), ['status', 'runner_id', 'finding_id', 'diff', 'rationale', 'iterations_used', 'tool_calls', 'cost_usd', 'before_hash', 'after_hash']);
    assert.equal(proposal.status, 'proposed');
    git(['apply', '--check', '-'], proposal.diff);
  });

  it('answers a verdict where none is, in the repository of the working folder', async () => {
    for (const runner of [{}, { runner_id: null }]) {
      const { result } = await server.call('fix_finding', { finding_id: id, ...runner });
      assert.equal(JSON.parse(result.content[0].text).confirmation, 'real_risk');
    }
    assert.equal(readFileSync(path.join(root, '.security/audit-log.jsonl'), 'utf8').match(/"fix_proposed"/g)?.length, 2);
  });

  it('answers a refusal as a status, not as an error', async () => {
    for (const [runner_id, status] of [['nobody', 'no_agent'], ['claude', 'no_agent']]) {
      const { result } = await server.call('fix_finding', { finding_id: id, runner_id });
      assert.deepEqual([result.isError ?? false, JSON.parse(result.content[0].text).status], [false, status]);
    }
  });

  it('fails for an unknown finding and an unknown repository, and refuses wrong arguments', async () => {
    for (const args of [{ finding_id: 'nothing', runner_id: 'rules' }, { finding_id: 'nothing' }, { finding_id: id, repo_root: '/nonexistent' }]) {
      assert.match((await server.call('fix_finding', args)).result.content[0].text, /^ToolFailed: /);
    }
    for (const args of [{}, { finding_id: '' }, { finding_id: 7 }, { finding_id: id, runner_id: 7 }, { finding_id: id, runner_id: '' }, { finding_id: id, repo_root: '' }]) {
      assert.equal((await server.call('fix_finding', args)).error?.code, -32602, JSON.stringify(args));
    }
  });

  it('takes a folder inside a repository for the repository', async () => {
    const { result } = await server.call('fix_finding', { finding_id: id, repo_root: path.join(root, 'sub') });
    assert.equal(result.isError ?? false, false);
  });

  it('has written no source file by now', () => assert.deepEqual(hashes(root), unchanged));

  describe('while a runner works', () => {
    const waiting: ServerResponse[] = [];
    const api = createHttpServer((request, response) => void request.resume().on('end', () => waiting.push(response)));
    let env: Record<string, string> = {};
    before(async () => {
      await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
      env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`, GADRIEL_MCP_SOURCE_CONSENT: 'true', GADRIEL_HOME: path.join(root, '.home') };
    });
    after(() => {
      api.closeAllConnections();
      api.close();
    });
    const arrived = async (): Promise<ServerResponse> => {
      for (;;) {
        const response = waiting.shift();
        if (response !== undefined) return response;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };

    it('notifies of progress, lets other calls through, and aborts the request when it is cancelled', async () => {
      const client = openClient([gadriel()], { cwd: root, env });
      client.send(call(1, 'fix_finding', { finding_id: id, runner_id: 'claude' }, { progressToken: 'p' }));
      const progress = await client.message((message: any) => message.method === 'notifications/progress');
      assert.match((progress as any).params.message, /^claude: attempt 1 of 3$/);
      const response = await arrived();
      const other = await client.ask(call(2, 'findings_for_path', { path: 'a.py' }));
      assert.equal((other as any).result.structuredContent.count, 1);
      const closed = new Promise((resolve) => response.once('close', resolve));
      client.send(cancel(1));
      await closed;
      await client.server.close();
      assert.ok(!client.lines.some((line) => JSON.parse(line).id === 1));
    });
  });
});

describe('gadriel code fix', async () => {
  const { root, findings, git } = await scannedRepository(files);
  const idIn = (name: string): string => findings.find(({ file }) => file === name)!.finding_id;
  const run = (words: readonly string[], more: object = {}) => runVerb(['code', 'fix', ...words], { cwd: path.join(root, 'sub'), env: { PATH: '', GADRIEL_HOME: path.join(root, '.home') }, ...more });

  it('prints the diff alone, which git takes through a pipe', async () => {
    const { code, stdout, stderr } = await run([idIn('a.py')]);
    assert.equal(code, 0);
    git(['apply', '--check', '-'], stdout);
    assert.match(stdout, /^--- a\/a\.py\n\+\+\+ b\/a\.py\n@@ /);
    assert.match(stderr, /^The safe loader/);
  });

  it('prints the tool answer with --json', async () => {
    const { code, stdout } = await run([idIn('a.py'), '--json', '--runner', 'rules']);
    assert.deepEqual([code, JSON.parse(stdout).status], [0, 'proposed']);
  });

  it('shows a terminal no escape sequences of the file', async () => {
    const piped = await run([idIn('esc.py')]);
    const shown = await run([idIn('esc.py')], { isTTY: true });
    assert.ok(piped.stdout.includes('\x1b[31m') && !shown.stdout.includes('\x1b[31m') && shown.stdout.includes('\\x1b[31m'));
  });

  it('says on stderr why there is no diff, and exits 1', async () => {
    const { code, stdout, stderr } = await run([idIn('sub/b.py')]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^gadriel: declined: The command needs a shell/);
    const json = await run([idIn('sub/b.py'), '--json']);
    assert.deepEqual([json.code, JSON.parse(json.stdout).diff], [1, null]);
    assert.match((await run(['nothing'])).stderr, /^gadriel: no finding of the last scan has this id/);
  });

  it('dismisses a finding with --false-positive', async () => {
    const { code, stdout } = await run([idIn('sub/b.py'), '--false-positive', 'the command is ours']);
    assert.equal(code, 0);
    assert.match(stdout, /^dismissed CODE-W1-L3-017/);
    const waivers = readFileSync(path.join(root, '.gadriel-waivers.toml'), 'utf8');
    assert.match(waivers, /the command is ours/);
    assert.match(waivers, /created_by = "cli"/);
    const [home] = readdirSync(path.join(root, '.home/store/priors')).filter((name) => name.endsWith('.json'));
    assert.match(readFileSync(path.join(root, '.home/store/priors', home!), 'utf8'), /"beta": 2\b/);
    assert.equal(JSON.parse((await run([idIn('sub/b.py'), '--false-positive', 'again', '--json'])).stdout).logged, true);
  });

  for (const words of [[], ['a', 'b'], [''], ['a', '--false-positive', 'r', '--runner', 'rules'], ['a', '--nonsense']]) {
    it(`refuses the words ${JSON.stringify(words)}`, async () => {
      await assert.rejects(run(words), { name: 'UsageError' });
    });
  }

  it('ends without a word when it is stopped', async () => {
    const { code, stdout, stderr } = await run([idIn('a.py')], { signal: AbortSignal.abort() });
    assert.deepEqual([code, stdout, stderr], [1, '', '']);
  });

  it('works where nothing can be written', async (context) => {
    if (process.getuid?.() === 0) return context.skip('root may write everywhere');
    chmodSync(root, 0o500);
    const { code } = await run([idIn('a.py')]);
    chmodSync(root, 0o700);
    assert.equal(code, 0);
  });
});
