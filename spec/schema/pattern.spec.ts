import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compilePattern } from '../../lib/schema/pattern.ts';

const linear = [
  '', 'a|b', '^a*$', 'a+', '[0-9]{2,}', '\\S', '^.*$', '^.*bar$', '^(foo|bar|)$', 'f.o', 'aa*', '^(a|b)*$', '^#[0-9a-fA-F]{6}$',
  '^[a-z0-9]+(-[a-z0-9]+)*$', '^(\\/[a-z]+)*$', '^https?://.+', '^[a-zA-Z0-9_.-]{1,64}$', '^\\d{4}-\\d{2}-\\d{2}$', '^a{0}b$', '^(?:a?){3}b*?$', '^(?:a{0}?b)*$',
  '^(?:[a-z]{1,3}-)*x$', '^\\p{Letter}+$', '^[a-z]+?\\b', '^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$', '^(?<year>\\d+)-(?:\\d+)??$', '^a|^b*$',
  '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$', '^(?!/)(?!.*(?:^|/)\\.\\.(?:/|$))[^\\u0000]+$', '^(?=[a-z])\\w+$',
  '^(?:\\x41|\\u0042|\\u{43}|\\cD|\\t|\\n|\\v|\\f|\\r|\\0|\\.|[\\b]|[\\d-]|\\ud83d\\udca9|\u{1f4aa}|\\ud83d)*$', '^[^]*$', '^[]$',
  '^(?:\\s|\\w)*$', '^(?:[^\\D]|\\D)*$', '^[a-z]{1,100}\\d*$',
];

const superLinear: readonly (readonly [pattern: string, reason: RegExp])[] = [
  ['(a+)+', /repeats a group that already repeats/], ['^(a+)+$', /repeats a group/], ['^(a*)*$', /repeats a group/], ['^(.*)*$', /repeats a group/],
  ['^(a?b?)*$', /repeats a group/], ['^(\\w+\\s?)*$', /repeats a group/], ['^([a-z]{1,200}){2,}$', /repeats a group/],
  ['^(a|a)*$', /share the same text/], ['^(a|ab|b)*$', /share/], ['^\\s*\\s*$', /share/], ['^.*a.*$', /share/], ['^(a+){1,30}$', /share/],
  ['^(\\p{L}|\\d)*$', /share/], ['^(?:a{2}|a{3})*$', /share/], ['^([^x]|[^y])*$', /share/], ['^(?:\\x41|\\u{41})*$', /share/],
  ['^(?:\\u0041|A)*$', /share/], ['^(?:\\cJ|\\n)*$', /share/], ['^(?:[\\b]|\\x08)*$', /share/], ['^(?:[a-c]|[c-e])*$', /share/],
  ['^(?:\\ud83d\\udca9|\u{1f4a9})*$', /share/], ['^(?:[\\d-]|-)*$', /share/], ['^(?:(?:a?){2})*$', /share|repeats a group/], ['^(?:(?:a?){1,3}b?){2,}$', /share|repeats a group/], ['^(?:\\0|\\u0000)*$', /share/],
  ['a+$', /share/], ['a+b', /share/], ['f.*o', /share/], ['a+\\b', /share/], ['^a|b+c', /share/],
  ['^a*(?!.*b)', /share/], ['(?=.*a)b', /share/], ['^[a-z]{1,101}[a-z]{1,101}$', /share/],
  ['(a)\\1', /refers back/], ['(?<n>a)\\k<n>', /refers back/], ['(?<=a*)b', /looks behind/], ['(?<!a)b', /looks behind/],
  [`^${'(?:a?){100}'.repeat(11)}$`, /too long/], [`${'('.repeat(60)}${')'.repeat(60)}`, /nests its groups/],
  [`^(?:${[...'bcdefghijklmnopqrstuvwxyz'].map((last) => `aaaaaaaaaa${last}`).join('|')})*$`, /too tangled/],
];

for (const pattern of linear) {
  test(`the pattern ${pattern} is linear and serves`, () => {
    const compiled = compilePattern(pattern);
    assert.ok('matches' in compiled, JSON.stringify(compiled));
  });
}

for (const [pattern, reason] of superLinear) {
  test(`the pattern ${pattern.slice(0, 60)} is refused with its reason`, () => {
    const compiled = compilePattern(pattern);
    assert.ok('refused' in compiled);
    assert.match(compiled.refused, reason);
    assert.match(compiled.refused, /^may take more than linear time \(/);
  });
}

test('what does not compile with flag u is refused', () => {
  for (const pattern of ['(', '\\-', '[b-a]', 'a{2,1}', '\\u{110000}']) {
    assert.deepEqual(compilePattern(pattern), { refused: 'is no regular expression of ECMAScript with flag u' });
  }
});

test('a pattern that is taken answers in time on texts that repeat its pieces', () => {
  const piece = fc.constantFrom('a', 'b', '[ab]', '.', '(?:a|b)', '(?:ab)', 'c', '(?:b|bc)', '\\w');
  const term = fc.tuple(piece, fc.constantFrom('', '', '*', '+', '?', '{1,3}', '{2}')).map((parts) => parts.join(''));
  const group = fc.tuple(fc.array(term, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '*', '+', '?', '{2}', '{0,2}', '{2,}')).map(([terms, q]) => `(?:${terms.join('')})${q}`);
  const pattern = fc.tuple(fc.constantFrom('^', ''), fc.array(fc.oneof(term, group), { maxLength: 4 }), fc.constantFrom('$', '', 'x'));
  fc.assert(fc.property(pattern.map(([start, parts, end]) => start + parts.join('') + end), (source) => {
    const compiled = compilePattern(source);
    if ('refused' in compiled) return;
    const begin = process.cpuUsage().user;
    for (const unit of ['a', 'b', 'ab', 'abc', 'bc']) compiled.matches(`${unit.repeat(20_000)}!`);
    assert.ok(process.cpuUsage().user - begin < 500_000, source);
  }), { numRuns: 150 });
});
