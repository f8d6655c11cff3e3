import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkBuddyName, checkHandle, checkLabel, checkNewBuddyName, checkNewHandle, foldName, sameName, scriptsOf } from '../../../../lib/families/gage/domain/identity/names.ts';
import { hasUnsafe, isUnsafe } from '../../../../lib/text/unsafe.ts';
import { formatTime, parseTime } from '../../../../lib/families/gage/domain/identity/time.ts';

describe('a handle', () => {
  const good = ['alice', 'Ada Lovelace', 'a', 'x.y_z-9', 'Zoë', '李小龍', 'Алиса', 'नमस्ते', 'a'.repeat(64), '٣٤'];
  for (const text of good) it(`may be ${JSON.stringify(text)}`, () => assert.equal(checkHandle(text), undefined));

  const bad: [why: RegExp, text: string][] = [
    [/empty/, ''],
    [/longer than 64 bytes/, 'a'.repeat(65)],
    [/longer than 64 bytes/, 'é'.repeat(33)],
    [/NFC/, 'Zoe\u0308'],
    [/space/, ' alice'],
    [/space/, 'alice '],
    [/marks/, '\u0301\u0302'],
    [/letters/, 'a/b'],
    [/letters/, 'a:b'],
    [/letters/, 'a\nb'],
    [/letters/, 'a"b'],
    [/letters/, 'ali\u200bce'],
    [/letters/, 'ali\u202ece'],
    [/letters/, '👍'],
    [/letters/, 'a\ufe0f'],
    [/letters/, 'a\ufe00'],
    [/letters/, 'a\u3164'],
    [/letters/, 'a\ud800'],
  ];
  for (const [why, text] of bad) it(`may not be ${JSON.stringify(text)}`, () => assert.match(checkHandle(text) ?? '', why));
});

describe('a name that is given now', () => {
  it('has no two spaces in a row, which are read in a handle that is there', () => {
    for (const check of [checkNewHandle, checkNewBuddyName]) {
      assert.equal(check('Ada B Lovelace'), undefined);
      assert.match(check('Ada  Lovelace') ?? '', /^has two spaces in a row$/);
      assert.match(check(' Ada') ?? '', /begins or ends/);
    }
    assert.equal(checkHandle('Ada  Lovelace'), undefined);
    assert.equal(checkNewHandle('B\u043eb'), undefined);
    assert.match(checkNewBuddyName('B\u043eb') ?? '', /mixes/);
  });
});

describe('the name of an agent or a model', () => {
  it('may hold a slash and a colon beside what a handle may', () => {
    assert.equal(checkLabel('vendor/model:2.5-large'), undefined);
    assert.match(checkLabel('a\\b') ?? '', /only/);
    assert.match(checkLabel('m'.repeat(65)) ?? '', /64 bytes/);
  });
});

describe('the name of a buddy', () => {
  it('may not mix the three scripts whose letters look alike', () => {
    assert.equal(checkBuddyName('Bob'), undefined);
    assert.equal(checkBuddyName('Боб 2'), undefined);
    assert.equal(checkBuddyName('Bob 李'), undefined);
    assert.match(checkBuddyName('B\u043eb') ?? '', /mixes/);
    assert.match(checkBuddyName('B\u03bfb') ?? '', /mixes/);
    assert.match(checkBuddyName('') ?? '', /empty/);
  });

  it('is the same in another case and another compatibility form', () => {
    assert.ok(sameName('Alice', 'aLICE'));
    assert.ok(sameName('alice', 'ａｌｉｃｅ'));
    assert.ok(sameName('ﬁn', 'FIN'));
    assert.ok(!sameName('alice', 'alicе'));
    assert.equal(foldName('ＡB'), 'ab');
  });

  const scripts: [name: string, scripts: string[]][] = [
    ['alice', ['Latin']], ['Алиса', ['Cyrillic']], ['Αλίκη', ['Greek']], ['李', ['Han']], ['ひらカタ', ['Hiragana', 'Katakana']], ['aб', ['Latin', 'Cyrillic']],
    ['42 -', []], ['𝐚', ['Other']], ['𐊀', ['Other']], ['é\u0301', ['Latin']],
  ];
  for (const [name, expected] of scripts) it(`${JSON.stringify(name)} is ${expected.join(', ') || 'of no script'}`, () => assert.deepEqual(scriptsOf(name), expected));
});

describe('unsafe code points', () => {
  const unsafe = [0, 9, 0x0a, 0x1b, 0x7f, 0x9b, 0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x200b, 0x200d, 0x202e, 0x2028, 0x2029, 0x2066, 0x2800, 0x3164, 0xe000, 0xfdd0, 0xfe00, 0xfe0d, 0xfeff, 0xffa0, 0xfff0, 0xfffe, 0xd800, 0xe0067, 0xe0100, 0xe0fff, 0x10ffff];
  const safe = [0x20, 0x41, 0xe9, 0x4e00, 0xfe0e, 0xfe0f, 0x1f44d, 0xfffd, 0x0301];
  it('are those that hide, move or reorder, and no others', () => {
    assert.deepEqual(unsafe.filter((codePoint) => !isUnsafe(codePoint)), []);
    assert.deepEqual(safe.filter(isUnsafe), []);
    assert.ok(hasUnsafe('pay\u200bpal') && !hasUnsafe('❤️ pal'));
  });
});

describe('a time', () => {
  const times: [text: string, ms: number | undefined][] = [
    ['2026-01-02T03:04:05Z', Date.UTC(2026, 0, 2, 3, 4, 5)], ['2024-02-29T23:59:59Z', Date.UTC(2024, 1, 29, 23, 59, 59)],
    ['2026-02-30T00:00:00Z', undefined], ['2025-02-29T00:00:00Z', undefined], ['2026-13-01T00:00:00Z', undefined], ['2026-01-01T24:00:00Z', undefined],
    ['2026-01-01T00:00:60Z', undefined], ['2026-01-01T00:00:00.000Z', undefined], ['2026-01-01T00:00:00+00:00', undefined], ['2026-01-01 00:00:00Z', undefined],
    ['2026-01-01T00:00:00Z\n', undefined], ['', undefined],
  ];
  for (const [text, ms] of times) it(`${JSON.stringify(text)} is ${ms === undefined ? 'none' : 'read and written'}`, () => {
    assert.equal(parseTime(text), ms);
    if (ms !== undefined) assert.equal(formatTime(ms + 999), text);
  });
});
