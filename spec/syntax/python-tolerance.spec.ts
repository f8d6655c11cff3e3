import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parsePython } from '../../lib/syntax/python.ts';
import { callNames, callsOf, sketchOf } from './python-sketch.ts';
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

/** Lines as they stand while one types, each a statement that has not come to its end. */
const halfTyped = [
  'print("a", x', 'd = {"a": 1', 'd = [1, 2,', 'print("abc', 'print("abc)', "x = '", 'x = f"{y', 'x = f"{f(y"', 'x = """abc', "x = '''", 'x = y +', 'x.', 'f(x.', 'def f(', 'def f(a, b', 'def f(a, b):', 'def',
  'if x', 'if x:', 'if f(x:', 'for x in f(', 'for x in', 'while x(', 'class', 'class A', 'class A(', ')', ']', '}', 'return (', 'import', 'from x import', 'with open("a") as', 'try', 'else', 'except', '@', '@f(',
  'case "s" "t": f()', 'case "s" "t" | None:', 'x = y[1:', 'f(a, b=', 'x = lambda', 'async def', 'x = y if', 'f(a, (b, [c', 'x = {"a":', 'f(a b)', '$', 'x = (1, 2]', 'f(lambda x:', 'x = f(\n    a,', '    y = 1', 'x = f(a))', 'hello world again',
];

describe('broken Python', () => {
  for (const [title, source, calls] of broken) {
    it(`still shows the calls around ${title}`, () => {
      assert.deepEqual(callsOf(source), calls);
      assert.ok(parsePython(source).errorCount > 0);
    });
  }

  for (const line of halfTyped) {
    it(`keeps the statements around a half-typed ${JSON.stringify(line)}`, () => {
      const indented = line.replaceAll('\n', '\n    ');
      const rest = 'os.a("6" + input())\nx = os.b("7" + input())\n';
      for (const [source, more] of [
        [`import os\npre(1)\n${line}\n${rest}`, 0],
        [`import os\ndef f(q):\n    pre(1)\n    ${indented}\n    ${rest.replace('\n', '\n    ')}    return x\n\ndef g():\n    """Says."""\n    post(1)\n`, 1],
        [`import os\nif os:\n    pre(1)\n    ${indented}\n${rest}`, 0],
      ] as const) {
        const { body, errorCount } = parsePython(source);
        const calls = callNames(body);
        assert.deepEqual(['pre', 'os.a', 'os.b', 'post'].filter((name) => calls.includes(name)), ['pre', 'os.a', 'os.b', ...(more === 1 ? ['post'] : [])], source);
        assert.ok(calls.filter((name) => name === 'input').length === 2, source);
        assert.ok(errorCount > 0 || /^(?:def f\(a, b\):|if x:|    y = 1|x = ')$/.test(line), source);
      }
    });
  }

  const kept: readonly (readonly [title: string, source: string, sketch: string])[] = [
    ['the statement before an open bracket', 'x = f(a\ny = g(x)', 'Assign(targets: [x], value: Call(func: f, args: [(kind: positional, value: a)]))\nAssign(targets: [y], value: Call(func: g, args: [(kind: positional, value: x)]))'],
    ['the block below a header with an open bracket', 'if f(a:\n    g()\nh()', 'If(test: Call(func: f, args: [(kind: positional, value: a)]), body: [Expr(value: Call(func: g))])\nExpr(value: Call(func: h))'],
    ['the parameters of a function without a colon', 'def f(a, b\n    g(a)\nh()', 'FunctionDef(name: f, params: [(name: a, kind: positional), (name: b, kind: positional)], body: [Expr(value: Call(func: g, args: [(kind: positional, value: a)]))])\nExpr(value: Call(func: h))'],
    ['a clause with a broken pattern', 'match x:\n  case "s" "t" | None if f(): g()\n  case 2:\n    h()', 'Match(subject: x, cases: [(values: [ErrorExpr(children: [BinOp(op: |, left: "st", right: null), Call(func: f)])], body: [Expr(value: Call(func: g))]), (values: [2], body: [Expr(value: Call(func: h))])])'],
  ];
  for (const [title, source, expected] of kept) it(`keeps ${title}`, () => assert.equal(sketchOf(source), expected));

  it('ends a triple-quoted string before the code that it would swallow', () => {
    const functions = Array.from({ length: 6 }, (_, place) => `def f${place}(a):\n    """Doc ${place}."""\n    c${place}(a)\n    return a\n`);
    for (const broken of ['x = """abc', 'x = """', '    """', "x = '''a"]) {
      for (let place = 0; place < 6; place += 1) {
        const source = [...functions.slice(0, place), `${broken}\n`, ...functions.slice(place)].join('\n');
        assert.deepEqual(callsOf(source), ['c0', 'c1', 'c2', 'c3', 'c4', 'c5'], source);
      }
    }
  });

  it('keeps comments in order, each once', () => {
    const source = '# a\nx = f(  # b\n  1,\n# c\ny = g(1)  # d\nwith (a() as b,  # e\n  c() as d[0]):  # f\n  pass\n';
    assert.deepEqual(parsePython(source).comments.map(({ text }) => text), ['# a', '# b', '# c', '# d', '# e', '# f']);
  });

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

  it('keeps the end of a node behind its start where a parenthesis stays open', () => {
    for (const text of ['(not *\r**async ', 'not (a *', '- await (a + b', 'await (a + b * c', '(not *\r**async \n)']) assertSpans(parsePython(text).body, text.length);
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
