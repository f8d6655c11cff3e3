import type { FlatTree } from './python-flat.ts';
import { flatten, freshEffort } from './python-flat.ts';
import { lineIndex } from '../text/line-index.ts';
import type { LogicalLine } from './python-lines.ts';
import { logicalLines } from './python-lines.ts';
import { literalReaders } from './python-literals.ts';
import type { Mended } from './python-mend.ts';
import { isHeader, isUnfinished, mend } from './python-mend.ts';
import { operatorReaders } from './python-operators.ts';
import { primaryReaders } from './python-primaries.ts';
import { installReaders } from './python-reader.ts';
import { repair } from './python-repair.ts';
import { readBlock } from './python-statements.ts';
import type { PyModule, PyStmt } from './python.types.ts';

installReaders({ ...literalReaders, ...operatorReaders, ...primaryReaders });

/**
 * Parses Python 3 (to 3.13) into the typed tree of `python.types.ts`; never throws, whatever the text.
 *
 * Offsets are UTF-16 code units of `text`. What is no valid Python becomes ErrorStmt or ErrorExpr around the
 * expressions recognised in it.
 */
export function parsePython(text: string): PyModule {
  const { tree, body } = bestReading(text);
  const { lineAt, columnAt } = lineIndex(text);
  const unread = tree.stoppedAt === undefined ? {} : { unreadFrom: tree.stoppedAt };
  const tooDeep = tree.tooDeepAt === undefined ? {} : { tooDeepAt: tree.tooDeepAt };
  return { text, body, comments: tree.comments, errorCount: tree.errorCount, ...unread, ...tooDeep, lineAt, columnAt };
}

type Reading = { readonly tree: FlatTree; readonly body: readonly PyStmt[]; readonly errors: number };

function read(tree: FlatTree): Reading {
  const body = readBlock(tree, tree.first, tree.nodes.length, []);
  return { tree, body, errors: tree.errorCount };
}

/** A byte order mark would be part of the first name. */
const withoutMark = (source: string): string => (source.charCodeAt(0) === 0xfeff ? `\n${source.slice(1)}` : source);

function bestReading(text: string): Reading {
  let tree = flatten(withoutMark(text), { text, effort: freshEffort() });
  if (tree.errorCount === 0) return read(tree);
  const repaired = repair(text);
  let base = text;
  if (repaired !== undefined) {
    const second = flatten(withoutMark(repaired.source), { text, masks: repaired.masks, effort: freshEffort() });
    if (second.errorCount < tree.errorCount || (second.stoppedAt ?? text.length) > (tree.stoppedAt ?? text.length)) {
      // Comments inside a rewritten header are only in the first tree.
      tree = { ...second, comments: tree.comments };
      base = repaired.source;
    }
  }
  const comments = tree.comments.length;
  const plain = read(tree);
  // Those of hidden spans are in the first tree already.
  tree.comments.length = comments;
  if (tree.errorCount === 0) return plain;
  const lines = logicalLines(text);
  const unfinished = lines.some((line, place) => isUnfinished(line, lines[place + 1]));
  const mended = readMended(text, withoutMark(base), tree, lines, unfinished);
  // Calls count before statements, and where the parser had given up, any of them are a gain.
  const gain = mended.tree.named - tree.named || (unfinished || tree.stoppedAt !== undefined ? mended.tree.statements : Math.min(mended.tree.statements, tree.statements)) - tree.statements;
  return gain > 0 || (gain === 0 && mended.errors < plain.errors) ? mended : plain;
}

/** Reads a text in which every statement ends where its line seems to, and those with errors in them stand apart. */
function readMended(text: string, base: string, tree: FlatTree, lines: readonly LogicalLine[], unfinished: boolean): Reading {
  const flattened = ({ source, masks, textOffset }: Mended): FlatTree => flatten(source, { text, masks, textOffset, effort: freshEffort() });
  let marked = tree;
  if (unfinished) {
    marked = flattened(mend(base, lines, new Set(), tree.masks));
    if (marked.errorCount === 0) return finish(marked, tree);
  }
  const apart = marked.stoppedAt === undefined ? linesAt(text, lines, marked.errors) : new Set(lines.filter((line, place) => !isHeader(line, lines[place + 1])));
  return finish(flattened(mend(base, lines, apart, tree.masks)), tree);
}

function finish(mended: FlatTree, tree: FlatTree): Reading {
  const reading = read(mended);
  mended.errorCount = Math.max(mended.errorCount, tree.errorCount);
  mended.comments.sort((one, other) => one.start - other.start);
  return reading;
}

/** The lines that errors lie in; one at the beginning of a line may be due to the line before. */
function linesAt(text: string, lines: readonly LogicalLine[], errors: readonly number[]): Set<LogicalLine> {
  const found = new Set<LogicalLine>();
  for (const at of errors) {
    let low = -1;
    let high = lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (lines[middle]!.start <= at) low = middle;
      else high = middle - 1;
    }
    const line = lines[low];
    if (line !== undefined) found.add(line);
    const before = lines[low - 1];
    if (before !== undefined && line !== undefined && at - line.start < 200 && /^[\p{L}\p{N}_.]*\s*$/u.test(text.slice(line.start, at))) found.add(before);
  }
  return found;
}
