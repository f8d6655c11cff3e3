import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isUnambiguous } from '../../lib/schema/ambiguity.ts';
import { compilePattern } from '../../lib/schema/pattern.ts';
import { patternMachine } from '../../lib/schema/pattern-machine.ts';
import { parsePattern } from '../../lib/schema/pattern-syntax.ts';

// One way at most to every place: V8 may serve these.
const unambiguous = [
  '', 'a|b', '^a*$', 'a+', '[0-9]{2,}', '\\S', '^.*$', '^(foo|bar)$', 'f.o', 'aa*', '^(a|b)*$', '^#[0-9a-fA-F]{6}$',
  '^[a-z0-9]+(-[a-z0-9]+)*$', '^(\\/[a-z]+)*$', '^https?://.+', '^[a-zA-Z0-9_.-]{1,64}$', '^\\d{4}-\\d{2}-\\d{2}$', '^a{0}b$',
  '^(?:a?){1}b*?$', '^(?:[a-z]{1,3}-)*x$', '^\\p{Letter}+$', '^[a-z]+?\\b', '^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$',
  '^(?<year>\\d+)-(?:\\d+)??$', '^[^]*$', '^[]$', '^(?:\\s|\\w)*$', '^(?:[^\\D]|\\D)*$', '^[a-z]{1,100}\\d*$', '^[a-z]{1,5000}$', '^[a-z0-9-]{1,63}$',
  '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$', '^[a-z0-9]{1,63}(?:\\.[a-z0-9]{1,63}){1,8}$', '^v?\\d+\\.\\d+\\.\\d+(?:-[\\w.-]+)?(?:\\+[\\w.-]+)?$',
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?$',
];

// Two ways through one text, a shape that is not looked into, or too much to look at: never for V8.
const ambiguous = [
  '^(a?){50}$', '^([a-z0-9]{1,63}\\.?){1,8}$', '^(\\w{1,20}\\s?){1,10}$', '^(?:a{1,30}){1,30}$', '^(?:|){50}b', '^(?:a*|b*){30}$', '^(?:a?|b?){40}c',
  '^(?:a|a){40}$', '^(?:a|aa){1,40}$', '^a?a?a?$', '^(?:(?:a?){2}){20}$', '^(?:a?){200}b', '^[a-z]{1,101}[a-z]{1,101}$', '^(?:(?:){9}){9}$', '(?:a{150})',
  '^(?:\\b|a?){30}$', 'a{0,3}b(?:a|^)', '(a+)+', '^(a+)+$', '^(a*)*$', '^(.*)*$', '^(a?b?)*$', '^(\\w+\\s?)*$', '^([a-z]{1,200}){2,}$', '^(a|a)*$',
  '^(a|ab|b)*$', '^\\s*\\s*$', '^.*a.*$', '^(a+){1,30}$', '^(\\p{L}|\\d)*$', '^(?:[^\\p{L}]|-)*$', '^(?:[^\\P{L}]{1,9}a?){1,9}$', '^(?:a{2}|a{3})*$', '^([^x]|[^y])*$', '^(?:\\x41|\\u{41})*$',
  '^(?:\\u0041|A)*$', '^(?:\\cJ|\\n)*$', '^(?:[\\b]|\\x08)*$', '^(?:[a-c]|[c-e])*$', '^(?:\\ud83d\\udca9|\u{1f4a9})*$', '^(?:[\\d-]|-)*$',
  '^(?:\\0|\\u0000)*$', 'a+$', 'a+b', 'f.*o', 'a+\\b', '^a|b+c', '^a*(?!.*b)', '(?=.*a)b', '(?<=a*)b', '(?<!a)b',
  '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$', '^(?!/)(?!.*(?:^|/)\\.\\.(?:/|$))[^\\u0000]+$', '^(?=[a-z])\\w+$',
  `^${'(?:a?){100}'.repeat(11)}$`, `^(?:${'(?:ab|cd)'.repeat(60)}){1,10}$`, `${'a{100}'.repeat(9)}b`,
];

for (const [patterns, expected, who] of [[unambiguous, true, 'V8'], [ambiguous, false, 'the machine']] as const) {
  for (const pattern of patterns) {
    test(`the pattern ${pattern.slice(0, 60)} is left to ${who} and answers hostile texts in time`, () => {
      assert.equal(isUnambiguous(parsePattern(pattern)), expected);
      const compiled = compilePattern(pattern);
      assert.ok('matches' in compiled, JSON.stringify(compiled));
      inTime(pattern, compiled.matches, 2_000);
    });
  }
}

// Far below what one hang takes and far above what linear work takes; other load on the machine does not count.
function inTime(pattern: string, matches: (text: string) => boolean, length: number): void {
  const begin = process.cpuUsage().user;
  for (const unit of ['a', 'b', 'ab', '0', '-', '\u{1f4a9}', 'a ', '1.']) for (const end of ['!', '']) matches(unit.repeat(length) + end);
  for (const count of [29, 44]) matches(`${'a'.repeat(count)}!`);
  assert.ok(process.cpuUsage().user - begin < 2_500_000, pattern);
}

test('a group that only newer engines know is not judged as if it were text', () => {
  for (const pattern of ['(?i:a)', '(?s-i:a)', '(?m:^a$)']) assert.throws(() => parsePattern(pattern), /group of a newer kind/);
});

const refused: readonly (readonly [pattern: string, reason: RegExp])[] = [
  ['(a)\\1', /it refers back to a group/], ['(?<n>a)\\k<n>', /refers back/],
  [`${'('.repeat(60)}${')'.repeat(60)}`, /nests its groups/], ['^(?:a{1,200}){1,200}$', /is too long/], ['(?:a|b?){4294967295}', /is too long/],
];

for (const [pattern, reason] of refused) {
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

test('a text that takes the machine more than its work does not match, whatever a negation would make of it', () => {
  for (const pattern of ['(?:a?){50}$', '(?!c(?:a?){50})', '(?:\\p{L}?){50}$']) {
    const compiled = compilePattern(pattern);
    assert.ok('matches' in compiled);
    assert.equal(compiled.matches('a'.repeat(60)), true, pattern);
    assert.equal(compiled.matches('a'.repeat(500_000)), false, pattern);
  }
});

const atom = fc.constantFrom(
  'a', 'b', '[ab]', '.', 'ab', 'c', '\\w', '[^a]', '\\p{L}', '[\\p{L}-]', '\\P{L}', '\u{1f4a9}', '\\ud83d', '[^\\p{L}]', '\\n', '', '^', '$', '\\b', '\\B',
);
// V8, asked for the truth, can hang on what this project keeps from it: large repeats are for the property about time only.
const small = ['', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '{0}'];
const large = [...small, '{1,30}', '{20}', '{50}', '{1,150}', '{120}'];

function patterns(quantifiers: readonly string[]): fc.Arbitrary<string> {
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.array(fc.tuple(
      fc.oneof(
        { maxDepth: 2 },
        atom.map((one) => `(?:${one})`),
        fc.tuple(fc.constantFrom('(?:', '(', '(?=', '(?!', '(?<=', '(?<!'), fc.array(tie('pattern'), { minLength: 1, maxLength: 2 })).map(([open, parts]) => `(?:${open}${parts.join('|')}))`),
      ),
      fc.constantFrom(...quantifiers),
    ).map(([body, repeats]) => body + repeats), { maxLength: 3 }).map((terms) => terms.join('')),
  }));
  return fc.tuple(fc.constantFrom('^', ''), pattern, fc.constantFrom('$', '', 'c')).map((parts) => parts.join(''));
}

const piece = fc.constantFrom('a', 'b', 'c', 'ab', '-', '\n', '\u{1f4a9}', '\ud83d', '\udca9', 'é');
const shortText = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));

/** As ECMA-262 has it: a match is tried at each code point. V8 by itself also tries an empty one inside of a surrogate pair. */
function matchesByStandard(regex: RegExp, text: string): boolean {
  const sticky = new RegExp(regex.source, 'uy');
  const starts = [...text].reduce<number[]>((all, char) => [...all, (all.at(-1) ?? 0) + char.length], [0]);
  return starts.some((start) => {
    sticky.lastIndex = start;
    return sticky.test(text);
  });
}

test('no match begins inside of a surrogate pair', () => {
  for (const [pattern, text, expected] of [
    ['(?!.*$)', '💩', false], ['(?!^|$)', '💩', false], ['(?!^|$)', '💩a', true], ['(?!^)(?!$)', '💩', false], ['(?!a)', '💩', true], ['(?:(?!(?:\\P{L})*(?:$)))', '💩', false],
  ] as const) {
    const compiled = compilePattern(pattern);
    assert.equal('matches' in compiled && compiled.matches(text), expected, `${pattern} ${text}`);
    assert.equal(patternMachine(parsePattern(pattern))(text), expected, `${pattern} ${text}`);
  }
});

test('the machine and the chosen matcher agree with the standard on short texts', () => {
  fc.assert(fc.property(patterns(small), fc.array(shortText, { minLength: 5, maxLength: 5 }), (pattern, texts) => {
    const regex = new RegExp(pattern, 'u');
    const compiled = compilePattern(pattern);
    if ('refused' in compiled) return;
    const machine = patternMachine(parsePattern(pattern));
    for (const text of texts) {
      const expected = matchesByStandard(regex, text);
      assert.equal(machine(text), expected, JSON.stringify([pattern, text]));
      assert.equal(compiled.matches(text), expected, JSON.stringify([pattern, text]));
    }
  }), { numRuns: 1_000 });
});

test('a pattern that is taken answers in time on texts that repeat its pieces', () => {
  fc.assert(fc.property(patterns(large), (pattern) => {
    const compiled = compilePattern(pattern);
    if ('matches' in compiled) inTime(pattern, compiled.matches, 300);
  }), { numRuns: 100 });
});
