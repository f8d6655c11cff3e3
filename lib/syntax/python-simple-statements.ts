import type { FlatTree } from './python-flat.ts';
import type { PyAlias, PyExpr, PyStmt } from './python.types.ts';
import { readYield } from './python-operators.ts';
import { afterKeyword, collect, isExpr, readExpr, readSequence, salvage } from './python-reader.ts';
import { ASSIGN, COMMA, NAME, STAR, term, TYPE_DEF } from './python-terms.ts';

/** Makes the typed node of the statement at a flat index. */
export type StmtReader = (tree: FlatTree, index: number) => PyStmt;

const UPDATE = term('UpdateOp');
const FROM = term('from');
const IMPORT = term('import');
const AS = term('as');

/** An expression that could not be made sense of is no statement of its own but a broken one. */
const readExprStatement: StmtReader = (tree, index) => {
  const { nodes } = tree;
  const start = nodes[index + 1]!;
  const value = readSequence(tree, index + 4, nodes[index + 3]!, start);
  if (value.type === 'ErrorExpr') return { type: 'ErrorStmt', start, end: nodes[index + 2]!, children: value.children };
  return { type: 'Expr', start, end: value.end, value };
};

/** Plain, chained and annotated assignment are one node of the grammar. */
const readAssign: StmtReader = (tree, index) => {
  const { nodes } = tree;
  const start = nodes[index + 1]!;
  const end = nodes[index + 2]!;
  const to = nodes[index + 3]!;
  const first = readSequence(tree, index + 4, to, start);
  let at = tree.next;
  let annotation: PyExpr | undefined;
  if (at < to && nodes[at] === TYPE_DEF) {
    annotation = salvage(tree, at);
    at = nodes[at + 3]!;
  }
  const chain: PyExpr[] = [first];
  while (at < to) {
    if (nodes[at] !== ASSIGN) {
      collect(tree, at, nodes[at + 3]!, chain);
      at = nodes[at + 3]!;
      continue;
    }
    chain.push(readSequence(tree, nodes[at + 3]!, to, nodes[at + 2]!));
    at = tree.next;
  }
  if (annotation !== undefined) {
    const value = chain[1];
    return value === undefined
      ? { type: 'AnnAssign', start, end, target: first, annotation }
      : { type: 'AnnAssign', start, end, target: first, annotation, value };
  }
  if (chain.length === 1) return { type: 'ErrorStmt', start, end, children: chain };
  const value = chain.pop()!;
  return { type: 'Assign', start, end, targets: chain, value };
};

/** `a += b`; without the operator there is nothing to assign. */
const readUpdate: StmtReader = (tree, index) => {
  const { nodes, text } = tree;
  const start = nodes[index + 1]!;
  const end = nodes[index + 2]!;
  const to = nodes[index + 3]!;
  const target = readSequence(tree, index + 4, to, start);
  const at = tree.next;
  if (at >= to || nodes[at] !== UPDATE) return readBroken(tree, index);
  const op = text.slice(nodes[at + 1], nodes[at + 2]! - 1);
  return { type: 'AugAssign', start, end, target, op, value: readSequence(tree, nodes[at + 3]!, to, end) };
};

const readDelete: StmtReader = (tree, index) => {
  const targets: PyExpr[] = [];
  collect(tree, index + 4, tree.nodes[index + 3]!, targets);
  return { type: 'Delete', start: tree.nodes[index + 1]!, end: tree.nodes[index + 2]!, targets };
};

const readReturn: StmtReader = (tree, index) => {
  const { nodes } = tree;
  const start = nodes[index + 1]!;
  const end = nodes[index + 2]!;
  const to = nodes[index + 3]!;
  const first = afterKeyword(tree, index + 4, to);
  return first >= to ? { type: 'Return', start, end } : { type: 'Return', start, end, value: readSequence(tree, first, to, end) };
};

const readYieldStatement: StmtReader = (tree, index) => {
  const value = readYield(tree, index);
  return { type: 'Expr', start: value.start, end: value.end, value };
};

/** Python 2's `raise A, b` gives a tuple. */
const readRaise: StmtReader = (tree, index) => {
  const { nodes } = tree;
  const start = nodes[index + 1]!;
  const end = nodes[index + 2]!;
  const to = nodes[index + 3]!;
  const first = afterKeyword(tree, index + 4, to);
  if (first >= to) return { type: 'Raise', start, end };
  const exc = readSequence(tree, first, to, end);
  const at = tree.next;
  if (at >= to || nodes[at] !== FROM) return { type: 'Raise', start, end, exc };
  return { type: 'Raise', start, end, exc, cause: readSequence(tree, nodes[at + 3]!, to, end) };
};

/** The grammar takes any number of expressions, Python one or two. */
const readAssert: StmtReader = (tree, index) => {
  const parts: PyExpr[] = [];
  const start = tree.nodes[index + 1]!;
  const end = tree.nodes[index + 2]!;
  collect(tree, index + 4, tree.nodes[index + 3]!, parts);
  const [test, message] = parts;
  if (test === undefined || parts.length > 2) {
    tree.errorCount += 1;
    return { type: 'ErrorStmt', start, end, children: parts };
  }
  return message === undefined ? { type: 'Assert', start, end, test } : { type: 'Assert', start, end, test, message };
};

/** `global` and `nonlocal` differ in their first letter. */
const readScope: StmtReader = (tree, index) => {
  const { nodes, text } = tree;
  const names: string[] = [];
  for (let at = index + 4, to = nodes[index + 3]!; at < to; at = nodes[at + 3]!) {
    if (nodes[at] === NAME) names.push(text.slice(nodes[at + 1], nodes[at + 2]));
  }
  const type = text.charCodeAt(nodes[index + 1]!) === 0x67 /* g */ ? 'Global' : 'Nonlocal';
  return { type, start: nodes[index + 1]!, end: nodes[index + 2]!, names };
};

/** `type A[T] = …`; the type parameters are left out. */
const readTypeAlias: StmtReader = (tree, index) => {
  const { nodes, text } = tree;
  const name = index + 8;
  const to = nodes[index + 3]!;
  let value: number | undefined;
  for (let at = name; at < to; at = nodes[at + 3]!) if (at !== name && isExpr(tree, at)) value = at;
  if (value === undefined) return readBroken(tree, index);
  return {
    type: 'TypeAlias', start: nodes[index + 1]!, end: nodes[index + 2]!,
    name: text.slice(nodes[name + 1], nodes[name + 2]), value: readExpr(tree, value),
  };
};

/** Reads `import a.b as c, d` and `from ..a import (b as c, d)`; dots are counted in the text between the names. */
const readImport: StmtReader = (tree, index) => {
  const { nodes, text } = tree;
  const start = nodes[index + 1]!;
  const end = nodes[index + 2]!;
  const to = nodes[index + 3]!;
  const fromImport = nodes[index + 4] === FROM;
  let at = index + 4;
  let level = 0;
  let module = '';
  if (fromImport) {
    const dots = nodes[at + 2]!;
    do at = nodes[at + 3]!; while (at < to && nodes[at] !== NAME && nodes[at] !== IMPORT);
    const dotsEnd = at < to ? nodes[at + 1]! : end;
    for (let offset = dots; offset < dotsEnd; offset += 1) if (text.charCodeAt(offset) === 0x2e) level += 1;
    for (; at < to && nodes[at] !== IMPORT; at = nodes[at + 3]!) {
      if (nodes[at] === NAME) module += (module === '' ? '' : '.') + text.slice(nodes[at + 1], nodes[at + 2]);
    }
  }
  const names: PyAlias[] = [];
  let name = '';
  let asName = '';
  let renaming = false;
  const finish = (): void => {
    if (name !== '') names.push(asName === '' ? { name } : { name, asName });
    name = asName = '';
    renaming = false;
  };
  for (; at < to; at = nodes[at + 3]!) {
    const kind = nodes[at]!;
    if (kind === COMMA) finish();
    else if (kind === AS) renaming = true;
    else if (kind === STAR) name = '*';
    else if (kind === NAME) {
      const word = text.slice(nodes[at + 1], nodes[at + 2]);
      if (renaming) asName = word;
      else name = name === '' ? word : `${name}.${word}`;
    }
  }
  finish();
  return fromImport ? { type: 'ImportFrom', start, end, module, level, names } : { type: 'Import', start, end, names };
};

function keyword(type: 'Pass' | 'Break' | 'Continue'): StmtReader {
  return (tree, index) => ({ type, start: tree.nodes[index + 1]!, end: tree.nodes[index + 2]! });
}

/** Keeps the expressions of what is no statement of Python 3. */
export const readBroken: StmtReader = (tree, index) => {
  const children: PyExpr[] = [];
  collect(tree, index, tree.nodes[index + 3]!, children);
  return { type: 'ErrorStmt', start: tree.nodes[index + 1]!, end: tree.nodes[index + 2]!, children };
};

/** The print statement of Python 2 is known to the grammar, and still no Python 3. */
const readPrint: StmtReader = (tree, index) => {
  tree.errorCount += 1;
  return readBroken(tree, index);
};

/** Readers of the statements that hold no other statements. */
export const simpleReaders: Readonly<Record<string, StmtReader>> = {
  ExpressionStatement: readExprStatement, AssignStatement: readAssign, UpdateStatement: readUpdate, DeleteStatement: readDelete,
  ReturnStatement: readReturn, YieldStatement: readYieldStatement, RaiseStatement: readRaise, AssertStatement: readAssert,
  ScopeStatement: readScope, TypeDefinition: readTypeAlias, ImportStatement: readImport, PrintStatement: readPrint,
  PassStatement: keyword('Pass'), BreakStatement: keyword('Break'), ContinueStatement: keyword('Continue'),
};
