import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { applyDiff, DiffError, makeDiff } from '../../lib/text/unified-diff.ts';

const numbered = (count: number, change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: count }, (_, index) => `${change[index + 1] ?? `line ${index + 1}`}\n`).join('');

describe('makeDiff', () => {
  it('gives three lines of context and counts them', () => {
    assert.equal(makeDiff('src/db.py', numbered(9), numbered(9, { 5: 'five' })), [
      '--- a/src/db.py', '+++ b/src/db.py', '@@ -2,7 +2,7 @@', ' line 2', ' line 3', ' line 4', '-line 5', '+five', ' line 6', ' line 7', ' line 8', '',
    ].join('\n'));
  });

  it('gives nothing for equal texts', () => {
    assert.equal(makeDiff('a', 'x\n', 'x\n'), '');
    assert.equal(applyDiff('x\n', ''), 'x\n');
  });

  it('joins changes that share context and parts those that do not', () => {
    const hunks = (other: number): number => makeDiff('a', numbered(30), numbered(30, { 5: 'x', [other]: 'y' })).split('@@ -').length - 1;
    assert.deepEqual([hunks(12), hunks(13)], [1, 2]);
  });

  it('finds a small change far from another without rewriting what is between', () => {
    const diff = makeDiff('a', numbered(20_000), `import os\n${numbered(20_000, { 19_000: 'x' })}`);
    assert.equal(diff.split('\n').filter((line) => /^[-+](?![-+])/.test(line)).length, 3);
  });

  it('replaces the middle whole when nearly everything changed', () => {
    const [before, after] = [numbered(1_500), numbered(1_500).replaceAll('line', 'row')];
    assert.equal(applyDiff(before, makeDiff('a', before, after)), after);
  });

  for (const [name, header] of [
    ['plain.py', 'a/plain.py'], ['my file.py', 'a/my file.py\t'], ['na"me.py', '"a/na\\"me.py"'], ['tab\there', '"a/tab\\there"'],
    ['back\\slash', '"a/back\\\\slash"'], ['bell\x01', '"a/bell\\001"'], ['grün.py', 'a/grün.py'],
  ] as const) {
    it(`names the file ${JSON.stringify(name)} as git does`, () => {
      assert.equal(makeDiff(name, 'a\n', 'b\n').split('\n')[0], `--- ${header}`);
    });
  }
});

describe('applyDiff', () => {
  // Few different lines, so that equal ones stand in many places; some ends are missing or CRLF.
  const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'a\r\n', '-x\n', '+x\n', '@@ -1 +1 @@\n', '\\ No newline at end of file\n', '\u2028\n', '\r');
  const text = fc.tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom('', 'end', 'end\r', '\ufeff')).map(([lines, end]) => lines.join('') + end);

  it('gives back what makeDiff compared', () => {
    fc.assert(fc.property(text, text, (before, after) => {
      assert.equal(applyDiff(before, makeDiff('a', before, after)), after);
    }), { numRuns: 1_500 });
  });

  it('throws DiffError and nothing else on a diff with one character changed', () => {
    fc.assert(fc.property(text, text, fc.nat(400), fc.constantFrom('', '@', '-', '\n', '9'), (before, after, at, put) => {
      const diff = makeDiff('a', before, after);
      try {
        applyDiff(before, diff.slice(0, at) + put + diff.slice(at + 1));
      } catch (error) {
        assert.ok(error instanceof DiffError, String(error));
      }
    }), { numRuns: 1_500 });
  });

  const diff = makeDiff('a', numbered(9), numbered(9, { 5: 'five' }));
  for (const [what, broken] of [
    ['a text that differs in a context line', [numbered(9, { 3: 'three' }), diff]],
    ['a text that has shifted by a line', [`new\n${numbered(9)}`, diff]],
    ['a text that is too short', ['', diff]],
    ['a diff without headers', [numbered(9), diff.split('\n').slice(2).join('\n')]],
    ['a diff that ends too soon', [numbered(9), diff.slice(0, -8)]],
    ['a wrong count', [numbered(9), diff.replace('+2,7', '+2,6')]],
    ['a wrong new place', [numbered(9), diff.replace('+2,7', '+3,7')]],
    ['something after the hunk', [numbered(9), `${diff}more\n`]],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.throws(() => applyDiff(broken[0], broken[1]), DiffError);
    });
  }

  it('takes hunks whose count of one is left out', () => {
    assert.equal(applyDiff('a\n', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n'), 'b\n');
  });

  it('names the line of the diff that does not fit', () => {
    assert.throws(() => applyDiff(numbered(9, { 3: 'three' }), diff), { message: 'line 5 of the diff: the text has something else here' });
  });
});

describe('git apply', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'diff-spec-'));
  after(() => rmSync(root, { recursive: true, force: true }));
  execFileSync('git', ['init', '-q', root]);

  const cases: readonly (readonly [string, string, string, string])[] = [
    ['a change in the middle', 'a.py', numbered(9), numbered(9, { 5: 'five' })],
    ['CRLF line ends', 'a.py', numbered(9).replaceAll('\n', '\r\n'), numbered(9, { 5: 'five' }).replaceAll('\n', '\r\n')],
    ['mixed line ends', 'a.py', 'a\r\nb\nc\r\n', 'a\r\nB\nc\r\nd\n'],
    ['a byte order mark', 'a.py', '\ufeffa\nb\n', '\ufeffimport os\na\nb\n'],
    ['no newline at the end on both sides', 'a.py', 'a\nb', 'a\nc'],
    ['a newline that is added at the end', 'a.py', 'a\nb', 'a\nb\n'],
    ['a newline that is removed at the end', 'a.py', 'a\nb\n', 'a\nb'],
    ['a context line without newline', 'a.py', 'a\nb', 'x\nb'],
    ['a first line put before all', 'a.py', numbered(3), `first\n${numbered(3)}`],
    ['a file that was empty', 'a.py', '', 'a\n'],
    ['a last line removed', 'a.py', numbered(3), numbered(2)],
    ['far changes', 'a.py', numbered(60), numbered(60, { 1: 'x', 30: 'y', 60: 'z' })],
    ['lines that look like a diff', 'a.py', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n', '--- a/x\n@@ -1 +1 @@\n\\ No newline\n'],
    ['a carriage return inside a line', 'a.py', 'a\rb\nc\n', 'a\rB\nc\n'],
    ['a line separator in a string', 'a.py', 's = "\u2028"\nb\n', 's = "\u2028"\nc\n'],
    ['a name with blanks', 'my dir/my file.py', 'a\n', 'b\n'],
    ['a name with quotes', 'na"me.py', 'a\n', 'b\n'],
    ['a name with a backslash', 'na\\me.py', 'a\n', 'b\n'],
    ['a name with a tab', 'na\tme.py', 'a\n', 'b\n'],
    ['a name with a newline', 'na\nme.py', 'a\n', 'b\n'],
    ['a name in other letters', 'größe/名前 ü.py', 'a\n', 'b\n'],
    ['a name that begins with a dash', '-rf.py', 'a\n', 'b\n'],
    ['a name that ends with a blank', 'end ', 'a\n', 'b\n'],
    ['a name like a date', 'x 2024-01-01 00:00:00', 'a\n', 'b\n'],
    ['a name like a side', 'b/a/x', 'a\n', 'b\n'],
  ];
  for (const [what, name, before, wanted] of cases) {
    it(`takes a diff with ${what}`, () => {
      const file = path.join(root, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, before);
      const input = makeDiff(name, before, wanted);
      const { status, stderr } = spawnSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: root, input, encoding: 'utf8' });
      assert.equal(status, 0, `${stderr}\n${input}`);
      assert.equal(readFileSync(file, 'utf8'), wanted);
      rmSync(file);
    });
  }

  it('takes files of many lines', () => {
    const before = '1,\n'.repeat(200_000);
    const after = `${before}2,\n`;
    assert.equal(applyDiff(before, makeDiff('a.py', before, after)), after);
    assert.equal(applyDiff(after, makeDiff('a.py', after, `0\n${before}`)), `0\n${before}`);
  });
});
