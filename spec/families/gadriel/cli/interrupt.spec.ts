import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { launcher } from '../../../cli/run-program.ts';
import { runVerb } from '../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

describe('a verb that is interrupted', () => {
  const temp = tempFolder();
  temp.folder('repo/.git');
  temp.write('repo/a.py', 'import sys\neval(sys.argv[1])\n');
  // Tells that it runs, and never ends by itself.
  temp.write('bin/git', `#!/bin/sh\n: > '${temp.at('running')}'\nexec sleep 60\n`);
  chmodSync(temp.at('bin/git'), 0o755);

  const start = (words: readonly string[], env: NodeJS.ProcessEnv = process.env): { readonly child: ChildProcess; readonly ended: Promise<unknown> } => {
    const child = spawn(process.execPath, [launcher, ...words], { cwd: temp.at('repo'), env: { ...env, TOOLWIRE_FAMILY: 'gadriel', GADRIEL_HOME: temp.at('home') }, stdio: 'pipe' });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => undefined);
    return { child, ended: once(child, 'close').then(([code]) => ({ code, stdout, stderr })) };
  };

  const atInput = [['code', 'validate', '-'], ['hooks', 'post-edit'], ['code', 'submit', '-'], ['call', 'validate_file', '-']];
  for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143]] as const) {
    for (const words of atInput) {
      it(`ends with ${code} and without a word: ${words.join(' ')}, waiting for its input, at ${signal}`, async () => {
        const { child, ended } = start(words);
        // More than a pipe holds: once all is taken, it reads, and waits for the rest.
        await new Promise<void>((resolve) => child.stdin?.write(' '.repeat(2 ** 20), () => resolve()));
        child.kill(signal);
        assert.deepEqual(await ended, { code, stdout: '', stderr: '' });
      });
    }

    it(`ends with ${code} and without a word: code scan, at ${signal}`, async () => {
      rmSync(temp.at('running'), { force: true });
      const { child, ended } = start(['code', 'scan'], { ...process.env, PATH: `${temp.at('bin')}${path.delimiter}${process.env['PATH']}` });
      while (!existsSync(temp.at('running'))) await sleep(10);
      child.kill(signal);
      assert.deepEqual(await ended, { code, stdout: '', stderr: '' });
    });
  }

  it('says nothing of what the domain makes of it', async () => {
    for (const words of [['code', 'report', 'none'], ['code', 'findings'], ['code', 'submit', 'none.json'], ['code', 'campaign', 'advance', 'campaign-1'], ['code', 'validate', 'none.py']]) {
      assert.deepEqual(await runVerb(words, { cwd: temp.at('repo'), signal: AbortSignal.abort() }), { code: 130, stdout: '', stderr: '' }, words.join(' '));
    }
  });
});
