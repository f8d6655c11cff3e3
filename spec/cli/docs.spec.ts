import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ErrorCode } from '../../lib/index.ts';
import { exitCodes } from '../../lib/terminal/exit-codes.ts';
import { projectRoot } from '../support/project.ts';
import { launcher, makeFolder, runProgram } from './run-program.ts';

test('docs/tools.md says what the tool tables say', () => {
  const { status, stderr } = spawnSync(process.execPath, [path.join(projectRoot, 'scripts', 'docs.mjs'), '--check'], { encoding: 'utf8', env: { ...process.env, TOOLWIRE: launcher } });
  assert.deepEqual([status, stderr], [0, '']);
});

test('docs/errors.md has every error code and exit code', () => {
  const text = readFileSync(path.join(projectRoot, 'docs', 'errors.md'), 'utf8');
  for (const code of [...Object.values(ErrorCode), ...Object.values(exitCodes)]) assert.match(text, new RegExp(`^\\| ${code} \\|`, 'm'));
});

const plugins = readFileSync(path.join(projectRoot, 'docs', 'plugins.md'), 'utf8');
const samples = [...plugins.matchAll(/```js\n([^]*?)```/g)].map(([, code = '']) => code);

test('the commands of docs/plugins.md run on its own sample', async (t) => {
  const cwd = makeFolder(t, { 'dice.mjs': samples[0] ?? '' });
  const lines = (/```\n(toolwire [^]*?)```/.exec(plugins)?.[1] ?? '').trimEnd().split('\n');
  assert.ok(lines.length >= 4);
  for (const line of lines) {
    const [program, ...words] = [...line.replace(/ +#.*$/, '').matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
    assert.equal(program, 'toolwire');
    const { code, stdout, stderr } = await runProgram(words, { cwd, input: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' });
    assert.deepEqual([code, stderr], [0, ''], line);
    assert.match(stdout, /roll/, line);
  }
});

test('the test of docs/plugins.md runs as it is written there', (t) => {
  const cwd = makeFolder(t, {
    'dice.mjs': samples[0] ?? '',
    'session.jsonl': '> {"jsonrpc":"2.0","id":1,"method":"ping"}\n< {"jsonrpc":"2.0","id":1,"result":{}}\n',
  });
  const library = (name: string): string => JSON.stringify(new URL(`../../lib/${name}.js`, import.meta.url).href);
  const code = (samples[1] ?? '').replace("'toolwire'", library('index')).replace("'toolwire/testing'", library('testing'));
  writeFileSync(path.join(cwd, 'dice.test.mjs'), `${code}\nconsole.log(JSON.stringify([result.structuredContent, mismatches]));\n`);
  const { stdout, stderr } = spawnSync(process.execPath, ['dice.test.mjs'], { cwd, encoding: 'utf8' });
  assert.deepEqual([stdout, stderr], ['[{"rolled":1},[]]\n', '']);
});
