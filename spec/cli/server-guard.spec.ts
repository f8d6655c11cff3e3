import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { startServer, type Ended, type ServerProcess } from '../support/server-process.ts';
import { makeFolder, pluginText, runProgram } from './run-program.ts';

const ping = '{"jsonrpc":"2.0","id":9,"method":"ping"}\n';
const pong = '{"jsonrpc":"2.0","id":9,"result":{}}\n';
const later = (text: string, ms = 0): string => `setTimeout(() => { ${text} }, ${ms});`;
const waited = 'await new Promise((resolve) => setTimeout(resolve, 20));';
const closing = (body: string): string => pluginText('mine').replace('apiVersion: 1,', `apiVersion: 1, close: async () => { ${body} },`);
const skip = process.platform === 'win32';

describe('a serving command', { concurrency: 2 }, () => {
  const strays: [what: string, plugin: string, logged: RegExp][] = [
    ['a timer while plugins load', pluginText('mine', `${later("throw new Error('boom');")}${waited}`), /error: uncaught exception; the session goes on Error: boom/],
    ['a promise while plugins load', pluginText('mine', `void Promise.reject(new Error('boom'));${waited}`), /error: unhandled rejection; the session goes on Error: boom/],
    ['a timer after the last answer', pluginText('mine', "setInterval(() => { throw new Error('boom'); }, 5);"), /Error: boom/],
    ['a timer while families close', closing(`${later("throw new Error('boom');")} ${waited}`), /Error: boom/],
    ['a promise while families close', closing(`void Promise.reject('boom'); ${waited}`), /rejection; the session goes on boom/],
    ['a listener at the exit', pluginText('mine', "process.on('exit', () => { throw new Error('boom'); });"), /Error: boom/],
  ];
  for (const [what, plugin, logged] of strays) {
    test(`outlives what throws in ${what}`, async (t) => {
      const cwd = makeFolder(t, { 'plugin.mjs': plugin });
      for (const words of [['mcp'], ['mine', 'mcp'], ['mine']]) {
        const { code, stdout, stderr } = await runProgram([...words, '--plugin', './plugin.mjs'], { input: ping, cwd });
        assert.deepEqual([code, stdout], [0, pong], stderr);
        assert.match(stderr, logged);
        assert.match(stderr, /^(?:(?:toolwire|mine): [^\n]*\n)+$/);
      }
    });
  }

  test('tells each stray exception once', async (t) => {
    const cwd = makeFolder(t, { 'plugin.mjs': pluginText('mine').replace("tool('echo', text, ({ text }) => text)", `tool('echo', text, async () => { ${later("throw new Error('boom');")} ${waited} return ''; })`) });
    const input = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mine_echo","arguments":{}}}\n';
    const { code, stderr } = await runProgram(['mcp', '--plugin', './plugin.mjs'], { input, cwd });
    assert.deepEqual([code, stderr.split('boom').length], [0, 2], stderr);
  });

  test('ends with exit 2 and the reason where a plugin does not load, stray promise or not', async (t) => {
    const cwd = makeFolder(t, { 'plugin.mjs': "void Promise.reject(new Error('stray'));\nthrow new Error('no luck');" });
    const { code, stdout, stderr } = await runProgram(['mcp', '--plugin', './plugin.mjs'], { input: ping, cwd });
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^toolwire: plugin \.\/plugin\.mjs: no luck$/m);
  });

  test('never gives stdout back: what is printed at the very end goes to stderr', async (t) => {
    const prints = "setInterval(() => console.log('interval'), 1); process.on('exit', () => { console.log('exit'); process.stdout.write('written'); });";
    const cwd = makeFolder(t, { 'plugin.mjs': pluginText('mine', prints) });
    for (const words of [['mcp'], ['mine', 'tools', '--json'], ['call', 'mine_echo', '{"text":"x"}']]) {
      const { code, stdout, stderr } = await runProgram([...words, '--plugin', './plugin.mjs'], { input: ping, cwd });
      assert.equal(code, 0);
      assert.doesNotMatch(stdout, /interval|exit|written/);
      assert.match(stderr, /exit\nwritten$/);
    }
  });

  const start = (cwd: string): ServerProcess => startServer(['mcp', '--plugin', path.join(cwd, 'plugin.mjs')]);

  test('a signal while families close lets them finish, with exit code 0', { skip }, async (t) => {
    const cwd = makeFolder(t, { 'plugin.mjs': closing("console.log('closing'); await new Promise((resolve) => setTimeout(resolve, 1_000)); console.log('closed');") });
    const server = start(cwd);
    server.end();
    await server.stderrHas('closing');
    server.child.kill('SIGTERM');
    const { code, signal, stderr } = await server.ended;
    assert.deepEqual([code, signal, stderr], [0, null, 'closing\ntoolwire: notice: ending on SIGTERM\nclosed\n']);
  });

  const seconds: [first: NodeJS.Signals, before: boolean, second: NodeJS.Signals, code: number][] = [
    ['SIGTERM', false, 'SIGTERM', 143],
    ['SIGTERM', false, 'SIGINT', 130],
    // The first one ended the serving itself.
    ['SIGINT', true, 'SIGTERM', 143],
  ];
  for (const [first, before, second, expected] of seconds) {
    test(`${second} ends it at once with ${expected} after ${first} ${before ? 'while it served' : 'while families close'}`, { skip }, async (t) => {
      const cwd = makeFolder(t, { 'plugin.mjs': closing("console.log('closing'); await new Promise(() => undefined);") });
      const server = start(cwd);
      server.send(ping.trimEnd());
      await server.answer(9);
      if (before) server.child.kill(first);
      else server.end();
      await server.stderrHas('closing');
      if (!before) server.child.kill(first);
      await server.stderrHas(`ending on ${first}`);
      server.child.kill(second);
      const { code, stderr }: Ended = await server.ended;
      assert.deepEqual([code, stderr.split('ending on').length], [expected, 2]);
    });
  }
});
