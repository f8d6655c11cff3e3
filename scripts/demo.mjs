// A real session through a pipe, printed readably: initialize, tools/list, a vulnerable file, a leaked key, a clean file, a scan
// of the folder by the command line, a fix of what it found; then a bundle from one person's agent to another's.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoGage } from './demo-gage.mjs';
import { openSession } from './session.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(path.join(tmpdir(), 'toolwire-demo-'));

const vulnerable = `import subprocess
from flask import Flask, request

app = Flask(__name__)

@app.route("/ping")
def ping():
    host = request.args.get("host")
    command = "ping -c 1 " + host
    return subprocess.check_output(command, shell=True)
`;

const clean = `import subprocess

def ping(host: str) -> bytes:
    return subprocess.check_output(["ping", "-c", "1", "--", host])
`;

// Put together here, so that no scanner takes this file for the leak.
const key = ['ghp', '_', 'x7Kq9LmZ2RtVb4NcW8yPd3HsJf6GaU1Te5Xo'].join('');
const leak = `[deploy]\nregion = eu-central-1\ngithub_token = ${key}\n`;

const show = (text = '') => console.log(text);
const ask = (method, params) => show(`\n-> ${method} ${JSON.stringify(params)}`);

function showFindings({ result, error }) {
  if (error !== undefined) throw new Error(`the call failed: ${error.message}`);
  if (result.isError) throw new Error(result.content[0].text);
  const { findings } = JSON.parse(result.content[0].text);
  if (findings.length === 0) show('<- no findings');
  for (const finding of findings) {
    show(`<- ${finding.severity.toUpperCase()} ${finding.rule_id} ${finding.cwe} at ${path.basename(finding.file)}:${finding.line}`);
    show(`   ${finding.message}`);
    for (const { line, note } of finding.trace ?? []) show(`     line ${line}: ${note}`);
  }
  return findings;
}

// What is learned of the rules belongs to a user, not to a demo.
const env = { ...process.env, GADRIEL_HOME: path.join(folder, '.home') };
const session = openSession([path.join(root, 'bin', 'toolwire.js'), 'mcp'], { cwd: folder, env });
try {
  show('$ toolwire mcp');
  const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'demo', version: '1' } };
  ask('initialize', initialize);
  const { result: hello } = await session.request('initialize', initialize);
  show(`<- ${hello.serverInfo.name} ${hello.serverInfo.version}, protocol ${hello.protocolVersion}`);
  session.notify('notifications/initialized');

  ask('tools/list', {});
  const { result: list } = await session.request('tools/list');
  for (const { name, title, annotations } of list.tools) show(`<- ${name.padEnd(26)} ${annotations.readOnlyHint ? 'reads  ' : 'changes'} ${title}`);

  writeFileSync(path.join(folder, 'ping.py'), vulnerable);
  const scan = { name: 'validate_file', arguments: { file_path: 'ping.py' } };
  ask('tools/call', scan);
  const injection = showFindings(await session.request('tools/call', scan)).some((finding) => finding.line === 10);

  const buffer = (file_path, content) => ({ name: 'validate_buffer', arguments: { file_path, content } });
  ask('tools/call', { name: 'validate_buffer', arguments: { file_path: 'deploy.ini', content: `… ${leak.length} characters …` } });
  const leaks = showFindings(await session.request('tools/call', buffer('deploy.ini', leak)));
  const leaked = leaks.some((finding) => finding.line === 3) && !JSON.stringify(leaks).includes(key);

  ask('tools/call', { name: 'validate_buffer', arguments: { file_path: 'ping.py', content: '… without a shell …' } });
  const quiet = showFindings(await session.request('tools/call', buffer('ping.py', clean))).length === 0;

  show('\n$ gadriel code scan');
  const scanned = spawnSync(process.execPath, [path.join(root, 'bin', 'gadriel.js'), 'code', 'scan'], { cwd: folder, env, encoding: 'utf8' });
  show(`${scanned.stderr}${scanned.stdout}`.trim().split('\n').slice(-2).join('\n'));

  const fix = { name: 'fix_finding', arguments: { finding_id: 'CODE-W1-L3-017', runner_id: 'rules' } };
  ask('tools/call', fix);
  const proposal = JSON.parse((await session.request('tools/call', fix)).result.content[0].text);
  show(`<- ${proposal.status}: ${proposal.rationale}`);
  for (const line of proposal.diff.trimEnd().split('\n')) show(`   ${line}`);
  const untouched = readFileSync(path.join(folder, 'ping.py'), 'utf8') === vulnerable;

  const code = await session.close();
  show(`\nThe input ends, the server exits with ${code}.`);
  const { verdict, ends } = await demoGage(root, folder, show);
  for (const [good, what] of [[injection, 'the injection on line 10'], [leaked, 'the leaked key on line 3, without showing it'], [quiet, 'nothing in clean code'],
    [scanned.status === 1, 'exit code 1 of the scan'], [proposal.diff.includes('+    command = ["ping"'), 'a list in the fix'], [untouched, 'the source untouched'], [code === 0, 'exit code 0'], [verdict === 'not_listed', 'a stranger to be told as one'], [ends === 1, 'one end of the frame']]) {
    if (!good) throw new Error(`the demo expected ${what}`);
  }
} finally {
  await session.close();
  rmSync(folder, { recursive: true, force: true });
}
