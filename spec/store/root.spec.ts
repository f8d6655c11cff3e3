import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { confine, findRoot, isPathRefusedError } from '../../lib/store/root.ts';
import type { PathRefusal } from '../../lib/store/root.ts';

const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'toolwire-root-')));
after(() => fs.rmSync(base, { recursive: true }));

const root = path.join(base, 'root');
fs.mkdirSync(path.join(root, 'src/deep'), { recursive: true });
fs.mkdirSync(path.join(base, 'root-not'));
fs.mkdirSync(path.join(base, 'repo/.git'), { recursive: true });
fs.mkdirSync(path.join(base, 'repo/a/b'), { recursive: true });
fs.writeFileSync(path.join(root, 'src/a.py'), '');
for (const [name, target] of [
  ['in', 'src'], ['self', '.'], ['out', '..'], ['sibling', '../root-not'], ['absolute', base], ['nowhere', 'src/none'],
  ['nowhere-out', '../none'], ['circle', 'circle'], ['chain', 'out'], ['src/back', '../src'],
] as const) fs.symlinkSync(target, path.join(root, name));
fs.symlinkSync(root, path.join(base, 'root-link'));

const inside: [relative: string, expected: string][] = [
  ['src/a.py', 'src/a.py'], ['./src//a.py', 'src/a.py'], ['.', ''], ['src/', 'src'], ['new', 'new'], ['new/deep/er.txt', 'new/deep/er.txt'],
  ['in/a.py', 'src/a.py'], ['in/new.py', 'src/new.py'], ['self/src/a.py', 'src/a.py'], ['src/back/deep/x', 'src/deep/x'], ['..a', '..a'],
  ['a..', 'a..'], ['src/.../x', 'src/.../x'], ['ab:c', 'ab:c'],
];
for (const [relative, expected] of inside) {
  test(`${JSON.stringify(relative)} is inside`, () => assert.equal(confine(root, relative), path.join(root, expected)));
}

const outside: [relative: string, reason: PathRefusal][] = [
  ['', 'empty'], ['/', 'absolute'], ['/etc/passwd', 'absolute'], [`${root}/src`, 'absolute'], ['//host/share', 'absolute'],
  ['\\\\host\\share', 'absolute'], ['\\x', 'absolute'], ['C:/x', 'drive'], ['c:x', 'drive'], ['C:\\x', 'drive'],
  ['..', 'parent'], ['../root', 'parent'], ['src/../src', 'parent'], ['src/..', 'parent'], ['..\\x', 'parent'], ['src\\..\\..\\x', 'parent'],
  ['src\\a.py', 'backslash'], ['src/a\0.py', 'nul'], ['out', 'link'], ['out/root/src', 'link'], ['sibling/x', 'link'], ['absolute/x', 'link'],
  ['chain/x', 'link'], ['nowhere', 'link'], ['nowhere/x', 'link'], ['nowhere-out', 'link'], ['circle', 'link'], ['src/a.py/x', 'not-a-folder'],
  ['x'.repeat(300), 'unreadable'],
];
for (const [relative, reason] of outside) {
  test(`${JSON.stringify(relative.slice(0, 40))} is refused as ${reason}`, () => {
    assert.throws(() => confine(root, relative), (error) =>
      isPathRefusedError(error) && error.reason === reason && error.path === relative && error.name === 'PathRefusedError' &&
      error.message.startsWith(`path ${JSON.stringify(relative)} is refused: `));
  });
}

test('a root that is reached by a link is confined to where it is, and the root / to itself', () => {
  assert.equal(confine(path.join(base, 'root-link'), 'in/a.py'), path.join(root, 'src/a.py'));
  assert.equal(confine('/', path.join(root, 'in/a.py').slice(1)), path.join(root, 'src/a.py'));
});

test('a missing root is an error of the file system', () => {
  assert.throws(() => confine(path.join(base, 'none'), 'x'), { code: 'ENOENT' });
  assert.equal(isPathRefusedError(new Error('x')), false);
  assert.equal(isPathRefusedError(null), false);
});

test('no path made of hostile pieces leads outside', () => {
  const names = ['src', 'in', 'out', 'self', 'absolute', 'nowhere-out', 'a.py', 'new', 'x y', base];
  const piece = fc.constantFrom(...names, '..', '.', '', '/', '\\', '\0', 'C:');
  fc.assert(fc.property(fc.array(piece, { maxLength: 6 }), fc.constantFrom('/', '\\', ''), (pieces, separator) => {
    let found: string;
    try {
      found = confine(root, pieces.join(separator));
    } catch (error) {
      return isPathRefusedError(error);
    }
    return found === root || found.startsWith(root + path.sep);
  }), { numRuns: 500 });
});

test('the nearest folder with the marker is found from below and in place, else nothing', () => {
  const repo = path.join(base, 'repo');
  assert.equal(findRoot(path.join(repo, 'a/b')), repo);
  assert.equal(findRoot(repo), repo);
  assert.equal(findRoot(path.join(repo, 'a/b/missing.txt')), repo);
  assert.equal(findRoot(path.join(repo, 'a'), 'b'), path.join(repo, 'a'));
  assert.equal(findRoot(repo, 'no-such-marker-anywhere'), undefined);
});
