import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import { maxSourceBytes } from '../../../lib/families/gadriel/domain/decode-source.ts';
import { runScan, type ScanOutcome } from '../../../lib/families/gadriel/domain/scan-request.ts';
import { githubToken } from './support/sample-secrets.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { assertToolFailed } from './support/tool-failure.ts';

const flaw = 'import sys\neval(sys.argv[1])\n';
const scanBuffer = (content: string, file: string): ScanOutcome => runScan({ kind: 'buffer', content, file, profile: 'default' });

describe('runScan on a buffer', () => {
  const coverage: readonly (readonly [string, string, string, boolean])[] = [
    ['src/a.py', '', 'python', true],
    ['a.pyi', '', 'python', true],
    ['tool', '#!/usr/bin/env python3\n', 'python', true],
    ['a.ipynb', '{"cells":[{"cell_type":"code","source":"x = 1"}]}', 'jupyter', true],
    ['broken.ipynb', '{"cells":[', 'jupyter', false],
    ['a.js', '', 'javascript', false],
    ['A.TS', '', 'typescript', false],
    ['src\\Main.java', '', 'java', false],
    ['Dockerfile', '', 'dockerfile', false],
    ['.env', '', 'dotenv', false],
    ['a.xyzzy', '', 'unknown', false],
    ['', '', 'unknown', false],
  ];
  for (const [file, content, language, sast] of coverage) {
    it(`takes ${JSON.stringify(file)} for ${language}`, () => {
      const outcome = scanBuffer(content, file);
      assert.deepEqual({ language: outcome.language, sast: outcome.sast }, { language, sast });
    });
  }

  it('echoes the label with forward slashes', () => {
    assert.equal(scanBuffer(flaw, 'C:\\src\\..\\a.py').findings[0]?.file, 'C:/src/../a.py');
  });

  it('does not count a BOM as a column', () => {
    const [finding] = scanBuffer('\ufeffeval(input())', 'a.py').findings;
    assert.equal(finding?.column, 1);
  });

  it('analyses an unsaved script by its shebang behind a BOM', () => {
    assert.equal(scanBuffer(`\ufeff#!/usr/bin/python3\n${flaw}`, 'tool').count, 1);
  });

  it('takes exactly 5 MiB of UTF-8 and refuses one byte more', () => {
    const most = `#${'é'.repeat((maxSourceBytes - 2) / 2)}\n`;
    assert.equal(Buffer.byteLength(most), maxSourceBytes);
    assert.equal(scanBuffer(most, 'a.txt').count, 0);
    assertToolFailed(() => scanBuffer(`${most}\n`, 'a.txt'), 'the buffer is larger than 5 MiB, the most that is scanned');
  });

  it('refuses a label that no system could save', () => {
    assert.equal(scanBuffer('', 'p'.repeat(4_096)).count, 0);
    assertToolFailed(() => scanBuffer('', 'p'.repeat(4_097)), 'the path is too long');
  });

  it('leaves out the least severe where an answer would be too large, and counts all', () => {
    const noise = Array.from({ length: 300 }, (_, index) => `t${index} = "${githubToken(index)}"\n`).join('');
    const { findings, count, truncated } = scanBuffer(`import os, sys\n${noise}os.system("ls " + sys.argv[1])\n`, 'a.py');
    assert.equal(count, 301);
    assert.equal(findings.length + (truncated ?? 0), 301);
    assert.ok(JSON.stringify(findings).length <= 102_402 && (truncated ?? 0) > 0);
    assert.equal(findings.at(-1)?.rule_id, 'CODE-W1-L3-003');
  });
});

describe('runScan on a file', () => {
  const temp = tempFolder();
  temp.folder('repo/.git');
  const scanFile = (file: string, cwd = temp.at('repo')): ScanOutcome => runScan({ kind: 'file', file, cwd, profile: 'default' });

  it('takes a path relative to the working folder, or an absolute one', () => {
    const absolute = temp.write('repo/src/a.py', flaw);
    for (const outcome of [scanFile('src/a.py'), scanFile(absolute), scanFile('a.py', temp.at('repo/src'))]) {
      assert.deepEqual(outcome.findings.map(({ file, line }) => [file, line]), [['src/a.py', 2]]);
    }
  });

  const contents: readonly (readonly [string, string, string | Uint8Array, number])[] = [
    ['a Python script without extension', 'repo/tool', `#!/usr/bin/env python3\n${flaw}`, 1],
    ['the same with a BOM', 'repo/tool-bom', `\ufeff#!/usr/bin/env python3\n${flaw}`, 1],
    ['a Latin-1 Python file that says so', 'repo/l1.py', Buffer.from(`# coding: latin-1\n"\xe9"\n${flaw}`, 'latin1'), 1],
    ['a UTF-16 configuration file', 'repo/u16.ini', Buffer.from(`\ufefftoken = ${githubToken(1)}\r\n`, 'utf16le'), 1],
    ['a Latin-1 configuration file', 'repo/l1.ini', Buffer.from(`# \xe9\ntoken = ${githubToken(1)}\n`, 'latin1'), 1],
    ['code of another language, which is not analysed', 'repo/a.rb', 'eval(gets)\n', 0],
    ['an empty file', 'repo/empty.py', '', 0],
  ];
  for (const [title, name, content, count] of contents) {
    it(`reads ${title}`, () => assert.equal(scanFile(temp.write(name, content)).count, count));
  }

  const failures: readonly (readonly [string, () => string, RegExp])[] = [
    ['an empty path', () => '', /file_path is empty/],
    ['a Python file that is no UTF-8', () => temp.write('repo/bad.py', Uint8Array.of(0xe9)), /not valid UTF-8/],
    ['a binary file', () => temp.write('repo/bin.dat', Uint8Array.of(1, 0, 2)), /binary/],
    ['a folder', () => '.', /is a folder/],
    ['a missing file', () => 'missing.py', /does not exist/],
  ];
  for (const [title, make, reason] of failures) {
    it(`refuses ${title}`, () => assertToolFailed(() => scanFile(make()), reason));
  }
});
