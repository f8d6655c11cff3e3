import type { FlatTree } from './python-flat.ts';
import type { PyArgument, PyClassDef, PyErrorStmt, PyExpr, PyExprStmt, PyFunctionDef, PyIf, PyMatch, PyParam, PyStmt, PyTry, PyWith } from './python.types.ts';
import { readPattern } from './python-patterns.ts';
import { readArguments, readParams } from './python-primaries.ts';
import { afterKeyword, countHidden, depthLimit, hiddenTree, isExpr, readExpr, readSequence, salvage } from './python-reader.ts';
import type { StmtReader } from './python-simple-statements.ts';
import { readBroken, simpleReaders } from './python-simple-statements.ts';
import { BODY, COMMA, ERROR, NAME, term, TYPE_DEF } from './python-terms.ts';

const GROUP = term('StatementGroup');
const EXPRESSION = term('ExpressionStatement');
const DECORATOR = term('Decorator');
const DEF = term('FunctionDefinition');
const CLASS = term('ClassDefinition');
const PARAM_LIST = term('ParamList');
const ARG_LIST = term('ArgList');
const MATCH_BODY = term('MatchBody');
const MATCH_CLAUSE = term('MatchClause');
const GUARD = term('Guard');
const ASYNC = term('async');
const IF = term('if');
const ELIF = term('elif');
const ELSE = term('else');
const IN = term('in');
const AS = term('as');
const EXCEPT = term('except');
const FINALLY = term('finally');

/** `elif` arms that are nested as Python does; further ones follow one another, so that their depth stays bounded. */
const elifLimit = 100;

const readers: (StmtReader | undefined)[] = [];

/** Reads the statements between two flat indices; what is no statement becomes an ErrorStmt if it holds an expression. */
export function readBlock(tree: FlatTree, from: number, to: number, into: PyStmt[]): PyStmt[] {
  const { nodes } = tree;
  for (let at = from; at < to; at = nodes[at + 3]!) {
    const kind = nodes[at]!;
    if (kind === GROUP) {
      readBlock(tree, at + 4, nodes[at + 3]!, into);
      continue;
    }
    if (kind === EXPRESSION && readHidden(tree, at + 4, into)) continue;
    const reader = readers[kind];
    if (reader !== undefined) append(tree, into, readStatement(tree, at, reader));
    else if (kind === ERROR || isExpr(tree, at)) {
      const broken = readBroken(tree, at) as PyErrorStmt;
      if (broken.children.length > 0) append(tree, into, broken);
    }
  }
  return into;
}

/** Reads a statement that the grammar saw one identifier of, on its own; false if it is none of those. */
function readHidden(tree: FlatTree, index: number, into: PyStmt[]): boolean {
  const fragment = tree.nodes[index] === NAME ? hiddenTree(tree, index) : undefined;
  if (fragment === undefined) return false;
  readBlock(fragment, fragment.first, fragment.nodes.length, into);
  countHidden(tree, fragment);
  return true;
}

/** Adds a statement; expressions side by side on one line (`exec code in scope`) are one broken statement. */
function append(tree: FlatTree, into: PyStmt[], statement: PyStmt): void {
  const last = into[into.length - 1];
  if (tree.errorCount > 0 && last !== undefined && isLoose(last) && isLoose(statement) && !/[\n\r;]/.test(tree.text.slice(last.end, statement.start))) {
    const added = statement.type === 'ErrorStmt' ? statement.children : [statement.value];
    const children = last.type === 'ErrorStmt' ? (last.children as PyExpr[]) : [last.value];
    for (const each of added) children.push(each);
    into[into.length - 1] = { type: 'ErrorStmt', start: last.start, end: statement.end, children };
  } else into.push(statement);
}

/** Statements that another one on the same line can be a part of. */
function isLoose(statement: PyStmt): statement is PyExprStmt | PyErrorStmt {
  return statement.type === 'Expr' || statement.type === 'ErrorStmt';
}

/** Counts the level, so that blocks nested too deep end the walk rather than the stack. */
function readStatement(tree: FlatTree, index: number, reader: StmtReader): PyStmt {
  const depth = tree.depth;
  if (depth >= depthLimit) {
    tree.tooDeepAt ??= tree.nodes[index + 1]!;
    return { type: 'ErrorStmt', start: tree.nodes[index + 1]!, end: tree.nodes[index + 2]!, children: [] };
  }
  tree.depth = depth + 1;
  const statement = reader(tree, index);
  tree.depth = depth;
  if (statement.type !== 'ErrorStmt' && statement.type !== 'If') tree.statements += 1;
  if (statement.type === 'FunctionDef' || (statement.type === 'ClassDef' && statement.bases.length > 0)) tree.named += 1;
  return statement;
}

function readBody(tree: FlatTree, index: number): PyStmt[] {
  return readBlock(tree, index + 4, tree.nodes[index + 3]!, []);
}

/** The end of a compound statement: its node also covers the line end and the blank lines behind it. */
function endOf(tree: FlatTree, index: number, ...bodies: readonly (readonly PyStmt[])[]): number {
  for (const body of bodies) if (body.length > 0) return body[body.length - 1]!.end;
  return tree.nodes[index + 2]!;
}

/** All arms are children of one node; they are collected first and nested from the last one up. */
const readIf: StmtReader = (tree, index) => {
  const { nodes } = tree;
  const to = nodes[index + 3]!;
  const arms: { start: number; test: PyExpr; body: PyStmt[] }[] = [];
  let orelse: PyStmt[] = [];
  let inElse = false;
  let at = index + 4;
  if (nodes[at] !== IF) {
    // Error recovery left the keyword out.
    const test = readSequence(tree, at, to, nodes[index + 1]!);
    arms.push({ start: nodes[index + 1]!, test, body: [] });
    at = tree.next;
  }
  while (at < to) {
    const kind = nodes[at]!;
    if (kind === IF || kind === ELIF) {
      const test = readSequence(tree, nodes[at + 3]!, to, nodes[at + 2]!);
      arms.push({ start: nodes[at + 1]!, test, body: [] });
      at = tree.next;
      continue;
    }
    if (kind === ELSE) inElse = true;
    else if (kind === BODY) {
      const body = readBody(tree, at);
      if (inElse) orelse = body;
      else for (const each of body) arms[arms.length - 1]!.body.push(each);
    }
    at = nodes[at + 3]!;
  }
  // The arms beyond the limit are put side by side, the last of them with the else branch.
  const nest = (arm: (typeof arms)[number], rest: PyStmt[]): PyIf => ({
    type: 'If', start: arm.start, end: endOf(tree, index, rest, arm.body), test: arm.test, body: arm.body, orelse: rest,
  });
  const beyond = arms.splice(elifLimit);
  if (beyond.length > 0) orelse = beyond.map((arm, place) => nest(arm, place === beyond.length - 1 ? orelse : []));
  while (arms.length > 1) orelse = [nest(arms.pop()!, orelse)];
  return nest(arms[0]!, orelse);
};

const readWhile: StmtReader = (tree, index) => {
  const { nodes } = tree;
  const to = nodes[index + 3]!;
  const test = readSequence(tree, afterKeyword(tree, index + 4, to), to, nodes[index + 1]!);
  const { body, orelse } = loopBodies(tree, tree.next, to);
  return { type: 'While', start: nodes[index + 1]!, end: endOf(tree, index, orelse, body), test, body, orelse };
};

/** The block of a loop and the one after its `else`. */
function loopBodies(tree: FlatTree, from: number, to: number): { body: PyStmt[]; orelse: PyStmt[] } {
  const { nodes } = tree;
  const body: PyStmt[] = [];
  const orelse: PyStmt[] = [];
  let into = body;
  for (let at = from; at < to; at = nodes[at + 3]!) {
    if (nodes[at] === ELSE) into = orelse;
    else if (nodes[at] === BODY) readBlock(tree, at + 4, nodes[at + 3]!, into);
  }
  return { body, orelse };
}

/** A loop whose `in` is still to be typed has an empty ErrorExpr to iterate over. */
const readFor: StmtReader = (tree, index) => {
  const { nodes } = tree;
  const start = nodes[index + 1]!;
  const to = nodes[index + 3]!;
  const async = nodes[index + 4] === ASYNC;
  const target = readSequence(tree, afterKeyword(tree, async ? nodes[index + 7]! : index + 4, to), to, start);
  let at = tree.next;
  const iter = at < to && nodes[at] === IN ? readSequence(tree, nodes[at + 3]!, to, nodes[at + 2]!) : readSequence(tree, at, at, target.end);
  at = tree.next;
  const { body, orelse } = loopBodies(tree, at, to);
  return { type: 'For', start, end: endOf(tree, index, orelse, body), target, iter, body, orelse, async };
};

/** `as` decides whether an expression is entered or assigned to; the comma ends its reach. */
const readWith: StmtReader = (tree, index) => {
  const { nodes } = tree;
  const to = nodes[index + 3]!;
  const async = nodes[index + 4] === ASYNC;
  const items: { context: PyExpr; target?: PyExpr }[] = [];
  const body: PyStmt[] = [];
  let renaming = false;
  for (let at = afterKeyword(tree, async ? nodes[index + 7]! : index + 4, to); at < to; at = nodes[at + 3]!) {
    const kind = nodes[at]!;
    if (kind === AS) renaming = true;
    else if (kind === COMMA) renaming = false;
    else if (kind === BODY) readBlock(tree, at + 4, nodes[at + 3]!, body);
    else if (isExpr(tree, at)) {
      const last = items[items.length - 1];
      if (renaming && last !== undefined && last.target === undefined) last.target = readExpr(tree, at);
      else items.push({ context: readExpr(tree, at) });
    }
  }
  // `with (a, b):` enters both.
  const only = items.length === 1 ? items[0]! : undefined;
  if (only?.target === undefined && only?.context.type === 'Tuple') items.splice(0, 1, ...only.context.elements.map((context) => ({ context })));
  return { type: 'With', start: nodes[index + 1]!, end: endOf(tree, index, body), items: items satisfies PyWith['items'], body, async };
};

/** Each block belongs to the last keyword before it. */
const readTry: StmtReader = (tree, index) => {
  const { nodes, text } = tree;
  const to = nodes[index + 3]!;
  const body: PyStmt[] = [];
  const orelse: PyStmt[] = [];
  const finalbody: PyStmt[] = [];
  const handlers: PyTry['handlers'][number][] = [];
  let into = body;
  for (let at = index + 4; at < to; at = nodes[at + 3]!) {
    const kind = nodes[at]!;
    if (kind === EXCEPT) {
      into = [];
      handlers.push(readHandler(tree, nodes[at + 3]!, to, into));
    } else if (kind === ELSE) into = orelse;
    else if (kind === FINALLY) into = finalbody;
    else if (kind === BODY) readBlock(tree, at + 4, nodes[at + 3]!, into);
  }
  const end = endOf(tree, index, finalbody, orelse, handlers[handlers.length - 1]?.body ?? body);
  return { type: 'Try', start: nodes[index + 1]!, end, body, handlers, orelse, finalbody };

  /** Reads what stands between `except` and its block: `A as e`, in Python 2 `A, e`, or several classes without brackets. */
  function readHandler(tree: FlatTree, from: number, to: number, body: PyStmt[]): PyTry['handlers'][number] {
    let exception: PyExpr | undefined;
    let name = '';
    let separated = 0;
    for (let at = from; at < to && nodes[at] !== BODY; at = nodes[at + 3]!) {
      if (nodes[at] === AS || nodes[at] === COMMA) separated = nodes[at]!;
      else if (separated !== 0 && nodes[at] === NAME) name = text.slice(nodes[at + 1], nodes[at + 2]);
      else if (isExpr(tree, at)) exception ??= readExpr(tree, at);
    }
    return { ...(exception === undefined ? {} : { exception }), ...(name === '' ? {} : { name }), body };
  }
};

const readFunction: StmtReader = (tree, index) => readDefinition(tree, index, []);

/** Functions and methods; type parameters are left out. */
function readDefinition(tree: FlatTree, index: number, decorators: PyExpr[]): PyFunctionDef {
  const { nodes, text } = tree;
  const to = nodes[index + 3]!;
  let name = '';
  let params: PyParam[] = [];
  let returns: PyExpr | undefined;
  const body: PyStmt[] = [];
  for (let at = index + 4; at < to; at = nodes[at + 3]!) {
    const kind = nodes[at]!;
    if (kind === NAME) name = text.slice(nodes[at + 1], nodes[at + 2]);
    else if (kind === PARAM_LIST) params = readParams(tree, at);
    else if (kind === TYPE_DEF) returns = salvage(tree, at);
    else if (kind === BODY) readBlock(tree, at + 4, nodes[at + 3]!, body);
  }
  return {
    type: 'FunctionDef', start: nodes[index + 1]!, end: endOf(tree, index, body), name, params, decorators,
    ...(returns === undefined ? {} : { returns }), body, async: nodes[index + 4] === ASYNC,
  };
}

const readClass: StmtReader = (tree, index) => readClassDefinition(tree, index, []);

function readClassDefinition(tree: FlatTree, index: number, decorators: PyExpr[]): PyClassDef {
  const { nodes, text } = tree;
  const to = nodes[index + 3]!;
  let name = '';
  let bases: PyArgument[] = [];
  const body: PyStmt[] = [];
  for (let at = index + 4; at < to; at = nodes[at + 3]!) {
    const kind = nodes[at]!;
    if (kind === NAME) name = text.slice(nodes[at + 1], nodes[at + 2]);
    else if (kind === ARG_LIST) bases = readArguments(tree, at);
    else if (kind === BODY) readBlock(tree, at + 4, nodes[at + 3]!, body);
  }
  return { type: 'ClassDef', start: nodes[index + 1]!, end: endOf(tree, index, body), name, bases, decorators, body };
}

/** Decorators without a definition below them are kept as a broken statement. */
const readDecorated: StmtReader = (tree, index) => {
  const { nodes } = tree;
  const decorators: PyExpr[] = [];
  for (let at = index + 4, to = nodes[index + 3]!; at < to; at = nodes[at + 3]!) {
    if (nodes[at] === DECORATOR) decorators.push(readDecorator(tree, at));
    else if (nodes[at] === DEF) return readDefinition(tree, at, decorators);
    else if (nodes[at] === CLASS) return readClassDefinition(tree, at, decorators);
  }
  return { type: 'ErrorStmt', start: nodes[index + 1]!, end: nodes[index + 2]!, children: decorators };
};

/** The grammar gives the names of a dotted decorator side by side. */
function readDecorator(tree: FlatTree, index: number): PyExpr {
  const { nodes } = tree;
  const to = nodes[index + 3]!;
  const first = index + 4;
  if (first >= to || nodes[first] !== NAME) return salvage(tree, index);
  let func = readExpr(tree, first);
  for (let at = nodes[first + 3]!; at < to; at = nodes[at + 3]!) {
    const end = nodes[at + 2]!;
    if (nodes[at] === NAME) func = { type: 'Attribute', start: func.start, end, value: func, attr: tree.text.slice(nodes[at + 1], end) };
    else if (nodes[at] === ARG_LIST) func = { type: 'Call', start: func.start, end, func, args: readArguments(tree, at) };
  }
  return func;
}

/** The span ends with the last statement of the last clause. */
const readMatch: StmtReader = (tree, index) => {
  const { nodes } = tree;
  const to = nodes[index + 3]!;
  const subject = readSequence(tree, afterKeyword(tree, index + 4, to), to, nodes[index + 1]!);
  const cases: PyMatch['cases'][number][] = [];
  let end = subject.end;
  for (let at = tree.next; at < to; ) {
    if (nodes[at] === MATCH_CLAUSE) {
      const clause = readClause(tree, at);
      cases.push(clause);
      end = endOf(tree, at, clause.body);
    }
    // The clauses are the children of the body, which is entered here.
    at = nodes[at] === MATCH_BODY ? at + 4 : nodes[at + 3]!;
  }
  return { type: 'Match', start: nodes[index + 1]!, end, subject, cases };
};

/** Everything in front of the guard and the block is the pattern. */
function readClause(tree: FlatTree, index: number): PyMatch['cases'][number] {
  const { nodes } = tree;
  const binds: string[] = [];
  const values: PyExpr[] = [];
  const body: PyStmt[] = [];
  let guard: PyExpr | undefined;
  for (let to = nodes[index + 3]!, at = afterKeyword(tree, index + 4, to); at < to; at = nodes[at + 3]!) {
    if (nodes[at] === GUARD) guard = salvage(tree, at);
    else if (nodes[at] === BODY) readBlock(tree, at + 4, nodes[at + 3]!, body);
    else readPattern(tree, at, nodes[at + 3]!, binds, values);
  }
  return { binds, values, ...(guard === undefined ? {} : { guard }), body };
}

for (const [name, reader] of Object.entries({
  ...simpleReaders, IfStatement: readIf, WhileStatement: readWhile, ForStatement: readFor, WithStatement: readWith, TryStatement: readTry,
  FunctionDefinition: readFunction, ClassDefinition: readClass, DecoratedStatement: readDecorated, MatchStatement: readMatch,
})) readers[term(name)] = reader;
