import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fromBase64, toBase64 } from '../../../../lib/families/gage/domain/crypto/base64.ts';

describe('strict base64', () => {
  const cases: [title: string, text: string, length: number | undefined, bytes: number[] | undefined][] = [
    ['reads three bytes', 'AQID', undefined, [1, 2, 3]],
    ['reads one byte with padding', 'AQ==', 1, [1]],
    ['reads nothing', '', undefined, []],
    ['refuses another length', 'AQID', 4, undefined],
    ['refuses missing padding', 'AQ', undefined, undefined],
    ['refuses too much padding', 'AQID====', undefined, undefined],
    ['refuses spare bits', 'AR==', undefined, undefined],
    ['refuses white space', 'AQ ID', undefined, undefined],
    ['refuses a line end', 'AQID\n', undefined, undefined],
    ['refuses the alphabet for URLs', '-_-_', undefined, undefined],
    ['refuses a character of no alphabet', 'AQ*D', undefined, undefined],
    ['refuses what comes after the padding', 'AQ==AQID', undefined, undefined],
  ];
  for (const [title, text, length, bytes] of cases) {
    it(title, () => assert.deepEqual(fromBase64(text, length), bytes === undefined ? undefined : Uint8Array.from(bytes)));
  }

  it('has one text for all bytes, and takes no other', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => assert.deepEqual(fromBase64(toBase64(bytes), bytes.length), bytes)));
    fc.assert(fc.property(fc.string(), (text) => {
      const bytes = fromBase64(text);
      assert.ok(bytes === undefined || toBase64(bytes) === text);
    }));
  });

  it('writes a part of a larger array only', () => assert.equal(toBase64(Uint8Array.of(9, 1, 2, 3, 9).subarray(1, 4)), 'AQID'));
});
