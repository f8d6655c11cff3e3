import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sketchOf } from './python-sketch.ts';

/** Source and the sketch of its typed tree, as CPython's ast module has it. */
const cases: readonly (readonly [string, string])[] = [
  ['a = b = c', 'Assign(targets: [a, b], value: c)'],
  ['*a, b = c', 'Assign(targets: [Tuple(elements: [Starred(value: a), b])], value: c)'],
  ['x: int', 'AnnAssign(target: x, annotation: int)'],
  ['x: int = 1', 'AnnAssign(target: x, annotation: int, value: 1)'],
  ['x //= 2', 'AugAssign(target: x, op: //, value: 2)'],
  ['del a, b[0]', 'Delete(targets: [a, Subscript(value: b, index: 0)])'],
  ['return a, *b', 'Return(value: Tuple(elements: [a, Starred(value: b)]))'],
  ['raise A(b) from c', 'Raise(exc: Call(func: A, args: [(kind: positional, value: b)]), cause: c)'],
  ['raise A, b', 'Raise(exc: Tuple(elements: [A, b]))'],
  ['assert a, b', 'Assert(test: a, message: b)'],
  ['global a, b', 'Global(names: [a, b])'],
  ['nonlocal a', 'Nonlocal(names: [a])'],
  ['pass; break; continue', 'Pass()\nBreak()\nContinue()'],
  ['yield a, b', 'Expr(value: Yield(value: Tuple(elements: [a, b])))'],
  ['import a.b as c, d', 'Import(names: [(name: a.b, asName: c), (name: d)])'],
  ['from ..a.b import (c as d, e,)', 'ImportFrom(module: a.b, level: 2, names: [(name: c, asName: d), (name: e)])'],
  ['from . import *', 'ImportFrom(level: 1, names: [(name: *)])'],
  ['from ... import a', 'ImportFrom(level: 3, names: [(name: a)])'],
  ['type A[T] = list[T]', 'TypeAlias(name: A, value: Subscript(value: list, index: T))'],
  ['if a: b\nelif c: d\nelse: e', 'If(test: a, body: [Expr(value: b)], orelse: [If(test: c, body: [Expr(value: d)], orelse: [Expr(value: e)])])'],
  ['while a := b(): c\nelse: d', 'While(test: NamedExpr(target: a, value: Call(func: b)), body: [Expr(value: c)], orelse: [Expr(value: d)])'],
  ['for a, *b in c, d: e\nelse: f', 'For(target: Tuple(elements: [a, Starred(value: b)]), iter: Tuple(elements: [c, d]), body: [Expr(value: e)], orelse: [Expr(value: f)])'],
  ['async for a in b: c', 'For(target: a, iter: b, body: [Expr(value: c)], async: true)'],
  ['with a as b, c(): d', 'With(items: [(context: a, target: b), (context: Call(func: c))], body: [Expr(value: d)])'],
  ['with (a, b): c', 'With(items: [(context: a), (context: b)], body: [Expr(value: c)])'],
  ['with (a, b) as c: d', 'With(items: [(context: Tuple(elements: [a, b]), target: c)], body: [Expr(value: d)])'],
  ['async with (a as b, c as d.e,): f', 'With(items: [(context: a, target: b), (context: c, target: Attribute(value: d, attr: e))], body: [Expr(value: f)], async: true)'],
  ['try: a\nexcept B as c: d\nexcept (E, F): g\nexcept: h\nelse: i\nfinally: j', 'Try(body: [Expr(value: a)], handlers: [(exception: B, name: c, body: [Expr(value: d)]), (exception: Tuple(elements: [E, F]), body: [Expr(value: g)]), (body: [Expr(value: h)])], orelse: [Expr(value: i)], finalbody: [Expr(value: j)])'],
  ['try: a\nexcept* A as e: b', 'Try(body: [Expr(value: a)], handlers: [(exception: A, name: e, body: [Expr(value: b)])])'],
  ['try: a\nexcept B, c: d', 'Try(body: [Expr(value: a)], handlers: [(exception: B, name: c, body: [Expr(value: d)])])'],
  ['@a.b(1)\n@c\nasync def f[T: int](a, /, b: int = 1, *c: str, d=2, **e) -> g: pass', 'FunctionDef(name: f, params: [(name: a, kind: positional), (name: b, kind: positional, annotation: int, default: 1), (name: c, kind: star, annotation: str), (name: d, kind: keyword, default: 2), (name: e, kind: doublestar)], decorators: [Call(func: Attribute(value: a, attr: b), args: [(kind: positional, value: 1)]), c], returns: g, body: [Pass()], async: true)'],
  ['def f(*, a): return', 'FunctionDef(name: f, params: [(name: a, kind: keyword)], body: [Return()])'],
  ['@a(b)(c)\n@d[0] # note\n@(yield)\ndef f(): pass', 'FunctionDef(name: f, decorators: [Call(func: Call(func: a, args: [(kind: positional, value: b)]), args: [(kind: positional, value: c)]), Subscript(value: d, index: 0), Yield()], body: [Pass()])'],
  ['@a\nclass A[T](B, metaclass=C): x = 1', 'ClassDef(name: A, bases: [(kind: positional, value: B), (kind: keyword, name: metaclass, value: C)], decorators: [a], body: [Assign(targets: [x], value: 1)])'],
  ['match a, b:\n  case 1 | -2 | 3 + 4j | "s" | None | True: a()\n  case [x, *rest] | (y, _) if z(): b()\n  case {"k": v, A.b: w, **others}: c()\n  case A(b, c=D()) as e: d()\n  case A.B | {}: e()\n  case A(): f()', 'Match(subject: a, cases: [(values: [1, UnaryOp(op: -, operand: 2), BinOp(op: +, left: 3, right: 4j), "s", null, true], body: [Expr(value: Call(func: a))]), (binds: [x, rest, y], guard: Call(func: z), body: [Expr(value: Call(func: b))]), (binds: [v, w, others], values: ["k", Attribute(value: A, attr: b)], body: [Expr(value: Call(func: c))]), (binds: [b, e], values: [A, D], body: [Expr(value: Call(func: d))]), (values: [Attribute(value: A, attr: B)], body: [Expr(value: Call(func: e))]), (values: [A], body: [Expr(value: Call(func: f))])])'],
  ['match = case = type = 1\nprint(match, case, type)', 'Assign(targets: [match, case, type], value: 1)\nExpr(value: Call(func: print, args: [(kind: positional, value: match), (kind: positional, value: case), (kind: positional, value: type)]))'],
];

describe('Python statements', () => {
  for (const [source, expected] of cases) {
    it(`reads ${JSON.stringify(source.slice(0, 60))}`, () => assert.equal(sketchOf(source), expected));
  }
});
