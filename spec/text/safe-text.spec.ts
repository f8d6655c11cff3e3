import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeUnsafe, safeText } from '../../lib/text/safe-text.ts';
import { hasUnsafe, isUnsafe } from '../../lib/text/unsafe.ts';

const cases: [title: string, text: string, expected: string][] = [
  ['plain text stays', 'hello, wörld ✓ 👍 日本', 'hello, wörld ✓ 👍 日本'],
  ['an emoji with its presentation selector stays', '❤️', '❤️'],
  ['colour escapes show', '\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
  ['eight-bit escapes show', '\u009b31m', '\\x9b31m'],
  ['line ends and tabs show', 'a\r\nb\tc', 'a\\x0d\\x0ab\\x09c'],
  ['line and paragraph separators show', 'a\u2028b\u2029c\u0085', 'a\\u{2028}b\\u{2029}c\\x85'],
  ['NUL, BEL and DEL show', '\0\u0007\u007f', '\\x00\\x07\\x7f'],
  ['bidi overrides and isolates show', 'abc\u202efdp.exe\u2066\u2069', 'abc\\u{202e}fdp.exe\\u{2066}\\u{2069}'],
  ['zero width characters show', 'pay\u200bpal\ufeff\u00ad\u2060', 'pay\\u{200b}pal\\u{feff}\\xad\\u{2060}'],
  ['tag characters show', '🏴\u{e0067}\u{e007f}', '🏴\\u{e0067}\\u{e007f}'],
  ['variation selectors show', 'x\ufe00\u{e0100}', 'x\\u{fe00}\\u{e0100}'],
  ['letters that look like nothing show', '\u3164\u115f\u2800\u034f\uffa0', '\\u{3164}\\u{115f}\\u{2800}\\u{34f}\\u{ffa0}'],
  ['noncharacters and code points that will never show do', '\ufdd0\uffff\u{1fffe}\ufff0\u{e0fff}\u17b4\u180e', '\\u{fdd0}\\u{ffff}\\u{1fffe}\\u{fff0}\\u{e0fff}\\u{17b4}\\u{180e}'],
  ['private use shows', '\ue000\u{f0000}', '\\u{e000}\\u{f0000}'],
  ['lone surrogates show', 'a\ud800b\udc00', 'a\\u{d800}b\\u{dc00}'],
  ['backslashes stay as they are', 'C:\\x1b', 'C:\\x1b'],
];
for (const [title, text, expected] of cases) {
  test(title, () => assert.equal(safeText(text), expected));
}

test('characters to keep stay, all others show', () => {
  assert.equal(safeText('a\n\tb\r\u001b', Infinity, { keep: '\n\t' }), 'a\n\tb\\x0d\\x1b');
});

test('long text is cut at code points of the result and ends with an ellipsis', () => {
  assert.equal(safeText('abcdef', 6), 'abcdef');
  assert.equal(safeText('abcdefg', 6), 'abcde…');
  assert.equal(safeText('👍👍👍', 3), '👍👍👍');
  assert.equal(safeText('👍👍👍👍', 3), '👍👍…');
  assert.equal(safeText('\n\n\n', 5), '\\x0a…');
  assert.equal(safeText('abc', 1), '…');
});

test('text of many megabytes is cut without working through it', () => {
  const start = performance.now();
  assert.equal([...safeText('\u001b'.repeat(20_000_000), 80)].length, 80);
  assert.ok(performance.now() - start < 1_000);
});

test('no input leaves anything that is not for showing, and none is longer than allowed', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 40 }), (text, max) => {
    const safe = safeText(text, max);
    return [...safe].length <= max && !/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u.test(safe);
  }));
});

test('every code point shows that moves, hides, reorders or is none, and no other does', () => {
  const rule = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u2800]/u;
  const ignorable = /\p{Default_Ignorable_Code_Point}/u;
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
    const character = String.fromCodePoint(codePoint);
    const expected = rule.test(character) || (ignorable.test(character) && codePoint !== 0xfe0e && codePoint !== 0xfe0f);
    if (isUnsafe(codePoint) !== expected || hasUnsafe(`a${character}`) !== expected || (safeText(character) === character) === expected) assert.fail(codePoint.toString(16));
  }
});

test('another notation can be chosen for the unsafe ones', () => {
  assert.equal(escapeUnsafe('a\n\u{e0067}', (codePoint) => `<${codePoint.toString(16)}>`), 'a<a><e0067>');
});
