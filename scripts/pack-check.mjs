// Proves the tarball: it installs alone, without any other package, runs, and type-checks for programs that embed it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSession } from './session.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const work = mkdtempSync(path.join(tmpdir(), 'toolwire-pack-'));
const consumer = path.join(work, 'consumer');
const windows = process.platform === 'win32';

function run(command, args, { input, cwd = consumer } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, input, encoding: 'utf8', shell: windows, env: { ...process.env, NO_COLOR: '1' } });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${status}\n${stdout}${stderr}`);
  return stdout;
}

function check(good, what) {
  if (!good) throw new Error(`not so: ${what}`);
  console.log(`ok  ${what}`);
}

const line = (id, method, params = {}) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const handshake = line(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} }) + line(2, 'tools/list');
const answers = (text) => text.trimEnd().split('\n').map((each) => JSON.parse(each));

/** A program that embeds the package, as in the README; it must compile with nothing but the package's own types. */
const embedding = `import { createServer, defineFamily, defineTool, RpcError, type Tool } from 'toolwire';
import { connect, play } from 'toolwire/testing';
import { gadriel } from 'toolwire/families/gadriel';
import { gage } from 'toolwire/families/gage';

const add: Tool = defineTool({
  name: 'add',
  title: 'Add',
  description: 'Adds two numbers.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number', description: 'One.' }, b: { type: 'number', description: 'The other.' } },
    required: ['a', 'b'],
  },
  annotations: { title: 'Add', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  call: ({ a, b }) => {
    const sum: number = a + b;
    if (sum === Infinity) throw new RpcError(-32602, 'too big');
    return { sum };
  },
});
const server = createServer({ name: 'mine', version: '1.0.0', families: [gadriel(), gage(), defineFamily({ name: 'mine', apiVersion: 1, tools: () => [add] })] });
const client = connect(server);
const result = await client.call('add', { a: 1, b: 2 });
const mismatches = await play('> {"jsonrpc":"2.0","id":1,"method":"ping"}\\n< {"jsonrpc":"2.0","id":1,"result":{}}\\n', server);
console.log(JSON.stringify({ result, mismatches: mismatches.length }));
client.close();
await server.close();
`;

function installTarball() {
  const packed = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work], { cwd: root }));
  const { filename, size, files } = packed[0];
  const names = files.map((file) => file.path);
  console.log(`    ${filename}: ${names.length} files, ${Math.round(size / 1024)} KiB`);
  check(names.includes('THIRD_PARTY_LICENSES') && names.includes('LICENSE') && names.includes('README.md'), 'the tarball holds the licences and the README');
  check(!names.some((name) => /^(?:lib|spec|scripts|node_modules)\//.test(name)), 'the tarball holds no sources, specs or scripts');
  mkdirSync(consumer);
  writeFileSync(path.join(consumer, 'package.json'), '{"name":"consumer","private":true,"type":"module"}\n');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', path.join(work, filename)]);
  const installed = readdirSync(path.join(consumer, 'node_modules')).filter((name) => !name.startsWith('.'));
  check(installed.join() === 'toolwire', 'node_modules holds this one package');
}

function runBins() {
  const piped = answers(run('npx', ['--no-install', 'toolwire'], { input: handshake }));
  check(piped.length === 2 && piped[0].result.serverInfo.name === 'toolwire', 'npx toolwire answers a piped session');
  const { bin } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  for (const name of Object.keys(bin)) {
    const [hello, list] = answers(run('npx', ['--no-install', name, 'mcp'], { input: handshake }));
    check(hello.result.serverInfo.name === name && list.result.tools.length > 0, `npx ${name} mcp serves as ${name}, ${list.result.tools.length} tools`);
  }
}

function compileConsumer() {
  writeFileSync(path.join(consumer, 'embed.ts'), embedding);
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false', '--target', 'es2023', '--module', 'nodenext'];
  run(process.execPath, [tsc, ...strict, '--lib', 'es2023,dom', '--types', '', '--noEmit', 'embed.ts']);
  check(true, 'a program that embeds it compiles with lib DOM and no other types');
  mkdirSync(path.join(consumer, 'node_modules', '@types'));
  for (const name of ['@types/node', 'undici-types']) symlinkSync(path.join(root, 'node_modules', name), path.join(consumer, 'node_modules', name), 'junction');
  run(process.execPath, [tsc, ...strict, '--lib', 'es2023', '--types', 'node', 'embed.ts']);
  check(true, 'and with @types/node');
  for (const name of ['@types', 'undici-types']) rmSync(path.join(consumer, 'node_modules', name), { recursive: true });
  const printed = JSON.parse(run(process.execPath, ['embed.js']));
  check(printed.result.structuredContent.sum === 3 && printed.mismatches === 0, 'it runs: its own tool answers beside the families, a transcript plays');
}

/** Scans run in worker threads, whose module the bundle has to find beside itself. */
async function runWorker() {
  const lines = Array.from({ length: 60_000 }, (_, index) => `value_${index} = ${index}`);
  writeFileSync(path.join(consumer, 'big.py'), `import os\n${lines.join('\n')}\nos.system(input())\n`);
  const session = openSession([path.join(consumer, 'node_modules', 'toolwire', 'bin', 'toolwire.js'), 'mcp'], { cwd: consumer });
  const { result } = await session.request('tools/call', { name: 'validate_file', arguments: { file_path: 'big.py' } });
  const code = await session.close();
  const findings = result.structuredContent?.findings ?? [];
  check(code === 0 && findings.some((finding) => finding.line === lines.length + 2), `a worker of the tarball scans a file of ${Math.round(lines.join('\n').length / 1024)} KiB`);
}

/** An identity, and both kinds of relay; the bundled signer of bucket requests is loaded by the second. */
async function runGage() {
  const gage = path.join(consumer, 'node_modules', 'toolwire', 'bin', 'gage.js');
  const env = { ...process.env, GAGE_HOME: path.join(work, 'home'), AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  const made = spawnSync(process.execPath, [gage, 'init', 'somebody'], { env, encoding: 'utf8' });
  check(made.status === 0 && /^[\w+/]{43}=\.[\w+/]{43}=\n/.test(made.stdout), 'gage init makes an identity');
  const relay = spawn(process.execPath, [gage, 'relay', 'serve', '--dir', path.join(work, 'relay')], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(relay.stdout.setEncoding('utf8'), 'data');
  const { status } = await fetch(`${JSON.parse(line).origin}/v1/info`);
  relay.kill();
  check(status === 200, 'gage relay serve answers');
  const secret = path.join(work, 'secret');
  writeFileSync(secret, `${'0'.repeat(64)}\n`, { mode: 0o600 });
  const { status: code, stderr } = spawnSync(process.execPath, [gage, 'relay', 'serve', '--bucket', 'http://127.0.0.1:1/none', '--secret-file', secret], { env, encoding: 'utf8' });
  check(code === 1 && !/Cannot find|MODULE/.test(stderr), `a relay over a bucket that is not there says so: ${stderr.trim().split('\n')[0].slice(0, 60)}`);
}

try {
  installTarball();
  runBins();
  compileConsumer();
  await runWorker();
  await runGage();
} finally {
  rmSync(work, { recursive: true, force: true });
}
