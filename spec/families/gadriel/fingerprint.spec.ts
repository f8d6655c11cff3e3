import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { fingerprints, type Flagged } from '../../../lib/families/gadriel/domain/fingerprint.ts';

const flagged = (members: Partial<Flagged> = {}): Flagged => ({ ruleId: 'CODE-W1-L3-002', path: 'src/a.py', lineText: 'eval(x)', line: 3, column: 1, ...members });
const one = (members: Partial<Flagged> = {}): string => fingerprints([flagged(members)])[0] as string;

describe('fingerprints', () => {
  it('are SHA-256 over rule, path, line text and ordinal', () => {
    assert.equal(one(), createHash('sha256').update('["CODE-W1-L3-002","src/a.py","eval(x)"]#0').digest('hex'));
  });

  const same: readonly (readonly [string, Partial<Flagged>])[] = [
    ['the line moves', { line: 300 }],
    ['the column moves', { column: 9 }],
    ['the indentation changes', { lineText: '\t  eval(x)  ' }],
  ];
  for (const [title, members] of same) it(`stay when ${title}`, () => assert.equal(one(members), one()));

  it('squeeze blanks inside the line', () => assert.equal(one({ lineText: 'eval(  x,\t y )' }), one({ lineText: 'eval( x, y )' })));

  const differing: readonly (readonly [string, Partial<Flagged>])[] = [
    ['the rule', { ruleId: 'CODE-W1-L3-001' }],
    ['the path', { path: 'src/b.py' }],
    ['the text of the line', { lineText: 'eval(y)' }],
  ];
  for (const [title, members] of differing) it(`differ with ${title}`, () => assert.notEqual(one(members), one()));

  it('count equal lines by line, then column, whatever the order they come in', () => {
    const places = [flagged({ line: 9, column: 1 }), flagged({ line: 2, column: 20 }), flagged({ line: 2, column: 5 })];
    const [third, second, first] = fingerprints(places);
    assert.equal(new Set([first, second, third]).size, 3);
    assert.deepEqual(fingerprints([...places].reverse()), [first, second, third]);
    assert.equal(first, one());
  });

  it('do not count lines that only other rules flag', () => {
    const [, hash] = fingerprints([flagged({ ruleId: 'CODE-W1-L3-001', line: 1 }), flagged()]);
    assert.equal(hash, one());
  });
});
