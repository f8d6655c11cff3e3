import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { checkNode } from '../../lib/cli/doctor-command.ts';
import { makeFolder, runProgram } from './run-program.ts';

type Report = { ok: boolean; checks: { state: string; subject: string; detail: string }[] };

test('doctor says what is configured and what is missing, and fails for what is broken', async (t) => {
  const ours = JSON.stringify({ mcpServers: { mine: { command: 'npx', args: ['toolwire', 'mcp'] }, other: { command: 'x' } } });
  const cwd = makeFolder(t, { '.mcp.json': ours });
  const env = { HOME: cwd };
  const good = await runProgram(['doctor', '--json'], { cwd, env });
  const { ok, checks } = JSON.parse(good.stdout) as Report;
  assert.deepEqual([good.code, ok], [0, true]);
  const states = Object.fromEntries(checks.map(({ subject, state }) => [subject, state]));
  assert.deepEqual(states, { toolwire: 'ok', node: 'ok', git: 'ok', 'family gadriel': 'ok', 'family gage': 'ok', 'Claude Code': 'ok', Cursor: 'missing', 'VS Code': 'missing' });
  assert.equal(checks.find(({ subject }) => subject === 'Claude Code')?.detail, `starts mine (${path.join(cwd, '.mcp.json')})`);

  const broken = makeFolder(t, { '.mcp.json': '{ // comment' });
  const bad = await runProgram(['gadriel', 'doctor'], { cwd: broken, env: { HOME: broken, PATH: broken } });
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /^broken +Claude Code +\S+ is no plain JSON$/m);
  assert.match(bad.stdout, /^missing +git +not on PATH/m);
});

test('an old node is broken', () => {
  assert.deepEqual([checkNode('20.0.0').state, checkNode('18.20.1').state, checkNode('24.1.0').state], ['ok', 'broken', 'ok']);
});
