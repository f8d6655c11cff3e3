import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { version } from '../../lib/version.ts';
import { makeFolder, pluginText, runProgram } from './run-program.ts';

const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n';
const list = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n';
type Line = { id: unknown; result: { serverInfo: { name: string; version: string }; tools: { name: string }[] } };
const linesOf = (stdout: string): Line[] => stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as Line);

describe('the command line', { concurrency: 2 }, () => {
  test('every way to serve says whom it serves', async () => {
    const cases: [string[], Record<string, string>, string][] = [
      [['mcp'], {}, 'toolwire'],
      [[], {}, 'toolwire'],
      [['--ordered'], {}, 'toolwire'],
      [['mcp', 'gadriel'], {}, 'toolwire'],
      [['gadriel', 'mcp'], {}, 'gadriel'],
      [['gadriel', 'code', 'mcp'], {}, 'gadriel'],
      [['gadriel'], {}, 'gadriel'],
      [[], { TOOLWIRE_FAMILY: 'gadriel' }, 'gadriel'],
      [['code', 'mcp', '--ordered'], { TOOLWIRE_FAMILY: 'gadriel' }, 'gadriel'],
    ];
    for (const [words, env, name] of cases) {
      const { code, stdout } = await runProgram(words, { input: initialize + list, env });
      const [hello, tools] = linesOf(stdout);
      assert.equal(code, 0, words.join(' '));
      assert.deepEqual(hello?.result.serverInfo, { name, version }, words.join(' '));
      assert.deepEqual(tools?.result.tools.map((tool) => tool.name).slice(0, 2), ['validate_buffer', 'validate_file']);
    }
  });

  test('a family that is served alone has the version that its --version says', async () => {
    const said = (await runProgram(['gage', '--version'])).stdout;
    const { stdout } = await runProgram(['gage', 'mcp'], { input: initialize });
    const { serverInfo } = linesOf(stdout)[0]?.result ?? {};
    assert.equal(said, `gage ${serverInfo?.version} (toolwire ${version})\n`);
    assert.equal(serverInfo?.name, 'gage');
  });

  test('help is there for the program, a family, and each command, with an example', async () => {
    const cases: [string[], Record<string, string>, RegExp][] = [
      [['--help'], {}, /^toolwire .*\n\nUsage: toolwire <command>[^]*gadriel {2}Gadriel/],
      [['-h'], {}, /Usage: toolwire <command>/],
      [['help'], {}, /Usage: toolwire <command>/],
      [['help', 'mcp'], {}, /Usage: toolwire mcp \[family…\]/],
      [['help', 'gadriel'], {}, /^toolwire gadriel: /],
      [['mcp', '--help'], {}, /Usage: toolwire mcp \[family…\] \[flags\]/],
      [['tools', '--help'], {}, /Usage: toolwire tools \[family…\]/],
      [['call', '--help'], {}, /Usage: toolwire call TOOL[^]*toolwire call validate_file/],
      [['gage', 'call', '--help'], {}, /toolwire gage call gage_inbox/],
      [['doctor', '--help'], {}, /Usage: toolwire doctor \[family…\]/],
      [['install', '-h'], {}, /Usage: toolwire install claude\|cursor\|vscode/],
      [['gadriel', '--help'], {}, /Usage: toolwire gadriel <command>[^]*code validate /],
      [['gadriel', 'help', 'call'], {}, /Usage: toolwire gadriel call TOOL/],
      [['gadriel', 'mcp', '--help'], {}, /Usage: toolwire gadriel mcp \[flags\]/],
      [['--help'], { TOOLWIRE_FAMILY: 'gadriel' }, /^gadriel: .*\n\nUsage: gadriel <command>/],
      [['code', 'mcp', '--help'], { TOOLWIRE_FAMILY: 'gadriel' }, /Usage: gadriel mcp/],
      [['gadriel', '--help'], {}, /\n {2}code mcp +the same as mcp\n/],
      [['code', 'validate', '--help'], { TOOLWIRE_FAMILY: 'gadriel' }, /Usage: gadriel code validate/],
      [['code', '--help'], { TOOLWIRE_FAMILY: 'gadriel' }, /^Usage: gadriel code <command>[^]*code validate [^]*code mcp /],
      [['code', '-h', '--json'], { TOOLWIRE_FAMILY: 'gadriel' }, /^Usage: gadriel code <command>/],
      [['help', 'code'], { TOOLWIRE_FAMILY: 'gadriel' }, /^Usage: gadriel code <command>/],
      [['help', 'code', 'validate'], { TOOLWIRE_FAMILY: 'gadriel' }, /^Usage: gadriel code validate/],
      [['help', 'code', 'mcp'], { TOOLWIRE_FAMILY: 'gadriel' }, /^Usage: gadriel mcp/],
      [['help', '--help'], {}, /Usage: toolwire <command>/],
      [['help', 'gadriel', 'code'], {}, /^Usage: toolwire gadriel code <command>/],
      [['help', 'gadriel', 'code', 'validate'], {}, /^Usage: gadriel code validate/],
      [['help', 'gadriel', 'call'], {}, /^Usage: toolwire gadriel call TOOL/],
    ];
    for (const [words, env, expected] of cases) {
      const { code, stdout, stderr } = await runProgram(words, { env });
      assert.match(stdout, expected, words.join(' '));
      assert.match(stdout, /\nExample:\n/);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, words.join(' '));
    }
  });

  test('a family of a plugin is called like a built-in one', async (t) => {
    const cli = "cli: { verbs: { 'say it': { summary: 'says it', help: 'Usage: say it', run: (words, { stdout }) => { stdout.write(words.join() + '\\n'); return 1; } } } },";
    const cwd = makeFolder(t, { 'plugin.mjs': pluginText('mine').replace('apiVersion: 1,', `apiVersion: 1, ${cli}`) });
    const plugin = ['--plugin', './plugin.mjs'];
    const cases: [string[], { code: number; stdout: RegExp }][] = [
      [['mine', 'say', 'it', 'a', '--b', ...plugin], { code: 1, stdout: /^a,--b\n$/ }],
      [['help', 'mine', ...plugin], { code: 0, stdout: /^toolwire mine: [^]*say it +says it/ }],
      [['help', 'mine', 'say', 'it', ...plugin], { code: 0, stdout: /^Usage: say it\n$/ }],
      [['mine', 'say', '--help', ...plugin], { code: 0, stdout: /^Usage: toolwire mine say <command>/ }],
      [['mine', '--help', ...plugin], { code: 0, stdout: /^toolwire mine: [^]*say it +says it/ }],
      [['mine', 'tools', ...plugin], { code: 0, stdout: /^TOOL[^\n]*\nmine_echo/ }],
      [['mine', 'call', 'mine_echo', '{"text":"x"}', ...plugin], { code: 0, stdout: /^x\n$/ }],
      [['mine', 'mcp', ...plugin], { code: 0, stdout: /"serverInfo":\{"name":"mine"/ }],
      [['mine', ...plugin], { code: 0, stdout: /"serverInfo":\{"name":"mine"/ }],
      [['other', 'mcp', ...plugin], { code: 2, stdout: /^$/ }],
    ];
    for (const [words, expected] of cases) {
      const { code, stdout, stderr } = await runProgram(words, { cwd, input: initialize });
      assert.match(stdout, expected.stdout, `${words.join(' ')}: ${stderr}`);
      assert.equal(code, expected.code, words.join(' '));
    }
  });

  test('the version is printed alone', async () => {
    for (const words of [['--version'], ['version'], ['gadriel', '--version']]) assert.deepEqual(await runProgram(words), { code: 0, stdout: `${version}\n`, stderr: '' });
    assert.equal((await runProgram(['gage', '--version'])).stdout, `gage 0.3.0 (toolwire ${version})\n`);
  });

  test('wrong usage exits with 2 and says what is near or present', async () => {
    const cases: [string[], RegExp][] = [
      [['mcp', 'v12'], /^toolwire: the family v12 is not part of this version of toolwire; present: gadriel, gage\n/],
      [['v12', 'mcp'], /^toolwire: the family v12 is not part of this version of toolwire; present: gadriel, gage\nTry: toolwire --help\n/],
      [['mcp', 'gadrel'], /there is no family "gadrel"; present: gadriel, gage; did you mean gadriel\?/],
      [['tolls'], /unknown command "tolls"; did you mean tools\?\nTry: toolwire --help/],
      [['a\u001b[31m\nb'], /^toolwire: unknown command "a\\u001b\[31m\\nb"\n/],
      [['mcp', '--orderd'], /unknown flag --orderd; did you mean --ordered\?\nTry: toolwire mcp --help/],
      [['--ordered', 'mcp'], /put the command first: toolwire mcp …/],
      [['mcp', '--drain', 'soon'], /--drain takes seconds from 0 to 2000000, or none, not "soon"/],
      [['mcp', '--drain', '9999999'], /--drain takes seconds/],
      [['mcp', '--max-line-bytes', '0'], /--max-line-bytes takes a whole number from 1 to/],
      [['mcp', '--max-line-bytes', '1e3'], /not "1e3"/],
      [['mcp', '--trace', '/'], /--trace: EISDIR/],
      [['gadriel', 'mcp', 'gadriel'], /toolwire gadriel mcp takes no names, it serves gadriel alone/],
      [['gadriel', 'code'], /"code" is not a whole command: (?:code \w+(?: \w+)?(?:, |\n))+Try: toolwire gadriel code --help/],
      [['gadriel', 'cod', '--help'], /there is no help for "cod"/],
      [['gadriel', 'help', 'code', 'valdate'], /there is no help for "code valdate"; did you mean code validate\?/],
      [['help', 'gadrel'], /there is no help for "gadrel"; did you mean gadriel\?/],
      [['gadriel', 'code', 'validate', '--jsn', 'x\u001b[2J'], /^toolwire: unknown flag --jsn; did you mean --json\?\nTry: gadriel code validate --help/],
      [['gadriel', 'code', 'valdate'], /unknown command "code valdate"; did you mean code validate\?/],
      [['gadriel', 'cal'], /unknown command "cal"; did you mean call\?/],
      [['help', 'nothing'], /there is no help for "nothing"/],
      [['gadriel', 'help', 'gadriel'], /there is no help for "gadriel"/],
      [['tools', 'v12'], /the family v12 is not part/],
      [['doctor', 'nothing'], /there is no family "nothing"/],
      [['install'], /install takes one host: claude, cursor, vscode/],
      [['install', 'cluade'], /did you mean claude\?/],
    ];
    for (const [words, expected] of cases) {
      const { code, stdout, stderr } = await runProgram(words, { input: initialize });
      assert.match(stderr, expected, words.join(' '));
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, words.join(' '));
    }
  });

  test('tools are listed as a table, or as tools/list has them', async (t) => {
    const folder = makeFolder(t, { 'plugin.mjs': pluginText('mine', "console.log('noise');") });
    const table = await runProgram(['tools', 'mine', '--plugin', 'plugin.mjs'], { cwd: folder });
    assert.deepEqual([table.code, table.stderr], [0, 'noise\n']);
    assert.deepEqual(table.stdout.split('\n').map((line) => line.split(/ {2,}/)), [
      ['TOOL', 'EFFECT', 'TITLE'],
      ['mine_echo', 'reads', 'Tool echo'],
      ['mine_object', 'reads', 'Tool object'],
      ['mine_fail', 'changes', 'Tool fail'],
      ['mine_refuse', 'changes, may destroy, network', 'Tool refuse'],
      ['mine_wait', 'reads', 'Tool wait'],
      [''],
    ]);
    const json = await runProgram(['tools', '--json', '--plugin', 'plugin.mjs'], { cwd: folder });
    const { tools } = JSON.parse(json.stdout) as { tools: { name: string; inputSchema: { type: string } }[] };
    assert.ok(tools.some(({ name }) => name === 'validate_file') && tools.some(({ name }) => name === 'mine_echo'));
    assert.ok(tools.every(({ inputSchema }) => inputSchema.type === 'object'));
    const one = await runProgram(['tools'], { env: { TOOLWIRE_FAMILY: 'gadriel' } });
    assert.match(one.stdout, /^TOOL[^]*validate_buffer/);
  });
});
