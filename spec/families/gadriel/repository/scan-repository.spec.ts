import { strict as assert } from 'node:assert';
import { existsSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readFindings, writeFindings } from '../../../../lib/families/gadriel/domain/records/findings-file.ts';
import { appendWaiver } from '../../../../lib/families/gadriel/domain/records/waivers.ts';
import { makeFinding } from '../support/finding.ts';
import { git } from '../support/repository.ts';
import { githubToken } from '../support/sample-secrets.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { places, project, scan, shop, surroundings } from './kit.ts';
import { scanRepository } from '../../../../lib/families/gadriel/domain/repository/scan-repository.ts';

const bytesOf = (root: string): string => readFileSync(path.join(root, '.security/findings.json'), 'utf8');

describe('scanRepository', () => {
  const temp = tempFolder();
  const all = ['alone.py:3 CRYPTO-001', 'shop/db.py:6 L3-014', 'shop/tools/shell.py:5 L3-017'];

  it('follows values through imports and names the other files in the trace', async () => {
    const root = project(temp, 'flow', shop);
    const { findings, files, cached, skipped, incomplete } = await scan(root);
    assert.deepEqual(places(findings), all);
    assert.deepEqual(findings[1]?.trace.slice(0, 2).map(({ file, line }) => [file, line]), [['shop/web.py', 11], ['shop/web.py', 11]]);
    assert.match(findings[2]?.trace[1]?.note ?? '', /passed to go\(\) as command/);
    assert.deepEqual([findings[1]?.severity, findings[1]?.confidence], ['critical', 'high']);
    assert.deepEqual([files, cached, skipped, incomplete], [6, 0, {}, []]);
    assert.deepEqual(places(await readFindings(root)), all);
  });

  it('follows star imports, through packages that pass them on and modules that import all of each other', async () => {
    const web = 'from flask import request\nfrom lib import *\n\n\ndef v():\n    go(request.args["c"])\n    _hidden(request.args["c"])\n    missing(request.args["c"])\n';
    const root = project(temp, 'star', {
      'web.py': web,
      'lib/__init__.py': 'from .shell import *\nfrom .other import *\n',
      'lib/other.py': 'from . import *\nx = 1\n',
      'lib/shell.py': 'import subprocess\n\n\ndef go(command):\n    subprocess.run(command, shell=True)\n\n\ndef _hidden(command):\n    subprocess.run(command + "", shell=True)\n',
    });
    const { findings } = await scan(root);
    assert.deepEqual(findings.filter(({ confidence }) => confidence === 'high').map(({ file, line, trace }) => [file, line, trace[0]?.file]), [['lib/shell.py', 5, 'web.py']]);
  });

  it('writes the same bytes for the same input and clock, out of the cache too', async () => {
    const root = project(temp, 'same', shop);
    await scan(root);
    const first = bytesOf(root);
    const second = await scan(root);
    assert.deepEqual([second.cached, bytesOf(root)], [6, first]);
    rmSync(path.join(root, '.security'), { recursive: true });
    await scan(root);
    assert.equal(bytesOf(root), first);
    const third = await scan(root, { cache: false });
    assert.deepEqual([third.cached, bytesOf(root)], [0, first]);
  });

  it('serves what did not change out of the cache, and looks again where an imported file did', async () => {
    const root = project(temp, 'cache', shop);
    await scan(root);
    temp.write('cache/shop/web.py', (shop['shop/web.py'] as string).replace('go(request.args["c"])', 'pass'));
    const changed = await scan(root);
    // The modules of the shop hang together; the one alone and the empty one do not.
    assert.deepEqual([changed.cached, places(changed.findings)], [2, all]);
    assert.equal(changed.findings.find((finding) => finding.rule_id.endsWith('L3-017'))?.confidence, 'medium');
    utimesSync(path.join(root, 'alone.py'), 1, 1);
    assert.equal((await scan(root)).cached, 6);
    temp.write('cache/.gadriel.toml', '[rules]\nCRYPTO-001 = "off"\n');
    const other = await scan(root);
    assert.deepEqual([other.cached, other.findings.some((finding) => finding.file === 'alone.py')], [0, false]);
  });

  it('looks again where a module appears that was looked for in vain, or goes', async () => {
    const text = 'def run(x):\n    eval(x)\n';
    const root = project(temp, 'appears', { 'a.py': 'import pkg\nfrom flask import request\n\npkg.b.run(request.args["c"])\n', 'pkg/__init__.py': '' });
    await scan(root);
    for (const there of [true, false, true]) {
      if (there) temp.write('appears/pkg/b.py', text);
      else rmSync(path.join(root, 'pkg/b.py'));
      const { findings } = await scan(root);
      assert.deepEqual(findings.map(({ file, trace }) => [file, trace[0]?.file]), there ? [['pkg/b.py', 'a.py']] : []);
      assert.deepEqual(findings, (await scan(root, { cache: false })).findings);
      assert.equal((await scan(root)).cached, there ? 3 : 2);
    }
  });

  it('believes no cache that came with the repository, and none that is spoilt', async () => {
    const root = project(temp, 'forged', { 'a.py': 'eval(input())\n' });
    await scan(root);
    const cache = path.join(root, '.security/cache/scan-outcomes');
    const text = readFileSync(cache, 'utf8');
    writeFileSync(cache, text.replace('L3-002', 'L3-001'));
    assert.equal((await scan(root)).cached, 0);
    assert.equal((await scan(root)).cached, 1);
    // Somebody else's, as one in a tarball would be.
    const env = { ...surroundings(root).env, GADRIEL_HOME: temp.at('other-home') };
    const random = (size: number): Uint8Array => new Uint8Array(size).fill(7);
    assert.equal((await scan(root, {}, { env, random })).cached, 0);
    assert.equal((await scan(root, {}, { env, random })).cached, 1);
  });

  it('does without a cache where there is no place for its key, or no key in that place', async () => {
    const root = project(temp, 'keyless', { 'a.py': 'eval(input())\n' });
    for (const home of ['file-home', 'broken-home']) {
      if (home === 'file-home') temp.write(home, '');
      else temp.write(`${home}/store/cache-key`, 'no key\n');
      const env = { ...surroundings(root).env, GADRIEL_HOME: temp.at(home) };
      for (let round = 0; round < 2; round++) assert.deepEqual([(await scan(root, {}, { env })).cached, places((await scan(root, {}, { env })).findings)], [0, ['a.py:1 L3-002']]);
    }
  });

  it('keeps a new folder of records out of commits, and leaves an old one as it is', async () => {
    const root = project(temp, 'ignored', { 'a.py': 'eval(input())\n' });
    await scan(root);
    assert.equal(git(root, ['status', '--porcelain']).toString(), '');
    rmSync(path.join(root, '.security/.gitignore'));
    await scan(root);
    assert.ok(!existsSync(path.join(root, '.security/.gitignore')));
  });

  it('replaces only the findings of what it looked at', async () => {
    const root = project(temp, 'part', { 'a/x.py': 'eval(input())\n', 'b/y.py': 'exec(input())\n' });
    await scan(root);
    temp.write('part/a/x.py', 'pass\n');
    temp.write('part/b/y.py', 'pass\n');
    const part = await scan(root, { path: 'b' });
    assert.deepEqual([part.files, places(await readFindings(root))], [1, ['a/x.py:1 L3-002']]);
    assert.deepEqual(places((await scan(root, { path: 'b/y.py' })).findings), []);
    const foreign = [makeFinding({ file: 'b/y.py', scan_type: 'sca', rule_id: 'CODE-W1-SCA-001' }), makeFinding({ file: 'b/y.py', scan_type: 'ai', source: 'ai' }), makeFinding({ file: 'c.py' })];
    await writeFindings(root, [...(await readFindings(root)), ...foreign], 0);
    await scan(root);
    assert.deepEqual((await readFindings(root)).map((finding) => finding.scan_type), ['ai', 'sca']);
  });

  it('replaces a broken findings.json by a scan of everything alone', async () => {
    const root = project(temp, 'broken', { 'a.py': 'eval(input())\n', 'b/c.py': '' });
    temp.write('broken/.security/findings.json', '[{}]');
    await assert.rejects(scan(root, { path: 'b' }), /not valid OCSF/);
    assert.equal(bytesOf(root), '[{}]');
    const around = surroundings(root);
    await scanRepository({}, around);
    assert.match(around.lines.join(), /warning .*not valid OCSF.*replaced/);
    assert.deepEqual(places(await readFindings(root)), ['a.py:1 L3-002']);
  });

  it('keeps what is waived or silenced, marked', async () => {
    const root = project(temp, 'waived', { 'a.py': 'eval(input())\nexec(input())  # nosec\nx = "y"\n', 'k.yml': `a: ${githubToken(1)} # gitleaks:allow\n`, 'n.ipynb': JSON.stringify({ nbformat: 4, metadata: {}, cells: [{ cell_type: 'code', source: ['eval(input())  # nosec\n', 'exec(input())'] }] }) });
    await appendWaiver(root, { rule_id: 'CODE-W1-L3-002', path: 'a.py', line: 1, reason: 'a test', kind: 'accepted_risk', created_by: 'cli', created_at: '2026-01-01T00:00:00Z' } as never);
    const { findings } = await scan(root);
    assert.deepEqual(places(findings), ['a.py:1 L3-002*', 'a.py:2 L3-001*', 'k.yml:1 SECRET-004*', 'n.ipynb:1 L3-001', 'n.ipynb:1 L3-002*']);
    assert.deepEqual(findings.map((finding) => finding.tags.includes('suppressed:insource')), [false, true, true, false, true]);
  });

  it('follows no link, enters no vendored folder, and counts by reason', async () => {
    const outside = temp.write('secret.py', 'eval(input())\n');
    const root = project(temp, 'left', {
      'node_modules/a.py': 'eval(input())', 'build/b.py': 'eval(input())', 'vendor/c.py': 'eval(input())', 'data.bin': Uint8Array.of(0, 1), 'package-lock.json': '{}', 'img.png': 'x',
      'big.txt': 'x'.repeat(5 * 1024 * 1024 + 1), 'bad.py': Uint8Array.of(0x61, 0xff, 0x0a), 'nul.py': Buffer.from(`# \0\nkey = '${githubToken(7)}'\n`), 'wide.txt': Uint8Array.of(0xff, 0xfe, 0x61, 0), 'docs/d.py': 'eval(input())', 'run': '#!/usr/bin/env python3\neval(input())\n',
      '.gadriel.toml': 'exclude = ["docs/"]\n',
    }, false);
    symlinkSync(outside, path.join(root, 'link.py'));
    const { findings, skipped, incomplete, files } = await scan(root);
    assert.deepEqual(places(findings), ['run:2 L3-002']);
    assert.deepEqual(skipped, { binary: 2, excluded: 1, generated: 1, large: 1, lock: 1, symlink: 1, vendored: 2 });
    assert.deepEqual(incomplete, [{ file: 'bad.py', reason: 'the file is not valid UTF-8 and declares no other encoding (PEP 263)', undecoded: true }, { file: 'nul.py', reason: 'the file is binary: it has NUL bytes', undecoded: true }]);
    assert.equal(files, 5);
  });

  it('names code that it can not open: too large, or under a name that is no UTF-8', { skip: process.platform !== 'linux' }, async () => {
    const root = project(temp, 'unopened', { 'big.py': `eval(input())\n#${'x'.repeat(5 * 1024 * 1024)}`, 'a.py': 'pass\n' }, false);
    for (const name of ['latin', 'text']) writeFileSync(Buffer.concat([Buffer.from(`${root}/${name}`), Buffer.of(0xe9), Buffer.from(name === 'text' ? '.txt' : '.py')]), 'eval(input())\n');
    for (const _ of ['walked', 'by git']) {
      const { incomplete, skipped, files } = await scan(root);
      assert.deepEqual(incomplete, [
        { file: 'big.py', reason: 'the file is larger than 5 MiB, the most that is scanned', failed: true },
        { file: 'latin\ufffd.py', reason: 'its name is no UTF-8, so that it can not be opened: rename it', failed: true },
      ]);
      assert.deepEqual([files, skipped], [1, { name: 2 }]);
      git(root, ['init', '-q']);
    }
    assert.deepEqual((await scan(root, { path: 'a.py' })).incomplete, []);
    git(root, ['add', '-A']);
    git(root, ['commit', '-qm', 'all']);
    assert.deepEqual((await scan(root, { since: 'HEAD' })).incomplete, [], 'it was there before');
    writeFileSync(Buffer.concat([Buffer.from(`${root}/new`), Buffer.of(0xe9), Buffer.from('.py')]), 'eval(input())\n');
    assert.deepEqual((await scan(root, { since: 'HEAD' })).incomplete.map(({ file }) => file), ['new\ufffd.py']);
  });

  it('writes nothing where it is told so', async () => {
    const root = project(temp, 'unwritten', { 'a.py': 'eval(input())\n' });
    assert.equal((await scan(root, { write: false })).findings.length, 1);
    assert.equal(existsSync(path.join(root, '.security')), false);
  });

  it('finds what the settings add, and reports as they say', async () => {
    const root = project(temp, 'settings', {
      '.gadriel.toml': '[rules]\nCRYPTO-001 = "info"\n[[secret]]\nid = "acme"\npattern = "acme_[0-9]{8}"\n[[source]]\nname = "acme.read"\n[[sink]]\nname = "acme.run"\nrule = "L3-017"\nargument = "command"\n[[sanitizer]]\nname = "acme.clean"\nclears = ["shell"]\n',
      'a.py': 'import acme, hashlib\n\nacme.run(command=acme.read())\nacme.run(command=acme.clean(acme.read()))\nacme.run("x")\nhashlib.md5(b"x")\n', 'b.txt': 'key acme_12345678\n',
    });
    const { findings } = await scan(root);
    assert.deepEqual(places(findings), ['a.py:3 L3-017', 'a.py:6 CRYPTO-001', 'b.txt:1 SECRET-OWN-ACME']);
    assert.equal(findings[1]?.severity, 'info');
    const audit = await scan(root, { profile: 'audit' });
    assert.ok(audit.findings.length > findings.length);
  });

  it('tells how far it is, and ends when it is told to', async () => {
    const root = project(temp, 'progress', shop);
    const steps: string[] = [];
    await scan(root, { cache: false, onProgress: (done, total, file) => void steps.push(`${done}/${total} ${file !== ''}`) });
    assert.equal(steps.at(-1), '6/6 true');
    const abort = new AbortController();
    await assert.rejects(scan(root, { cache: false, signal: abort.signal, onProgress: () => abort.abort(new Error('enough')) }), /enough/);
    await assert.rejects(scan(root, { signal: AbortSignal.abort(new Error('early')) }), /early/);
  });

  it('refuses a path where nothing is', () => assert.rejects(scan(temp.root, { path: 'nowhere' }), /does not exist/));
});
