import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createColours } from '../../lib/terminal/colour.ts';
import { exitCodeOfSignal, exitCodes } from '../../lib/terminal/exit-codes.ts';

const cases: [title: string, isTTY: boolean | undefined, env: Record<string, string>, enabled: boolean][] = [
  ['a terminal has colour', true, { TERM: 'xterm' }, true],
  ['a pipe has none', undefined, {}, false],
  ['a dumb terminal has none', true, { TERM: 'dumb' }, false],
  ['NO_COLOR turns it off', true, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR means nothing', true, { NO_COLOR: '' }, true],
  ['FORCE_COLOR turns it on in a pipe', false, { FORCE_COLOR: '1' }, true],
  ['an empty FORCE_COLOR turns it on as well', false, { FORCE_COLOR: '' }, true],
  ['FORCE_COLOR=0 turns it off', true, { FORCE_COLOR: '0' }, false],
  ['FORCE_COLOR=false turns it off', true, { FORCE_COLOR: 'false' }, false],
  ['NO_COLOR wins over FORCE_COLOR', true, { NO_COLOR: '1', FORCE_COLOR: '3' }, false],
];
for (const [title, isTTY, env, enabled] of cases) {
  test(title, () => {
    const colours = createColours({ isTTY }, env);
    assert.equal(colours.enabled, enabled);
    assert.equal(colours.red('x'), enabled ? '\u001b[31mx\u001b[39m' : 'x');
  });
}

test('each colour has its own code, and a weight ends without ending a colour around it', () => {
  const { bold, dim, red, yellow, green, cyan } = createColours({ isTTY: true }, {});
  assert.equal(red(`a${bold('b')}c`), '\u001b[31ma\u001b[1mb\u001b[22mc\u001b[39m');
  assert.equal(new Set([bold, dim, red, yellow, green, cyan].map((paint) => paint('x'))).size, 6);
});

test('the exit codes are those the documents name', () => {
  assert.deepEqual(exitCodes, { done: 0, refused: 1, usage: 2, interrupted: 130, terminated: 143 });
  assert.deepEqual([exitCodeOfSignal('SIGINT'), exitCodeOfSignal('SIGTERM')], [130, 143]);
});
