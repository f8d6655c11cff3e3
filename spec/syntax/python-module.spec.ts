import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parsePython } from '../../lib/syntax/python.ts';
import { lineIndex } from '../../lib/text/line-index.ts';
import { term } from '../../lib/syntax/python-terms.ts';
import { callsOf, sketchOf } from './python-sketch.ts';

describe('a Python module', () => {
  it('gives offsets in UTF-16 code units', () => {
    const text = 'x = "😀"; f(y)';
    const { body } = parsePython(text);
    assert.deepEqual(body.map(({ start, end }) => text.slice(start, end)), ['x = "😀"', 'f(y)']);
  });

  it('ends a compound statement with its last statement', () => {
    const text = 'if a:\n  b()\n\n\n# note\nfor x in y:\n  if z: c()\n  else: d()\n\nwith e: f()\n';
    const { body } = parsePython(text);
    assert.deepEqual(body.map(({ start, end }) => text.slice(start, end)), ['if a:\n  b()', 'for x in y:\n  if z: c()\n  else: d()', 'with e: f()']);
  });

  it('spans brackets that belong to an operand', () => {
    const text = 'not (a or b) and await (c)';
    const value = (parsePython(text).body[0] as unknown as { value: { values: { start: number; end: number }[] } }).value;
    assert.deepEqual(value.values.map(({ start, end }) => text.slice(start, end)), ['not (a or b)', 'await (c)']);
  });

  it('collects comments in order', () => {
    const text = '# one\nx = [ # two\n  1,\n]  # three\nwith (a as b, # four\n): pass\n#!five';
    assert.deepEqual(parsePython(text).comments.map((comment) => [comment.text, text.slice(comment.start, comment.end) === comment.text]),
      ['# one', '# two', '# three', '# four', '#!five'].map((comment) => [comment, true]));
  });

  it('passes over a byte order mark, form feeds, tabs and continued lines', () => {
    assert.equal(sketchOf('\ufeffimport a'), 'Import(names: [(name: a)])');
    assert.deepEqual(callsOf('\fdef f():\n\ta()\n\n\f\n\tif b:\n\t\tc()\n\td\\\n()\n'), ['a', 'c', 'd']);
  });

  for (const [name, end] of [['\\n', '\n'], ['\\r\\n', '\r\n'], ['\\r', '\r']] as const) {
    it(`counts lines that end in ${name} and reads them as one line feed in strings`, () => {
      const text = ['def f():', '  a = """x', 'y"""', '  g()', ''].join(end);
      const { body, lineAt, columnAt } = parsePython(text);
      assert.ok(sketchOf(text).includes('value: "x\\ny"'));
      const at = text.indexOf('g()');
      assert.deepEqual([body.length, lineAt(at), columnAt(at), lineAt(0), columnAt(0), lineAt(text.length)], [1, 4, 3, 1, 1, 5]);
    });
  }

  it('finds the line of any offset in any order', () => {
    const lines = ['', 'ab', '', 'c', 'defg', ''];
    const text = lines.join('\n');
    const { lineAt, columnAt } = lineIndex(text);
    const expected = [...text, ''].map((_, offset) => {
      const before = text.slice(0, offset).split('\n');
      return [before.length, before.at(-1)!.length + 1];
    });
    for (const step of [1, 3, 5, 7]) {
      for (let round = 0; round <= text.length; round += 1) {
        const offset = (round * step) % (text.length + 1);
        assert.deepEqual([lineAt(offset), columnAt(offset)], expected[offset]);
      }
    }
  });

  it('counts what the grammar could not place, and nothing in valid Python', () => {
    assert.equal(parsePython('x = 1. + 2.e5\ndef f():\n  y = yield\n  yield\n  with a as b.c: pass\n').errorCount, 0);
    assert.ok(parsePython('x = = 1').errorCount > 0);
  });

  it('names the grammar node that is missing', () => assert.throws(() => term('Nonsense'), /no node named Nonsense/));
});

const softSpots: readonly (readonly [string, string, readonly string[]])[] = [
  ['a bare yield', 'a()\nx = yield\nb((yield), c())', ['a', 'b', 'c']],
  ['floats without digits behind the dot', 'f(1., g(2.))\nx = 3. + h()', ['f', 'g', 'h']],
  ['a parenthesised with', 'with (\n  a() as b,  # c\n  d("x)") as (e, f),\n):\n  g()\nh()', ['a', 'd', 'g', 'h']],
  ['a with target that is no name', 'with a() as b.c, d() as e[f()]:\n  g()\nh()', ['a', 'd', 'f', 'g', 'h']],
  ['class patterns', 'match a():\n  case B(c=D()) if e(): f()\n  case D(): g()\nh()', ['a', 'e', 'f', 'g', 'h']],
  ['decorators that are expressions', '@a(b())(c())\n@d[e()].f\ndef g(): h()\n', ['?', 'a', 'b', 'c', 'e', 'h']],
  ['starred subscripts', 'x = a[*b(), c()]\nd()', ['b', 'c', 'd']],
  ['a repair that would be wrong inside a string', 'x = """\nwith (a as b:\n@x(\ncase A():\n"""\nf(a b())', ['f', 'b']],
  ['headers that never end', 'with (a(\n@(\n"""x', ['a']],
  ['a lambda in a with header', 'with a(lambda: b()) as c.d: e()\nprint "x"', ['a', 'b', 'e']],
  ['strings and escapes in a decorator', '@a["\\")"](b(\'\'\'x\n)\'\'\'))("y\\\n")\ndef f(): c()', ['?', '?', 'b', 'c']],
];

describe('soft spots of the grammar', () => {
  for (const [title, source, calls] of softSpots) {
    it(`leave the calls around ${title}`, () => assert.deepEqual(callsOf(source).sort(), [...calls].sort()));
  }
});
