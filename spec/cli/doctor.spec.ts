import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
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
  assert.deepEqual(states, { toolwire: 'ok', node: 'ok', git: 'ok', 'family gadriel': 'ok', 'family gage': 'ok', 'gage identity': 'missing', 'gage relay': 'missing', 'gage buddies': 'ok', 'gage routes': 'ok', 'gage grants': 'ok', 'Claude Code': 'ok', Cursor: 'missing', 'VS Code': 'missing' });
  assert.equal(checks.find(({ subject }) => subject === 'Claude Code')?.detail, `starts mine (${path.join(cwd, '.mcp.json')})`);

  const broken = makeFolder(t, { '.mcp.json': '{ // comment' });
  const bad = await runProgram(['gadriel', 'doctor'], { cwd: broken, env: { HOME: broken, PATH: broken } });
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /^broken +Claude Code +\S+ is no plain JSON$/m);
  assert.match(bad.stdout, /^missing +git +not on PATH/m);
});

test('doctor says what gage needs, and which of its files is broken', async (t) => {
  const cwd = makeFolder(t, {});
  const env = { HOME: cwd, GAGE_HOME: path.join(cwd, 'my gage') };
  const lines = async (): Promise<{ code: number | null; gage: string[] }> => {
    const { code, stdout } = await runProgram(['gage', 'doctor', '--json'], { cwd, env });
    return { code, gage: (JSON.parse(stdout) as Report).checks.filter(({ subject }) => subject.startsWith('gage ')).map(({ state, subject, detail }) => `${state} ${subject.slice(5)}: ${detail}`) };
  };
  assert.deepEqual(await lines(), { code: 0, gage: [
    'missing identity: there is no identity yet: a person makes one with gage init HANDLE', 'missing relay: none is set, so nothing is pushed or pulled: gage config relay URL', 'ok buddies: 0', 'ok routes: 0', 'ok grants: 0',
  ] });
  assert.equal(existsSync(env.GAGE_HOME), false);
  for (const words of [['init', 'al-ice'], ['config', 'relay', 'https://relay.example.org']]) assert.equal((await runProgram(['gage', ...words], { cwd, env })).code, 0);
  assert.deepEqual((await lines()).gage.slice(0, 2), [`ok identity: al-ice (${env.GAGE_HOME})`, 'ok relay: https://relay.example.org']);
  writeFileSync(path.join(env.GAGE_HOME, 'buddies.json'), '{"buddies":[]}\n', { mode: 0o600 });
  const { code, gage } = await lines();
  assert.deepEqual([code, gage.filter((line) => line.startsWith('broken'))], [1, ['broken buddies: buddies.json in the gage home can not be used: /v is required: write "v":1 beside the other keys; repair it by hand']]);
});

test('an old node is broken', () => {
  assert.deepEqual([checkNode('20.0.0').state, checkNode('18.20.1').state, checkNode('24.1.0').state], ['ok', 'broken', 'ok']);
});
