import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '../cli/run-program.ts';
import { projectRoot } from '../support/project.ts';

const here = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const launcher = here('../cli/launch.js');

type Answer = { id: number; result: Record<string, unknown> & { content: { text: string }[]; tools: { name: string }[] } };

function run(command: string, words: readonly string[], input: readonly string[] = []): Answer[] {
  const { status, stdout, stderr } = spawnSync(command, words, { input: input.map((line) => `${line}\n`).join(''), encoding: 'utf8', env: { ...process.env, TOOLWIRE: launcher } });
  assert.equal(status, 0, stderr);
  return stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as Answer);
}

const call = (id: number, name: string, args: object): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
const withLibrary = ['--import', here('./resolve-library.js')];

test('examples/embed.ts is a server with a tool of its own', () => {
  const input = ['{"jsonrpc":"2.0","id":1,"method":"initialize"}', call(2, 'greet', { name: 'Ada' })];
  const [hello, greeting] = run(process.execPath, [...withLibrary, here('../../examples/embed.js')], input);
  assert.deepEqual(hello?.result['serverInfo'], { name: 'greeter', version: '1.0.0' });
  assert.equal(greeting?.result.content[0]?.text, 'Hello, Ada!');
});

test('examples/own-family.ts is served as a plugin', () => {
  const full = Array.from({ length: 100 }, (_, index) => call(index, 'add_note', { text: `note ${index}` }));
  const input = [...full, call(100, 'add_note', { text: 'one more' }), call(101, 'list_notes', {})];
  const answers = run(process.execPath, [...withLibrary, launcher, 'mcp', 'notes', '--ordered', '--plugin', here('../../examples/own-family.js')], input);
  assert.deepEqual(answers[99]?.result['structuredContent'], { count: 100 });
  assert.deepEqual(answers[100]?.result, { content: [{ type: 'text', text: 'there is no room for another note' }], isError: true });
  const { notes } = answers[101]?.result['structuredContent'] as { notes: { at: string; text: string }[] };
  assert.deepEqual([notes.length, notes[0]?.text], [100, 'note 0']);
});

test('examples/pipe.sh gets its three answers in order', { skip: process.platform === 'win32' }, () => {
  const answers = run(path.join(projectRoot, 'examples', 'pipe.sh'), []);
  assert.deepEqual(answers.map(({ id }) => id), [1, 2, 3]);
  assert.deepEqual(answers[1]?.result.tools.map(({ name }) => name).slice(0, 2), ['validate_buffer', 'validate_file']);
  assert.match(answers[2]?.result.content[0]?.text ?? '', /"line":2/);
});

test('the example of embedding in the README is examples/embed.ts', () => {
  const readme = readFileSync(path.join(projectRoot, 'README.md'), 'utf8');
  const [, ...code] = readFileSync(path.join(projectRoot, 'examples', 'embed.ts'), 'utf8').trimEnd().split('\n');
  assert.ok(readme.includes(code.join('\n')), 'copy the code of examples/embed.ts into the README');
});

test('the smallest plugin of docs/plugins.md works as it is written there', (t) => {
  const text = readFileSync(path.join(projectRoot, 'docs', 'plugins.md'), 'utf8');
  const code = /```js\n([^]*?)```/.exec(text)?.[1] ?? '';
  const folder = makeFolder(t, { 'dice.mjs': code });
  const input = [call(1, 'roll', {}), call(2, 'roll', { sides: 1 })];
  const [rolled, refused] = run(process.execPath, [launcher, 'mcp', 'dice', '--ordered', '--plugin', path.join(folder, 'dice.mjs')], input) as (Answer & { error?: { code: number } })[];
  const value = (rolled?.result['structuredContent'] as { rolled: number }).rolled;
  assert.ok(value >= 1 && value <= 6);
  assert.equal(refused?.error?.code, -32602);
});
