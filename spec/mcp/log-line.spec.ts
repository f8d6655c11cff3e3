import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lineLog } from '../../lib/mcp/log-line.ts';

function lineOf(...args: Parameters<ReturnType<typeof lineLog>>): string {
  const lines: string[] = [];
  lineLog((line) => void lines.push(line))(...args);
  assert.equal(lines.length, 1);
  return lines[0] as string;
}

describe('a log line', () => {
  it('is level, message and data', () => {
    assert.equal(lineOf('info', 'said'), 'info: said');
    assert.equal(lineOf('error', 'said', 'a stack'), 'error: said a stack');
    assert.equal(lineOf('error', 'said', { a: 1 }), 'error: said {"a":1}');
    assert.equal(lineOf('error', 'said', 1n), 'error: said ');
  });

  it('stays one line and drives no terminal, whatever the text is', () => {
    const hostile = ['\n', '\r', '\u001b[31m', '\u0000', '\u0085', '\u009b', '\u2028', '\u2029', '\u202e', '\u2066', '\u007f'];
    for (const part of hostile) {
      for (const line of [lineOf('error', `a${part}z`), lineOf('error', 'a', `${part}z`)]) {
        assert.match(line, /^error: a.*z$/);
        assert.ok(!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(line), JSON.stringify(line));
      }
    }
  });

  it('is cut when it is endless', () => assert.ok(lineOf('error', 'x'.repeat(1_000_000), 'y').length < 5_000));
});
