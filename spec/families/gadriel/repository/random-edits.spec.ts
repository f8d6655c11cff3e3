import { strict as assert } from 'node:assert';
import { rmSync } from 'node:fs';
import process from 'node:process';
import { after, describe, it } from 'node:test';
import { listFiles } from '../../../../lib/files/list-files.ts';
import type { Finding } from '../../../../lib/families/gadriel/domain/finding.types.ts';
import { readFindings } from '../../../../lib/families/gadriel/domain/records/findings-file.ts';
import type { BatchOutcome, BatchRequest } from '../../../../lib/families/gadriel/domain/repository/repository.types.ts';
import { scanFiles } from '../../../../lib/families/gadriel/domain/repository/scan-files.ts';
import { createRepositoryPool } from '../../../../lib/families/gadriel/domain/repository/worker-script.ts';
import { git } from '../support/repository.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { project, scan } from './kit.ts';

/** Modules that come, go and call each other in all ways that imports can be written. */
const names = ['m0', 'm1', 'm2', 'pkg.__init__', 'pkg.a', 'pkg.b', 'pkg.sub.__init__', 'pkg.sub.c', 'src.m1', 'lib.m2', 'helper'];
const fileOf = (name: string): string => `${name.replaceAll('.', '/')}.py`;

/** Numbers below a bound, the same ones for the same seed (mulberry32). */
function dice(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

/** `named`: submodules are always imported by their own name; `import pkg` alone lets `pkg.sub` be seen only when the code is analysed. */
function moduleText(roll: (bound: number) => number, named: boolean): string {
  const pick = <T>(list: readonly T[]): T => list[roll(list.length)] as T;
  const calls: string[] = [];
  let text = 'import os, shlex\nfrom flask import Flask, request\napp = Flask(__name__)\n';
  for (let at = roll(4); at > 0; at--) {
    const name = pick(names).replace('.__init__', '');
    const [last, first] = [name.split('.').at(-1) as string, name.split('.')[0] as string];
    const [line, call] = pick([
      [`import ${name}`, `${name}.run`], [`import ${name} as i${at}`, `i${at}.run`], [`from ${name} import run as r${at}`, `r${at}`], [`from ${name} import *`, 'run'],
      [`from . import ${last} as i${at}`, `i${at}.run`], [`import ${named ? name : first}`, `${name}.run`], [`from ${name} import run`, 'run'],
    ] as const);
    text += `${line}\n`;
    calls.push(call);
  }
  text += pick([
    'def run(x):\n    os.system("ls " + x)\n', 'def run(x):\n    return open(x).read()\n', `def run(x):\n    return ${calls[0] ?? 'str'}(x)\n`, 'def run(x):\n    return shlex.quote(x)\n',
    'def run(x):\n    return request.args[x]\n', 'class run:\n    def __init__(self, x):\n        self.x = x\n    def go(self):\n        return open(self.x)\n', 'run = str\n', 'run = int\n', '',
  ]);
  for (const [at, call] of calls.entries()) text += `@app.route("/${at}")\ndef v${at}():\n    y = ${call}(request.args["q"])\n    os.popen("a " + str(y))\n    return open(y).read()\n`;
  return text;
}

describe('a repository that changes again and again', () => {
  const temp = tempFolder();
  const pool = createRepositoryPool<BatchRequest, BatchOutcome>({ maxWorkers: 1 });
  after(() => pool.close());

  /** Writes or removes one module, and tells its path. */
  function edit(folder: string, roll: (bound: number) => number, named: boolean): string {
    const file = fileOf(names[roll(names.length)] as string);
    if (roll(4) === 0) rmSync(temp.at(`${folder}/${file}`), { force: true });
    else temp.write(`${folder}/${file}`, moduleText(roll, named));
    return file;
  }

  it('has the same findings out of the cache as without it', async () => {
    const roll = dice(20_261_130);
    const root = project(temp, 'cached', { 'start.txt': '' }, false);
    let found = 0;
    for (let round = 0; round < 100; round++) {
      const changed = edit('cached', roll, false);
      const { files } = await listFiles(root, { env: { PATH: process.env['PATH'] }, exclude: (file) => file.startsWith('.security/') });
      const warm = await scanFiles({ root, files, pool, cache: { key: new Uint8Array(32), others: roll(3) === 0 } });
      const cold = await scanFiles({ root, files, pool });
      assert.deepEqual(warm.scans, cold.scans, `round ${round}, ${changed}`);
      found += cold.scans.reduce((sum, { findings }) => sum + findings.length, 0);
    }
    assert.ok(found > 1_000, String(found));
  });

  it('has the same findings.json by scans of what changed as by scans of everything', async () => {
    const roll = dice(8);
    const root = project(temp, 'parts', Object.fromEntries(names.map((name) => [fileOf(name), moduleText(roll, true)])));
    await scan(root);
    const shown = (findings: readonly Finding[]): string[] =>
      findings.map(({ file, line, column, rule_id, severity, confidence, trace }) => JSON.stringify([file, line, column, rule_id, severity, confidence, trace]));
    for (let round = 0; round < 8; round++) {
      const changed = edit('parts', roll, true);
      await scan(root, { since: 'HEAD' });
      git(root, ['add', '-A']);
      git(root, ['commit', '-qm', String(round), '--allow-empty']);
      const whole = await scan(root, { write: false });
      assert.deepEqual(shown(await readFindings(root)).sort(), shown(whole.findings).sort(), `round ${round}, ${changed}`);
    }
  });
});
