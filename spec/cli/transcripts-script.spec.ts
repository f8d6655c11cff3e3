import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../support/project.ts';
import { launcher, makeFolder } from './run-program.ts';

test('scripts/transcripts.sh replays transcripts through a pipe and shows the difference', { skip: process.platform === 'win32' }, (t) => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const pong = '{"jsonrpc":"2.0","id":1,"result":{}}';
  const folder = makeFolder(t, {
    'good.jsonl': `# a note\n> ${ping}\n< ${pong}\n>\n`,
    'words.jsonl': `#! gadriel mcp --max-line-bytes 20\n> ${ping}\n< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: the line is longer than 20 bytes"}}\n`,
    'bad.jsonl': `> ${ping}\n`,
  });
  const replay = (...names: string[]): { status: number | null; stdout: string } =>
    spawnSync(path.join(projectRoot, 'scripts', 'transcripts.sh'), names.map((name) => path.join(folder, name)), { encoding: 'utf8', env: { ...process.env, TOOLWIRE: launcher } });
  const good = replay('good.jsonl', 'words.jsonl');
  assert.deepEqual([good.status, good.stdout.replaceAll(folder, '')], [0, 'ok   /good.jsonl\nok   /words.jsonl\n']);
  const bad = replay('bad.jsonl', 'good.jsonl');
  assert.equal(bad.status, 1);
  assert.match(bad.stdout, /^FAIL .*bad\.jsonl \(exit 0\)\n[^]*\+\{"jsonrpc":"2\.0","id":1,"result":\{\}\}\n[^]*ok {3}/);
});
