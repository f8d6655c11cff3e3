import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { githubToken } from './sample-secrets.ts';
import type { TempFolder } from '../../../support/temp-folder.ts';

/** Runs git in a folder, without the settings of whoever runs the specs; returns what it prints. */
export function git(folder: string, words: readonly string[], input = ''): string {
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z', GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z' };
  const identity = ['-c', 'user.name=spec', '-c', 'user.email=spec@example.invalid', '-c', 'core.autocrlf=false'];
  return execFileSync('git', [...identity, ...words], { cwd: folder, env, input, encoding: 'utf8' });
}

/** Writes a git repository with one commit: flaws that the offline runner can fix, flaws that it can not, a secret, odd files. */
export function makeRepository(temp: TempFolder, name: string): string {
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'src/app.py':
      'import hashlib\nimport subprocess\n\nimport yaml\nfrom flask import Flask, request\n\napp = Flask(__name__)\n\n\n@app.route("/config", methods=["POST"])\n'
      + 'def config():\n    return yaml.load(request.data, Loader=yaml.Loader)\n\n\n@app.route("/run")\ndef run():\n'
      + '    return subprocess.check_output(request.args["command"], shell=True)\n\n\ndef etag(body):\n    return hashlib.md5(body).hexdigest()\n',
    'src/windows.py': 'import requests\r\n\r\n\r\ndef fetch(url):\r\n    return requests.get(url, verify=False, timeout=3)\r\n',
    'src/ümlaut blank.py': '\ufeffimport tempfile\n\nname = tempfile.mktemp()',
    'src/keys.py': `token = "${githubToken(5)}"\n`,
    'src/silenced.py': 'import sys\n\neval(sys.argv[1])  # gadriel:ignore[L3-002] a shell\n',
    '.mcp.json': '{ "mcpServers": { "files": { "command": "mcp-server-filesystem", "args": ["/"] } } }\n',
    'data.bin': Uint8Array.of(0, 1, 2, 255),
    'README.md': '# A repository\n',
  };
  for (const [file, content] of Object.entries(files)) temp.write(`${name}/${file}`, content);
  const root = temp.at(name);
  symlinkSync('src/app.py', path.join(root, 'link.py'));
  git(root, ['init', '-q', '-b', 'main']);
  git(root, ['add', '.']);
  git(root, ['commit', '-qm', 'first']);
  return root;
}

/** A copy of a repository, links and times as they are. */
export function copyRepository(from: string, to: string): string {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  return to;
}

/** Whether a path below the root may be written by this program. */
const isState = (file: string): boolean => file === '.gadriel-waivers.toml' || file === '.security' || file.startsWith('.security/');

/** What stands in every file of a folder that this program must not touch, by path: mode and SHA-256, or where a link leads. */
export function untouchables(root: string): ReadonlyMap<string, string> {
  const states = new Map<string, string>();
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const file = name.split(path.sep).join('/');
    if (isState(file)) continue;
    const stats = lstatSync(path.join(root, name));
    if (stats.isDirectory()) states.set(file, 'folder');
    else if (stats.isSymbolicLink()) states.set(file, `link to ${readlinkSync(path.join(root, name))}`);
    else states.set(file, `${stats.mode.toString(8)} ${createHash('sha256').update(readFileSync(path.join(root, name))).digest('hex')}`);
  }
  assert.ok(states.size > 0);
  return states;
}
