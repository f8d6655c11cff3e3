import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { isMissing, systemErrorCode, systemReason } from '../../lib/text/system-error.ts';

const thrownBy = (file: string): unknown => {
  try {
    return readFileSync(file);
  } catch (error) {
    return error;
  }
};

describe('systemReason', () => {
  for (const [file, reason, missing] of [
    ['/nowhere/at/all', 'it does not exist', true], ['/', 'it is a folder', false], ['/dev/null/x', 'a part of its path is no folder', false],
    ['a\0b', 'its name holds a NUL character', false], [`/${'x'.repeat(300)}`, 'the name is too long', false],
  ] as const) {
    it(`says of ${JSON.stringify(file.slice(0, 20))}: ${reason}`, () => {
      const error = thrownBy(file);
      assert.deepEqual([systemReason(error), isMissing(error)], [reason, missing]);
    });
  }
  it("takes the caller's words first, and the bare code last", () => {
    const error = Object.assign(new Error('x'), { code: 'EWEIRD' });
    assert.equal(systemReason(error), 'EWEIRD');
    assert.equal(systemReason(error, { EWEIRD: 'it is odd' }), 'it is odd');
  });
  it('knows no code of other values', () => {
    for (const value of [undefined, null, 'ENOENT', { code: 'ENOENT' }, new Error('x'), Object.assign(new Error('x'), { code: 5 })]) assert.equal(systemErrorCode(value), undefined);
    assert.equal(systemReason(new Error('x')), 'unknown error');
  });
});
