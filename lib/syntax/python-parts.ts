import { lineIndex } from '../text/line-index.ts';
import { parsePython } from './python.ts';
import type { PyComment, PyModule, PyStmt } from './python.types.ts';

/** A module that was put together from parts, with the offset of each part in its text. */
export type PyParts = { readonly module: PyModule; readonly starts: readonly number[] };

/** Between parts stands a blank line, so that nothing at the end of one counts for the first line of the next. */
const gap = '\n\n';

/**
 * Parses texts that are run one after another (the cells of a notebook) as one module. Each is parsed by itself: what is
 * broken in one does not reach into the next.
 */
export function parsePythonParts(parts: readonly string[]): PyParts {
  const text = parts.join(gap);
  const body: PyStmt[] = [];
  const comments: PyComment[] = [];
  const starts: number[] = [];
  let errorCount = 0;
  let unreadFrom: number | undefined;
  let tooDeepAt: number | undefined;
  let start = 0;
  for (const part of parts) {
    const module = parsePython(part);
    move([module.body, module.comments], start);
    for (const statement of module.body) body.push(statement);
    for (const comment of module.comments) comments.push(comment);
    errorCount += module.errorCount;
    if (module.unreadFrom !== undefined) unreadFrom ??= start + module.unreadFrom;
    if (module.tooDeepAt !== undefined) tooDeepAt ??= start + module.tooDeepAt;
    starts.push(start);
    start += part.length + gap.length;
  }
  const { lineAt, columnAt } = lineIndex(text);
  return { module: { text, body, comments, errorCount, ...(unreadFrom !== undefined && { unreadFrom }), ...(tooDeepAt !== undefined && { tooDeepAt }), lineAt, columnAt }, starts };
}

/** Adds `by` to all offsets of a tree that nobody else holds yet. */
function move(root: unknown, by: number): void {
  const pending: unknown[] = [root];
  // The parts of a broken expression may be held by two nodes.
  const seen = new Set<unknown>();
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== 'object' || node === null || seen.has(node)) continue;
    seen.add(node);
    const span = node as { start?: number; end?: number };
    if (span.start !== undefined) {
      span.start += by;
      span.end! += by;
    }
    for (const field of Object.values(node)) if (typeof field === 'object') pending.push(field);
  }
}
