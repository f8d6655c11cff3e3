import type { FlatTree } from './python-flat.ts';
import type { PyBinOp, PyExpr } from './python.types.ts';
import { isExpr, readExpr, readHiddenExpr } from './python-reader.ts';
import { NAME, term } from './python-terms.ts';

const CAPTURE = term('CapturePattern');
const LITERAL = term('LiteralPattern');
const AS = term('as');
const ATTRIBUTE = term('AttributePattern');
const OPERATOR = term('ArithOp');
const KEYWORD = term('KeywordPattern');

/** Adds the names a pattern binds to `binds` and what it compares with to `values`; deep patterns need no recursion. */
export function readPattern(tree: FlatTree, from: number, to: number, binds: string[], values: PyExpr[]): void {
  const { nodes, text } = tree;
  let binding = false;
  for (let at = from; at < to; ) {
    const kind = nodes[at]!;
    let next = nodes[at + 3]!;
    if (kind === CAPTURE) {
      const name = text.slice(nodes[at + 1], nodes[at + 2]);
      const hidden = readHiddenExpr(tree, at);
      // An empty class pattern `A()` or mapping `{}` was hidden behind an identifier.
      if (hidden !== undefined) values.push(hidden);
      else if (name.endsWith(')')) values.push(readDotted(tree, at));
      else if (name !== '_' && !name.endsWith('}')) binds.push(name);
    } else if (kind === NAME) {
      if (binding) binds.push(text.slice(nodes[at + 1], nodes[at + 2]));
      else values.push(readDotted(tree, at));
    } else if (kind === LITERAL) values.push(readLiteral(tree, at));
    else if (kind === ATTRIBUTE) values.push(readDotted(tree, at));
    else if (kind === KEYWORD) next = nodes[at + 7]!;
    else next = at + 4;
    binding = kind === AS;
    at = next;
  }
}

/** Reads `-1`, `1 + 2j`, a string or a named constant. */
function readLiteral(tree: FlatTree, index: number): PyExpr {
  const { nodes, text } = tree;
  let result: PyExpr | undefined;
  let operator = '';
  for (let at = index + 4, to = nodes[index + 3]!, start = nodes[index + 1]!; at < to; at = nodes[at + 3]!) {
    if (nodes[at] === OPERATOR) operator = text.slice(nodes[at + 1], nodes[at + 2]);
    else if (isExpr(tree, at)) {
      const value = readExpr(tree, at);
      if (result !== undefined) result = { type: 'BinOp', start, end: value.end, op: operator, left: result, right: value } satisfies PyBinOp;
      else result = operator === '-' ? { type: 'UnaryOp', start, end: value.end, op: '-', operand: value } : value;
    }
  }
  return result ?? { type: 'ErrorExpr', start: nodes[index + 1]!, end: nodes[index + 2]!, children: [] };
}

/** Reads a dotted name from the text of a node, without the empty parentheses that may follow it. */
export function readDotted(tree: FlatTree, index: number): PyExpr {
  const start = tree.nodes[index + 1]!;
  let result: PyExpr | undefined;
  for (const match of tree.text.slice(start, tree.nodes[index + 2]).matchAll(/[^\s.()\\]+/g)) {
    const end = start + match.index + match[0].length;
    result = result === undefined
      ? { type: 'Name', start: start + match.index, end, id: match[0] }
      : { type: 'Attribute', start: result.start, end, value: result, attr: match[0] };
  }
  return result ?? { type: 'ErrorExpr', start, end: start, children: [] };
}
