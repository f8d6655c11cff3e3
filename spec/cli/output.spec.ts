import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { describe, test, type TestContext } from 'node:test';
import { isReaderGone } from '../../lib/mcp/reader-gone.ts';
import { launcher, makeFolder, pluginText, runProgram } from './run-program.ts';

const plugin = ['--plugin', 'plugin.mjs'];
/** Every command that does not serve, with its own exit code. */
const commands: [string[], number][] = [
  [['--help'], 0],
  [['--version'], 0],
  [['gadriel', '--help'], 0],
  [['gadriel', 'code', 'validate', '--help'], 0],
  [['gadriel', 'code', 'validate', 'clean.py'], 0],
  [['gadriel', 'code', 'validate', 'bad.py'], 1],
  [['gadriel', 'code', 'validate', 'bad.py', '--json'], 1],
  [['tools', '--json'], 0],
  [['call', 'mine_echo', '{"text":"x"}', ...plugin], 0],
  [['call', 'mine_refuse', '--json', ...plugin], 1],
  [['doctor'], 0],
  [['install', 'claude', '--print'], 0],
];

function setup(t: TestContext): string {
  return makeFolder(t, { 'plugin.mjs': pluginText('mine'), 'clean.py': 'x = 1\n', 'bad.py': 'import os, sys\nos.system("ls " + sys.argv[1])\n' });
}

describe('what a command writes', { concurrency: 2 }, () => {
  test('to a full disk ends with one line on stderr and exit code 1', { skip: process.platform !== 'linux' }, async (t) => {
    const cwd = setup(t);
    for (const [words] of commands) {
      const full = openSync('/dev/full', 'w');
      const child = spawn(process.execPath, [launcher, ...words], { cwd, env: { ...process.env, HOME: cwd }, stdio: ['ignore', full, 'pipe'] });
      closeSync(full);
      let noise = '';
      child.stderr?.on('data', (chunk) => (noise += String(chunk)));
      const [code] = (await once(child, 'close')) as [number];
      assert.deepEqual([code, noise], [1, 'toolwire: writing the output failed: ENOSPC: no space left on device, write\n'], words.join(' '));
    }
  });

  test('to a reader that is gone is dropped without a word, and the exit code is its own', async (t) => {
    const cwd = setup(t);
    for (const [words, expected] of commands) {
      const child = spawn(process.execPath, [launcher, ...words], { cwd, env: { ...process.env, HOME: cwd }, stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.destroy();
      let noise = '';
      child.stderr.on('data', (chunk) => (noise += String(chunk)));
      const [code] = (await once(child, 'close')) as [number];
      assert.deepEqual([code, noise], [expected, ''], words.join(' '));
    }
  });

  test('reaches a slow reader to the last byte', async (t) => {
    const cwd = setup(t);
    const text = 'x'.repeat(3_000_000);
    const child = spawn(process.execPath, [launcher, 'call', 'mine_echo', '-', ...plugin], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(JSON.stringify({ text }));
    let length = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
      child.stdout.pause();
      setImmediate(() => child.stdout.resume());
    });
    const [code] = (await once(child, 'close')) as [number];
    assert.deepEqual([code, length], [0, text.length + 1]);
  });

  test('on a stderr that is full or closed changes no exit code', { skip: process.platform !== 'linux' }, async (t) => {
    const cwd = setup(t);
    for (const [words, expected] of [[['gadriel', 'code', 'validate', 'missing.py'], 1], [['nonsense'], 2], [['tools', 'mine', ...plugin], 0]] as const) {
      const full = openSync('/dev/full', 'w');
      const child = spawn(process.execPath, [launcher, ...words], { cwd, stdio: ['ignore', 'ignore', full] });
      closeSync(full);
      assert.deepEqual(await once(child, 'close'), [expected, null], words.join(' '));
    }
  });
});

test('standard input that node shows as empty though it is none is refused', { skip: process.platform === 'win32' }, async (t) => {
  const cwd = setup(t);
  for (const words of [['gadriel', 'code', 'validate', '-'], ['call', 'mine_echo', '-', ...plugin], ['mcp']]) {
    const folder = openSync(cwd, 'r');
    const child = spawn(process.execPath, [launcher, ...words], { cwd, stdio: [folder, 'pipe', 'pipe'] });
    closeSync(folder);
    let [said, noise] = ['', ''];
    child.stdout?.on('data', (chunk) => (said += String(chunk)));
    child.stderr?.on('data', (chunk) => (noise += String(chunk)));
    const [code] = (await once(child, 'close')) as [number];
    assert.deepEqual([code, said, noise], [1, '', 'toolwire: standard input is a folder\n'], words.join(' '));
  }
  assert.equal((await runProgram(['gadriel', 'code', 'validate', '-'], { input: '' })).stdout, 'no findings\n');
});

test('a closed pipe is told from a failing disk', () => {
  const cases: [string, boolean][] = [['EPIPE', true], ['ECONNRESET', true], ['EOF', true], ['ENOSPC', false], ['EIO', false], ['EBADF', false]];
  for (const [code, gone] of cases) assert.equal(isReaderGone(Object.assign(new Error('x'), { code })), gone, code);
});
