import { Tree } from '@lezer/common';
import type { PartialParse } from '@lezer/common';
import { parser } from '@lezer/python';
import type { PyComment } from './python.types.ts';
import { canonical, COMMENT, dropped, ERROR } from './python-terms.ts';

/**
 * The syntax tree of a text as one array of numbers, and the state of the walk that turns it into typed nodes.
 *
 * `nodes` holds four numbers a node, parents before children: term, start, end, and the index just after the node's
 * last descendant. The children of node `i` therefore begin at `i + 4`, and the sibling of child `c` is `nodes[c + 3]`.
 */
export type FlatTree = {
  readonly text: string;
  readonly nodes: Int32Array;
  /** Index of the first top-level node; the last one ends at `nodes.length`. */
  readonly first: number;
  readonly comments: PyComment[];
  /** Spans that were hidden from the grammar behind an identifier and are parsed on their own, start -> end. */
  readonly masks: ReadonlyMap<number, number> | undefined;
  errorCount: number;
  /** Offsets of the first of those places, last one first. */
  readonly errors: readonly number[];
  /** How many calls with a named callee have been read, and definitions: a broken reading takes `def f(x)` for a call. */
  named: number;
  /** How many statements other than broken ones have been read. */
  statements: number;
  /** Where the parser gave up, since the text is hopelessly unlike Python; undefined if it did not. */
  stoppedAt: number | undefined;
  /** Where code lies deeper than is read, the first such place; undefined if none does. */
  tooDeepAt: number | undefined;
  readonly effort: Effort;
  /** How many nodes enclose the one being read. */
  depth: number;
  /** Whether the walk is inside a chain that was flattened because it ran too deep. */
  flattening: boolean;
  /** Whether backslashes of raw f-strings may still hide braces from the grammar. */
  hiddenBraces: boolean;
  /** Where the last list read by `readSequence` ended. */
  next: number;
};

/**
 * How a parsed source lies in its text, which node values are cut from: they differ where a rewritten copy or a fragment
 * is parsed. `base` is the place of the source in the text; `textOffset` maps offsets of a copy of another length.
 */
export type Placement = {
  readonly text: string;
  readonly base?: number | undefined;
  readonly masks?: ReadonlyMap<number, number> | undefined;
  readonly textOffset?: ((offset: number) => number) | undefined;
  readonly effort: Effort;
};

/** The part of lezer's parse state that holds its output: records of (term, start, end, size), children before parents. */
type OutputStack = { readonly buffer: readonly number[]; readonly bufferBase: number; readonly parent: OutputStack | null };
type ParseWithOutput = PartialParse & { stackToTree(stack: OutputStack): Tree; readonly recovering: number; bigReductionCount: number; readonly stacks: readonly { readonly stack: readonly number[] }[] };

/** Steps of error recovery, times ways tried, that may still be taken before a text is given up. */
export type Effort = { left: number };

/** About a second of work. */
const recoveryLimit = 300_000;
/** Length of the parser's stack at 2,000 levels. */
const deepStack = 6_000;

/** A fresh allowance for reading one text, to be shared by all that is parsed of it. */
export const freshEffort = (): Effort => ({ left: recoveryLimit });

/**
 * Parses `source` and lays its tree out flat; never throws, whatever the text.
 *
 */
export function flatten(source: string, { text, base = 0, masks, textOffset, effort }: Placement): FlatTree {
  const { stack, stoppedAt: stop } = outputOf(source, effort);
  const total = stack.bufferBase + stack.buffer.length;
  const nodes = new Int32Array(total);
  const comments: PyComment[] = [];
  let errorCount = 0;
  const errors: number[] = [];
  let out = total;
  // Nodes whose children are still being read, five numbers each: term, start, end, end index, where its records begin.
  const open: number[] = [];
  let openBegin = -1;
  for (let segment: OutputStack | null = stack, index = stack.buffer.length; segment !== null; ) {
    const { buffer, bufferBase } = segment;
    for (; index > 0; index -= 4) {
      const position = bufferBase + index;
      while (position <= openBegin) {
        out = close(nodes, out, open);
        openBegin = open[open.length - 1] ?? -1;
      }
      const size = buffer[index - 1]!;
      // Negative sizes mark notes on the parser's state, not nodes.
      if (size < 0) continue;
      const raw = buffer[index - 4]!;
      const id = canonical[raw]!;
      if (id === dropped) continue;
      let start = buffer[index - 3]! + base;
      let end = buffer[index - 2]! + base;
      if (textOffset !== undefined) {
        start = textOffset(start);
        end = textOffset(end);
      }
      if (id === ERROR) {
        errorCount += 1;
        errors.push(start);
        if (start === end && size === 4) continue;
      }
      if (id === COMMENT) {
        comments.push({ start, end, text: text.slice(start, end) });
      } else if (size === 4) {
        nodes[out - 1] = out;
        nodes[out - 2] = end;
        nodes[out - 3] = start;
        nodes[out - 4] = id;
        out -= 4;
      } else {
        openBegin = position - size;
        open.push(id, start, end, out, openBegin);
      }
    }
    const parent: OutputStack | null = segment.parent;
    if (parent !== null) index = bufferBase - parent.bufferBase;
    segment = parent;
  }
  while (open.length > 0) out = close(nodes, out, open);
  comments.reverse();
  const stoppedAt = stop === undefined || textOffset === undefined ? stop && stop + base : textOffset(stop);
  return { text, nodes, first: out, comments, masks, errorCount, errors, named: 0, statements: 0, stoppedAt, tooDeepAt: undefined, effort, depth: 0, flattening: false, hiddenBraces: true, next: 0 };
}

function close(nodes: Int32Array, out: number, open: number[]): number {
  open.pop();
  nodes[out - 1] = open.pop()!;
  nodes[out - 2] = open.pop()!;
  nodes[out - 3] = open.pop()!;
  nodes[out - 4] = open.pop()!;
  return out - 4;
}

/**
 * Runs the parser and takes its output before it is made into a tree.
 *
 * `Tree.build` keeps only the leaves of what is nested deeper than 2,500 levels, and a tree of objects would be taken
 * apart again at once. For the same reason it breaks a long chain of operators into pieces, which the readers here need not,
 * as they take chains apart in loops: `bigReductionCount` is kept from getting there. Neither is a public interface of
 * @lezer/lr, which is why its version is pinned: a release without them fails specs of this folder.
 */
function outputOf(source: string, effort: Effort): { stack: OutputStack; stoppedAt: number | undefined } {
  const parse = parser.startParse(source) as ParseWithOutput;
  let output: OutputStack | undefined;
  parse.stackToTree = (stack) => {
    output = stack;
    return Tree.empty;
  };
  let stoppedAt: number | undefined;
  for (let steps = 0; parse.advance() === null; steps += 1) {
    // Past its own limit of nesting the parser takes apart what it has, step by step, without calling that recovery.
    const sampled = (steps & 63) === 0;
    // Only chains to the left, which need no stack: others are as deep as they are long.
    if (sampled && parse.stacks[0]!.stack.length <= deepStack) parse.bigReductionCount = 0;
    if ((parse.recovering === 0 && !sampled) || stoppedAt !== undefined) continue;
    if (parse.recovering !== 0) effort.left -= parse.stacks.length;
    if (sampled && parse.stacks[0]!.stack.length > deepStack) effort.left -= 256;
    if (effort.left < 0) {
      stoppedAt = parse.parsedPos;
      parse.stopAt(stoppedAt);
    }
  }
  return { stack: output!, stoppedAt };
}
