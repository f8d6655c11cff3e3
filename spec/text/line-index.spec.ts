import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { lineIndex } from '../../lib/text/line-index.ts';

describe('lineIndex', () => {
  it('counts lines ended by any kind of line end', () => {
    const lines = lineIndex('a\nb\r\nc\rd\n');
    assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((offset) => lines.lineAt(offset)), [1, 1, 2, 2, 2, 3, 3, 4, 4, 5]);
  });

  it('counts columns from 1 and measures lines with their ends', () => {
    const { columnAt, lineLengthAt } = lineIndex('ab\r\ncde');
    assert.deepEqual([0, 1, 2, 3, 4, 6].map(columnAt), [1, 2, 3, 4, 1, 3]);
    assert.deepEqual([0, 3, 4, 7].map(lineLengthAt), [4, 4, 3, 3]);
  });

  it('agrees with counting the line ends before an offset', () => {
    fc.assert(fc.property(fc.array(fc.constantFrom('a', '\n', '\r', '\r\n', ' '), { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      const lines = lineIndex(text);
      for (let offset = 0; offset <= text.length; offset++) {
        // A CR LF counts once it is over.
        const before = text.slice(0, offset) + (text[offset - 1] === '\r' && text[offset] === '\n' ? 'x' : '');
        const cut = before.endsWith('\rx') ? before.slice(0, -2) : before;
        assert.equal(lines.lineAt(offset), cut.split(/\r\n|\r|\n/).length);
      }
    }));
  });
});
