import { strict as assert } from 'node:assert';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, it } from 'node:test';
import { readFindings, writeFindings } from '../../../../lib/families/gadriel/domain/records/findings-file.ts';
import { appendWaiver } from '../../../../lib/families/gadriel/domain/records/waivers.ts';
import { rescanFile } from '../../../../lib/families/gadriel/domain/repository/rescan-file.ts';
import { scanFiles } from '../../../../lib/families/gadriel/domain/repository/scan-files.ts';
import { scanRepository } from '../../../../lib/families/gadriel/domain/repository/scan-repository.ts';
import { makeFinding } from '../support/finding.ts';
import { git } from '../support/repository.ts';
import { runVerb, type VerbRun } from '../support/run-verb.ts';
import { githubToken } from '../support/sample-secrets.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { places, project, scan, surroundings } from './kit.ts';

const temp = tempFolder();
const env = { PATH: process.env['PATH'] as string, GADRIEL_HOME: temp.at('home') };
const run = (words: readonly string[], cwd: string): Promise<VerbRun> => runVerb(['code', 'scan', ...words], { cwd, env });
/** A caller, and what it calls in another folder. */
const callee = 'import subprocess\n\n\ndef go(command):\n    subprocess.run(command, shell=True)\n';
const caller = (argument: string): string => `from flask import request\nfrom lib.shell import go\n\n\ndef view():\n    go(${argument})\n`;
const tangled = (argument: string): Record<string, string> => ({ 'web/view.py': caller(argument), 'lib/shell.py': callee, 'lib/other.py': 'eval(input())\n' });
const tainted = 'request.args["c"]';
const levels = async (root: string): Promise<string[]> => (await readFindings(root)).map(({ file, line, confidence }) => `${file}:${line} ${confidence}`);

describe('a scan of a part', () => {
  for (const [name, options] of [['since', { since: 'HEAD' }], ['folder', { path: 'web' }], ['file', { path: 'web/view.py' }]] as const) {
    it(`tells what a changed caller brings about in a file that did not change (${name}), and takes it back when the caller is mended`, async () => {
      const root = project(temp, `tied-${name}`, tangled('"ls"'));
      await scan(root);
      const quiet = ['lib/other.py:1 medium', 'lib/shell.py:5 medium'];
      assert.deepEqual(await levels(root), quiet);
      temp.write(`tied-${name}/web/view.py`, caller(tainted));
      const { findings, files } = await scan(root, options);
      assert.deepEqual([files, places(findings), findings[0]?.confidence], [1, ['lib/shell.py:5 L3-017'], 'high']);
      assert.deepEqual(await levels(root), ['lib/other.py:1 medium', 'lib/shell.py:5 high']);
      temp.write(`tied-${name}/web/view.py`, caller('"ls"'));
      await scan(root, name === 'since' ? { since: 'HEAD' } : options);
      // Equal to the last commit again: nothing differs from it, so only a look at the file itself tells.
      if (name === 'since') await scan(root, { path: 'web' });
      assert.deepEqual(await levels(root), quiet);
    });
  }

  it('tells before a commit what the staged caller brings about, and ends with 1', async () => {
    const root = project(temp, 'tied-staged', tangled('"ls"'));
    temp.write('tied-staged/web/view.py', caller(tainted));
    git(root, ['add', '-A']);
    temp.write('tied-staged/web/view.py', caller('"ls"'));
    const { code, stdout } = await run(['--staged'], root);
    assert.deepEqual([code, stdout.match(/^\S+:\d+:\d+ /gm)], [1, ['lib/shell.py:5:5 ']]);
    assert.equal(existsSync(path.join(root, '.security')), false);
  });

  it('tells of an unchanged caller what a changed helper does to it', async () => {
    const helper = (body: string): string => `def clean(text):\n    return ${body}\n`;
    const root = project(temp, 'helper', { 'a.py': 'from helper import clean\nimport os\n\nos.system("ls " + clean(input()))\n', 'helper.py': helper('int(text)') });
    await scan(root);
    const before = await readFindings(root);
    temp.write('helper/helper.py', helper('text'));
    const { findings } = await scan(root, { since: 'HEAD' });
    assert.notDeepEqual(await readFindings(root), before);
    assert.deepEqual(await readFindings(root), (await scan(root)).findings);
    assert.ok(findings.some((finding) => finding.file === 'a.py'));
    // A module that is gone: whoever imported it finds nothing in its place.
    rmSync(path.join(root, 'helper.py'));
    await scan(root, { path: root, since: 'HEAD' });
    assert.deepEqual(await readFindings(root), (await scan(root)).findings);
  });

  it('drops the findings of files that are gone, but for those of the history and of other programs', async () => {
    const root = project(temp, 'gone', { 'a/x.py': 'eval(input())\n', 'b/y.py': 'pass\n', 'c/z.py': 'eval(input())\n' });
    await scan(root);
    const foreign = [makeFinding({ file: 'a/x.py', scan_type: 'sca', rule_id: 'CODE-W1-SCA-001' }), makeFinding({ file: 'a/old', scan_type: 'secrets', tags: ['git-history'] })];
    await writeFindings(root, [...(await readFindings(root)), ...foreign], 0);
    rmSync(path.join(root, 'a'), { recursive: true });
    await scan(root, { path: 'b' });
    assert.deepEqual((await readFindings(root)).map(({ file, scan_type }) => [file, scan_type]), [['a/old', 'secrets'], ['a/x.py', 'sca'], ['c/z.py', 'sast']]);
    rmSync(path.join(root, 'c'), { recursive: true });
    const gone = await scan(root, { path: 'c' });
    assert.deepEqual([gone.files, (await readFindings(root)).length], [0, 2]);
    await assert.rejects(scan(root, { path: 'c' }), /c does not exist/);
  });

  it('judges what it keeps by the waivers of today', async () => {
    const root = project(temp, 'kept', { 'a.py': 'eval(input())\n', 'b.py': 'pass\n' });
    await scan(root);
    await appendWaiver(root, { rule_id: 'CODE-W1-L3-002', path: 'a.py', line: 1, reason: 'a test', kind: 'accepted_risk', created_by: 'cli', created_at: '2026-01-01T00:00:00Z' } as never);
    await scan(root, { path: 'b.py' });
    assert.deepEqual(places(await readFindings(root)), ['a.py:1 L3-002*']);
    rmSync(path.join(root, '.gadriel-waivers.toml'));
    await scan(root, { path: 'b.py' });
    assert.deepEqual(places(await readFindings(root)), ['a.py:1 L3-002']);
  });

  it('counts as left out only what is in the part', async () => {
    const root = project(temp, 'counts', { 'a/x.py': '', 'a/i.png': 'x', 'node_modules/m.js': 'x', 'b/vendor/v.js': 'x' });
    assert.deepEqual((await scan(root, { path: 'a' })).skipped, { binary: 1 });
    assert.deepEqual((await scan(root, { path: 'b' })).skipped, { vendored: 1 });
  });
});

describe('a file that can not be scanned', () => {
  it('keeps its earlier findings, is not counted as scanned, and ends with 1', async () => {
    const root = project(temp, 'closed', { 'a.py': 'eval(input())\n', 'b.py': 'pass\n' });
    await scan(root);
    // Gone between the list and the scan, which also whoever may read everything can see.
    const { scans } = await scanFiles({ root, files: [{ path: 'no.py', size: 1 }, { path: 'no.txt', size: 1 }], cache: { key: new Uint8Array(32), others: true } });
    assert.deepEqual(scans.map((each) => each.failed), ['the file does not exist', 'the file does not exist']);
    if (process.getuid?.() === 0) return;
    chmodSync(path.join(root, 'a.py'), 0);
    const { code, stdout, stderr } = await run(['--json'], root);
    const { files, incomplete, gate } = JSON.parse(stdout) as { files: number; incomplete: object[]; gate: { failed: boolean } };
    assert.deepEqual([code, files, incomplete, gate.failed], [1, 1, [{ file: 'a.py', reason: 'the file can not be read: permission denied', failed: true }], true]);
    assert.match(stderr, /^gadriel: 1 file could not be scanned\n$/);
    assert.deepEqual(places(await readFindings(root)), ['a.py:1 L3-002']);
  });

  it('ends with 1 where its tree is too much for the memory', async () => {
    const huge = `x = [${'f(a)[b].c + "d", '.repeat(250_000)}]\neval(input())\n`;
    const root = project(temp, 'much', { 'a.py': 'eval(input())\n' });
    await scan(root);
    temp.write('much/a.py', huge);
    const { scans } = await scanFiles({ root, files: [{ path: 'a.py', size: huge.length }], limits: { maxHeapMb: 30 } });
    assert.match(scans[0]?.failed ?? '', /more than 30 MiB/);
  });

  it('is still searched for secrets where it is no text that Python takes', async () => {
    const root = project(temp, 'undecoded', { 'a.py': Buffer.concat([Buffer.from(`token = "${githubToken(1)}"\n`), Buffer.of(0xff)]) });
    const { findings, incomplete, files } = await scan(root);
    assert.deepEqual([files, places(findings), incomplete.map((each) => each.failed)], [1, ['a.py:1 SECRET-004'], [undefined]]);
    // The check of a fix must not take it for mended.
    await assert.rejects(rescanFile(root, 'a.py', undefined, surroundings(root)), /a\.py can not be scanned: the file is not valid UTF-8/);
  });
});

describe('findings.json', () => {
  it('is kept beside where a scan of everything replaces a broken one, with what of it can be read', async () => {
    const root = project(temp, 'broken', { 'a.py': 'eval(input())\n' });
    await writeFindings(root, [makeFinding({ file: 'lock', scan_type: 'sca', rule_id: 'CODE-W1-SCA-001' }), makeFinding({ file: 'old.py' })], 0);
    const file = path.join(root, '.security/findings.json');
    for (const [text, kept] of [[readFileSync(file, 'utf8').replace('[\n', '[\n{"a": 1},\n'), 2], ['{"findings": 3}', 1], ['{', 1], ['null', 1]] as const) {
      writeFileSync(file, text);
      const around = surroundings(root);
      await scanRepository({}, around);
      assert.match(around.lines.join('\n'), /warning .*it is replaced, and kept as \.security\/findings\.json\.broken/);
      assert.equal(readFileSync(`${file}.broken`, 'utf8'), text);
      assert.equal((await readFindings(root)).length, kept);
    }
  });

  it('may be in a place where nothing can be written: the findings are told, and then what failed', async () => {
    const root = project(temp, 'readonly', { 'a.py': 'eval(input())\n' });
    mkdirSync(path.join(root, '.security/findings.json'), { recursive: true });
    const { code, stdout, stderr } = await run(['--sarif', '../read-only.sarif'], root);
    assert.equal(code, 1);
    assert.match(stdout, /a\.py:1:1 {2}critical[^]*1 finding: 1 critical/);
    assert.match(stderr, /^gadriel: \.security\/findings\.json [^\n]*\n$/);
    assert.ok(existsSync(temp.at('read-only.sarif')));
    await assert.rejects(scan(root), /findings\.json/);
    const unwritten = await run(['--no-write'], root);
    assert.deepEqual([unwritten.code, unwritten.stderr], [1, '']);
    const refused = await run(['--no-write', '--sarif', 'a.py'], root);
    assert.match(refused.stdout, /1 finding/);
    assert.match(refused.stderr, /a\.py is not written/);
  });

  it('holds secrets of the history, of which a scan without it tells', async () => {
    const root = project(temp, 'history', { 'k.txt': `key ${githubToken(1)}\n`, 'a.py': 'pass\n' });
    rmSync(path.join(root, 'k.txt'));
    git(root, ['commit', '-qam', 'gone']);
    assert.equal((await run(['--history'], root)).code, 1);
    const plain = await run([], root);
    assert.match(plain.stdout, /no findings\n[^\n]*\n1 open secret of the history kept; gadriel code findings lists them\n$/);
    assert.equal((JSON.parse((await run(['--json'], root)).stdout) as { history_kept: number }).history_kept, 1);
  });
});

describe('a scan outside of git', () => {
  it('of one file looks at it alone, and writes nothing', async () => {
    const root = project(temp, 'loose', { 'x.py': 'eval(input())\n', 'y.py': 'eval(input())\n', 'node_modules/z.js': 'x' }, false);
    const { code, stdout } = await run(['x.py'], root);
    assert.equal(code, 1);
    assert.match(stdout, /1 finding: 1 critical\n1 file scanned\nthe file is in no repository: nothing was recorded\n$/);
    assert.equal(existsSync(path.join(root, '.security')), false);
    // A folder is one that somebody means.
    await scan(root);
    assert.deepEqual((await scan(root)).skipped, { vendored: 1 });
    assert.ok(existsSync(path.join(root, '.security/findings.json')));
    assert.equal((await scan(root, { path: 'x.py' })).alone, false);
  });

  it('says why git did not list a repository', async () => {
    const root = project(temp, 'refused', { 'a.py': 'eval(input())\n' });
    writeFileSync(path.join(root, '.git/index'), 'no index');
    const around = surroundings(root);
    const { files } = await scanRepository({}, around);
    assert.equal(files, 1);
    assert.match(around.lines.join('\n'), /warning git does not list the files here, so the folder is walked; it says: .*index/);
    await assert.rejects(scan(root, { staged: true }), /--staged can not be done, git says: .*index/);
  });
});

describe('imports in a circle', () => {
  it('are followed from both sides, in functions and at the top', async () => {
    const root = project(temp, 'circle', {
      'a.py': 'from flask import request\nimport b\n\n\ndef view():\n    b.run(request.args["c"])\n\n\ndef shell(x):\n    import os\n    os.system(x)\n',
      'b.py': 'import a\nfrom a import shell\n\n\ndef run(x):\n    a.shell(x)\n    shell(x + "")\n\n\ndef page():\n    return a.read()\n',
      'c.py': 'from d import get\n\n\ndef use():\n    eval(get())\n\n\ndef text():\n    return "1"\n',
      'd.py': 'import c\nfrom flask import request\n\n\ndef get():\n    return request.args["q"] + c.text()\n',
    });
    const { findings } = await scan(root);
    assert.deepEqual(findings.map(({ file, line, confidence, trace }) => [file, line, confidence, trace[0]?.file]), [['a.py', 11, 'high', 'a.py'], ['c.py', 5, 'high', 'd.py']].map(([file, line, level, from]) => [file, line, level, from === file ? undefined : from]));
  });
});

describe('a scan of many batches', () => {
  it('does not warn of listeners', async () => {
    const root = project(temp, 'many', Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`f${at}.txt`, `${'a line of text\n'.repeat(18_000)}${at}\n`])), false);
    const warnings: Error[] = [];
    const hear = (warning: Error): void => void warnings.push(warning);
    process.on('warning', hear);
    const { files } = await scan(root, { signal: new AbortController().signal, cache: false });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', hear);
    assert.deepEqual([files, warnings], [24, []]);
  });
});
