import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { makeFolder, pluginText, runProgram } from './run-program.ts';

const call = (id: number, name: string, args: object = {}): string => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })}\n`;
const ping = '{"jsonrpc":"2.0","id":9,"method":"ping"}\n';
const pong = '{"jsonrpc":"2.0","id":9,"result":{}}\n';

const gadriel = ['validate_buffer', 'validate_file', 'findings_for_path', 'fix_finding', 'dismiss_false_positive', 'submit_ai_findings', 'start_remediation_campaign', 'campaign_advance'];

describe('toolwire mcp', { concurrency: 2 }, () => {
  test('serves the families of plugins beside the built-in ones, or alone when they are named', async (t) => {
    const cwd = makeFolder(t, { 'one.mjs': pluginText('one', "console.log('noise at import');"), 'two.mjs': pluginText('two') });
    const input = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
    const names = async (words: string[]): Promise<string[]> => {
      const { code, stdout } = await runProgram(['mcp', ...words], { input, cwd });
      assert.equal(code, 0);
      const tools = (JSON.parse(stdout) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
      // All of the built-in family's count as one.
      return [...new Set(tools.map((name) => (gadriel.includes(name) ? 'gadriel' : (name.split('_')[0] as string))))];
    };
    assert.deepEqual(await names(['--plugin', 'one.mjs', '--plugin', './two.mjs']), ['gadriel', 'gage', 'one', 'two']);
    assert.deepEqual(await names(['two', '--plugin', 'one.mjs', '--plugin', 'two.mjs']), ['one', 'two']);
    assert.deepEqual(await names(['gadriel', '--plugin', 'one.mjs']), ['gadriel', 'one']);
  });

  test('a plugin that fails ends with exit 2 and the reason before anything is served', async (t) => {
    const cases: [string, RegExp][] = [
      ['throw new Error("no\\nluck");', /^toolwire: plugin plugin\.mjs: no luck\n$/],
      ['export const family = 1;', /^toolwire: plugin plugin\.mjs: a family must be an object\n$/],
      [pluginText('mine').replaceAll('D.', ''), /description must be a text that is not empty/],
      [pluginText('mine').replace('tools: () => [', 'tools: async () => { throw new Error("no table"); }, also: () => ['), /plugin plugin\.mjs: no table\n$/],
      [pluginText('gadriel'), /plugin plugin\.mjs: family gadriel is registered twice\n$/],
    ];
    for (const [text, reason] of cases) {
      const { code, stdout, stderr } = await runProgram(['mcp', '--plugin', 'plugin.mjs'], { input: ping, cwd: makeFolder(t, { 'plugin.mjs': text }) });
      assert.match(stderr, reason);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, text);
    }
  });

  test('the trace has one JSON line a message with its secrets masked, for its owner alone', async (t) => {
    const cwd = makeFolder(t, { 'plugin.mjs': pluginText('mine') });
    const input = `${call(1, 'mine_object', { text: 'x' }).replace('"text":"x"', '"password":"hunter2"')}not json\n${ping}`;
    const { stdout } = await runProgram(['mcp', '--ordered', '--plugin', 'plugin.mjs', '--trace', 'trace.jsonl'], { input, cwd });
    const file = path.join(cwd, 'trace.jsonl');
    const entries = readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as { ts: string; dir: string; line: string });
    assert.deepEqual(entries.map(({ dir }) => dir), ['in', 'in', 'in', 'out', 'out', 'out']);
    assert.match(entries[0]?.line ?? '', /"password":"\*\*\*"/);
    assert.equal(entries[1]?.line, 'not json');
    assert.match(entries[3]?.line ?? '', /"structuredContent":\{"password":"\*\*\*"\}/);
    assert.ok(entries.every(({ ts }) => new Date(ts).toISOString() === ts));
    assert.match(stdout, /"structuredContent":\{"password":"hunter2"\}/);
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  test('a trace that can not be written goes on without', { skip: process.platform !== 'linux' }, async () => {
    const { code, stdout, stderr } = await runProgram(['mcp', '--trace', '/dev/full'], { input: ping + ping });
    assert.deepEqual([code, stdout], [0, pong + pong]);
    assert.match(stderr, /^toolwire: the trace ends here: ENOSPC[^\n]*\n$/);
  });

  test('limits and drain are taken from the flags', async (t) => {
    const cwd = makeFolder(t, { 'plugin.mjs': pluginText('mine') });
    const long = await runProgram(['mcp', '--max-line-bytes', '100'], { input: `${' '.repeat(101)}\n${ping}` });
    assert.match(long.stdout, /^\{"jsonrpc":"2\.0","id":null,"error":\{"code":-32600,.*longer than 100 bytes"\}\}\n/);
    const drained = await runProgram(['mcp', '--drain', '0', '--plugin', 'plugin.mjs'], { input: call(1, 'mine_wait'), cwd });
    assert.match(drained.stdout, /"text":"aborted"/);
    const patient = await runProgram(['mcp', '--drain', 'none', '--plugin', 'plugin.mjs'], { input: call(1, 'mine_echo', { text: 'x' }), cwd });
    assert.match(patient.stdout, /"text":"x"/);
  });

  test('timers and families that never end do not keep the process, and nothing that was answered is lost', async (t) => {
    const stray = "setInterval(() => {}, 1000);";
    const cwd = makeFolder(t, { 'stray.mjs': pluginText('stray', stray), 'stuck.mjs': pluginText('stuck').replace('apiVersion: 1,', 'apiVersion: 1, close: () => new Promise(() => {}),') });
    const text = 'x'.repeat(1_000_000);
    for (const name of ['stray', 'stuck']) {
      const { code, stdout } = await runProgram(['mcp', '--plugin', `${name}.mjs`], { input: call(1, `${name}_echo`, { text }), cwd });
      assert.deepEqual([code, stdout.length > 1_000_000 && stdout.endsWith('\n')], [0, true], name);
    }
  });
});
