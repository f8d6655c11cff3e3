import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { claudeCliRunner } from '../../../../lib/families/gadriel/domain/fix/runners/claude-cli-runner.ts';
import { proposeFix } from '../../../../lib/families/gadriel/domain/fix/propose.ts';
import { confirmFinding } from '../../../../lib/families/gadriel/domain/fix/verdict.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { partsOf, scannedRepository, surroundings } from './fix-kit.ts';

const answer = { decision: 'fix', rationale: 'A safe loader.', edits: [{ start_line: 2, end_line: 2, new_text: 'yaml.safe_load(text)' }] };

describe('the claude-cli runner', async () => {
  const { root, git } = await scannedRepository({ 'a.py': 'import yaml\nyaml.load(text)\n' });
  const folder = tempFolder();
  /** A program named claude with this body of shell. */
  const program = (name: string, body: string): string => {
    chmodSync(folder.write(`${name}/claude`, `#!/bin/sh\nout=${folder.at(name)}\n${body}\n`), 0o755);
    return folder.at(name);
  };
  const ask = (where: string, more: Readonly<Record<string, string>> = {}, signal?: AbortSignal) =>
    proposeFix({ root, findingId: 'CODE-W1-L3-029', runnerId: 'claude-cli' }, surroundings({ PATH: `relative:${where}:/usr/bin:/bin`, GADRIEL_MCP_SOURCE_CONSENT: 'true', ...more }, signal),
      partsOf(claudeCliRunner({ total: 1_500, grace: 200 })));
  const result = (value: object): string => `cat <<'END'\n${JSON.stringify({ type: 'result', is_error: false, total_cost_usd: 0.02, result: JSON.stringify(answer), ...value })}\nEND`;

  it('starts the program without a shell, in an empty folder, with the prompt as its input and little of the environment', async () => {
    const where = program('good', `printf '%s\\n' "$@" > $out/args\ncat > $out/prompt\nenv > $out/env\npwd > $out/pwd; ls -A > $out/ls\n${result({})}`);
    const proposal = await ask(where, { HOME: '/home/me', AWS_SECRET: 'x', ANTHROPIC_API_KEY: 'k', CLAUDE_CODE_X: '1', GADRIEL_MODEL: 'claude-opus-5; touch x' });
    assert.deepEqual([proposal.status, proposal.rationale, proposal.cost_usd], ['proposed', 'A safe loader.', 0.02]);
    git(['apply', '--check', '-'], proposal.diff!);
    const read = (name: string): string => readFileSync(path.join(where, name), 'utf8');
    assert.deepEqual(read('args').split('\n').slice(0, 8), ['-p', '--output-format', 'json', '--model', 'claude-opus-5; touch x', '--max-turns', '1', '--disallowedTools']);
    assert.match(read('args'), /Edit,.*Write,.*Bash/);
    assert.match(read('prompt'), /2: yaml\.load\(text\)/);
    const names = read('env').split('\n').map((line) => line.split('=')[0]);
    for (const kept of ['HOME', 'PATH', 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_X']) assert.ok(names.includes(kept), kept);
    for (const cut of ['AWS_SECRET', 'GADRIEL_MODEL', 'GADRIEL_MCP_SOURCE_CONSENT']) assert.ok(!names.includes(cut), cut);
    assert.equal(read('ls'), '');
    assert.ok(!existsSync(read('pwd').trim()));
  });

  it('asks again when the answer is not of the form, and tells what it was', async () => {
    const where = program('twice', `if [ -e $out/asked ]; then cat > $out/prompt; ${result({})}\nelse touch $out/asked; cat >/dev/null; ${result({ result: 'hm' })}\nfi`);
    assert.equal((await ask(where)).status, 'proposed');
    assert.match(readFileSync(path.join(where, 'prompt'), 'utf8'), /Your last answer was: hm\nThat is not usable/);
  });

  for (const [what, body, kind, retryable] of [
    ['reports an error', result({ is_error: true }), 'http', true], ['writes no JSON', 'echo hello', 'http', false],
    ['writes no result', result({ result: 7 }), 'http', false], ['ends without a word', 'exit 3', 'http', true],
    ['writes without end', 'yes', 'http', false], ['never ends', 'trap "" TERM\nsleep 100', 'timeout', true],
    ['kills itself', 'kill -9 $$', 'http', true],
  ] as const) {
    it(`fails with ${kind} when the program ${what}`, async () => {
      const proposal = await ask(program(what.replaceAll(' ', '-'), body));
      assert.deepEqual([proposal.status, proposal.error?.kind, proposal.error?.retryable], ['runner_failed', kind, retryable]);
    });
  }

  it('knows no cost where the program tells none', async () => {
    assert.equal((await ask(program('costless', result({ total_cost_usd: null })))).cost_usd, null);
  });

  it('ends the program and what it started when the request is cancelled', async () => {
    const abort = new AbortController();
    const where = program('slow', 'sleep 100 & echo $! > $out/child\nwait');
    const asked = ask(where, {}, abort.signal);
    const stopped = assert.rejects(asked, { name: 'AbortError' });
    while (!existsSync(path.join(where, 'child')) || readFileSync(path.join(where, 'child'), 'utf8') === '') await sleep(10);
    abort.abort();
    await stopped;
    const child = Number(readFileSync(path.join(where, 'child'), 'utf8'));
    for (let tries = 0; tries < 100 && isAlive(child); tries += 1) await sleep(20);
    assert.ok(!isAlive(child));
  });

  it('takes the answer of a program that leaves another one behind with its output open', async () => {
    const where = program('parent', `setsid sleep 100 & echo $! > $out/child\n${result({})}`);
    const start = performance.now();
    try {
      assert.equal((await ask(where)).status, 'proposed');
      assert.ok(performance.now() - start < 1_400);
    } finally {
      process.kill(Number(readFileSync(path.join(where, 'child'), 'utf8')), 'SIGKILL');
    }
  });

  it('gives up in time a program whose child keeps the output open', async () => {
    const where = program('keeper', 'setsid sleep 100 & echo $! > $out/child\ntrap "" TERM\nsleep 100');
    try {
      assert.equal((await ask(where)).error?.kind, 'timeout');
    } finally {
      process.kill(Number(readFileSync(path.join(where, 'child'), 'utf8')), 'SIGKILL');
    }
  });

  it('refuses an answer that has a key in it', async () => {
    const where = program('echo', result({ result: JSON.stringify({ ...answer, rationale: 'token-of-the-login' }) }));
    const proposal = await ask(where, { CLAUDE_CODE_OAUTH_TOKEN: 'token-of-the-login' });
    assert.deepEqual([proposal.status, proposal.error?.retryable, JSON.stringify(proposal).includes('token-of')], ['runner_failed', false, false]);
  });

  it('ends the program with this process', async () => {
    const where = program('orphan', 'echo $$ > $out/child\nexec sleep 100');
    const library = (name: string): string => new URL(`../../../../lib/families/gadriel/domain/fix/runners/${name}.js`, import.meta.url).href;
    const code = `import { spawn } from 'node:child_process'; import { existsSync, readFileSync } from 'node:fs'; import { outputOf } from '${library('program-output')}';
      void outputOf(spawn('${where}/claude', { detached: true, stdio: ['pipe', 'pipe', 'ignore'] }), '', new AbortController().signal, { total: 1e5, grace: 1e3 });
      setInterval(() => existsSync('${where}/child') && readFileSync('${where}/child', 'utf8') !== '' && process.exit(0), 10);`;
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { timeout: 10_000 });
    const child = Number(readFileSync(path.join(where, 'child'), 'utf8'));
    for (let tries = 0; tries < 100 && isAlive(child); tries += 1) await sleep(20);
    assert.ok(!isAlive(child));
  });

  it('is not available where no such program can be run', async () => {
    folder.write('plain/claude', 'no program');
    for (const where of [folder.at('plain'), folder.at('missing')]) assert.equal((await ask(where)).status, 'no_agent');
  });

  it('starts nothing for a fix without consent', async () => {
    const where = program('unasked', 'touch $out/started');
    assert.equal((await ask(where, { GADRIEL_MCP_SOURCE_CONSENT: '1' })).status, 'consent_required');
    assert.ok(!existsSync(path.join(where, 'started')));
  });

  it('judges findings too', async () => {
    const where = program('judge', result({ result: '{"confirmation":"real_risk","confirmation_rationale":"r","explanation":"e","effort":"low","additional_actions":["a"]}' }));
    const { confirm } = claudeCliRunner();
    const asked = { ...surroundings({ PATH: `${where}:/usr/bin:/bin`, GADRIEL_MCP_SOURCE_CONSENT: 'true', ANTHROPIC_API_KEY: 'k' }), exclusive: <T>(fn: () => Promise<T>): Promise<T> => fn() };
    const runner = { ...claudeCliRunner(), id: 'claude', confirm, propose: async () => ({ kind: 'declined', rationale: 'no', cost_usd: 0 }) as const };
    const verdict = await confirmFinding({ root, findingId: 'CODE-W1-L3-029' }, asked, partsOf(runner));
    assert.deepEqual([verdict.confirmation, verdict.additional_actions], ['real_risk', ['a']]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
