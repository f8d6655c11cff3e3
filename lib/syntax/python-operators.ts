import type { FlatTree } from './python-flat.ts';
import type { PyBinOp, PyBoolOp, PyExpr, PyUnaryOp } from './python.types.ts';
import type { ExprReader } from './python-reader.ts';
import { afterKeyword, isExpr, readExpr, readSequence, salvage } from './python-reader.ts';
import { ERROR, term } from './python-terms.ts';

const BINARY = term('BinaryExpression');
const UNARY = term('UnaryExpression');
const AWAIT = term('AwaitExpression');
const PAREN = term('ParenthesizedExpression');
const AND = term('and');
const OR = term('or');
const NOT = term('not');
const IN = term('in');
const IS = term('is');
const COMPARE = term('CompareOp');
const FROM = term('from');

/** Sums of more terms than this are read as a balanced tree, so that their depth does not grow with their length. */
const longSum = 64;

/** The index of the next child that is no error, or `to`. */
function skipErrors(nodes: Int32Array, index: number, to: number): number {
  while (index < to && nodes[index] === ERROR) index = nodes[index + 3]!;
  return index;
}

/** Whether a term is a boolean or comparing operator or the first word of one. */
function isOperator(kind: number): boolean {
  return kind === AND || kind === OR || kind === COMPARE || kind === IN || kind === NOT || kind === IS;
}

/** Sorts the one node the grammar has for all infix operators into BinOp, BoolOp and Compare. */
function readBinary(tree: FlatTree, index: number): PyExpr {
  const { nodes } = tree;
  const to = nodes[index + 3]!;
  const left = skipErrors(nodes, index + 4, to);
  const op = left < to && isExpr(tree, left) ? skipErrors(nodes, nodes[left + 3]!, to) : to;
  if (op >= to) return salvage(tree, index);
  const kind = nodes[op]!;
  if (kind === AND || kind === OR) return readBool(tree, index, kind);
  if (isOperator(kind)) return readCompare(tree, index);
  const right = skipErrors(nodes, nodes[op + 3]!, to);
  if (right >= to || !isExpr(tree, right)) return salvage(tree, index);
  const operator = tree.text.slice(nodes[op + 1], nodes[op + 2]);
  if (nodes[left] === BINARY && operator === '+') {
    const terms = sumTerms(tree, index);
    if (terms.length > longSum) return balanced(tree, terms, 0, terms.length);
  }
  const leftExpr = readExpr(tree, left);
  const rightExpr = readExpr(tree, right);
  if (rightExpr.type === 'BinOp' && takesTooMuch(tree, right)) return graft(leftExpr, operator, rightExpr, nodes[right + 1]!, nodes[index + 1]!);
  return { type: 'BinOp', start: nodes[index + 1]!, end: nodes[index + 2]!, op: operator, left: leftExpr, right: rightExpr };
}

/** Whether an operand begins with `await`, perhaps behind signs: the grammar gives it all that follows. */
function takesTooMuch(tree: FlatTree, index: number): boolean {
  const { nodes } = tree;
  let at = index;
  while (nodes[at] === UNARY && nodes[nodes[at + 7]! + 3] === nodes[at + 3]) at = nodes[at + 7]!;
  return nodes[at] === AWAIT;
}

/** How tightly arithmetic operators bind; `**` is the tightest. */
const precedence: Readonly<Record<string, number>> = {
  '|': 1, '^': 2, '&': 3, '<<': 4, '>>': 4, '+': 5, '-': 5, '*': 6, '/': 6, '//': 6, '%': 6, '@': 6, '**': 7,
};

/** Puts `left op` in front of the leftmost operand of `right` that it binds as tightly as what follows. */
function graft(left: PyExpr, op: string, right: PyExpr, rightStart: number, start: number): PyBinOp {
  if (right.type === 'BinOp' && right.start === rightStart && precedence[right.op]! <= precedence[op]!) {
    return { ...right, start, left: graft(left, op, right.left, rightStart, start) };
  }
  return { type: 'BinOp', start, end: right.end, op, left, right };
}

/** The indices of the terms of `a + b + … + z`, found without recursion. */
function sumTerms(tree: FlatTree, index: number): number[] {
  const { nodes, text } = tree;
  const terms: number[] = [];
  let at = index;
  while (nodes[at] === BINARY) {
    const to = nodes[at + 3]!;
    const op = nodes[at + 7]!;
    const right = op < to ? nodes[op + 3]! : to;
    if (right >= to || nodes[right + 3] !== to || !isExpr(tree, right) || text.slice(nodes[op + 1], nodes[op + 2]) !== '+') break;
    terms.push(right);
    at += 4;
  }
  terms.push(at);
  return terms.reverse();
}

/** Halves the terms again and again: `+` may be regrouped for what this tree is used for. */
function balanced(tree: FlatTree, terms: readonly number[], from: number, to: number): PyExpr {
  if (to - from === 1) return readExpr(tree, terms[from]!);
  const middle = (from + to) >> 1;
  const left = balanced(tree, terms, from, middle);
  const right = balanced(tree, terms, middle, to);
  return { type: 'BinOp', start: left.start, end: right.end, op: '+', left, right } satisfies PyBinOp;
}

/** The operands of a chain of one operator, which the grammar nests to the left, in order. */
function readBool(tree: FlatTree, index: number, kind: number): PyBoolOp {
  const { nodes } = tree;
  const chain: number[] = [];
  let at = index;
  for (;;) {
    chain.push(at);
    const inner = skipErrors(nodes, at + 4, nodes[at + 3]!);
    if (nodes[inner] !== BINARY) break;
    const innerOp = skipErrors(nodes, nodes[skipErrors(nodes, inner + 4, nodes[inner + 3]!) + 3]!, nodes[inner + 3]!);
    if (nodes[innerOp] !== kind) break;
    at = inner;
  }
  const values: PyExpr[] = [];
  let lastOperand = index;
  for (let level = chain.length - 1; level >= 0; level -= 1) {
    const to = nodes[chain[level]! + 3]!;
    const first = skipErrors(nodes, chain[level]! + 4, to);
    // Above the lowest level the first child is the chain so far.
    for (let child = level === chain.length - 1 ? first : nodes[first + 3]!; child < to; child = nodes[child + 3]!) {
      if (!isExpr(tree, child)) continue;
      values.push(readExpr(tree, child));
      lastOperand = child;
    }
  }
  return boolOp(values, kind === AND ? 'and' : 'or', nodes[index + 1]!, nodes[index + 2]!, nodes[lastOperand] !== PAREN);
}

/**
 * Joins operands, the last of which may be a chain of its own: the grammar gives `not` all that follows, so that
 * `a and not b or c` arrives as `a and ((not b) or c)`.
 */
function boolOp(values: PyExpr[], op: PyBoolOp['op'], start: number, end: number, lastIsBare: boolean): PyBoolOp {
  const last = values[values.length - 1];
  if (last?.type === 'BoolOp' && lastIsBare && (op === 'and' || last.op === 'or')) {
    if (last.op === op) values.splice(-1, 1, ...last.values);
    else {
      values[values.length - 1] = last.values[0]!;
      const first = boolOp(values, op, start, last.values[0]!.end, true);
      return { type: 'BoolOp', start, end, op: last.op, values: [first, ...last.values.slice(1)] };
    }
  }
  return { type: 'BoolOp', start, end, op, values };
}

/** Reads `a < b <= c`, which the grammar nests to the left, as one chain. */
function readCompare(tree: FlatTree, index: number): PyExpr {
  const { nodes, text } = tree;
  const chain: number[] = [];
  let at = index;
  for (;;) {
    chain.push(at);
    const inner = skipErrors(nodes, at + 4, nodes[at + 3]!);
    if (nodes[inner] !== BINARY) break;
    const innerOp = skipErrors(nodes, nodes[skipErrors(nodes, inner + 4, nodes[inner + 3]!) + 3]!, nodes[inner + 3]!);
    const kind = nodes[innerOp]!;
    if (innerOp >= nodes[inner + 3]! || kind === AND || kind === OR || !isOperator(kind)) break;
    at = inner;
  }
  const left = readExpr(tree, skipErrors(nodes, at + 4, nodes[at + 3]!));
  const ops: string[] = [];
  const comparators: PyExpr[] = [];
  for (let level = chain.length - 1; level >= 0; level -= 1) {
    const to = nodes[chain[level]! + 3]!;
    let op = '';
    for (let child = nodes[skipErrors(nodes, chain[level]! + 4, to) + 3]!; child < to; child = nodes[child + 3]!) {
      if (isOperator(nodes[child]!)) {
        const word = text.slice(nodes[child + 1], nodes[child + 2]);
        op = op === '' ? word : `${op} ${word}`;
      } else if (isExpr(tree, child)) {
        ops.push(op);
        comparators.push(readExpr(tree, child));
      }
    }
  }
  if (comparators.length === 0) return left;
  return { type: 'Compare', start: nodes[index + 1]!, end: nodes[index + 2]!, left, ops, comparators };
}

/** Signs, `~` and `not`. */
function readUnary(tree: FlatTree, index: number): PyExpr {
  const { nodes, text } = tree;
  const to = nodes[index + 3]!;
  const operand = skipErrors(nodes, nodes[index + 7]!, to);
  if (index + 4 >= to || operand >= to || !isExpr(tree, operand)) return salvage(tree, index);
  const op = text.slice(nodes[index + 5], nodes[index + 6]) as PyUnaryOp['op'];
  const start = nodes[index + 1]!;
  const value = readExpr(tree, operand);
  const greedy = op === 'not' ? nodes[operand] !== PAREN : takesTooMuch(tree, operand);
  const make = (inner: PyExpr, end: number): PyExpr => ({ type: 'UnaryOp', start, end, op, operand: inner });
  return greedy ? prefixed(tree, value, start, nodes[operand + 1]!, op === 'not' ? 'BoolOp' : 'BinOp', make) : make(value, nodes[index + 2]!);
}

/** Binds a prefix to the leftmost operand, which begins at `from`, of the operators the grammar gave it. */
function prefixed(tree: FlatTree, value: PyExpr, start: number, from: number, over: 'BinOp' | 'BoolOp', make: (operand: PyExpr, end: number) => PyExpr): PyExpr {
  if (value.start === from && value.type === over) {
    if (value.type === 'BinOp') return { ...value, start, left: prefixed(tree, value.left, start, from, over, make) };
    const [first, ...rest] = (value as PyBoolOp).values;
    return { ...(value as PyBoolOp), start, values: [prefixed(tree, first!, start, from, over, make), ...rest] };
  }
  if (value.start === from) return make(value, value.end);
  // An operand that begins later stands in parentheses, which broken text may leave open.
  const close = tree.text.indexOf(')', value.end);
  return make(value, close < 0 ? value.end : close + 1);
}

/** The grammar gives `await a + b` to await as a whole; Python binds it to `a`. */
function readAwait(tree: FlatTree, index: number): PyExpr {
  const { nodes } = tree;
  const start = nodes[index + 1]!;
  const to = nodes[index + 3]!;
  const operand = skipErrors(nodes, nodes[index + 7]!, to);
  if (index + 4 >= to || operand >= to || !isExpr(tree, operand)) return salvage(tree, index);
  const make = (value: PyExpr, end: number): PyExpr => ({ type: 'Await', start, end, value });
  const value = readExpr(tree, operand);
  return value.type === 'BinOp' && nodes[operand] === BINARY
    ? prefixed(tree, value, start, nodes[operand + 1]!, 'BinOp', make)
    : make(value, nodes[index + 2]!);
}

function readConditional(tree: FlatTree, index: number): PyExpr {
  const { nodes } = tree;
  const parts: number[] = [];
  for (let child = index + 4, to = nodes[index + 3]!; child < to; child = nodes[child + 3]!) if (isExpr(tree, child)) parts.push(child);
  const [body, test, orelse] = parts;
  if (parts.length !== 3) return salvage(tree, index);
  return {
    type: 'IfExp', start: nodes[index + 1]!, end: nodes[index + 2]!,
    test: readExpr(tree, test!), body: readExpr(tree, body!), orelse: readExpr(tree, orelse!),
  };
}

function readNamed(tree: FlatTree, index: number): PyExpr {
  const { nodes } = tree;
  const parts: number[] = [];
  for (let child = index + 4, to = nodes[index + 3]!; child < to; child = nodes[child + 3]!) if (isExpr(tree, child)) parts.push(child);
  const [target, value] = parts;
  if (target === undefined || value === undefined) return salvage(tree, index);
  return { type: 'NamedExpr', start: nodes[index + 1]!, end: nodes[index + 2]!, target: readExpr(tree, target), value: readExpr(tree, value) };
}

/** Reads `yield`, `yield a, b` and `yield from a`, as an expression or as the whole statement. */
export function readYield(tree: FlatTree, index: number): PyExpr {
  const { nodes } = tree;
  const start = nodes[index + 1]!;
  const end = nodes[index + 2]!;
  const to = nodes[index + 3]!;
  let child = afterKeyword(tree, index + 4, to);
  const from = child < to && nodes[child] === FROM;
  if (from) child = nodes[child + 3]!;
  if (child >= to) {
    // The grammar wants a value here, Python does not.
    if (!from) tree.errorCount -= 1;
    return { type: 'Yield', start, end, from };
  }
  return { type: 'Yield', start, end, value: readSequence(tree, child, to, end), from };
}

/** Readers of operators and of `await`, `yield`, `:=` and `if … else`. */
export const operatorReaders: Readonly<Record<string, ExprReader>> = {
  BinaryExpression: readBinary, UnaryExpression: readUnary, AwaitExpression: readAwait, ConditionalExpression: readConditional,
  NamedExpression: readNamed, YieldExpression: readYield,
};
