/** What an expression is worth: one function a kind of node, events on the way. */
import type {
  PyAttribute, PyBinOp, PyBoolOp, PyCompare, PyComprehension, PyDict, PyExpr, PyIfExp, PyLambda, PySubscript,
} from '../../../../syntax/python.types.ts';
import type { SequenceShape, Value } from './model.types.ts';
import { evaluateCall } from './calls.ts';
import { constantValue, intValue, withoutShape } from './constants.ts';
import { containerValue, derive, maximumElements, sequenceValue } from './containers.ts';
import { compareEvent } from './events.ts';
import { applyChecks, checksOf } from './guards.ts';
import { joinBoth } from './join.ts';
import { makeValue, safeValue, UNKNOWN, unknownValue } from './make-value.ts';
import { attributeOf, elementOf, namedValue } from './members.ts';
import { nodeOf } from './names.ts';
import { binaryValue, noted } from './operators.ts';
import { pathOf } from './paths.ts';
import { Scope } from './scope.ts';
import { secretName } from './secret-names.ts';
import { formatField } from './string-formats.ts';
import { buildString } from './strings.ts';
import { lambdaValue } from './lambdas.ts';
import { bindTarget } from './targets.ts';
import { flagBit } from './value-bits.ts';
import { constantOf, literalText, numberOf, stringOf } from './values.ts';
import type { Walk } from './walk.ts';

/** Value of an expression; calls in it make events. Unknown beyond the depth limit. */
export const evaluate = (walk: Walk, node: PyExpr): Value => {
  if (!walk.down()) return unknownValue;
  const value = evaluateNode(walk, node);
  walk.up();
  return value;
};

const evaluateNode = (walk: Walk, node: PyExpr): Value => {
  // What a value is used for is said of calls only, not of what stands inside other expressions.
  if (node.type !== 'Call' && node.type !== 'Await') walk.use = 'other';
  switch (node.type) {
    case 'Name': return walk.lookup(node.id) ?? unknownValue;
    case 'Constant': return constantValue(node);
    case 'Attribute': return evaluateAttribute(walk, node);
    case 'Call': return evaluateCall(walk, node);
    case 'Subscript': return evaluateSubscript(walk, node);
    case 'BinOp': return evaluateBinary(walk, node);
    case 'Compare': return evaluateCompare(walk, node);
    case 'BoolOp': return evaluateBoolean(walk, node);
    case 'UnaryOp': return evaluateUnary(node.op, evaluate(walk, node.operand));
    case 'JoinedStr': return noted(walk, node.start, buildString('fstring', node.parts.map((part) => {
      if (part.type === 'Text') return part.value;
      const value = evaluate(walk, part.value);
      let spec = '';
      for (const piece of part.spec) spec += piece.type === 'Text' ? piece.value : literalText(evaluate(walk, piece.value), '');
      return formatField(value, part.conversion, part.spec.length === 0 ? undefined : spec);
    })));
    case 'Tuple': return sequenceOf(walk, 'tuple', node.elements);
    case 'List': return sequenceOf(walk, 'list', node.elements);
    case 'Set': return sequenceOf(walk, 'set', node.elements);
    case 'Dict': return evaluateDict(walk, node);
    case 'IfExp': return evaluateIfExp(walk, node);
    case 'Lambda': return evaluateLambda(walk, node);
    case 'Comprehension': return evaluateComprehension(walk, node);
    case 'Await': return evaluate(walk, node.value);
    case 'Starred': return withoutShape(evaluate(walk, node.value));
    case 'NamedExpr': {
      const value = evaluate(walk, node.value);
      bindTarget(walk, node.target, value, node.value, undefined);
      return value;
    }
    case 'Yield': {
      if (node.value === undefined) return unknownValue;
      const value = evaluate(walk, node.value);
      walk.frame.returns = walk.frame.returns === undefined ? value : joinBoth(walk.frame.returns, value);
      return unknownValue;
    }
    case 'Slice':
      for (const part of node.parts) evaluate(walk, part);
      return safeValue;
    case 'ErrorExpr':
      for (const child of node.children) evaluate(walk, child);
      return unknownValue;
  }
};

const evaluateAttribute = (walk: Walk, node: PyAttribute): Value => {
  const base = evaluate(walk, node.value);
  return knownPath(walk, node) ?? attributeOf(walk, base, node.attr, node.end);
};

/** A value written to this very path, or checked on it, in this function. */
const knownPath = (walk: Walk, node: PyExpr): Value | undefined => {
  for (let scope: Scope | undefined = walk.scope; scope !== undefined; scope = scope.parent) {
    if (scope.roots === undefined) continue;
    const path = pathOf(node);
    return path === undefined ? undefined : walk.lookupPath(path.path, path.root);
  }
  return undefined;
};

const evaluateSubscript = (walk: Walk, node: PySubscript): Value => {
  const base = evaluate(walk, node.value);
  const index = evaluate(walk, node.index);
  const known = knownPath(walk, node);
  if (known !== undefined) return known;
  const shape = base.shape;
  if (node.index.type === 'Slice') {
    if (shape?.type === 'Sequence') return makeValue(base.level, base.flags, base.cleared, base.name, { ...shape, open: true }, base.trace);
    return shape?.type === 'Constant' ? safeValue : withoutShape(base);
  }
  const key = stringOf(index);
  if (shape?.type === 'Mapping') {
    const entry = key === undefined ? undefined : shape.entries.get(key);
    return entry ?? derive(base);
  }
  if (shape?.type === 'Sequence') {
    const at = numberOf(index);
    const element = at === undefined ? undefined : shape.elements[at < 0 && !shape.open ? shape.elements.length + at : at];
    return element ?? elementOf(walk, base, node.end);
  }
  const secret = key !== undefined && secretName(key) ? flagBit.secret : 0;
  const name = nodeOf(base.name);
  const item = name === undefined ? undefined : walk.names.item(name);
  return item === undefined ? derive(base, secret) : namedValue(walk, item, base, node.end, secret);
};

/** Left-deep chains (`a + b + …`) are folded in a loop, so that long ones need no stack. */
const evaluateBinary = (walk: Walk, node: PyBinOp): Value => {
  const chain: PyBinOp[] = [];
  let first: PyExpr = node;
  while (first.type === 'BinOp') {
    chain.push(first);
    first = first.left;
  }
  let value = evaluate(walk, first);
  for (let at = chain.length - 1; at >= 0; at -= 1) {
    const step = chain[at] as PyBinOp;
    value = binaryValue(walk, step.op, value, evaluate(walk, step.right), step);
  }
  return value;
};

const evaluateCompare = (walk: Walk, node: PyCompare): Value => {
  let left = evaluate(walk, node.left);
  let leftNode = node.left;
  for (let at = 0; at < node.ops.length; at += 1) {
    const rightNode = node.comparators[at];
    if (rightNode === undefined) break;
    const right = evaluate(walk, rightNode);
    if (walk.index.compares.length > 0 && walk.quiet === 0) compareEvent(walk, node, node.ops[at] ?? '', left, right, leftNode, rightNode);
    left = right;
    leftNode = rightNode;
  }
  return safeValue;
};

/** Later operands are evaluated under what the earlier ones have checked. */
const evaluateBoolean = (walk: Walk, node: PyBoolOp): Value => {
  let result: Value | undefined;
  let mark: number | undefined;
  const last = node.values.length - 1;
  node.values.forEach((operand, at) => {
    const value = evaluate(walk, operand);
    result = result === undefined ? value : joinBoth(result, value);
    if (at === last) return;
    const checks = checksOf(walk, operand, node.op === 'and');
    if (checks.length === 0) return;
    mark ??= walk.branches.enter();
    applyChecks(walk, checks);
  });
  if (mark !== undefined) walk.branches.leave(mark);
  return result ?? unknownValue;
};

const evaluateUnary = (op: string, operand: Value): Value => {
  const number = numberOf(operand);
  if (op === 'not') return safeValue;
  if (number === undefined) return derive(operand);
  return op === '-' ? intValue(-number) : op === '~' && Number.isInteger(number) ? intValue(-number - 1) : operand;
};

const sequenceOf = (walk: Walk, kind: SequenceShape['kind'], nodes: readonly PyExpr[]): Value => {
  const elements: Value[] = [];
  let open = false;
  for (const node of nodes) {
    if (node.type !== 'Starred') {
      elements.push(evaluate(walk, node));
      continue;
    }
    const spread = evaluate(walk, node.value);
    if (spread.shape?.type === 'Sequence') {
      elements.push(...spread.shape.elements.slice(0, maximumElements));
      open ||= spread.shape.open;
    } else {
      elements.push(derive(spread));
      open = true;
    }
  }
  return sequenceValue(kind, elements, open);
};

const evaluateDict = (walk: Walk, node: PyDict): Value => {
  const entries = new Map<string, Value>();
  const contents: Value[] = [];
  let open = false;
  for (const entry of node.entries) {
    const key = entry.key === undefined ? undefined : evaluate(walk, entry.key);
    const text = stringOf(key);
    if (text !== undefined) walk.feeds.push(text);
    const value = evaluate(walk, entry.value);
    if (text !== undefined) walk.feeds.pop();
    contents.push(value);
    if (text !== undefined) {
      if (entries.size < maximumElements) entries.set(text, value);
    } else if (key === undefined && value.shape?.type === 'Mapping') {
      for (const [name, inner] of value.shape.entries) if (entries.size < maximumElements) entries.set(name, inner);
      open ||= value.shape.open;
    } else {
      open = true;
      if (key !== undefined) contents.push(key);
    }
  }
  return containerValue(contents, { type: 'Mapping', entries, open: open || entries.size >= maximumElements });
};

/** Truth of `x == 'a'` where this function has just given `x` a constant: what is bound elsewhere may be changed there. */
const knownTruth = (walk: Walk, test: PyExpr): boolean | undefined => {
  const other = test.type === 'Compare' ? test.comparators[0] : undefined;
  if (test.type !== 'Compare' || test.ops.length !== 1 || test.left.type !== 'Name' || other?.type !== 'Constant') return undefined;
  const [op] = test.ops;
  const left = constantOf(walk.frame.state === undefined ? undefined : walk.frame.scope.vars.get(test.left.id));
  if (left === undefined || left.kind !== other.kind || op !== '==' && op !== '!=') return undefined;
  return (left.value === other.value) === (op === '==');
};

const evaluateIfExp = (walk: Walk, node: PyIfExp): Value => {
  evaluate(walk, node.test);
  const under = (truth: boolean, branch: PyExpr): Value => {
    const checks = checksOf(walk, node.test, truth);
    if (checks.length === 0) return evaluate(walk, branch);
    const mark = walk.branches.enter();
    applyChecks(walk, checks);
    const value = evaluate(walk, branch);
    walk.branches.leave(mark);
    return value;
  };
  const known = knownTruth(walk, node.test);
  if (known !== undefined) {
    const value = known ? under(true, node.body) : under(false, node.orelse);
    walk.quietly(() => under(!known, known ? node.orelse : node.body));
    return value;
  }
  return joinBoth(under(true, node.body), under(false, node.orelse));
};

/** A lambda's body is walked where it stands, with unknown parameters, and by calls as a function's is. */
const evaluateLambda = (walk: Walk, node: PyLambda): Value => {
  const outer = walk.scope;
  const defaults = node.params.map((param) => (param.default === undefined ? undefined : evaluate(walk, param.default)));
  walk.scope = new Scope(outer, 'inner');
  for (const param of node.params) walk.scope.vars.set(param.name, makeValue(UNKNOWN, flagBit.param, 0, undefined, undefined, undefined));
  evaluate(walk, node.body);
  walk.scope = outer;
  return lambdaValue(walk, node, defaults);
};

const evaluateComprehension = (walk: Walk, node: PyComprehension): Value => {
  const outer = walk.scope;
  const scope = new Scope(outer, 'inner');
  const mark = walk.branches.enter();
  let iterated: Value = safeValue;
  for (const clause of node.clauses) {
    iterated = evaluate(walk, clause.iter);
    walk.scope = scope;
    bindTarget(walk, clause.target, elementOf(walk, iterated, clause.iter.end), clause.iter, undefined, scope);
    for (const condition of clause.conditions) {
      evaluate(walk, condition);
      applyChecks(walk, checksOf(walk, condition, true));
    }
  }
  const outerLoop = walk.loopDepth;
  walk.loopDepth += 1;
  const element = evaluate(walk, node.element);
  const value = node.value === undefined ? undefined : evaluate(walk, node.value);
  walk.loopDepth = outerLoop;
  walk.scope = outer;
  walk.branches.leave(mark);
  if (value !== undefined) return containerValue([element, value], { type: 'Mapping', entries: new Map(), open: true });
  return sequenceValue(node.kind === 'set' ? 'set' : 'list', [element], true);
};
