import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutToWidth, displayWidth } from '../../lib/terminal/display-width.ts';
import { formatTable } from '../../lib/terminal/table.ts';

const widths: [text: string, width: number][] = [
  ['', 0], ['abc', 3], ['grün', 4], ['e\u0301', 1], ['\u0301', 0], ['日本', 4], ['ｱ', 1], ['Ａ', 2], ['한국', 4], ['👍', 2],
  ['👨‍👩‍👧', 2], ['🇩🇪', 2], ['❤️', 2], ['❤', 1], ['✓', 1], ['𠀀', 2], ['〿', 1],
];
for (const [text, width] of widths) {
  test(`${JSON.stringify(text)} takes ${width} columns`, () => assert.equal(displayWidth(text), width));
}

const cuts: [text: string, width: number, expected: string][] = [
  ['abcdef', 6, 'abcdef'], ['abcdef', 5, 'abcd…'], ['日本語', 5, '日本…'], ['日本語', 4, '日…'], ['ae\u0301o', 2, 'a…'],
  ['👨‍👩‍👧abc', 3, '👨‍👩‍👧…'], ['abc', 1, '…'], ['abc', 0, ''],
];
for (const [text, width, expected] of cuts) {
  test(`${JSON.stringify(text)} cut to ${width} columns is ${JSON.stringify(expected)}`, () => assert.equal(cutToWidth(text, width), expected));
}

test('columns align by what is seen, numbers at the right, without trailing spaces', () => {
  assert.equal(
    formatTable([['日本', 7, 'x'], ['a', 1200, ''], ['e\u0301', 30, 'last']], { head: ['name', 'count', 'note'] }),
    ['name  count  note', '日本      7  x', 'a      1200', 'e\u0301        30  last', ''].join('\n'),
  );
});

test('no rows and no head are nothing; a head alone is a line', () => {
  assert.equal(formatTable([]), '');
  assert.equal(formatTable([], { head: ['a', 'b'] }), 'a  b\n');
});

test('short rows leave their last columns empty', () => {
  assert.equal(formatTable([['a'], ['b', 'c']]), 'a\nb  c\n');
});

test('the widest column is cut first, and none below four columns', () => {
  const row = ['short', 'a rather long description', 'src/a/path.ts'];
  assert.equal(formatTable([row], { width: 40 }), 'short  a rather long des…  src/a/path.ts\n');
  assert.equal(formatTable([row], { width: 1 }), 'sho…  a r…  src…\n');
});

test('hostile cells cannot break the table or the terminal, and paint does not count as width', () => {
  const paint = (text: string): string => `<${text}>`;
  assert.equal(
    formatTable([[{ text: 'a\nb\u001b[2J', paint }, 'x'], ['c', 'y']], { head: ['h', 'i'], paintHead: paint }),
    ['<h>              <i>', '<a\\x0ab\\x1b[2J>  x', 'c              y', ''].join('\n'),
  );
});

test('a table is never wider than asked for while its columns can give way', () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 60 });
  fc.assert(fc.property(fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 4 }), fc.integer({ min: 16, max: 60 }), (rows, width) =>
    formatTable(rows, { width }).split('\n').every((line) => displayWidth(line) <= width)));
});
