import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sketchOf } from './python-sketch.ts';

/** Source and the sketch of its typed tree, as CPython's ast module has it. */
const cases: readonly (readonly [string, string])[] = [
  ['a.b[0](c, *d, k=1, **e)', 'Expr(value: Call(func: Subscript(value: Attribute(value: a, attr: b), index: 0), args: [(kind: positional, value: c), (kind: star, value: d), (kind: keyword, name: k, value: 1), (kind: doublestar, value: e)]))'],
  ['f(x for x in y if x)', 'Expr(value: Call(func: f, args: [(kind: positional, value: Comprehension(kind: generator, element: x, clauses: [(target: x, iter: y, conditions: [x])]))]))'],
  ['f(a, (yield), b := 1)', 'Expr(value: Call(func: f, args: [(kind: positional, value: a), (kind: positional, value: Yield()), (kind: positional, value: NamedExpr(target: b, value: 1))]))'],
  ['a[1:2, ::3, ...]', 'Expr(value: Subscript(value: a, index: Tuple(elements: [Slice(parts: [1, 2]), Slice(parts: [3]), ...])))'],
  ['a[:]', 'Expr(value: Subscript(value: a, index: Slice()))'],
  ['a[*b]', 'Expr(value: Subscript(value: a, index: Tuple(elements: [Starred(value: b)])))'],
  ['a[b := 1]', 'Expr(value: Subscript(value: a, index: NamedExpr(target: b, value: 1)))'],
  ['x = [1, *y], {1, *z}, (*w, 2), ()', 'Assign(targets: [x], value: Tuple(elements: [List(elements: [1, Starred(value: y)]), Set(elements: [1, Starred(value: z)]), Tuple(elements: [Starred(value: w), 2]), Tuple()]))'],
  ['{\'a\': 1, **b}', 'Expr(value: Dict(entries: [(key: "a", value: 1), (value: b)]))'],
  ['{k: v for k, v in z.items()}', 'Expr(value: Comprehension(kind: dict, element: k, value: v, clauses: [(target: Tuple(elements: [k, v]), iter: Call(func: Attribute(value: z, attr: items)))]))'],
  ['[a for (b) in c if d if e for f in g]', 'Expr(value: Comprehension(kind: list, element: a, clauses: [(target: b, iter: c, conditions: [d, e]), (target: f, iter: g)]))'],
  ['{x async for x in y}', 'Expr(value: Comprehension(kind: set, element: x, clauses: [(target: x, iter: y)]))'],
  ['[x for x in y async for z in x]', 'Expr(value: Comprehension(kind: list, element: x, clauses: [(target: x, iter: y), (target: z, iter: x)]))'],
  ['lambda a, b=1, *c, d=2, **e: a + b', 'Expr(value: Lambda(params: [(name: a, kind: positional), (name: b, kind: positional, default: 1), (name: c, kind: star), (name: d, kind: keyword, default: 2), (name: e, kind: doublestar)], body: BinOp(op: +, left: a, right: b)))'],
  ['lambda *, k: k', 'Expr(value: Lambda(params: [(name: k, kind: keyword)], body: k))'],
  ['a + b * c - d ** -e', 'Expr(value: BinOp(op: -, left: BinOp(op: +, left: a, right: BinOp(op: *, left: b, right: c)), right: BinOp(op: **, left: d, right: UnaryOp(op: -, operand: e))))'],
  ['a and b and c or d', 'Expr(value: BoolOp(op: or, values: [BoolOp(op: and, values: [a, b, c]), d]))'],
  ['a < b <= c is not d not in e', 'Expr(value: Compare(left: a, ops: [<, <=, is not, not in], comparators: [b, c, d, e]))'],
  ['not a or b', 'Expr(value: BoolOp(op: or, values: [UnaryOp(op: not, operand: a), b]))'],
  ['x or a and not b or c', 'Expr(value: BoolOp(op: or, values: [x, BoolOp(op: and, values: [a, UnaryOp(op: not, operand: b)]), c]))'],
  ['not a and b', 'Expr(value: BoolOp(op: and, values: [UnaryOp(op: not, operand: a), b]))'],
  ['await a + b', 'Expr(value: BinOp(op: +, left: Await(value: a), right: b))'],
  ['x * await a + b', 'Expr(value: BinOp(op: +, left: BinOp(op: *, left: x, right: Await(value: a)), right: b))'],
  ['-await a * b', 'Expr(value: BinOp(op: *, left: UnaryOp(op: -, operand: Await(value: a)), right: b))'],
  ['await (a + b)', 'Expr(value: Await(value: BinOp(op: +, left: a, right: b)))'],
  ['a if b else c if d else e', 'Expr(value: IfExp(test: b, body: a, orelse: IfExp(test: d, body: c, orelse: e)))'],
  ['(a := b)', 'Expr(value: NamedExpr(target: a, value: b))'],
  ['x = yield from y', 'Assign(targets: [x], value: Yield(value: y, from: true))'],
  ['x += yield', 'AugAssign(target: x, op: +, value: Yield())'],
  ['((a)).b', 'Expr(value: Attribute(value: a, attr: b))'],
  ['a | b ^ c & d << 1 >> 2 // 3 % 4 @ e', 'Expr(value: BinOp(op: |, left: a, right: BinOp(op: ^, left: b, right: BinOp(op: &, left: c, right: BinOp(op: >>, left: BinOp(op: <<, left: d, right: 1), right: BinOp(op: @, left: BinOp(op: %, left: BinOp(op: //, left: 2, right: 3), right: 4), right: e))))))'],
  ['~a', 'Expr(value: UnaryOp(op: ~, operand: a))'],
  ['(*a, b)', 'Expr(value: Tuple(elements: [Starred(value: a), b]))'],
  ['a, b = b, a', 'Assign(targets: [Tuple(elements: [a, b])], value: Tuple(elements: [b, a]))'],
];

describe('Python expressions', () => {
  for (const [source, expected] of cases) {
    it(`reads ${JSON.stringify(source.slice(0, 60))}`, () => assert.equal(sketchOf(source), expected));
  }
});
