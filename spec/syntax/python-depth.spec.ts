import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parsePython } from '../../lib/syntax/python.ts';
import { callNames, depthOf } from './python-sketch.ts';

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

  it('reads a long sum as a balanced tree of its terms in order', () => {
    const { body } = parsePython(terms.slice(0, 200).join(' + '));
    assert.ok(depthOf(body) < 20);
    assert.deepEqual(callNames(body), terms.slice(0, 200).map((term) => term.slice(0, -2)));
  });
});
