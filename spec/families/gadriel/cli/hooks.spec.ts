import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import { launcher } from '../../../support/server-process.ts';
import { runVerb } from '../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

describe('gadriel hooks', () => {
  const temp = tempFolder();
  temp.folder('.git');
  temp.write('critical.py', 'import os, sys\n\nos.system("ls " + sys.argv[1])\n');
  temp.write('waived.py', 'import os, sys\n\nos.system("ls " + sys.argv[1])\n');
  temp.write('medium.py', 'password = "hunter2"\n');
  temp.write('silenced.py', 'import sys\neval(sys.argv[1])  # gadriel:ignore[L3-002] a shell\n');
  temp.write('binary.py', Uint8Array.of(0, 1, 2));
  temp.write('many.py', `import sys\npassword = "hunter2"\n${'eval(sys.argv[1])\n'.repeat(60)}`);
  temp.write('.gadriel-waivers.toml', '[[waiver]]\nrule_id = "CODE-W1-L3-003"\npath = "waived.py"\nreason = "x"\nkind = "accepted_risk"\ncreated_by = "human"\ncreated_at = "2026-01-01T00:00:00Z"\n');
  const hook = (words: readonly string[], stdin = '', env: Readonly<Record<string, string>> = {}) => runVerb(['hooks', ...words], { cwd: temp.root, stdin, env });
  const message = (file: unknown): string => JSON.stringify({ hook_event_name: 'PostToolUse', tool_name: 'Edit', tool_input: { file_path: file } });

  it('stops the agent with 2 and the documented text', async () => {
    const { code, stdout, stderr } = await hook(['post-edit'], message('critical.py'));
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    const [header, finding, remedy, end] = stderr.split('\n');
    assert.equal(header, 'gadriel: 1 finding in critical.py at the guardrail or above:');
    assert.equal(finding, '[Critical] CODE-W1-L3-003 (sast):3');
    assert.match(remedy ?? '', /^ {2}\S.*os\.system/);
    assert.equal(end, '');
    assert.equal((await hook(['post-edit'], message(temp.at('critical.py')))).code, 2);
    assert.equal((await hook(['post-edit', 'critical.py'], message('medium.py'))).code, 2);
    // As some shells pipe it.
    assert.equal((await hook(['post-edit'], `\ufeff${message('critical.py')}\r\n`)).code, 2);
  });

  it('takes a relative path from the folder that the message names, and the path of a notebook', async () => {
    const edit = (members: object, cwd?: unknown): string => JSON.stringify({ tool_input: members, ...(cwd !== undefined && { cwd }) });
    temp.write('deep/er/own.py', 'import sys\neval(sys.argv[1])\n');
    temp.write('deep/er/own.ipynb', JSON.stringify({ cells: [{ cell_type: 'code', source: 'import sys\neval(sys.argv[1])\n' }] }));
    const cases: readonly (readonly [string, number])[] = [
      [edit({ file_path: 'own.py' }, temp.at('deep/er')), 2], [edit({ file_path: 'own.py' }), 0], [edit({ file_path: 'own.py' }, 'deep/er'), 0], [edit({ file_path: 'critical.py' }, 3), 2],
      [edit({ notebook_path: 'own.ipynb' }, temp.at('deep/er')), 2], [edit({ notebook_path: temp.at('deep/er/own.ipynb') }), 2], [edit({ file_path: 1, notebook_path: 'critical.py' }), 2],
    ];
    for (const [input, code] of cases) assert.equal((await hook(['post-edit'], input)).code, code, input);
    // The repository of the message's folder, not that of this process, says what is excluded.
    temp.write('other/.git/HEAD', '');
    temp.write('other/.gadriel.toml', 'exclude = ["own.py"]\n');
    temp.write('other/own.py', 'eval(input())\n');
    assert.equal((await hook(['post-edit'], edit({ file_path: 'own.py' }, temp.at('other')))).code, 0);
  });

  it('is not switched off by waivers that are broken, which it says', async () => {
    temp.write('waivers/.git/HEAD', '');
    temp.write('waivers/own.py', 'eval(input())\n');
    const input = JSON.stringify({ cwd: temp.at('waivers'), tool_input: { file_path: 'own.py' } });
    for (const breakIt of [() => temp.write('waivers/.gadriel-waivers.toml', 'x = ['), () => temp.folder('waivers/.gadriel-waivers.toml')]) {
      rmSync(temp.at('waivers/.gadriel-waivers.toml'), { force: true });
      breakIt();
      const { code, stderr } = await hook(['post-edit'], input);
      assert.equal(code, 2);
      assert.match(stderr, /^gadriel: warning: \.gadriel-waivers\.toml .*; nothing is waived$/m);
    }
  });

  it('looks at every file that it is given', async () => {
    const { code, stderr } = await hook(['post-edit', 'medium.py', '', 'critical.py', 'gone.py', 'many.py', 'medium.py']);
    assert.equal(code, 2);
    assert.deepEqual([...stderr.matchAll(/^gadriel: \d+ findings? in (\S+)/gm)].map(([, file]) => file), ['critical.py', 'many.py']);
    assert.equal((await hook(['post-edit', 'medium.py', 'binary.py'])).code, 0);
  });

  it('fails in no working folder that was removed, and scans there what is named whole', () => {
    const run = (words: readonly string[], input = ''): { status: number | null; stderr: string } => {
      const folder = temp.folder('removed');
      // The shell removes the folder that it stands in, as an agent may.
      const script = 'rmdir "$PWD" && exec "$@"';
      const done = spawnSync('/bin/sh', ['-c', script, 'sh', process.execPath, ...launcher, 'gadriel', ...words], { cwd: folder, input, encoding: 'utf8' });
      rmSync(folder, { recursive: true, force: true });
      return { status: done.status, stderr: done.stderr };
    };
    assert.deepEqual(run(['hooks', 'post-edit', 'critical.py']), { status: 0, stderr: '' });
    assert.deepEqual(run(['hooks', 'session-end']), { status: 0, stderr: '' });
    assert.equal(run(['hooks', 'post-edit', temp.at('critical.py')]).status, 2);
    assert.equal(run(['hooks', 'post-edit'], JSON.stringify({ cwd: temp.root, tool_input: { file_path: 'critical.py' } })).status, 2);
    assert.deepEqual(run(['code', 'findings']), { status: 1, stderr: 'toolwire: the working folder was removed; go to one that exists\n' });
  });

  it('shows the worst first, and not more than anybody reads', async () => {
    const { stderr } = await hook(['post-edit', 'many.py'], '', { GADRIEL_GUARDRAIL: 'medium' });
    assert.match(stderr, /^gadriel: 61 findings in many\.py[^\n]*\n\[Critical\]/);
    assert.match(stderr, /\n… and 11 more\n$/);
    assert.doesNotMatch(stderr, /\[Medium\]/);
  });

  const silent: readonly (readonly [string, readonly string[], string])[] = [
    ['a file without such a finding', ['post-edit', 'medium.py'], ''],
    ['a finding that a comment silences', ['post-edit', 'silenced.py'], ''],
    ['a finding that is waived', ['post-edit', 'waived.py'], ''],
    ['a missing file', ['post-edit', 'gone.py'], ''],
    ['a binary file', ['post-edit', 'binary.py'], ''],
    ['a folder', ['post-edit', '.'], ''],
    ['no input', ['post-edit'], ''],
    ['input that is no JSON', ['post-edit'], 'critical.py'],
    ['JSON null', ['post-edit'], 'null'],
    ['JSON of another kind', ['post-edit'], '[{"tool_input":{"file_path":"critical.py"}}]'],
    ['no tool_input', ['post-edit'], '{"file_path":"critical.py"}'],
    ['a tool_input that is null', ['post-edit'], '{"tool_input":null}'],
    ['a path of another type', ['post-edit'], message(3)],
    ['an empty path', ['post-edit'], message('')],
    ['a NUL in the path', ['post-edit'], message('a\0b')],
    ...['pre-bash', 'route', 'session-restore', 'snapshot-load', 'session-end', 'sync', 'compact-manual', 'compact-auto', 'post-task', 'new-one'].map(
      (event): readonly [string, readonly string[], string] => [`the event ${event}`, [event, '--any', 'critical.py'], message('critical.py')]),
  ];
  for (const [what, words, stdin] of silent) {
    it(`lets the agent go on for ${what}`, async () => {
      assert.deepEqual(await hook(words, stdin), { code: 0, stdout: '', stderr: '' });
    });
  }

  const rails: readonly (readonly [string, string, number])[] = [
    ['critical', 'critical.py', 2], ['CRITICAL', 'critical.py', 2], ['off', 'critical.py', 0], ['medium', 'medium.py', 2], ['high', 'medium.py', 0], ['', 'critical.py', 2],
  ];
  for (const [rail, file, code] of rails) {
    it(`ends with ${code} for ${file} at the guardrail ${JSON.stringify(rail)}`, async () => {
      assert.equal((await hook(['post-edit', file], '', { GADRIEL_GUARDRAIL: rail })).code, code);
    });
  }

  it('is not switched off by a word that it does not know', async () => {
    const { code, stderr } = await hook(['post-edit', 'critical.py'], '', { GADRIEL_GUARDRAIL: 'of' });
    assert.equal(code, 2);
    assert.match(stderr, /^gadriel: warning: GADRIEL_GUARDRAIL is none of off, critical, high/);
  });

  it('does not wait for input from a person', async () => {
    assert.equal((await runVerb(['hooks', 'post-edit'], { cwd: temp.root, stdin: message('critical.py'), isTTY: true })).code, 0);
  });

  it('works as a program in a pipe', () => {
    const run = (input: string) => spawnSync(process.execPath, [...launcher, 'gadriel', 'hooks', 'post-edit'], { cwd: temp.root, input, encoding: 'utf8' });
    assert.equal(run(message('critical.py')).status, 2);
    assert.equal(run('').status, 0);
  });

  it('passes on what is no failure of the scan', async () => {
    await assert.rejects(runVerb(['hooks', 'post-edit', 'critical.py'], { cwd: temp.root, signal: AbortSignal.abort() }), { name: 'AbortError' });
  });
});
