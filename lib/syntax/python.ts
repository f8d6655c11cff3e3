import type { FlatTree } from './python-flat.ts';
import { flatten } from './python-flat.ts';
import { lineIndex } from '../text/line-index.ts';
import { literalReaders } from './python-literals.ts';
import { operatorReaders } from './python-operators.ts';
import { primaryReaders } from './python-primaries.ts';
import { installReaders } from './python-reader.ts';
import { repair } from './python-repair.ts';
import { readBlock } from './python-statements.ts';
import type { PyModule } from './python.types.ts';

installReaders({ ...literalReaders, ...operatorReaders, ...primaryReaders });

/**
 * Parses Python 3 (to 3.13) into the typed tree of `python.types.ts`; never throws, whatever the text.
 *
 * Offsets are UTF-16 code units of `text`. What is no valid Python becomes ErrorStmt or ErrorExpr around the
 * expressions recognised in it.
 */
export function parsePython(text: string): PyModule {
  const tree = bestTree(text);
  const body = readBlock(tree, tree.first, tree.nodes.length, []);
  const { lineAt, columnAt } = lineIndex(text);
  return { text, body, comments: tree.comments, errorCount: tree.errorCount, lineAt, columnAt };
}

/** A byte order mark would be part of the first name. */
const withoutMark = (source: string): string => (source.charCodeAt(0) === 0xfeff ? `\n${source.slice(1)}` : source);

function bestTree(text: string): FlatTree {
  const tree = flatten(withoutMark(text), text);
  const repaired = tree.errorCount === 0 ? undefined : repair(text);
  if (repaired === undefined) return tree;
  const second = flatten(withoutMark(repaired.source), text, 0, repaired.masks);
  // Comments inside a rewritten header are only in the first tree.
  return second.errorCount < tree.errorCount ? { ...second, comments: tree.comments } : tree;
}
