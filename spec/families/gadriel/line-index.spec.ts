import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LineIndex } from '../../../lib/families/gadriel/domain/line-index.ts';

describe('LineIndex', () => {
  it('counts lines ended by any kind of line end', () => {
    const lines = new LineIndex('a\nb\r\nc\rd\n');
    assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((offset) => lines.lineAt(offset)), [1, 1, 2, 2, 2, 3, 3, 4, 4, 5]);
  });

  it('agrees with counting the line ends before an offset', () => {
    fc.assert(fc.property(fc.array(fc.constantFrom('a', '\n', '\r', '\r\n', ' '), { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      const lines = new LineIndex(text);
      for (let offset = 0; offset <= text.length; offset++) {
        // A CR LF counts once it is over.
        const before = text.slice(0, offset) + (text[offset - 1] === '\r' && text[offset] === '\n' ? 'x' : '');
        const cut = before.endsWith('\rx') ? before.slice(0, -2) : before;
        assert.equal(lines.lineAt(offset), cut.split(/\r\n|\r|\n/).length);
      }
    }));
  });
});
