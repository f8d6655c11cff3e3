import type { FlatTree } from './python-flat.ts';
import { flatten } from './python-flat.ts';
import type { PyErrorExpr, PyExpr } from './python.types.ts';
import { BODY, COMMA, ERROR, NAME, STAR, term } from './python-terms.ts';

/** Makes the typed node of the expression at a flat index. */
export type ExprReader = (tree: FlatTree, index: number) => PyExpr;

const readers: (ExprReader | undefined)[] = [];
readers[NAME] = readName;

/** Levels of nesting at which chains (`a + b + …`, `a.b().c()…`) are given as a flat list of their operands. */
const chainLimit = 240;
/** Levels at the bottom of such a chain that keep their form. */
const lowestLevels = 40;
/** Levels of nesting that are read at all; what is deeper stands as an ErrorExpr without children. */
export const depthLimit = 300;

/** Names the reader of each expression node of the grammar; called once, before anything is read. */
export function installReaders(table: Readonly<Record<string, ExprReader>>): void {
  for (const [name, reader] of Object.entries(table)) readers[term(name)] = reader;
}

export function isExpr(tree: FlatTree, index: number): boolean {
  return readers[tree.nodes[index]!] !== undefined;
}

/** The index after the keyword that begins a node; error recovery may have left it out. */
export function afterKeyword(tree: FlatTree, index: number, to: number): number {
  const kind = tree.nodes[index]!;
  return index < to && readers[kind] === undefined && kind !== BODY ? tree.nodes[index + 3]! : index;
}

/** Reads the expression at `index`, which may be any node: one that is no expression becomes an ErrorExpr. */
export function readExpr(tree: FlatTree, index: number): PyExpr {
  const { nodes } = tree;
  const kind = nodes[index]!;
  if (kind === NAME) return readName(tree, index);
  const reader = readers[kind];
  if (reader === undefined) return salvage(tree, index);
  const depth = tree.depth;
  if (depth >= chainLimit && !tree.flattening) return flatChain(tree, index);
  if (depth >= depthLimit) {
    tree.tooDeepAt ??= nodes[index + 1]!;
    return { type: 'ErrorExpr', start: nodes[index + 1]!, end: nodes[index + 2]!, children: [] };
  }
  tree.depth = depth + 1;
  const expr = reader(tree, index);
  tree.depth = depth;
  return expr;
}

function readName(tree: FlatTree, index: number): PyExpr {
  const start = tree.nodes[index + 1]!;
  const end = tree.nodes[index + 2]!;
  return readHiddenExpr(tree, index) ?? { type: 'Name', start, end, id: tree.text.slice(start, end) };
}

/** What is hidden behind the identifier at `index`, read on its own; undefined where it is a plain name. */
export function readHiddenExpr(tree: FlatTree, index: number): PyExpr | undefined {
  const fragment = hiddenTree(tree, index);
  if (fragment === undefined) return undefined;
  const [start, end] = [tree.nodes[index + 1]!, tree.nodes[index + 2]!];
  const expr: PyExpr = fragment.first < fragment.nodes.length ? salvage(fragment, fragment.first) : { type: 'ErrorExpr', start, end, children: [] };
  countHidden(tree, fragment);
  return expr;
}

/** The tree of the text behind the identifier at `index`; undefined where it is a plain name. */
export function hiddenTree(tree: FlatTree, index: number): FlatTree | undefined {
  const { text, masks, nodes, effort } = tree;
  const start = nodes[index + 1]!;
  if (masks === undefined || masks.get(start) !== nodes[index + 2]) return undefined;
  // Each costs some time; a text in which next to every line is broken is not read to its end.
  effort.left -= 1;
  if (effort.left < 0) tree.stoppedAt ??= start;
  const fragment = flatten(effort.left < 0 ? '' : text.slice(start, nodes[index + 2]), { text, base: start, effort });
  fragment.depth = tree.depth;
  return fragment;
}

/** Adds what was counted in a hidden tree to the one around it. */
export function countHidden(tree: FlatTree, fragment: FlatTree): void {
  tree.errorCount += fragment.errorCount;
  tree.named += fragment.named;
  tree.statements += fragment.statements;
  tree.stoppedAt ??= fragment.stoppedAt;
  tree.tooDeepAt ??= fragment.tooDeepAt;
  for (const comment of fragment.comments) tree.comments.push(comment);
}

/** Walks down the left edge of a chain without recursion and lists what hangs on its right side, left to right. */
function flatChain(tree: FlatTree, index: number): PyErrorExpr {
  const { nodes } = tree;
  tree.flattening = true;
  const children: PyExpr[] = [];
  const edge = [];
  for (let at = index; isExpr(tree, at); at += 4) {
    edge.push(at);
    if (nodes[at + 3] === at + 4) break;
  }
  // The lowest levels are read as they are; those above contribute what follows their first child.
  let inner = edge[Math.max(0, edge.length - lowestLevels)]!;
  children.push(readExpr(tree, inner));
  for (let level = edge.length - lowestLevels - 1; level >= 0; level -= 1) {
    const at = edge[level]!;
    collect(tree, nodes[inner + 3]!, nodes[at + 3]!, children);
    inner = at;
  }
  tree.flattening = false;
  return { type: 'ErrorExpr', start: nodes[index + 1]!, end: nodes[index + 2]!, children };
}

/** Appends every expression between two flat indices, looking into nodes that are none; one level deep, whatever the nesting. */
export function collect(tree: FlatTree, from: number, to: number, into: PyExpr[]): void {
  const { nodes } = tree;
  for (let at = from; at < to; ) {
    if (isExpr(tree, at)) {
      into.push(readExpr(tree, at));
      at = nodes[at + 3]!;
    } else at += 4;
  }
}

/** The expressions inside a node that makes no sense as a whole: one stands for itself, others become an ErrorExpr. */
export function salvage(tree: FlatTree, index: number): PyExpr {
  const { nodes } = tree;
  const children: PyExpr[] = [];
  collect(tree, index + 4, nodes[index + 3]!, children);
  if (children.length === 1) return children[0]!;
  return { type: 'ErrorExpr', start: nodes[index + 1]!, end: nodes[index + 2]!, children };
}

/**
 * Reads `a, *b, c` from `from` up to `to` or the first node that belongs to no such list, and leaves the index of that
 * node in `tree.next`. A comma makes a tuple; expressions side by side make an ErrorExpr, and none makes an empty one
 * at the offset `at`.
 */
export function readSequence(tree: FlatTree, from: number, to: number, at: number): PyExpr {
  const { nodes } = tree;
  let single: PyExpr | undefined;
  let elements: PyExpr[] | undefined;
  let commas = 0;
  let starAt = -1;
  let index = from;
  for (; index < to; index = nodes[index + 3]!) {
    const kind = nodes[index]!;
    if (kind === COMMA) {
      commas += 1;
    } else if (kind === STAR) {
      starAt = nodes[index + 1]!;
    } else if (isExpr(tree, index)) {
      let expr = readExpr(tree, index);
      if (starAt >= 0) {
        expr = { type: 'Starred', start: starAt, end: expr.end, value: expr };
        starAt = -1;
      }
      if (single === undefined) single = expr;
      else if (elements === undefined) elements = [single, expr];
      else elements.push(expr);
    } else if (kind !== ERROR) break;
    // `a[*b]` is not in the grammar.
    else if (nodes[index + 3]! > index + 4 && nodes[index + 4] === STAR) starAt = nodes[index + 1]!;
  }
  tree.next = index;
  if (single === undefined) return { type: 'ErrorExpr', start: at, end: at, children: [] };
  if (commas === 0 && elements === undefined) return single;
  elements ??= [single];
  const end = elements[elements.length - 1]!.end;
  if (commas < elements.length - 1) return { type: 'ErrorExpr', start: single.start, end, children: elements };
  return { type: 'Tuple', start: single.start, end, elements };
}
