import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parsePython } from '../../lib/syntax/python.ts';
import { callNames, callsOf, depthOf } from './python-sketch.ts';

const deep = 10_000;
const terms = Array.from({ length: deep }, (_, place) => `f${place}()`);

/** Title, source, how many calls are kept at least. */
const cases: readonly (readonly [string, string, number])[] = [
  ['parentheses', `x = ${'('.repeat(deep)}f()${')'.repeat(deep)}\ng()`, 1],
  ['lists', `${'['.repeat(deep)}${']'.repeat(deep)}\ng()`, 0],
  ['dictionaries', `${'{1: '.repeat(deep)}2${'}'.repeat(deep)}\ng()`, 0],
  ['signs', `x = ${'-'.repeat(deep)}f()\ng()`, 1],
  ['not', `x = ${'not '.repeat(deep)}f()\ng()`, 1],
  ['calls as arguments', `${'f('.repeat(deep)}${')'.repeat(deep)}\n`, 200],
  ['calls of calls', `f${'()'.repeat(deep)}\n`, 200],
  ['attributes', `f()${'.a'.repeat(deep)}\ng()`, 2],
  ['subscripts', `f()${'[0]'.repeat(deep)}\ng()`, 2],
  ['method chains', `f()${terms.map((term) => `.m(${term})`).join('')}\n`, deep],
  ['conditionals', `${'f() if a else '.repeat(deep)}b\n`, 200],
  ['lambdas', `${'lambda: '.repeat(deep)}f()\n`, 0],
  ['comprehensions', `${'[f() for x in '.repeat(deep)}y${']'.repeat(deep)}\n`, 200],
  ['patterns', `match x:\n  case ${'['.repeat(deep)}${']'.repeat(deep)}: f()\n`, 0],
  ['blocks', `${Array.from({ length: 1000 }, (_, level) => `${' '.repeat(level)}if f():\n`).join('')}${' '.repeat(1000)}g()\n`, 200],
  ['elif arms', `if a: f()\n${'elif b: g()\n'.repeat(deep)}`, deep],
  ['nested f-strings', `${'f"{'.repeat(200)}f()${'}"'.repeat(200)}\n`, 1],
  ['open brackets', `${'f(a, '.repeat(deep)}`, 200],
];

describe('deeply nested Python', () => {
  for (const [title, source, calls] of cases) {
    it(`stays shallow and keeps what it can of ${title}`, () => {
      const { body } = parsePython(source);
      assert.ok(depthOf(body) <= 405, `depth ${depthOf(body)}`);
      const kept = callNames(body).length;
      assert.ok(kept >= calls, `${kept} calls`);
    });
  }

  for (const operator of ['+', 'and', '<', '-', '|']) {
    it(`keeps the calls of ${deep} terms joined by ${operator}`, () => {
      const { body } = parsePython(`x = ${terms.join(` ${operator} `)}\ng()`);
      assert.ok(depthOf(body) <= 405);
      const names = new Set(callNames(body));
      assert.ok([...terms.map((term) => term.slice(0, -2)), 'g'].filter((name) => names.has(name)).length >= deep * 0.99);
    });
  }

  for (const [unit, count] of [['"a" + ', 5_000], ['a and ', 5_000], ['f(a) + ', 5_000], ['a < ', 5_000], ['a - ', 5_000], ['"a" % b + ', 5_000]] as const) {
    it(`reads ${count} times ${unit}as one expression without an error`, () => {
      const { body, errorCount, tooDeepAt } = parsePython(`x = ${unit.repeat(count)}y\ng()`);
      assert.deepEqual([body.map(({ type }) => type), errorCount, tooDeepAt], [['Assign', 'Expr'], 0, undefined]);
    });
  }

  it('says where it leaves out what lies too deep', () => {
    for (const source of [`x = ${'not a and '.repeat(400)}f()`, `x = ${'-'.repeat(400)}f()`, `f"{${'-'.repeat(400)}a}"`, `x = f"{y:{${'not '.repeat(400)}a}}"`, `${Array.from({ length: 400 }, (_, level) => `${' '.repeat(level)}if a:\n`).join('')}${' '.repeat(400)}f()\n`]) {
      assert.ok((parsePython(source).tooDeepAt ?? 0) > 100);
    }
    assert.equal(parsePython(`x = ${'-'.repeat(100)}f()`).tooDeepAt, undefined);
  });

  it('reads a long sum as a balanced tree of its terms in order', () => {
    const { body } = parsePython(terms.slice(0, 200).join(' + '));
    assert.ok(depthOf(body) < 20);
    assert.deepEqual(callNames(body), terms.slice(0, 200).map((term) => term.slice(0, -2)));
  });
});

describe('text that is no Python at all', () => {
  const size = 450_000;
  const fill = (piece: string, length = size): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  const hopeless: Readonly<Record<string, string>> = {
    'words': fill('lorem ipsum dolor sit amet consectetur\n'), 'words in one line': fill('lorem ipsum dolor sit amet '), 'signs': fill(') ( : = x + [ ] { } " \' \n'),
    'nested brackets': `${'('.repeat(size / 2)}${')'.repeat(size / 2)}`, 'C': fill('int main(void) { printf("%d\\n", x); return 0; }\n'),
  };
  for (const [title, text] of Object.entries(hopeless)) {
    it(`is given up before it takes long: ${title}`, () => {
      const { unreadFrom } = parsePython(text);
      assert.ok(unreadFrom! > 30_000 && unreadFrom! < size, String(unreadFrom));
    });
  }

  const broken: Readonly<Record<string, string>> = { 'open calls': fill('x = f(a\n', 150_000), 'open functions': fill('def f(\n', 150_000), 'triple quotes': fill("''' '\n", 150_000), 'headers': fill('if x\n', 150_000) };
  for (const [title, text] of Object.entries(broken)) {
    it(`is read to its end where every line is broken alike: ${title}`, () => {
      const started = performance.now();
      assert.equal(parsePython(text).unreadFrom, undefined);
      assert.ok(performance.now() - started < 20_000);
    });
  }

  it('leaves the code before and behind some pages of prose', () => {
    const prose = 'lorem ipsum dolor sit amet consectetur\n'.repeat(500);
    assert.deepEqual(callsOf(`f(1)\n${prose}g(2)\n${prose}h(3)\n`), ['f', 'g', 'h']);
  });
});
