import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oneLine, payloadLines, quoteSafe, safeText } from '../../../../lib/families/gage/domain/render/escape.ts';
import { fixture } from '../crypto/vectors.ts';

type Vector<T> = { readonly name: string; readonly input: string; readonly max: number; readonly output: T; readonly truncated: boolean };

const display = fixture('display.json') as {
  readonly one_line: readonly Vector<string>[];
  readonly safe_text: readonly Vector<string>[];
  readonly payload_lines: readonly Vector<readonly string[]>[];
};

describe('gage: text of a sender', () => {
  for (const { name, input, max, output } of display.one_line) it(`is one line of a frame: ${name}`, () => assert.equal(oneLine(input, max), output));
  for (const { name, input, max, output, truncated } of display.safe_text) it(`is a field of JSON: ${name}`, () => assert.deepEqual(safeText(input, max), { text: output, truncated }));
  for (const { name, input, output } of display.payload_lines) it(`is lines of a payload: ${name}`, () => assert.deepEqual(payloadLines(input), output));

  it('lets no mark be drawn over a quote, a backslash or an escape of ours, and leaves marks on letters alone', () => {
    const table: readonly (readonly [string, string])[] = [
      ['\u0301x', '"\\u{301}x"'], ['\u0301\u20e3\ufe0fx', '"\\u{301}\\u{20e3}\\u{fe0f}x"'], ['e\u0301', '"e\u0301"'], ['a"\u0338b', '"a\\"\\u{338}b"'], ['a\\\u0338', '"a\\\\\\u{338}"'],
      ['\u001b\u0301', '"\\u{1b}\\u{301}"'], ['\u{1f468}\ufe0f', '"\u{1f468}\ufe0f"'], [' \u0301', '" \u0301"'],
    ];
    for (const [input, output] of table) assert.equal(oneLine(input, 200), output);
    assert.equal(oneLine('\u0301x', 3), '"\\u{" [truncated, 8 characters]');
  });

  it('quotes text that was made safe before, without a second backslash for its own escapes', () => {
    const table: readonly (readonly [string, string])[] = [
      ['a"b', '"a\\"b"'], ['a\\', '"a\\\\"'], ['\u001b"', '"\\u{1b}\\""'], ['\\u{zz}', '"\\\\u{zz}"'], ['\u0301', '"\\u{301}"'], ['x'.repeat(9), '"xxxxxxxx" [truncated]'],
    ];
    for (const [input, output] of table) assert.equal(quoteSafe(safeText(input, 8)), output);
  });

  it('shows what may be shown and escapes the rest: noncharacters, ignorables, lone surrogates, blank braille', () => {
    const table: readonly (readonly [string, string])[] = [
      ['\ufdd0\uffff\u{1fffe}', '\\u{fdd0}\\u{ffff}\\u{1fffe}'], ['\u034f\u115f\u17b4\u3164\uffa0\u{e0100}', '\\u{34f}\\u{115f}\\u{17b4}\\u{3164}\\u{ffa0}\\u{e0100}'],
      ['\ud800x\udc00', '\\u{d800}x\\u{dc00}'], ['\u2800', '\\u{2800}'], ['❤\ufe0f ☎\ufe0e', '❤\ufe0f ☎\ufe0e'], ['\ufe0d', '\\u{fe0d}'], ['e\u0301 שלום мир 你好', 'e\u0301 שלום мир 你好'],
    ];
    for (const [input, output] of table) {
      assert.equal(safeText(input, 200).text, output);
      assert.equal(oneLine(input, 200), `"${output}"`);
      assert.deepEqual(payloadLines(input), [`| ${output}`]);
    }
  });
});
