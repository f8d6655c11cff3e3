import { strict as assert } from 'node:assert';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { parseIgnoreRules } from '../../lib/files/ignore-rules.ts';

/** What the rules say of a path; a folder is written with a slash at its end. */
const verdict = (rules: string, file: string): boolean | undefined => parseIgnoreRules(rules).verdict(file.replace(/\/$/, '').split('/'), file.endsWith('/'));

describe('parseIgnoreRules', () => {
  const cases: readonly (readonly [rules: string, file: string, ignored: boolean | undefined])[] = [
    ['*.log', 'a/b.log', true],
    ['*.log', 'a/b.logs', undefined],
    ['/a.txt', 'a.txt', true],
    ['/a.txt', 'b/a.txt', undefined],
    ['b/a.txt', 'c/b/a.txt', undefined],
    ['out/', 'out', undefined],
    ['out/', 'out/', true],
    ['a/**', 'a', undefined],
    ['a/**', 'a/b/c', true],
    ['**/c', 'a/b/c', true],
    ['a/**/c', 'a/c', true],
    ['a/**/c', 'a/x/y/c', true],
    ['a/**/c', 'a/x/y/d', undefined],
    ['*\n!keep.me', 'keep.me', false],
    ['!keep.me\n*', 'keep.me', true],
    ['# no rule\n\n', '# no rule', undefined],
    ['\\#x', '#x', true],
    ['\\!x', '!x', true],
    ['x ', 'x', true],
    ['x\\ ', 'x ', true],
    ['?.py', 'a.py', true],
    ['?.py', 'ab.py', undefined],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', undefined],
    ['[^a-c]x', 'dx', true],
    ['[]]x', ']x', true],
    ['[x', '[x', true],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'aXbY', undefined],
    ['\uFEFF*.md\r\nx', 'a.md', true],
    ['/', 'a', undefined],
    ['x'.repeat(2_000), 'x'.repeat(2_000), undefined],
  ];
  for (const [rules, file, ignored] of cases) {
    it(`says ${String(ignored)} of ${JSON.stringify(file.slice(0, 40))} under ${JSON.stringify(rules.slice(0, 40))}`, () => assert.equal(verdict(rules, file), ignored));
  }

  const folder = mkdtempSync(path.join(tmpdir(), 'ignore-spec-'));
  after(() => rmSync(folder, { recursive: true }));

  it('agrees with git on made-up rules and paths', () => {
    execFileSync('git', ['init', '-q', folder]);
    const part = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '*b', '?', '[ab]', '[!a]', '**', 'a?b');
    const rule = fc.tuple(fc.constantFrom('', '!', '/'), fc.array(part, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '/')).map(([head, parts, tail]) => head + parts.join('/') + tail);
    const file = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba', 'aab'), { minLength: 1, maxLength: 4 });
    const sample = fc.sample(fc.tuple(fc.array(rule, { minLength: 1, maxLength: 4 }), fc.array(file, { minLength: 20, maxLength: 30 })), { numRuns: 40, seed: 7 });
    for (const [rules, files] of sample) {
      writeFileSync(path.join(folder, '.gitignore'), `${rules.join('\n')}\n`);
      const names = [...new Set(files.map((each) => each.join('/')))];
      // It exits with 1 where nothing is ignored.
      const { stdout } = spawnSync('git', ['check-ignore', '-z', '--verbose', '--non-matching', '--no-index', '--stdin'], { cwd: folder, input: names.join('\0'), encoding: 'utf8' });
      const words = stdout.split('\0');
      names.forEach((name, index) => {
        const pattern = words[index * 4 + 2] ?? '';
        // Git asks the folders above first; ours are asked by the walk.
        const expected = name.split('/').map((_, depth, all) => verdict(rules.join('\n'), `${all.slice(0, depth + 1).join('/')}${depth < all.length - 1 ? '/' : ''}`));
        const found = expected.slice(0, -1).includes(true) || expected.at(-1) === true;
        const ignored = pattern !== '' && !pattern.startsWith('!');
        assert.equal(found, ignored, `${JSON.stringify(rules)} on ${name}: git says ${pattern}`);
      });
    }
  });

  it('takes time that grows with the length, whatever the pattern', () => {
    const start = performance.now();
    assert.equal(verdict(`${'a*'.repeat(400)}b`, 'a'.repeat(4_000)), undefined);
    assert.equal(verdict(`${'**/a/'.repeat(150)}b`, 'a/'.repeat(500)), undefined);
    assert.ok(performance.now() - start < 2_000);
  });
});
