import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parsePython } from '../../lib/syntax/python.ts';
import { callsOf, sketchOf } from './python-sketch.ts';
import { snippets } from './python-snippets.ts';

const broken: readonly (readonly [title: string, source: string, calls: readonly string[]])[] = [
  ['a Python 2 print with a list', 'print "a", f(1)\ng()', ['f', 'g']],
  ['a Python 2 print with a format', 'print "%s" % f(1)\ng()', ['f', 'g']],
  ['a Python 2 print to a file', 'print >>f(), g(2)\nh()', ['f', 'g', 'h']],
  ['a Python 2 exec', 'exec f(1) in g(2)\nh()', ['f', 'g', 'h']],
  ['a half-typed call', 'a()\nb(c(), \nd()', ['a', 'b', 'c', 'd']],
  ['a half-typed attribute', 'a().\nb()', ['a', 'b']],
  ['a missing comma', 'f(a() b())\nc()', ['f', 'a', 'b', 'c']],
  ['a missing colon', 'if a()\n  b()\nc()', ['a', 'b', 'c']],
  ['an assignment without a value', 'x = \na()', ['a']],
  ['a decorator without a function', '@a(b())\n\nc()', ['a', 'b', 'c']],
  ['an update without a value', 'x += \na()', ['a']],
  ['a stray bracket', 'a()\n)\nb()', ['a', 'b']],
  ['an else without an if', 'else:\n  a()\nb()', ['a', 'b']],
  ['an assert of three', 'assert a(), b(), c()', ['a', 'b', 'c']],
  ['a type alias without a value', 'type A = \na()', ['a']],
  ['a comprehension without an element', '[for x in a() if b()]', ['a', 'b']],
  ['a dictionary entry without a value', '{a(): , b(): c()}', ['a', 'b', 'c']],
  ['an argument without a value', 'f(a=, b=c())', ['f', 'c']],
  ['an operator without an operand', 'x = a() + \nb()', ['a', 'b']],
];

describe('broken Python', () => {
  for (const [title, source, calls] of broken) {
    it(`still shows the calls around ${title}`, () => {
      assert.deepEqual(callsOf(source), calls);
      assert.ok(parsePython(source).errorCount > 0);
    });
  }

  it('keeps Python 2 statements as ErrorStmt', () => {
    assert.equal(sketchOf('print "a", b'), 'ErrorStmt(children: ["a", b])');
    assert.equal(sketchOf('exec a in b'), 'ErrorStmt(children: [exec, Compare(left: a, ops: [in], comparators: [b])])');
  });

  it('never throws and never leaves the text, whatever bytes are changed', () => {
    const bytes = Buffer.from(snippets.slice(-8).join('\n'));
    const mutation = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255), fc.constantFrom('replace', 'drop', 'insert'));
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 12 }), (mutations) => {
        let mutated = bytes;
        for (const [at, byte, kind] of mutations) {
          const place = Math.min(at, mutated.length);
          mutated = Buffer.concat([mutated.subarray(0, place), Buffer.from(kind === 'drop' ? [] : [byte]), mutated.subarray(kind === 'insert' ? place : place + 1)]);
        }
        const text = mutated.toString('utf8');
        assertSpans(parsePython(text).body, text.length);
      }),
      { numRuns: 500 },
    );
  });

  it('never throws on any text', () => {
    const pieces = fc.constantFrom('(', ')', '[', ']', '{', '}', '"', "'", '"""', 'f"{', '}"', ':', ',', '.', '=', '*', '**', '@', '\\', '\n', '\n  ', '\r', '\t', '#', 'a', '1', '1.',
      'if ', 'else', 'elif ', 'for ', 'in ', 'with ', 'as ', 'async ', 'await ', 'not ', 'yield ', 'lambda ', 'match x', 'case ', 'try', 'except ', 'finally', 'def f', 'class A', 'import ',
      'from ', 'print ', 'del ', 'global ', 'type ', 'raise ', 'return ', ';', ':=', '...', '->', '\ufeff', '\0', 'é');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        assertSpans(parsePython(text).body, text.length);
      }),
      { numRuns: 800 },
    );
  });
});

function assertSpans(root: unknown, length: number): void {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const node = pending.pop() as { start?: number; end?: number };
    const { start, end } = node;
    if (start !== undefined) assert.ok(start >= 0 && start <= end! && end! <= length, JSON.stringify(node).slice(0, 200));
    for (const field of Object.values(node)) if (typeof field === 'object' && field !== null) pending.push(field);
  }
}
