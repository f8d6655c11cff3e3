import { strict as assert } from 'node:assert';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { lineOfKey } from '../../../../lib/families/gadriel/domain/repository/config-lines.ts';
import { readBlobs } from '../../../../lib/families/gadriel/domain/repository/git-blobs.ts';
import { mergeForeign } from '../../../../lib/families/gadriel/domain/repository/merge-foreign.ts';
import { createModuleIndex, importedNames } from '../../../../lib/families/gadriel/domain/repository/module-index.ts';
import type { FileScan } from '../../../../lib/families/gadriel/domain/repository/repository.types.ts';
import { scanFiles } from '../../../../lib/families/gadriel/domain/repository/scan-files.ts';
import type { Draft } from '../../../../lib/families/gadriel/domain/make-finding.ts';
import { parseConfig } from '../../../../lib/families/gadriel/domain/repository/config.ts';
import { scanSource } from '../../../../lib/families/gadriel/domain/scan-source.ts';
import { createRules } from '../../../../lib/families/gadriel/domain/scan-rules.ts';
import { makeFinding } from '../support/finding.ts';
import { githubToken } from '../support/sample-secrets.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { plainSettings } from '../../../../lib/families/gadriel/domain/repository/settings.types.ts';
import { places, project, scan } from './kit.ts';

describe('createModuleIndex', () => {
  const index = createModuleIndex([
    'main.py', 'helper.py', 'pkg/__init__.py', 'pkg/mod.py', 'pkg/sub/__init__.py', 'pkg/sub/deep.py', 'src/app/__init__.py', 'src/app/core.py', 'scripts/run.py', 'scripts/helper.py', 'plain/space.py', 'pkg/requests.py',
  ]);
  const cases: readonly (readonly [from: string, name: string, file: string | undefined])[] = [
    ['main.py', 'helper', 'helper.py'],
    ['scripts/run.py', 'helper', 'scripts/helper.py'],
    ['main.py', 'pkg', 'pkg/__init__.py'],
    ['main.py', 'pkg.sub.deep', 'pkg/sub/deep.py'],
    ['main.py', 'pkg.none', undefined],
    ['main.py', 'app.core', 'src/app/core.py'],
    ['src/app/core.py', 'app', 'src/app/__init__.py'],
    ['main.py', 'plain.space', 'plain/space.py'],
    ['pkg/sub/deep.py', '.', 'pkg/sub/__init__.py'],
    ['pkg/sub/deep.py', '..mod', 'pkg/mod.py'],
    ['pkg/sub/deep.py', '..', 'pkg/__init__.py'],
    ['pkg/mod.py', '.sub.deep', 'pkg/sub/deep.py'],
    ['pkg/mod.py', '.....mod', undefined],
    ['pkg/mod.py', 'mod', undefined],
    ['main.py', 'requests', undefined],
    ['pkg/mod.py', '.requests', 'pkg/requests.py'],
    ['main.py', '', undefined],
  ];
  for (const [from, name, file] of cases) it(`leads ${name} in ${from} to ${String(file)}`, () => assert.equal(index.find(from, name), file));
});

describe('importedNames', () => {
  const cases: readonly (readonly [text: string, names: readonly string[]])[] = [
    ['import a, b.c as d', ['a', 'b.c']],
    ['from a import b', ['a', 'a.b']],
    ['from . import b as c, d', ['.', '.b', '.d']],
    ['from ..x import (\n  y, # z\n  w as v,\n)', ['..x', '..x.y', '..x.w']],
    ['  from a import *', ['a']],
    ['def f():\n\timport late', ['late']],
    ['x = "import not"', []],
    ['important = 1\nfromage = 2', []],
  ];
  for (const [text, names] of cases) it(`reads ${JSON.stringify(text)}`, () => assert.deepEqual([...importedNames(text)], names));

  it('takes linear time on any text', () => {
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom('from', 'import', ' ', '\n', '(', ')', ',', '#', 'a', '.') }), (text) => void importedNames(text)));
    const start = performance.now();
    importedNames('from a import ('.repeat(20_000));
    importedNames(`from a import (${'as '.repeat(100_000)}`);
    importedNames(`import ${' ,'.repeat(200_000)}`);
    assert.ok(performance.now() - start < 1_500);
  });
});

describe('mergeForeign', () => {
  const draft = (members: Partial<Draft>): Draft => ({
    ruleId: 'CODE-W1-L3-017', title: 't', message: 'm', severity: 'critical', confidence: 'high', cwe: 'CWE-78', line: 1, endLine: 1, column: 1, endColumn: 2, remediation: 'r', scanType: 'sast', owasp: [], tags: [], trace: [], ...members,
  });
  const merge = (own: Parameters<typeof makeFinding>[0][], drafts: readonly Draft[], text: string | null = 'x\n'): FileScan | undefined => {
    const scans = new Map<string, FileScan>([['a.py', { path: 'a.py', hash: '', findings: own.map((each) => makeFinding({ cwe: 'CWE-78', ...each })) }], ['bad.py', { path: 'bad.py', hash: '', findings: [], failed: 'x' }]]);
    mergeForeign(scans, [{ path: 'a.py', drafts }, { path: 'bad.py', drafts }, { path: 'other.py', drafts }], '/nowhere', text === null ? {} : { 'a.py': text }, plainSettings);
    assert.deepEqual([...scans.keys()], ['a.py', 'bad.py']);
    return scans.get('a.py');
  };

  it('keeps at a place what is worse, and names the rule that gave way', () => {
    const [finding, ...others] = merge([{ rule_id: 'CODE-W1-L3-003', severity: 'high', column: 1 }], [draft({}), draft({ confidence: 'low' })])?.findings ?? [];
    assert.deepEqual([finding?.rule_id, finding?.tags, others], ['CODE-W1-L3-017', ['CODE-W1-L3-003'], []]);
    const kept = merge([{ rule_id: 'CODE-W1-L3-003', severity: 'critical', confidence: 'high', column: 1 }], [draft({ confidence: 'medium' })])?.findings;
    assert.deepEqual(kept?.map((each) => each.rule_id), ['CODE-W1-L3-003']);
  });

  it('does not depend on who came first', () => {
    const drafts = [draft({ trace: [{ line: 1, note: 'b' }] }), draft({ trace: [{ line: 1, note: 'a' }] }), draft({ line: 2, suppressed: true })];
    assert.deepEqual(merge([], drafts), merge([], [...drafts].reverse()));
    assert.deepEqual(merge([], drafts)?.findings.map((each) => [each.line, each.waived, each.trace[0]?.note]), [[1, false, 'a'], [2, true, undefined]]);
  });

  it('leaves a file as it stands that is gone by then', () => assert.deepEqual(merge([], [draft({})], null)?.findings, []));
});

describe('scanFiles', () => {
  const temp = tempFolder();
  const sized = (root: string, names: readonly string[]) => names.map((name) => ({ path: name, size: readFileSync(path.join(root, name)).length }));

  it('gives up on a file that needs too much, and scans the others of its batch', async () => {
    const huge = `x = [${'f(a)[b].c + "d", '.repeat(120_000)}]\n`;
    const root = project(temp, 'huge', { 'a.py': 'from b import f\neval(input())\n', 'b.py': `def f(): pass\n${huge}`, 'c.txt': 'x\n' }, false);
    const { scans } = await scanFiles({ root, files: sized(root, ['a.py', 'b.py', 'c.txt']), limits: { maxHeapMb: 40 } });
    assert.deepEqual(scans.map((each) => [each.path, places(each.findings), each.failed ?? '']), [['a.py', ['a.py:2 L3-002'], ''], ['b.py', [], 'the scan needs more than 40 MiB of memory'], ['c.txt', [], '']]);
  });

  it('tells an error of its own at the file, and ends', async () => {
    const root = project(temp, 'error', { 'a.py': 'eval(input())\n', 'b.txt': 'x' }, false);
    const { scans } = await scanFiles({ root, files: sized(root, ['a.py', 'b.txt']), settings: {} as never });
    assert.deepEqual(scans.map((each) => /^an error of the program: TypeError/.test(each.failed ?? '')), [true, true]);
  });

  it('says why a file failed that went while it was scanned', async () => {
    const root = project(temp, 'gone', { 'a.py': 'eval(input())\n' }, false);
    const { scans } = await scanFiles({ root, files: [{ path: 'b.txt', size: 1 }, { path: 'c.py', size: 1 }, ...sized(root, ['a.py'])] });
    assert.deepEqual(scans.map((each) => each.failed), [undefined, 'the file does not exist', 'the file does not exist']);
  });
});

describe('the cache', () => {
  const temp = tempFolder();

  it('is no condition of a scan', async () => {
    const root = project(temp, 'blocked', { 'a.py': 'eval(input())\n' });
    temp.write('blocked/.security/cache', 'a file');
    for (let round = 0; round < 2; round++) assert.deepEqual([(await scan(root)).cached, places((await scan(root)).findings)], [0, ['a.py:1 L3-002']]);
    rmSync(path.join(root, '.security/cache'));
    mkdirSync(path.join(root, '.security/cache/scan-outcomes'), { recursive: true });
    assert.deepEqual(places((await scan(root)).findings), ['a.py:1 L3-002']);
  });

  it('holds no secret', async () => {
    const root = project(temp, 'secret', { 'a.py': `token = "${githubToken(9)}"\neval("${githubToken(9)}" + input())\n`, 'b.txt': githubToken(9) });
    await scan(root);
    assert.ok(!readFileSync(path.join(root, '.security/cache/scan-outcomes'), 'utf8').includes(githubToken(9).slice(4)));
  });
});

describe('contents out of git', () => {
  it('are refused where git ends early', async () => {
    const temp = tempFolder();
    await assert.rejects(readBlobs(temp.root, [{ id: '0'.repeat(40) }], {}, undefined, () => undefined), /git ended with an error/);
    await assert.rejects(readBlobs(temp.root, [{ id: '0'.repeat(40) }], {}, AbortSignal.abort(new Error('enough')), () => undefined), /enough/);
  });
});

describe('sinks of the settings', () => {
  const found = (toml: string, code: string): string[] =>
    places(scanSource({ text: code, path: 'a.py', kind: 'python', language: 'python', profile: 'default', rules: createRules(parseConfig(toml).scan) }).findings);

  it('match imported and own functions, by number or keyword, for what a stranger controls', () => {
    const sink = (argument: string): string => `[[sink]]\nname = "acme.run"\nrule = "L3-021"\nargument = ${argument}\n[[sink]]\nname = "own"\nrule = "AI-601"\nargument = 0`;
    assert.deepEqual(found(sink('1'), 'from acme import run\nfrom flask import request\nrun("x", request.args["p"])\nrun(request.args["p"], "x")\n'), ['a.py:3 L3-021']);
    assert.deepEqual(found(sink('"path"'), 'import acme\nfrom flask import request\nacme.run(path=request.args["p"])\nacme.run(other=request.args["p"])\nother.run(path=request.args["p"])\n'), ['a.py:3 L3-021']);
    assert.deepEqual(found(sink('0'), 'from flask import request\ndef own(x): pass\nown(request.args["p"])\n'), ['a.py:3 AI-601']);
  });
});

describe('lineOfKey', () => {
  it('finds quoted keys, tables by number and inline ones', () => {
    const text = '# x = 1\na = 1\n"b c" = 2\n[t]\nk = 1\n[[r]]\nk = 1\n[[r]]\n k = 2\n[q]\n';
    for (const [table, key, nth, line] of [['', 'a', 0, 2], ['', 'b c', 0, 3], ['t', 'k', 0, 5], ['r', 'k', 0, 7], ['r', 'k', 1, 9], ['r', 'none', 1, 8], ['', 'q', 0, 10], ['', 'none', 0, 1]] as const) {
      assert.equal(lineOfKey(text, table, key, nth), line, `${table}.${key}`);
    }
    assert.equal(lineOfKey('\nt = { k = 1 }', 't', 'k', 0), 2);
    assert.equal(lineOfKey('x.y = 1', '', 'x', 0), 1);
  });
});
