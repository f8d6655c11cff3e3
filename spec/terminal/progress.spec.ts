import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgress } from '../../lib/terminal/progress.ts';
import type { OutputStream } from '../../lib/terminal/terminal.types.ts';

function terminal(isTTY: boolean, columns?: number): { written: string[]; stream: OutputStream } {
  const written: string[] = [];
  return { written, stream: { isTTY, columns, write: (text) => void written.push(text) } };
}

test('a stream that is no terminal gets nothing', () => {
  const { written, stream } = terminal(false);
  const progress = createProgress({ stream, label: 'scan', now: () => written.length * 1_000 });
  progress.update(1);
  progress.end();
  assert.deepEqual(written, []);
});

test('the line is redrawn at most ten times a second, and cleared once at the end', () => {
  const { written, stream } = terminal(true);
  let time = 0;
  const progress = createProgress({ stream, label: 'scan', total: 4, now: () => time });
  for (const [at, done] of [[50, 1], [100, 2], [150, 3], [250, 4], [260, 4]] as const) {
    time = at;
    progress.update(done, 'a.py');
  }
  progress.end();
  progress.end();
  assert.deepEqual(written, [
    '\rscan [##########----------]  50 % 2/4 a.py\u001b[K',
    '\rscan [####################] 100 % 4/4 a.py\u001b[K',
    '\r\u001b[K',
  ]);
});

test('work that is over at once shows nothing', () => {
  const { written, stream } = terminal(true);
  const progress = createProgress({ stream, label: 'scan' });
  progress.update(1);
  progress.end();
  assert.deepEqual(written, []);
});

const lines: [title: string, columns: number | undefined, total: number | undefined, done: number, detail: string | undefined, line: string][] = [
  ['without a total it counts', 80, undefined, 7, undefined, 'x 7'],
  ['more than the total is full', 80, 2, 3, undefined, `x [${'#'.repeat(20)}] 100 % 3/2`],
  ['a hostile file name cannot move the cursor', 80, undefined, 1, 'a\r\u001b[1A', 'x 1 a\\x0d\\x1b[1A'],
  ['the last column stays free', 8, undefined, 1, 'long name', 'x 1 lo…'],
  ['a terminal of unknown width counts as 80 wide', undefined, undefined, 1, 'n'.repeat(90), `x 1 ${'n'.repeat(74)}…`],
];
for (const [title, columns, total, done, detail, line] of lines) {
  test(title, () => {
    const { written, stream } = terminal(true, columns);
    let time = 0;
    const progress = createProgress({ stream, label: 'x', total, now: () => (time += 1_000) });
    if (detail === undefined) progress.update(done);
    else progress.update(done, detail);
    assert.deepEqual(written, [`\r${line}\u001b[K`]);
  });
}
