import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseJsonPlaces, type JsonNode } from '../../../../lib/families/gadriel/domain/repository/json-places.ts';
import { isMcpConfig } from '../../../../lib/families/gadriel/domain/repository/mcp-config.ts';
import { mcpRules } from '../../../../lib/families/gadriel/domain/repository/mcp-rules.ts';
import { plainSettings } from '../../../../lib/families/gadriel/domain/repository/settings.types.ts';
import { createRules, plainRules } from '../../../../lib/families/gadriel/domain/scan-rules.ts';
import { scanSource } from '../../../../lib/families/gadriel/domain/scan-source.ts';
import { githubToken } from '../support/sample-secrets.ts';

const scan = (text: string, path = '.mcp.json') => scanSource({ text, path, kind: 'other', language: 'json', profile: 'default' }).findings;
/** Numbers of the CONFIG-MCP rules found in one server. */
const found = (server: object): string[] => scan(JSON.stringify({ mcpServers: { one: server } })).filter((each) => each.scan_type === 'config').map((each) => each.rule_id.slice(-3));

describe('the MCP configuration rules', () => {
  for (const rule of mcpRules) {
    it(`${rule.id}: finds its bad example, and nothing in the good one`, () => {
      const [first, ...others] = scan(rule.bad).filter((each) => each.rule_id === rule.id);
      assert.deepEqual([first?.rule_id, first?.cwe, first?.severity, first?.scan_type, first?.pillar], [rule.id, rule.cwe, rule.severity, 'config', 'compliance']);
      assert.deepEqual(others, []);
      assert.deepEqual(scan(rule.good), []);
    });
  }

  const token = githubToken(3);
  const cases: readonly (readonly [what: string, server: object, numbers: readonly string[]])[] = [
    ['uvx without version', { command: 'uvx', args: ['mcp-server-git'] }, ['001']],
    ['uvx with version', { command: 'uvx', args: ['mcp-server-git==1.2'] }, []],
    ['--from with version', { command: 'uvx', args: ['--from', 'pkg==1.0', 'tool'] }, []],
    ['--package without version', { command: 'npx', args: ['-y', '--package', '@a/b', 'run'] }, ['001']],
    ['a scope alone is no version', { command: 'npx', args: ['@scope/name'] }, ['001']],
    ['a tag is no version', { command: 'npx', args: ['name@latest'] }, ['001']],
    ['a range is no version', { command: 'npx', args: ['name@^1.2.3'] }, ['001']],
    ['pnpm dlx', { command: 'pnpm', args: ['dlx', 'name'] }, ['001']],
    ['cmd /c npx', { command: 'cmd', args: ['/c', 'npx', '-y', 'name'] }, ['001']],
    ['a path on this machine', { command: 'npx', args: ['./server.js'] }, []],
    ['a commit', { command: 'uvx', args: ['--from', 'git+https://example.com/x@0123abcd', 'x'] }, []],
    ['a branch', { command: 'uvx', args: ['--from', 'git+https://example.com/x', 'x'] }, ['001']],
    ['a value for another flag', { command: 'uvx', args: ['--python', '3.12', 'name==1.0'] }, []],
    ['flags alone', { command: 'npx', args: ['--version'] }, []],
    ['another program', { command: 'node', args: ['server.js'] }, []],
    ['a token by its shape', { command: 'x', env: { WHATEVER: token } }, ['002']],
    ['a token by its name', { command: 'x', env: { SERVICE_TOKEN: 'k3Jd9sLq2Wm8' } }, ['002']],
    ['a bearer', { url: 'https://a.example', headers: { Authorization: 'Bearer k3Jd9sLq2Wm8' } }, ['002']],
    ['a bearer from a variable', { url: 'https://a.example', headers: { Authorization: 'Bearer ${input:token}' } }, []],
    ['nested headers', { url: 'https://a.example', requestInit: { headers: { 'X-Api-Key': 'k3Jd9sLq2Wm8' } } }, ['002']],
    ['placeholders', { command: 'x', env: { A_TOKEN: 'your-token-1', B_TOKEN: '<token here>', C_TOKEN: '%TOKEN%', D_TOKEN: 'short1', E_TOKEN: 3 } }, []],
    ['settings that are no secrets', { command: 'x', env: { MODE: 'k3Jd9sLq2Wm8', TOKEN_FILE: '/run/a1b2c3d4', MAX_TOKEN: '1234567890' } }, []],
    ['plain HTTP', { serverUrl: 'http://10.0.0.5:3000/mcp' }, ['003']],
    ['plain web socket in an argument', { command: 'x', args: ['ws://mcp.example.com'] }, ['003']],
    ['this machine', { url: 'http://localhost:3000/' }, []],
    ['this machine by number', { url: 'http://127.0.0.1' }, []],
    ['this machine, IPv6', { url: 'http://user@[::1]:8080/x' }, []],
    ['a name that only begins like it', { url: 'http://localhost.example.com' }, ['003']],
    ['a home folder', { command: 'mcp-server-filesystem', args: ['/home/someone'] }, ['004']],
    ['a disk of Windows', { command: 'mcp-server-filesystem', args: ['C:\\'] }, ['004']],
    ['a flag with the folder', { command: 'fs-mcp', args: ['--root=~'] }, ['004']],
    ['a project folder', { command: 'mcp-server-filesystem', args: ['/home/someone/project'] }, []],
    ['the root for another server', { command: 'mcp-server-time', args: ['/'] }, []],
    ['uv tool run', { command: 'uv', args: ['tool', 'run', 'name'] }, ['001']],
    ['uv tool run with version', { command: 'uv', args: ['tool', 'run', 'name==1.2'] }, []],
    ['uv run --with', { command: 'uv', args: ['run', '--with', 'name', 'server.py'] }, ['001']],
    ['uv run --with two packages', { command: 'uv', args: ['run', '--with=a==1.0,b', 'mcp', 'run', 's.py'] }, ['001']],
    ['uv run --with version', { command: 'uv', args: ['run', '--directory', '/x', '--with', 'name==1.0', 'server.py'] }, []],
    ['a script by uv run', { command: 'uv', args: ['run', 'server.py'] }, []],
    ['pipx run', { command: 'pipx', args: ['run', 'name'] }, ['001']],
    ['pipx run --spec', { command: 'pipx', args: ['run', '--spec', 'name==1.0', 'tool'] }, []],
    ['a shell that runs npx', { command: 'bash', args: ['-lc', 'cd /x && npx -y name'] }, ['001']],
    ['a shell that runs npx with version', { command: 'bash', args: ['-c', 'exec npx -y name@1.2.3'] }, []],
    ['deno run npm:', { command: 'deno', args: ['run', '-A', 'npm:name'] }, ['001']],
    ['deno run npm: with version', { command: 'deno', args: ['run', '-A', 'npm:@a/b@1.2.3'] }, []],
    ['deno run of a file', { command: 'deno', args: ['run', 'server.ts'] }, []],
    ['a whole disk in a container', { command: 'docker', args: ['run', '-i', '-v', '/:/data', 'mcp/filesystem', '/data'] }, ['004']],
    ['a whole disk by --mount', { command: 'docker', args: ['run', '--mount', 'type=bind,src=/home/me,dst=/data', 'mcp/filesystem', '/data'] }, ['004']],
    ['a project in a container', { command: 'docker', args: ['run', '-v', '/home/me/project:/projects', 'mcp/filesystem', '/'] }, []],
    ['a key after a flag', { command: 'x', args: ['--api-key', 'k3Jd9sLq2Wm8'] }, ['002']],
    ['a key in a flag', { command: 'x', args: ['--token=k3Jd9sLq2Wm8'] }, ['002']],
    ['a header on the command line', { command: 'x', args: ['--header', 'Authorization: Bearer k3Jd9sLq2Wm8'] }, ['002']],
    ['a variable of a container', { command: 'docker', args: ['run', '-e', 'API_KEY=k3Jd9sLq2Wm8', 'x'] }, ['002']],
    ['a token of a known shape among arguments', { command: 'x', args: [token] }, ['002']],
    ['arguments that are filled in', { command: 'x', args: ['--api-key', '${input:key}', '--header', 'Authorization:${AUTH}', '-e', 'API_KEY', '--token', '--verbose'] }, []],
    ['arguments that are no secrets', { command: 'x', args: ['--mode', 'k3Jd9sLq2Wm8', '--token-file=/run/a1b2c3d4'] }, []],
    ['a key in the address', { url: 'https://a.example/mcp?api_key=k3Jd9sLq2Wm8' }, ['002']],
    ['a bare key in the address', { command: 'x', args: ['https://a.example/mcp?x=1&key=k3Jd9sLq2Wm8'] }, ['002']],
    ['no key in the address', { url: 'https://a.example/mcp?page=k3Jd9sLq2Wm8&api_key=${KEY}' }, []],
  ];
  for (const [what, server, numbers] of cases) it(`${what}: ${numbers.join(', ') || 'nothing'}`, () => assert.deepEqual(found(server), numbers));

  it('reads the forms of several hosts, with comments, and honours a comment that silences', () => {
    const plain = '"url": "http://a.example/"';
    const forms: readonly (readonly [path: string, text: string, count: number])[] = [
      ['.vscode/mcp.json', `// servers\n{ "servers": { "a": { ${plain}, }, }, /* end */ }`, 1],
      ['.vscode/settings.json', `{ "mcp": { "servers": { "a": { ${plain} } } } }`, 1],
      ['.zed/settings.json', `{ "context_servers": { "a": { ${plain} } } }`, 1],
      ['claude_desktop_config.json', `{ "projects": { "/x": { "mcpServers": { "a": { ${plain} } } } } }`, 1],
      ['mcp.json', `{ "servers": [{ ${plain} }], "a": { ${plain} } }`, 0],
      ['mcp.json', `{ "mcpServers": { "a": { ${plain} } }`, 0],
      ['mcp.json', `{ "mcpServers": { "a": {\n${plain} // gadriel:ignore[CODE-W2-CONFIG-MCP-003] test network\n} } }`, 0],
      ['package.json', `{ "mcpServers": { "a": { ${plain} } } }`, 0],
    ];
    for (const [path, text, count] of forms) assert.equal(scan(text, path).length, count, `${path}: ${text}`);
  });

  it('tells of one secret once, unless its detector knows more than the name of its key', () => {
    const ruleIds = (env: object, rules = plainRules()): string[] =>
      scanSource({ text: JSON.stringify({ mcpServers: { one: { command: 'x', env } } }), path: '.mcp.json', kind: 'other', language: 'json', profile: 'default', rules }).findings.map(({ rule_id }) => rule_id.replace(/^CODE-W\d-/, ''));
    const literal = { API_KEY: 'abcd1234efgh5678ijkl' };
    assert.deepEqual(ruleIds(literal), ['CONFIG-MCP-002']);
    assert.deepEqual(ruleIds({ GITHUB_TOKEN: token }).sort(), ['CONFIG-MCP-002', 'SECRET-004']);
    assert.deepEqual(ruleIds({ Authorization: 'Bearer kJ8x2mQ9vL4nR7tW' }), ['CONFIG-MCP-002']);
    assert.deepEqual(ruleIds(literal, createRules({ ...plainSettings, severity: { 'CODE-W2-CONFIG-MCP-002': 'info' } })).sort(), ['CONFIG-MCP-002', 'SECRET-075'], 'as gravely');
    const off = createRules({ ...plainSettings, off: ['CODE-W2-CONFIG-MCP-002'] });
    assert.deepEqual(ruleIds(literal, off), ['SECRET-075'], 'somebody tells of it');
  });

  it('takes a server without a dot in its name for one nearby', () => {
    const severities = ['http://mcp:8080/x', 'http://mcp.example.com/', 'http://user@mcp', 'http://[fd00::1]:80/'].map((url) => scan(JSON.stringify({ mcpServers: { one: { url } } }))[0]?.severity);
    assert.deepEqual(severities, ['medium', 'high', 'medium', 'high']);
  });

  it('reads the command lists of opencode', () => {
    const text = JSON.stringify({ mcp: { a: { type: 'local', command: ['npx', '-y', 'thing'], environment: { API_KEY: 'k3Jd9sLq2Wm8' } } } });
    assert.deepEqual(scan(text, 'opencode.json').filter((each) => each.scan_type === 'config').map((each) => each.rule_id.slice(-3)), ['001', '002']);
  });

  it('reads the TOML of Codex, each finding at its place', () => {
    const text = `model = "x"
[mcp_servers.fs]
command = "npx"
args = [
  "-y",
  'server-filesystem',
  "/",
]
[mcp_servers."a b"]
url = "http://mcp.example.com/"
[mcp_servers.c]
command = "x"
env = { API_KEY = "k3Jd9sLq2Wm8" }
[mcp_servers.d]
command = "x"
args = ["--token=k3Jd9sLq2Wm\\u0038"]
`;
    const found = (path: string): string[] => scan(text, path).filter((each) => each.scan_type === 'config').map((each) => `${each.line} ${each.rule_id.slice(-3)}`);
    assert.deepEqual(found('.codex/config.toml'), ['6 001', '7 004', '10 003', '13 002', '14 002']);
    assert.deepEqual(found('config.toml'), []);
    const deep = `x = ${'['.repeat(40)}${']'.repeat(40)}\nd = 2020-01-01\n`;
    for (const other of [deep, `${deep}${'#'.repeat(140_000)}`, '[mcp_servers.a', '[[mcp_servers]]\nurl = "http://a.example/"']) assert.deepEqual(scan(other, '.codex/config.toml'), []);
  });

  it('never shows a secret', () => {
    const text = JSON.stringify({ mcpServers: { one: { command: 'npx', args: [token], env: { A_TOKEN: token, [token]: token } } } });
    assert.ok(!JSON.stringify(scan(text)).includes(token));
  });
});

describe('isMcpConfig', () => {
  it('knows the names that hosts use, in either kind of slashes', () => {
    const names = ['.mcp.json', 'a/mcp.json', '.cursor/mcp.json', 'x\\.vscode\\mcp.json', 'claude_desktop_config.json', '.gemini/settings.json', 'mcp_config.json', 'mcp-servers.json', '.claude/settings.local.json'];
    assert.deepEqual(names.filter((name) => !isMcpConfig(name)), []);
    assert.deepEqual(['settings.json', 'xmcp.json', 'mcp.json.bak', 'mcp.yaml', 'a/settings/mcp.js'].filter(isMcpConfig), []);
  });
});

describe('parseJsonPlaces', () => {
  const plain = (node: JsonNode, text: string): unknown => {
    if (node.type === 'object') return Object.fromEntries(node.members.map(({ key, value }) => [key, plain(value, text)]));
    return node.type === 'array' ? node.items.map((item) => plain(item, text)) : JSON.parse(text.slice(node.start, node.end));
  };

  it('reads what JSON.parse reads, each value at its place', () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      const node = parseJsonPlaces(text);
      assert.ok(node !== undefined);
      assert.equal(JSON.stringify(plain(node, text)), JSON.stringify(JSON.parse(text)));
    }), { numRuns: 300 });
  });

  it('gives nothing for other texts, deep ones too, and never throws', () => {
    for (const text of ['', '{', '{"a"}', '{"a" 1}', '[1 2]', '[1,,2]', '{,}', '"a', '1 2', '/* x', '}', '[1]]', '{1: 2}', '['.repeat(5_000), '[:]']) assert.equal(parseJsonPlaces(text), undefined, text.slice(0, 20));
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '/', '*', 'a', '1', '\\', '\n') }), (text) => void parseJsonPlaces(text)));
  });

  it('keeps a broken escape as it stands', () => assert.deepEqual(parseJsonPlaces('"\\x"'), { type: 'string', value: '\\x', start: 0, end: 4 }));
});
