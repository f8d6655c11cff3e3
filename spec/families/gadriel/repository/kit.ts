/** What the specs of repository scans share. */
import process from 'node:process';
import { scanRepository, type RepositoryScan, type RepositoryScanOptions } from '../../../../lib/families/gadriel/domain/repository/scan-repository.ts';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import type { Surroundings } from '../../../../lib/domain/surroundings.types.ts';
import { git } from '../support/repository.ts';
import type { TempFolder } from '../../../support/temp-folder.ts';

/** Surroundings with a standing clock and an empty store; log lines are kept. */
export function surroundings(cwd: string, members: Partial<Surroundings> = {}): Surroundings & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    env: { PATH: process.env['PATH'], HOME: cwd, GADRIEL_HOME: `${cwd}/../gadriel-home` }, cwd, now: () => 1_750_000_000_000, random: (size) => new Uint8Array(size),
    log: (level, message) => void lines.push(`${level} ${message}`), lines, ...members,
  };
}

/** Scans a folder. */
export const scan = (root: string, options: RepositoryScanOptions = {}, members: Partial<Surroundings> = {}): Promise<RepositoryScan> =>
  scanRepository(options, surroundings(root, members));

/** Findings as `file:line rule`, with a star for waived ones. */
export const places = (findings: readonly Finding[]): string[] =>
  findings.map(({ file, line, rule_id, waived }) => `${file}:${line} ${rule_id.replace(/^CODE-W\d-/, '')}${waived ? '*' : ''}`);

/** Writes files into a new folder; with `commit` it is a git repository with one commit. */
export function project(temp: TempFolder, name: string, files: Readonly<Record<string, string | Uint8Array>>, commit = true): string {
  for (const [file, content] of Object.entries(files)) temp.write(`${name}/${file}`, content);
  const root = temp.folder(name);
  if (commit) {
    git(root, ['init', '-q', '-b', 'main']);
    git(root, ['add', '-A', '-f']);
    git(root, ['commit', '-qm', 'first', '--allow-empty']);
  }
  return root;
}

/** A web application whose request data does harm in other files. */
export const shop: Readonly<Record<string, string>> = {
  'shop/__init__.py': '',
  'shop/db.py': 'import sqlite3\n\n\ndef find(name):\n    cursor = sqlite3.connect("x").cursor()\n    return cursor.execute("select * from t where n = \'%s\'" % name)\n\n\ndef number(text):\n    return int(text)\n',
  'shop/tools/__init__.py': 'from .shell import go\n',
  'shop/tools/shell.py': 'import subprocess\n\n\ndef go(command):\n    subprocess.run(command, shell=True)\n',
  'shop/web.py':
    'from flask import Flask, request\nfrom .db import find, number\nfrom shop.tools import go\nimport shop.tools.shell\n\napp = Flask(__name__)\n\n\n@app.route("/x")\ndef x():\n'
    + '    find(request.args["q"])\n    find(number(request.args["n"]))\n    go(request.args["c"])\n    return "ok"\n',
  'alone.py': 'import hashlib\n\nhashlib.md5(b"x")\n',
};
