import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { launcher, makeFolder, pluginText, runProgram } from './run-program.ts';

describe('toolwire call', { concurrency: 2 }, () => {
  test('prints the result on stdout, a refusal or an error on stderr', async (t) => {
    const cwd = makeFolder(t, { 'plugin.mjs': pluginText('mine', "console.log('noise');") });
    const cases: [string[], string, { code: number; stdout?: string; stderr?: RegExp }][] = [
      [['mine_echo', '{"text":"hello\\u001b[31m"}'], '', { code: 0, stdout: 'hello\u001b[31m\n' }],
      [['mine_echo', '{"text":"line\\n"}'], '', { code: 0, stdout: 'line\n' }],
      [['mine_echo', '-'], '{"text":"from stdin"}', { code: 0, stdout: 'from stdin\n' }],
      [['mine_echo', '{"text":"x"}', '--json'], '', { code: 0, stdout: '{"content":[{"type":"text","text":"x"}]}\n' }],
      [['mine_object', '{"text":"x"}'], '', { code: 0, stdout: '{"text":"x"}\n' }],
      [['mine_object'], '', { code: 0, stdout: '{}\n' }],
      [['mine_refuse'], '', { code: 1, stdout: '', stderr: /\nI will not\n$/ }],
      [['mine_refuse', '--json'], '', { code: 1, stdout: '{"content":[{"type":"text","text":"I will not"}],"isError":true}\n' }],
      [['mine_fail'], '', { code: 1, stdout: '', stderr: /\nerror -32603: Internal error\n$/ }],
      [['mine_echo', '{"text":1}'], '', { code: 1, stdout: '', stderr: /error -32602: .*\/text/ }],
      [['mine_ehco'], '', { code: 2, stdout: '', stderr: /there is no tool "mine_ehco"; did you mean mine_echo\?\nTry: toolwire tools/ }],
      [['mine_echo', '{'], '', { code: 2, stdout: '', stderr: /the arguments are no JSON: / }],
      [['mine_echo', '[]'], '', { code: 2, stdout: '', stderr: /must be a JSON object/ }],
      [['mine_echo', '{"text":', '"a"}'], '', { code: 2, stdout: '', stderr: /quote it for the shell/ }],
      [[], '', { code: 2, stdout: '', stderr: /call needs the name of a tool/ }],
    ];
    for (const [words, input, expected] of cases) {
      const { code, stdout, stderr } = await runProgram(['call', ...words, '--plugin', 'plugin.mjs'], { input, cwd });
      assert.equal(code, expected.code, `${words.join(' ')}: ${stderr}`);
      assert.equal(stdout, expected.stdout, words.join(' '));
      if (expected.stderr !== undefined) assert.match(stderr, expected.stderr, words.join(' '));
    }
  });

  test('a family that never closes does not swallow the result', async (t) => {
    const cwd = makeFolder(t, { 'plugin.mjs': pluginText('mine').replace('apiVersion: 1,', 'apiVersion: 1, close: () => new Promise(() => {}),') });
    const ended = await runProgram(['call', 'mine_refuse', '--plugin', 'plugin.mjs'], { cwd });
    assert.deepEqual(ended, { code: 1, stdout: '', stderr: 'I will not\n' });
  });

  test('SIGINT stops the call and exits with 130, without a word', async (t) => {
    const cwd = makeFolder(t, { 'plugin.mjs': pluginText('mine') });
    const child = spawn(process.execPath, [launcher, 'call', 'mine_wait', '--plugin', 'plugin.mjs'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    await new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk) => {
        output += String(chunk);
        if (output.includes('waiting\n')) resolve();
      });
    });
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 130);
    assert.match(output, /waiting\n$/);
  });
});
