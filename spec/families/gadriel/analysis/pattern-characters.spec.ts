import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { kindsOf, patternFacts } from '../../../../lib/families/gadriel/domain/analysis/pattern-characters.ts';
import { clearBit } from '../../../../lib/families/gadriel/domain/analysis/value-bits.ts';
import type { ClearKind } from '../../../../lib/families/gadriel/domain/analysis/model.types.ts';

/** Kinds that a full match of the pattern clears, as words; `?` = the pattern is not read. */
const clears = (pattern: string, flags = ''): string => {
  const facts = patternFacts(pattern, flags);
  if (facts === undefined) return '?';
  const bits = kindsOf(facts);
  if ((bits & clearBit.all) !== 0) return 'all';
  const kinds: readonly ClearKind[] = ['shell', 'sql', 'html', 'url', 'path', 'log', 'regex', 'code', 'option'];
  return kinds.filter((kind) => (bits & clearBit[kind]) !== 0).join(' ');
};

/** `^`, `$` or both where the pattern is anchored. */
const anchors = (pattern: string, flags = ''): string => {
  const facts = patternFacts(pattern, flags);
  return facts === undefined ? '?' : `${facts.anchoredStart ? '^' : ''}${facts.anchoredEnd ? '$' : ''}`;
};

describe('characters of a pattern', () => {
  const cases: readonly (readonly [pattern: string, kinds: string, flags?: string])[] = [
    ['\\w+', 'all'], ['[a-z0-9_-]{1,20}', 'all'], ['(?:a|b)*', 'all'], ['\\d{4}-\\d{2}', 'all'], ['', 'all'], ['[\\x41-\\x5a]+', 'all'], ['\\u0041', 'all'], ['[\\U00000041]', 'all'],
    ['(?P<n>\\w+)(?P=n)', 'all'], ['(\\w)\\1', 'all'], ['(?i)[a-z]+', 'all'], ['(?i:[a-z])+', 'all'], ['(?#note;)a', 'all'], ['(?=;)[a-z]+', 'all'], ['\\bfoo\\b', 'all'], ['a+?', 'all'], ['a{2,}', 'all'], ['a{,3}', 'all'], ['a{x}', 'all'],
    ['.*', ''], ['(?s).*', ''], ['.*', '', 's'], ['(?s:.)+', ''], ['(?i:.)+', ''], ['[\\s\\S]*', ''], ['(.|\\n)+', ''], ['[\\W\\w]+', ''], ['\\S+', 'log'], ['\\D', ''],
    ['[ -~]+', 'log'], ['[\\w ;&|$]+', 'html url path log code option'], ['[^;]+', ''], ['[]]+', 'all'], ['[\\]a]+', 'all'], ['[a\\-z]+', 'all'],
    ['[\\w.-]+', 'shell sql html log regex code option'], ['[a-z][\\w.-]*', 'shell sql html path log regex code option'], ['[a-z][a-z/]*', 'shell sql html path log regex code option'], ['[a-z/]+', 'shell sql html log regex code option'],
    ['(?!.*\\.\\.)[a-z][\\w./-]*', 'shell sql html path log regex code option'], ['[\\w/.]*\\*?', 'shell sql html log regex code option'],
    ['https://example\\.com/[\\w/]*', 'all'], ['https://a\\.com/|[\\w/]*', 'shell sql html log regex code option'], ['[A-Za-z ]+', 'shell html url path log regex code option'], ['[\\d+*/(). -]+', 'html log code'],
    ['a ;? b', 'all'], ['a ;+ b', 'html url path log regex code option'], ['[a-z]+ # ;+', 'all', 'x'], ['-[a-z;]+', 'html url path log regex code option'], ['[-a;]+', 'html url path log regex code'],
    ['(', '?'], [')', '?'], ['[a', '?'], ['(?(1)a|b)', '?'], ['(?P=x', '?'], ['[a-\\d]', '?'], ['\\xzz', '?'], ['\\x-a', '?'], ['(?s:a', '?'], ['('.repeat(30) + ')'.repeat(30), '?'], ['a'.repeat(2001), '?'],
  ];
  for (const [pattern, kinds, flags] of cases) it(`${pattern.slice(0, 40)} ${flags ?? ''} clears ${kinds || 'nothing'}`, () => assert.equal(clears(pattern, flags), kinds));

  const marks: readonly (readonly [pattern: string, anchored: string, flags?: string])[] = [
    ['^a$', '^$'], ['\\Aa\\Z', '^$'], ['a', ''], ['a|b$', ''], ['^a|^b', '^'], ['^(a|b)$', '^$'], ['(?:^a$|^b$)', '^$'], ['(^a$)?', ''], ['US\\$', ''], ['a[$]', ''], ['^a$', '', 'm'], ['\\Aa\\Z', '^$', 'm'], ['(?m)^a$', ''], ['^a$\\b', '^$'], ['(?m:^)a', ''], ['^$', '^$'],
  ];
  for (const [pattern, anchored, flags] of marks) it(`${pattern} ${flags ?? ''} is anchored at "${anchored}"`, () => assert.equal(anchors(pattern, flags), anchored));

  it('are read without throwing whatever the text is', () => {
    const piece = fc.constantFrom('a', '.', '\\', '[', ']', '^', '$', '(', ')', '|', '*', '+', '?', '{', '}', '1', ',', '-', '(?', ':', '(?s:', '\\d', '\\x', 'é', '#', ' ');
    fc.assert(fc.property(fc.array(piece, { maxLength: 40 }), fc.constantFrom('', 'm', 'sx'), (pieces, flags) => {
      const facts = patternFacts(pieces.join(''), flags);
      assert.ok(facts === undefined || typeof kindsOf(facts) === 'number');
    }));
  });

  it('let no text through that holds what they say is not in it', () => {
    const piece = fc.constantFrom('[a-z]', '[;a]', '.', '\\w', '\\W', '[^a]', '(?:a|[&b])', '\\s', '[ -~]');
    const count = fc.constantFrom('', '*', '+', '?', '{1,3}');
    fc.assert(fc.property(fc.array(fc.tuple(piece, count), { minLength: 1, maxLength: 4 }), fc.array(fc.constantFrom(...'ab;&|$()<>\'"\n /'), { maxLength: 5 }), (pieces, letters) => {
      const pattern = pieces.map((pair) => pair.join('')).join('');
      const text = letters.join('');
      const facts = patternFacts(pattern, '');
      assert.ok(facts !== undefined);
      if (new RegExp(`^(?:${pattern})$`, 'u').test(text) && (kindsOf(facts) & clearBit.shell) !== 0) assert.doesNotMatch(text, /[;&|$()<>'"\n]/);
    }));
  });
});
