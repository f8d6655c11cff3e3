import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { entryFor, hosts, isOurs, type Host } from '../../lib/cli/hosts.ts';
import { mergeEntry } from '../../lib/cli/install-command.ts';
import { launcher, makeFolder, runProgram } from './run-program.ts';

const claude = hosts.find((host) => host.name === 'claude') as Host;
const entry = entryFor(claude, '/opt/toolwire/bin/toolwire.js', ['mcp']);
const merged = (text: string): unknown => {
  const result = mergeEntry(text, claude, 'toolwire', entry);
  return 'refused' in result ? result : (JSON.parse(result.text) as unknown);
};

test('an entry is added beside the others, which stay as they are', () => {
  const other = { command: 'other', args: ['toolwired'] };
  const old = { command: 'npx', args: ['-y', 'toolwire', 'mcp'] };
  const cases: [string, unknown][] = [
    ['', { mcpServers: { toolwire: entry } }],
    ['{}', { mcpServers: { toolwire: entry } }],
    [JSON.stringify({ a: 1, mcpServers: { other } }), { a: 1, mcpServers: { other, toolwire: entry } }],
    [JSON.stringify({ mcpServers: { toolwire: old, other } }), { refused: 'its entry toolwire is set differently (--force replaces it)' }],
    [JSON.stringify({ mcpServers: { toolwire: { command: 'node', args: ['/gone/bin/gadriel.js', 'mcp'] } } }), { refused: 'its entry toolwire starts /gone/bin/gadriel.js, which is not there any more (--force replaces it)' }],
    [JSON.stringify({ mcpServers: { toolwire: other } }), { refused: 'its entry toolwire starts something else' }],
    [JSON.stringify({ mcpServers: { toolwire: 'text' } }), { refused: 'its entry toolwire starts something else' }],
    ['// comment\n{}', { refused: 'it is no plain JSON (comments?)' }],
    ['[]', { refused: 'it holds no JSON object' }],
    ['{"mcpServers":[]}', { refused: 'its mcpServers is no object' }],
  ];
  for (const [text, expected] of cases) assert.deepEqual(merged(text), expected, text);
  const same = JSON.stringify({ mcpServers: { toolwire: entry } });
  assert.deepEqual(mergeEntry(same, claude, 'toolwire', entry), { text: same });
  const forced = mergeEntry(JSON.stringify({ mcpServers: { other, toolwire: old } }), claude, 'toolwire', entry, { force: true });
  assert.deepEqual(forced, { text: JSON.stringify({ mcpServers: { other, toolwire: entry } }) });
  const foreign = mergeEntry(JSON.stringify({ mcpServers: { toolwire: other } }), claude, 'toolwire', entry, { force: true });
  assert.deepEqual(foreign, { refused: 'its entry toolwire starts something else' });
  assert.match((mergeEntry('{\n\t"a": 1\n}', claude, 'toolwire', entry) as { text: string }).text, /^\{\n\t"a": 1,\n\t"mcpServers"/);
});

test('a file of comments alone keeps them above the entry', () => {
  const vscode = hosts.find((host) => host.name === 'vscode') as Host;
  const result = mergeEntry('// ours\n/* more */', vscode, 'toolwire', entry) as { text: string };
  assert.ok(result.text.startsWith('// ours\n/* more */\n{\n  "servers": {'), result.text);
  assert.match((mergeEntry('/* open', vscode, 'toolwire', entry) as { refused: string }).refused, /^it can not be read/);
});

test('what can not be read or written is refused with the reason and the entry', async (t) => {
  const cwd = makeFolder(t);
  mkdirSync(path.join(cwd, '.mcp.json'));
  writeFileSync(path.join(cwd, '.cursor'), '');
  for (const [name, reason] of [['claude', 'it is a folder'], ['cursor', 'a file stands where its folder should be']] as const) {
    const { code, stdout, stderr } = await runProgram(['install', name], { cwd });
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`: it can not be (?:read|written): ${reason}; nothing was written`));
    assert.ok('mcpServers' in JSON.parse(stdout));
  }
});

test('our own entries are told by the program that they start', () => {
  const cases: [unknown, boolean][] = [
    [entry, true],
    [{ command: 'toolwire' }, true],
    [{ command: 'npx', args: ['toolwire@1.2.3'] }, true],
    [{ command: 'C:\\node_modules\\toolwire\\bin\\gadriel.js' }, true],
    [{ command: 'node', args: ['/src/clone/bin/toolwire.js', 'mcp'] }, true],
    [{ command: 'node', args: ['/src/clone/bin/gadriel.js', 'mcp'] }, true],
    [{ command: 'node', args: ['C:\\src\\clone\\bin\\gadriel.js', 'mcp'] }, true],
    [{ command: 'gadriel', args: ['mcp'] }, true],
    [{ command: '/usr/local/bin/gadriel' }, true],
    [{ command: 'node', args: ['/elsewhere/launch.js', 'mcp'] }, true],
    [{ command: 'node', args: ['/elsewhere/other.js', 'gadriel'] }, false],
    [{ command: 'toolwired', args: 7 }, false],
    [{ url: 'https://example.org/toolwire-like' }, false],
    [null, false],
  ];
  for (const [value, expected] of cases) assert.equal(isOurs(value, '/elsewhere/launch.js'), expected, JSON.stringify(value));
});

test('install writes the file of each host, once, and prints the entry with --print', async (t) => {
  for (const [name, file, member] of [['claude', '.mcp.json', 'mcpServers'], ['cursor', '.cursor/mcp.json', 'mcpServers'], ['vscode', '.vscode/mcp.json', 'servers']] as const) {
    const cwd = makeFolder(t);
    const target = path.join(cwd, file);
    const printed = await runProgram(['install', name, '--print'], { cwd });
    assert.deepEqual([printed.code, existsSync(target)], [0, false]);
    const first = await runProgram(['install', name], { cwd });
    assert.deepEqual([first.code, first.stderr], [0, '']);
    const text = readFileSync(target, 'utf8');
    assert.equal(text, printed.stdout);
    const { command, args } = (JSON.parse(text) as Record<string, { toolwire: { command: string; args: string[] } }>)[member]?.toolwire ?? {};
    assert.deepEqual([command, args], ['node', [launcher, 'mcp']]);
    const again = await runProgram(['install', name], { cwd });
    assert.match(again.stdout, /has the server already/);
    assert.equal(readFileSync(target, 'utf8'), text);
  }
});

test('a family is installed by its own name, and a foreign entry is never replaced', async (t) => {
  const cwd = makeFolder(t);
  const file = path.join(cwd, '.mcp.json');
  writeFileSync(file, '{"mcpServers":{"other":{"command":"x"}}}');
  assert.equal((await runProgram(['gadriel', 'install', 'claude'], { cwd })).code, 0);
  const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: Record<string, { args?: string[] }> };
  assert.deepEqual([Object.keys(mcpServers), mcpServers['gadriel']?.args?.slice(1)], [['other', 'gadriel'], ['gadriel', 'mcp']]);
  const foreign = '{"mcpServers":{"toolwire":{"command":"x"}}}';
  writeFileSync(file, foreign);
  const refused = await runProgram(['install', 'claude'], { cwd });
  assert.deepEqual([refused.code, readFileSync(file, 'utf8')], [1, foreign]);
  assert.match(refused.stderr, /^\.mcp\.json: its entry toolwire starts something else; nothing was written\. What it needs:\n$/);
  assert.equal(refused.stdout, (await runProgram(['install', 'claude', '--print'], { cwd })).stdout);
});

test('everything else in the file stays as it is, to the byte, comments of VS Code too', async (t) => {
  const others = '{ // mine\n\t"inputs": [1.0, 12345678901234567890, "\\u00e9",], /* kept */\n\t"servers": {\n\t\t"other": {"command":"x"}, // last\n\t},\n}\n';
  const cwd = makeFolder(t);
  const file = path.join(cwd, '.vscode', 'mcp.json');
  mkdirSync(path.dirname(file));
  writeFileSync(file, others);
  assert.deepEqual((await runProgram(['install', 'vscode'], { cwd })).stderr, '');
  const text = readFileSync(file, 'utf8');
  const [before, added, after] = [others.slice(0, others.indexOf('\n\t},')), text.slice(others.indexOf('\n\t},'), -'\n\t},\n}\n'.length), '\n\t},\n}\n'];
  assert.equal(text, before + added + after);
  assert.deepEqual(JSON.parse(`{${added}}`), { toolwire: { type: 'stdio', command: 'node', args: [launcher, 'mcp'] } });
  const doctor = await runProgram(['doctor'], { cwd, env: { HOME: cwd } });
  assert.match(doctor.stdout, /^ok +VS Code +starts toolwire /m);

  const commented = text.replace('"type"', '// why\n\t\t\t"type"').replace(launcher, '/gone/bin/toolwire.js');
  writeFileSync(file, commented);
  assert.match((await runProgram(['doctor'], { cwd, env: { HOME: cwd } })).stdout, /^broken +VS Code +toolwire starts \/gone\/bin\/toolwire\.js, which is not there any more: toolwire install vscode --force /m);
  const kept = await runProgram(['install', 'vscode', '--force'], { cwd });
  assert.deepEqual([kept.code, readFileSync(file, 'utf8')], [1, commented]);
  assert.match(kept.stderr, /has comments, which would be lost; nothing was written/);
  writeFileSync(file, '{ "servers": {');
  const broken = await runProgram(['install', 'vscode'], { cwd });
  assert.match(broken.stderr, /^\.vscode\/mcp\.json: it can not be read: unexpected end in line 1; nothing was written/);
  assert.match((await runProgram(['doctor'], { cwd, env: { HOME: cwd } })).stdout, /^broken +VS Code +\S+ can not be read: unexpected end in line 1$/m);
});

test('an entry of a clone that was moved is told apart, and replaced with --force', async (t) => {
  const cwd = makeFolder(t, { '.mcp.json': '{"mcpServers":{"gadriel":{"command":"node","args":["/gone/bin/gadriel.js","mcp"]},"n":1.0}}' });
  const refused = await runProgram(['gadriel', 'install', 'claude'], { cwd });
  assert.deepEqual([refused.code, refused.stderr], [1, '.mcp.json: its entry gadriel starts /gone/bin/gadriel.js, which is not there any more (--force replaces it); nothing was written. What it needs:\n']);
  assert.equal((await runProgram(['gadriel', 'install', 'claude', '--force'], { cwd })).code, 0);
  assert.equal(readFileSync(path.join(cwd, '.mcp.json'), 'utf8'), `{"mcpServers":{"gadriel":${JSON.stringify(entryFor(claude, launcher, ['gadriel', 'mcp']))},"n":1.0}}`);
});

test('install ends where nobody can make a folder', { skip: !existsSync('/proc/self') }, async () => {
  const { code, stdout, stderr } = await runProgram(['install', 'cursor'], { cwd: '/proc' });
  assert.equal(code, 1);
  assert.match(stderr, /^\.cursor\/mcp\.json: it can not be written: its folder can not be made; nothing was written/);
  assert.match(stdout, /"mcpServers"/);
});
