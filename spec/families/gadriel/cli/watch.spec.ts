import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { EventEmitter, once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { noPrompt } from '../../../support/run-verb.ts';
import { runWatch } from '../../../../lib/families/gadriel/cli/watch.ts';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import { ToolFailed } from '../../../../lib/families/gadriel/domain/tool-failed.ts';
import type { CliContext } from '../../../../lib/mcp/family.types.ts';
import { isUsageError } from '../../../../lib/terminal/usage-error.ts';
import { makeFinding } from '../support/finding.ts';
import { runVerb } from '../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

type Answer = readonly Finding[] | Error;

describe('gadriel code watch', () => {
  const temp = tempFolder();
  temp.folder('.git');

  /** Runs the verb over scans that answer as told, one for each change that `touch` makes; gives what it wrote after each. */
  async function watching(answers: readonly Answer[], words: readonly string[] = []): Promise<{ code: number; told: string[]; stderr: string }> {
    const ending = new AbortController();
    const output = new EventEmitter();
    const told: string[] = [];
    let stderr = '';
    const terminal: CliContext = {
      env: {}, cwd: temp.root, now: () => 0, random: (size) => new Uint8Array(size), signal: ending.signal, prompt: noPrompt,
      stdin: { isTTY: false, read: async () => new Uint8Array() },
      stdout: { isTTY: false, write: (text) => void (told.push(text), output.emit('told')) },
      stderr: { isTTY: false, write: (text) => void ((stderr += text), output.emit('told')) },
    };
    const left = [...answers];
    const scan = async (): Promise<readonly Finding[]> => {
      const answer = left.shift() ?? [];
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const run = runWatch(words, terminal, scan);
    for (let index = 0; index < answers.length; index++) {
      if (index > 0) writeFileSync(temp.at('touched.py'), String(index));
      await once(output, 'told');
    }
    ending.abort();
    return { code: await run, told, stderr };
  }

  const one = makeFinding({ finding_id: 'one', file: 'a.py', line: 1 });
  const two = makeFinding({ finding_id: 'two', file: 'b.py', line: 2, rule_id: 'R-2' });

  it('tells first everything, then what is new and what is gone', async () => {
    const { code, told } = await watching([[one], [{ ...one, line: 9 }, two], [two], [two]]);
    assert.equal(code, 0);
    assert.match(told[0] ?? '', /^a\.py:1:1 {2}high [^]*\nwatching .*: 1 open; end with Ctrl-C\n$/);
    // A finding whose line moved is the same one.
    assert.match(told[1] ?? '', /^b\.py:2:1 {2}high [^]*\n\d\d:\d\d:\d\d 1 new, 0 gone, 2 open\n$/);
    assert.match(told[2] ?? '', /^gone: a\.py:1 CODE-W1-L3-002\n\S+ 0 new, 1 gone, 1 open\n$|^gone: a\.py:9 CODE-W1-L3-002\n\S+ 0 new, 1 gone, 1 open\n$/);
    assert.match(told[3] ?? '', /^\S+ 0 new, 0 gone, 1 open\n$/);
  });

  it('leaves out what is waived, advisory or below the threshold', async () => {
    const { told } = await watching([[{ ...one, waived: true }, { ...one, source: 'ai' }, { ...one, severity: 'medium' }, two]], ['--severity', 'high']);
    assert.match(told[0] ?? '', /^b\.py[^]*: 1 open; /);
  });

  it('goes on after a scan that failed', async () => {
    const { code, told, stderr } = await watching([new ToolFailed('.gadriel.toml: line 3'), [one]]);
    assert.deepEqual([code, stderr], [0, 'gadriel: .gadriel.toml: line 3\n']);
    assert.match(told[0] ?? '', /: 1 open; /);
  });

  it('passes on what is no failure of a scan', async () => {
    const terminal = { cwd: temp.root };
    await assert.rejects(runVerb(['code', 'watch', 'a', 'b'], terminal), (error) => isUsageError(error) && /takes one path/.test(error.message));
    assert.deepEqual(await runVerb(['code', 'watch', 'none'], terminal), { code: 1, stdout: '', stderr: 'gadriel: none: the repository does not exist\n' });
    const context = { env: {}, cwd: temp.root, signal: new AbortController().signal, stdout: { isTTY: false }, stderr: {} } as unknown as CliContext;
    await assert.rejects(runWatch([], context, () => Promise.reject(new Error('a bug'))), /a bug/);
  });

  it('ends with 1 when the repository is gone', async () => {
    const output = new EventEmitter();
    temp.write('passing/app.py', 'x = 1\n');
    temp.folder('passing/.git');
    const run = runVerb(['code', 'watch', 'passing'], { cwd: temp.root, onOutput: () => void output.emit('told') });
    await once(output, 'told');
    rmSync(temp.at('passing'), { recursive: true });
    const { code, stderr } = await run;
    assert.deepEqual([code, stderr], [1, 'gadriel: passing: the repository does not exist\n']);
  });

  it('scans a part of a repository for real', async () => {
    temp.write('real/src/app.py', 'import os, sys\nos.system("ls " + sys.argv[1])\n');
    temp.write('real/other/b.py', 'import os, sys\nos.system("ls " + sys.argv[1])\n');
    temp.folder('real/.git');
    const ending = new AbortController();
    const output = new EventEmitter();
    const run = runVerb(['code', 'watch', 'src'], { cwd: temp.at('real'), signal: ending.signal, onOutput: () => void output.emit('told') });
    await once(output, 'told');
    writeFileSync(temp.at('real/src/app.py'), 'x = 1\n');
    await once(output, 'told');
    // What the scans write themselves is no change; longer than it takes to tell of one.
    await sleep(700);
    ending.abort();
    const { code, stdout } = await run;
    assert.equal(code, 0);
    assert.equal([...stdout.matchAll(/ new, /g)].length, 1);
    assert.match(stdout, /^src\/app\.py:2:1 {2}critical [^]*watching [^]*src: 1 open[^]*\ngone: src\/app\.py:2 CODE-W1-L3-003\n/);
  });
});
