import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import fc from 'fast-check';
import { toJsonLine } from '../../lib/text/json-line.ts';
import { safeText } from '../../lib/text/safe-text.ts';

describe('toJsonLine', () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['leaves plain text and other scripts as they are', { a: 'über 日本 😀' }, '{"a":"über 日本 😀"}\n'],
    ['escapes controls above ASCII', ['\u0085\u009b31m\u007f'], '["\\u0085\\u009b31m\\u007f"]\n'],
    ['escapes what reorders, breaks or hides text', ['\u202e\u2028\u200b'], '["\\u202e\\u2028\\u200b"]\n'],
    ['escapes both halves of a character beyond the first plane', '\u{e0041}', '"\\udb40\\udc41"\n'],
    ['escapes lone surrogates', 'a\ud800', '"a\\ud800"\n'],
    ['escapes keys too', { '\u202e': 1 }, '{"\\u202e":1}\n'],
  ];
  for (const [title, value, expected] of cases) test(title, () => assert.equal(toJsonLine(value), expected));

  test('keeps the lines of an indented text', () => {
    assert.equal(toJsonLine({ a: ['\n\u2029'] }, 2), '{\n  "a": [\n    "\\n\\u2029"\n  ]\n}\n');
  });

  test('is read back as the same value, and is safe to show', () => {
    fc.assert(fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
      const given = { value, text };
      const line = toJsonLine(given);
      assert.deepEqual(JSON.parse(line), JSON.parse(JSON.stringify(given)));
      assert.equal(safeText(line.slice(0, -1)), line.slice(0, -1));
    }));
  });
});
