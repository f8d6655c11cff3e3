import type { FlatTree } from './python-flat.ts';
import type { PyArgument, PyComprehension, PyDict, PyExpr, PyLambda, PyParam } from './python.types.ts';
import type { ExprReader } from './python-reader.ts';
import { collect, isExpr, readExpr, readSequence, salvage } from './python-reader.ts';
import { ASSIGN, COLON, COMMA, ERROR, NAME, STAR, STARS, term, TYPE_DEF } from './python-terms.ts';

const ARG_LIST = term('ArgList');
const PARAM_LIST = term('ParamList');
const NUMBER = term('Number');
const PROPERTY = term('PropertyName');
const FOR = term('for');
const ASYNC = term('async');
const IN = term('in');

/** What Python takes for a name, nearly: enough to tell a name from the rest of a line in error. */
const identifier = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/** Calls; a call whose arguments are still being typed is one with those that are there. */
function readCall(tree: FlatTree, index: number): PyExpr {
  const { nodes, text } = tree;
  const start = nodes[index + 1]!;
  const end = nodes[index + 2]!;
  const to = nodes[index + 3]!;
  const args = nodes[index + 7]!;
  if (args < to && nodes[args] === ARG_LIST) {
    const func = readExpr(tree, index + 4);
    // A name behind a dot has lost what stood before it, and one before a blank is mostly a word of prose.
    if ((func.type === 'Attribute' || func.type === 'Name') && text.charCodeAt(func.start - 1) !== 0x2e && text.charCodeAt(func.end) === 0x28) tree.named += 1;
    return { type: 'Call', start, end, func, args: readArguments(tree, args) };
  }
  // `a b(c)` comes as a call of `a` with `b` in error.
  const list = args < to && nodes[args] === ERROR ? nodes[args + 3]! : to;
  const name = list < to && nodes[list] === ARG_LIST ? text.slice(nodes[args + 1], nodes[args + 2]).trim() : '';
  if (!identifier.test(name)) return salvage(tree, index);
  const func: PyExpr = { type: 'Name', start: nodes[args + 1]!, end: nodes[args + 2]!, id: name };
  const call: PyExpr = { type: 'Call', start: func.start, end, func, args: readArguments(tree, list) };
  return { type: 'ErrorExpr', start, end, children: [readExpr(tree, index + 4), call] };
}

/** Reads the arguments of a call or the bases of a class; an argument without a value is left out. */
export function readArguments(tree: FlatTree, index: number): PyArgument[] {
  const { nodes, text } = tree;
  const to = nodes[index + 3]!;
  const args: PyArgument[] = [];
  let kind: 'positional' | 'star' | 'doublestar' = 'positional';
  for (let at = index + 4; at < to; ) {
    const type = nodes[at]!;
    const next = nodes[at + 3]!;
    if (type === COMMA) kind = 'positional';
    else if (type === STAR) kind = 'star';
    else if (type === STARS) kind = 'doublestar';
    else if (type === NAME && next < to && nodes[next] === ASSIGN && nodes[next + 3]! < to && isExpr(tree, nodes[next + 3]!)) {
      const valueAt = nodes[next + 3]!;
      const value = readExpr(tree, valueAt);
      if (text.charCodeAt(nodes[next + 1]!) === 0x3a /* := */) {
        const target = readExpr(tree, at);
        args.push({ kind: 'positional', value: { type: 'NamedExpr', start: target.start, end: value.end, target, value } });
      } else args.push({ kind: 'keyword', name: text.slice(nodes[at + 1], nodes[at + 2]), value });
      at = nodes[valueAt + 3]!;
      continue;
    } else if (isExpr(tree, at)) {
      if (next < to && (nodes[next] === FOR || nodes[next] === ASYNC)) {
        args.push({ kind, value: readComprehension(tree, at, to, 'generator', nodes[at + 1]!, nodes[index + 2]! - 1) });
        return args;
      }
      args.push({ kind, value: readExpr(tree, at) });
      kind = 'positional';
    }
    at = next;
  }
  return args;
}

/** A float without digits behind its dot, which the grammar takes for an attribute of an integer. */
function readShortFloat(tree: FlatTree, index: number): PyExpr | undefined {
  const { nodes } = tree;
  if (nodes[index + 4] !== NUMBER) return undefined;
  const start = nodes[index + 1]!;
  const match = /^[\d_]+\.(?:[eE]\d[\d_]*)?([jJ]?)$/.exec(tree.text.slice(start, nodes[index + 2]).trimEnd());
  if (match === null) return undefined;
  // The grammar missed an attribute behind the bare dot.
  if (nodes[index + 7] === nodes[index + 3]) tree.errorCount -= 1;
  const [text, imaginary] = match;
  const value = { type: 'Constant', start, end: start + text.length, text } as const;
  return imaginary === '' ? { ...value, kind: 'float', value: Number(text.replaceAll('_', '')) } : { ...value, kind: 'complex', value: Number.NaN };
}

/** Attributes and subscripts. */
function readMember(tree: FlatTree, index: number): PyExpr {
  const { nodes, text } = tree;
  const start = nodes[index + 1]!;
  const end = nodes[index + 2]!;
  const to = nodes[index + 3]!;
  const member = nodes[index + 7]!;
  const float = readShortFloat(tree, index);
  if (float !== undefined) return float;
  if (member < to && nodes[member] === PROPERTY) {
    return { type: 'Attribute', start, end, value: readExpr(tree, index + 4), attr: text.slice(nodes[member + 1], nodes[member + 2]) };
  }
  if (index + 4 >= to || !isExpr(tree, index + 4)) return salvage(tree, index);
  const value = readExpr(tree, index + 4);
  if (member >= to) return { type: 'ErrorExpr', start, end, children: [value] };
  return { type: 'Subscript', start, end, value, index: readIndex(tree, member, to) };
}

/** What stands between the brackets of a subscript; only an index with a colon in it needs the slow way. */
function readIndex(tree: FlatTree, from: number, to: number): PyExpr {
  const { nodes } = tree;
  let slices = false;
  for (let at = from; at < to; at = nodes[at + 3]!) slices ||= nodes[at] === COLON;
  if (!slices) {
    const index = readSequence(tree, from, to, nodes[from + 1]!);
    return index.type === 'Starred' ? { type: 'Tuple', start: index.start, end: index.end, elements: [index] } : index;
  }
  const elements: PyExpr[] = [];
  let commas = 0;
  for (let at = from; at < to; ) {
    const start = nodes[at + 1]!;
    let end = start;
    let colons = 0;
    const parts: PyExpr[] = [];
    for (; at < to && nodes[at] !== COMMA; at = nodes[at + 3]!) {
      end = nodes[at + 2]!;
      if (nodes[at] === COLON) colons += 1;
      else collect(tree, at, nodes[at + 3]!, parts);
    }
    if (colons === 0 && parts.length === 1) elements.push(parts[0]!);
    else elements.push({ type: 'Slice', start, end, parts });
    if (at < to) {
      commas += 1;
      at = nodes[at + 3]!;
    }
  }
  const first = elements[0]!;
  if (commas === 0) return first;
  return { type: 'Tuple', start: first.start, end: elements[elements.length - 1]!.end, elements };
}

/** Parentheses leave no node: the span of what they hold is that of the inside. */
function readParenthesized(tree: FlatTree, index: number): PyExpr {
  const { nodes } = tree;
  const first = index + 4;
  if (nodes[first + 3] === nodes[index + 3] && isExpr(tree, first)) return readExpr(tree, first);
  return readSequence(tree, first, nodes[index + 3]!, nodes[index + 1]! + 1);
}

/** The comma-separated elements between brackets, starred ones included. */
function readElements(tree: FlatTree, index: number): PyExpr[] {
  const { nodes } = tree;
  const elements: PyExpr[] = [];
  let starAt = -1;
  for (let at = index + 4, to = nodes[index + 3]!; at < to; at = nodes[at + 3]!) {
    if (nodes[at] === STAR) starAt = nodes[at + 1]!;
    else if (isExpr(tree, at)) {
      const value = readExpr(tree, at);
      elements.push(starAt < 0 ? value : { type: 'Starred', start: starAt, end: value.end, value });
      starAt = -1;
    }
  }
  return elements;
}

const readTuple: ExprReader = (tree, index) => ({ type: 'Tuple', start: tree.nodes[index + 1]!, end: tree.nodes[index + 2]!, elements: readElements(tree, index) });
const readList: ExprReader = (tree, index) => ({ type: 'List', start: tree.nodes[index + 1]!, end: tree.nodes[index + 2]!, elements: readElements(tree, index) });
const readSet: ExprReader = (tree, index) => ({ type: 'Set', start: tree.nodes[index + 1]!, end: tree.nodes[index + 2]!, elements: readElements(tree, index) });

/** Entries in order; `**value` and what lost its key are entries without one. */
function readDict(tree: FlatTree, index: number): PyExpr {
  const { nodes } = tree;
  const entries: PyDict['entries'][number][] = [];
  let key: PyExpr | undefined;
  for (let at = index + 4, to = nodes[index + 3]!; at < to; at = nodes[at + 3]!) {
    if (!isExpr(tree, at)) continue;
    const next = nodes[at + 3]!;
    const expr = readExpr(tree, at);
    if (key !== undefined) {
      entries.push({ key, value: expr });
      key = undefined;
    } else if (next < to && nodes[next] === COLON) key = expr;
    else entries.push({ value: expr });
  }
  // A key whose value is still to be typed.
  if (key !== undefined) entries.push({ value: key });
  return { type: 'Dict', start: nodes[index + 1]!, end: nodes[index + 2]!, entries };
}

/** The four kinds differ in their brackets only. */
function comprehensionReader(kind: PyComprehension['kind']): ExprReader {
  return (tree, index) => readComprehension(tree, index + 4, tree.nodes[index + 3]!, kind, tree.nodes[index + 1]!, tree.nodes[index + 2]!);
}

/** Reads `element for target in iter if condition …` from the children between two indices. */
function readComprehension(tree: FlatTree, from: number, to: number, kind: PyComprehension['kind'], start: number, end: number): PyExpr {
  const { nodes } = tree;
  let at = from;
  const heads: PyExpr[] = [];
  let starAt = -1;
  for (; at < to && nodes[at] !== FOR; at = nodes[at + 3]!) {
    if (nodes[at] === STAR) starAt = nodes[at + 1]!;
    else if (isExpr(tree, at)) heads.push(readExpr(tree, at));
  }
  const clauses: PyComprehension['clauses'][number][] = [];
  while (at < to) {
    const keyword = nodes[at + 2]!;
    const target = readSequence(tree, nodes[at + 3]!, to, keyword);
    at = tree.next;
    let iter: PyExpr = { type: 'ErrorExpr', start: keyword, end: keyword, children: [] };
    const conditions: PyExpr[] = [];
    while (at < to && nodes[at] !== FOR) {
      const next = nodes[at + 3]!;
      if (nodes[at] === IN) {
        iter = readSequence(tree, next, to, nodes[at + 2]!);
        at = tree.next;
        continue;
      }
      if (isExpr(tree, at)) conditions.push(readExpr(tree, at));
      at = next;
    }
    clauses.push({ target, iter, conditions });
  }
  const [head, value] = heads;
  if (head === undefined) return { type: 'ErrorExpr', start, end, children: clauses.flatMap((clause) => [clause.iter, ...clause.conditions]) };
  const element: PyExpr = starAt < 0 ? head : { type: 'Starred', start: starAt, end: head.end, value: head };
  return value === undefined
    ? { type: 'Comprehension', start, end, kind, element, clauses }
    : { type: 'Comprehension', start, end, kind, element, value, clauses };
}

/** The grammar names the parameter list only where there is one. */
function readLambda(tree: FlatTree, index: number): PyLambda {
  const { nodes } = tree;
  const to = nodes[index + 3]!;
  let params: readonly PyParam[] = [];
  let at = index + 4;
  for (; at < to && nodes[at] !== COLON; at = nodes[at + 3]!) if (nodes[at] === PARAM_LIST) params = readParams(tree, at);
  const end = nodes[index + 2]!;
  const body = readSequence(tree, at < to ? nodes[at + 3]! : to, to, end);
  return { type: 'Lambda', start: nodes[index + 1]!, end, params, body };
}

/** Reads the parameters of a function or lambda; a bare `*` or `/` is no parameter itself. */
export function readParams(tree: FlatTree, index: number): PyParam[] {
  const { nodes, text } = tree;
  const to = nodes[index + 3]!;
  const params: PyParam[] = [];
  let after: PyParam['kind'] = 'positional';
  let stars: PyParam['kind'] | undefined;
  let start = -1;
  for (let at = index + 4; at < to; ) {
    const kind = nodes[at]!;
    if (kind === STAR || kind === STARS) {
      stars = kind === STAR ? 'star' : 'doublestar';
      start = nodes[at + 1]!;
      after = 'keyword';
    } else if (kind === COMMA) stars = undefined;
    else if (kind === NAME) {
      const name = text.slice(nodes[at + 1], nodes[at + 2]);
      let end = nodes[at + 2]!;
      let annotation: PyExpr | undefined;
      let value: PyExpr | undefined;
      const from = stars === undefined ? nodes[at + 1]! : start;
      for (at = nodes[at + 3]!; at < to && nodes[at] !== COMMA; at = nodes[at + 3]!) {
        if (nodes[at] === TYPE_DEF) annotation = salvage(tree, at);
        else if (isExpr(tree, at)) value = readExpr(tree, at);
        else continue;
        end = nodes[at + 2]!;
      }
      params.push({
        start: from, end, name, kind: stars ?? after,
        ...(annotation === undefined ? {} : { annotation }), ...(value === undefined ? {} : { default: value }),
      });
      continue;
    }
    at = nodes[at + 3]!;
  }
  return params;
}

/** Readers of names with what follows them, brackets, comprehensions and lambdas. */
export const primaryReaders: Readonly<Record<string, ExprReader>> = {
  CallExpression: readCall, MemberExpression: readMember, ParenthesizedExpression: readParenthesized, TupleExpression: readTuple,
  ArrayExpression: readList, SetExpression: readSet, DictionaryExpression: readDict, LambdaExpression: readLambda,
  ComprehensionExpression: comprehensionReader('generator'), ArrayComprehensionExpression: comprehensionReader('list'),
  SetComprehensionExpression: comprehensionReader('set'), DictionaryComprehensionExpression: comprehensionReader('dict'),
};
