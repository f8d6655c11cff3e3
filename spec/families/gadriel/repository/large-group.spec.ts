import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { planUnits, importersOf, type PlannedModule } from '../../../../lib/families/gadriel/domain/repository/plan-units.ts';
import { rescanFile } from '../../../../lib/families/gadriel/domain/repository/rescan-file.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { places, project, scan, surroundings } from './kit.ts';

const filler = (size: number): string => `"""${'words of a docstring\n'.repeat(Math.ceil(size / 21))}"""\n`;

describe('planUnits', () => {
  const module = (path: string, size: number, imports: string[] = []): PlannedModule => ({ path, hash: '', size, imports });

  it('keeps together what imports tie, and apart what they do not', () => {
    const units = planUnits([module('a', 1, ['b']), module('b', 1), module('c', 1), module('d', 1, ['a', 'missing'])]);
    assert.deepEqual(units.map((unit) => unit.map((each) => each.path)), [['a', 'b', 'd'], ['c']]);
  });

  it('cuts a group that is too large, at places that one more file moves little', () => {
    const modules = Array.from({ length: 60 }, (_, at) => module(`m${String(at).padStart(2, '0')}`, 30_000, ['m00']));
    const cut = (list: PlannedModule[]): string[] => planUnits(list).map((unit) => unit.map((each) => each.path).join());
    const before = cut(modules);
    assert.ok(before.length >= 4 && before.length <= 12, String(before.length));
    const after = cut([...modules.slice(0, 2), module('m01a', 1_000, ['m00']), ...modules.slice(2)]);
    assert.ok(after.filter((unit) => before.includes(unit)).length >= before.length / 2);
    assert.deepEqual(cut([module('a', 900_000, ['b']), module('b', 900_000)]), ['a', 'b']);
  });

  it('knows who imports a file, at whatever distance calls are followed', () => {
    const chain = Array.from({ length: 12 }, (_, at) => module(`m${at}`, 1, at === 0 ? [] : [`m${at - 1}`]));
    assert.deepEqual([...importersOf(chain, new Set(['m0']))], ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8']);
    assert.deepEqual([...importersOf(chain, new Set(['m11']))], ['m11']);
  });
});

describe('a group of modules too large for one unit', () => {
  const temp = tempFolder();
  const files: Record<string, string> = {
    'pkg/__init__.py': '',
    'pkg/aaa.py': 'import subprocess\nfrom .mmm import filler\n\n\ndef go(command):\n    subprocess.run(command, shell=True)  # runs it\n\n\ndef silent(command):\n    subprocess.run(command, shell=True)  # nosec\n',
    'pkg/zzz.py': 'from flask import Flask, request\nfrom .aaa import go, silent\nfrom .big import thing\n\napp = Flask(__name__)\n\n\n@app.route("/x")\ndef x():\n    go(request.args["c"])\n    silent(request.args["c"])\n    thing(request.args["c"])\n    return ""\n',
    'pkg/mmm.py': `${filler(390_000)}filler = 1\n`,
    'pkg/big.py': `${filler(60_000)}def thing(command):\n    import os\n    os.system(command)\n`,
  };

  it('still finds what a call from another unit does, once and in its file', async () => {
    const root = project(temp, 'large', files);
    const { findings } = await scan(root);
    const shell = findings.filter((finding) => finding.file === 'pkg/aaa.py');
    assert.deepEqual(places(shell), ['pkg/aaa.py:6 L3-017', 'pkg/aaa.py:10 L3-017*']);
    assert.deepEqual([shell[0]?.severity, shell[0]?.trace[0]?.file], ['critical', 'pkg/zzz.py']);
    assert.equal(new Set(findings.map((finding) => finding.finding_id)).size, findings.length);
    const again = await scan(root);
    assert.equal(again.cached, 5);
    assert.deepEqual(again.findings, findings);
  });

  it('takes long chains of imports and circles, in which each module sees what there is', async () => {
    const chain = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`m${at}.py`, at === 39 ? 'def f(x):\n    eval(x)\n' : `from m${at + 1} import f\n\n\nf(${at > 36 ? 'input()' : '"1"'})\n`]));
    const root = project(temp, 'chain', { ...chain, 'a.py': 'import b\n\n\ndef go(x):\n    exec(x)\n\n\nb.run(input())\n', 'b.py': 'import a\n\n\ndef run(x):\n    a.go(x)\n', 'c.py': 'from b import *\nfrom . import nothing\nrun(input())\n' });
    const { findings, incomplete } = await scan(root);
    assert.deepEqual(incomplete, []);
    assert.deepEqual(places(findings), ['a.py:5 L3-001', 'm39.py:2 L3-002']);
    assert.match(findings[1]?.trace[0]?.file ?? '', /^m3[78]\.py$/);
  });

  it('looks again at a unit whose helper outside of it has changed', async () => {
    const root = project(temp, 'helper', files);
    await scan(root);
    temp.write('helper/pkg/aaa.py', (files['pkg/aaa.py'] as string).replace('subprocess.run(command, shell=True)  # runs it', 'print(command)'));
    const { findings } = await scan(root);
    assert.deepEqual(places(findings.filter((finding) => finding.file === 'pkg/aaa.py')), ['pkg/aaa.py:10 L3-017*']);
  });

  it('tells of one file what the scan of all does, callers included, and follows a text that is not on disk', async () => {
    const root = project(temp, 'rescan', files);
    const around = surroundings(root);
    const whole = (await scan(root)).findings.filter((finding) => finding.file === 'pkg/aaa.py');
    assert.deepEqual(await rescanFile(root, 'pkg/aaa.py', undefined, around), whole);
    assert.deepEqual(await rescanFile(root, 'pkg/aaa.py', 'def go(command):\n    pass\n', around), []);
    assert.deepEqual(places(await rescanFile(root, 'pkg/new.py', '\uFEFFeval(input())\n', around)), ['pkg/new.py:1 L3-002']);
    assert.deepEqual((await scan(root, { path: 'pkg/aaa.py' })).findings, whole);
    await assert.rejects(rescanFile(root, 'pkg/gone.py', undefined, around), /gone\.py can not be scanned: the file does not exist/);
  });
});
