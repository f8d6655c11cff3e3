import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownDetector } from '../../lib/secrets/own-patterns.ts';

const reason = (pattern: string): string | undefined => {
  const own = ownDetector({ id: 'OWN', title: 'Own', pattern });
  return 'error' in own ? own.error : undefined;
};

describe('ownDetector', () => {
  for (const pattern of ['acme_[a-z0-9]{32}', 'ACME-(?:live|test)-([\\w-]{20,200})', '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}', 'a\\+b?', '[+*(]{3}x', '(?:ab?c)?d', 'x{3}y{2,40}', '[\\]a]{4}']) {
    it(`accepts ${pattern}`, () => assert.equal(reason(pattern), undefined));
  }

  const refused: [pattern: string, why: RegExp][] = [
    ['acme_[a-z]+', /without a limit/], ['acme.*', /without a limit/], ['a{3,}', /without a limit/], ['a{1,2000}', /without a limit/], ['(a)\\1', /backreference/], ['(?<n>a)\\k<n>', /backreference/],
    ['(?=a)a', /group other than/], ['(?<!x)a', /group other than/], ['(?:a{1,5}){1,5}', /several ways/], ['(?:a|ab){2}c', /several ways/], ['(?:(?:a?)b){2}', /several ways/],
    ['a{1,400}b{1,400}', /too many variable/], ['a{0,5}', /empty text/], ['[a', /no valid/], ['(a', /no valid/], ['x'.repeat(501), /longer than/],
  ];
  for (const [pattern, why] of refused) it(`refuses ${pattern.slice(0, 20)}`, () => assert.match(reason(pattern) ?? '', why));

  it('keeps what the pattern says of itself and has sober defaults', () => {
    const own = ownDetector({ id: 'OWN', title: 'Own', pattern: 'x{4}', confidence: 'low', minEntropy: 1 });
    assert.ok('pattern' in own);
    assert.deepEqual([own.severity, own.confidence, own.minEntropy, own.wholeText], ['high', 'low', 1, true]);
  });
});
