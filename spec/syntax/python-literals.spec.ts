import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sketchOf } from './python-sketch.ts';

/** Source and the sketch of its typed tree, as CPython's ast module has it. */
const cases: readonly (readonly [string, string])[] = [
  ['1_000 + 0x1F + 0o17 + 0b11 + 0777 + 1e3 + 1.5 + .5 + 2j', 'Expr(value: BinOp(op: +, left: BinOp(op: +, left: BinOp(op: +, left: BinOp(op: +, left: BinOp(op: +, left: BinOp(op: +, left: BinOp(op: +, left: BinOp(op: +, left: 1000, right: 31), right: 15), right: 3), right: 511), right: 1000f), right: 1.5f), right: 0.5f), right: 2j))'],
  ['1. + 2.e5 + 3.j + [4.][0]', 'Expr(value: BinOp(op: +, left: BinOp(op: +, left: BinOp(op: +, left: 1f, right: 200000f), right: 3.j), right: Subscript(value: List(elements: [4f]), index: 0)))'],
  ['"a\\n\\x41\\u00e9\\U0001F600\\101\\\'\\q\\N{DASH}"', 'Expr(value: "a\\nAé😀A\'\\\\q\\\\N{DASH}")'],
  ['b"\\x41\\u0041" + rb"\\x41" + Rb\'\\n\'', 'Expr(value: BinOp(op: +, left: BinOp(op: +, left: b"A\\\\u0041", right: b"\\\\x41"), right: b"\\\\n"))'],
  ['r"a\\n\\"b" + u"c" + R\'d\'', 'Expr(value: BinOp(op: +, left: BinOp(op: +, left: "a\\\\n\\\\\\"b", right: "c"), right: "d"))'],
  ['"a" \'b\' """c""" + b"d" b"e"', 'Expr(value: BinOp(op: +, left: "abc", right: b"de"))'],
  ['"""a\n"b" \\\nc"""', 'Expr(value: "a\\n\\"b\\" c")'],
  ['f"a{b}c{{d}}" "e{f}" rf"\\d{g}\\{h}"', 'Expr(value: JoinedStr(parts: [Text(value: a), Formatted(value: b), Text(value: c{d}e{f}\\d), Formatted(value: g), Text(value: \\), Formatted(value: h)]))'],
  ['f"{a!r:>{b}.{c}}" f"{d:%Y-%m}" F"{e!s}"', 'Expr(value: JoinedStr(parts: [Formatted(value: a, conversion: r, spec: [Text(value: >), Formatted(value: b), Text(value: .), Formatted(value: c)]), Formatted(value: d, spec: [Text(value: %Y-%m)]), Formatted(value: e, conversion: s)]))'],
  ['f"{a = }{b=!s}{c=:d}{f(x)=}"', 'Expr(value: JoinedStr(parts: [Text(value: a = ), Formatted(value: a, conversion: r), Text(value: b=), Formatted(value: b, conversion: s), Text(value: c=), Formatted(value: c, spec: [Text(value: d)]), Text(value: f(x)=), Formatted(value: Call(func: f, args: [(kind: positional, value: x)]), conversion: r)]))'],
  ['f"{x["k"]}{f"{y}"}" f\'{a, *b}\' f"{lambda_}{ {1: 2}[1] }"', 'Expr(value: JoinedStr(parts: [Formatted(value: Subscript(value: x, index: "k")), Formatted(value: JoinedStr(parts: [Formatted(value: y)])), Formatted(value: Tuple(elements: [a, Starred(value: b)])), Formatted(value: lambda_), Formatted(value: Subscript(value: Dict(entries: [(key: 1, value: 2)]), index: 1))]))'],
  ['f"""{\n    a(\n        b\n    )\n}"""', 'Expr(value: JoinedStr(parts: [Formatted(value: Call(func: a, args: [(kind: positional, value: b)]))]))'],
  ['f"\\n{a}\\t"', 'Expr(value: JoinedStr(parts: [Text(value: \n), Formatted(value: a), Text(value: \t)]))'],
  ['None, True, False, ...', 'Expr(value: Tuple(elements: [null, true, false, ...]))'],
  ['"unfinished\nx = 1', 'Expr(value: "unfinished")\nAssign(targets: [x], value: 1)'],
  ['f"{unfinished', 'Expr(value: JoinedStr(parts: [Formatted(value: unfinished)]))'],
];

describe('Python literals', () => {
  for (const [source, expected] of cases) {
    it(`reads ${JSON.stringify(source.slice(0, 60))}`, () => assert.equal(sketchOf(source), expected));
  }
});
