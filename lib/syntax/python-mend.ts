import type { LogicalLine } from './python-lines.ts';

/** A copy of a text with insertions, which offsets of the copy map back over, and the spans hidden in it behind identifiers. */
export type Mended = {
  readonly source: string;
  readonly masks: ReadonlyMap<number, number>;
  /** The offset in the text of one in the copy; what was inserted has the offset of its place. */
  textOffset(offset: number): number;
};

type Edit = { readonly at: number; readonly remove: number; readonly insert: string };

/**
 * Makes a copy in which every logical line is complete: brackets and strings are closed, headers have their colon and
 * a block. Lines in `broken` are hidden behind one identifier each, so that the grammar stumbles over nothing in them;
 * what a header leads into stays below an `if`.
 *
 * `base` is the text or a rewritten copy as long as it, and `baseMasks` what is hidden in that.
 */
export function mend(base: string, lines: readonly LogicalLine[], broken: ReadonlySet<LogicalLine>, baseMasks: ReadonlyMap<number, number> | undefined): Mended {
  const edits: Edit[] = [];
  const masks = new Map(baseMasks);
  lines.forEach((line, place) => {
    const { start, end, head } = line;
    const next = lines[place + 1];
    const deeper = next !== undefined && next.indent > line.indent;
    const opensBlock = line.colon !== 'inside' && (line.colon === 'last' || deeper || head !== '');
    // A name in place of a broken pattern, so that the clause stays one.
    const pattern = broken.has(line) && head === 'case' ? line.colonAt : 0;
    if (pattern > 0) {
      edits.push({ at: start + 4, remove: 0, insert: ' ' }, { at: start + 4, remove: pattern - start - 4, insert: '_' });
      masks.set(start + 4, pattern);
    } else if (broken.has(line)) {
      const block = deeper && opensBlock;
      if (block) edits.push({ at: start, remove: 0, insert: head === 'match' ? 'match ' : 'if ' });
      edits.push({ at: start, remove: end - start, insert: '_' });
      if (block) edits.push({ at: end, remove: 0, insert: ':' });
      masks.set(start, end);
      return;
    }
    for (const at of line.strays) if (at > pattern) edits.push({ at, remove: 1, insert: ' ' });
    for (const { at, quote } of line.openStrings) if (at > pattern) edits.push({ at, remove: 0, insert: quote });
    let tail = line.closers;
    if (head !== '' && line.colon === 'none') tail += ':';
    if (head !== '' && line.colon !== 'inside' && !deeper) tail += ' pass';
    if (tail !== '') edits.push({ at: end, remove: 0, insert: tail });
  });
  return apply(base, edits.sort((one, other) => one.at - other.at), masks);
}

/** Whether the grammar would read a line other than it was meant: something in it does not end. */
export const isUnfinished = (line: LogicalLine, next: LogicalLine | undefined): boolean =>
  line.closers !== '' || line.strays.length > 0 || line.openStrings.length > 0
  || (line.head !== '' && (line.colon === 'none' || (line.colon === 'last' && (next === undefined || next.indent <= line.indent))));

/** Whether a line leads into a block as headers do. */
export const isHeader = (line: LogicalLine, next: LogicalLine | undefined): boolean =>
  line.head !== '' && line.closers === '' && (line.colon === 'inside' || (line.colon === 'last' && next !== undefined && next.indent > line.indent));

function apply(base: string, edits: readonly Edit[], masks: ReadonlyMap<number, number>): Mended {
  // Stretches of the copy, each with its place in the copy and in the text.
  const copyAt: number[] = [];
  const textAt: number[] = [];
  let source = '';
  let at = 0;
  const stretch = (piece: string, from: number): void => {
    copyAt.push(source.length);
    textAt.push(from);
    source += piece;
  };
  for (const edit of edits) {
    if (edit.at > at) stretch(base.slice(at, edit.at), at);
    stretch(edit.insert, edit.at);
    at = edit.at + edit.remove;
  }
  stretch(base.slice(at), at);
  textAt.push(base.length);
  let last = 0;
  const textOffset = (offset: number): number => {
    // The tree is laid out backwards, so the stretch asked for is mostly the one of before or a near one.
    if (copyAt[last]! > offset || (copyAt[last + 1] ?? Infinity) <= offset) {
      let low = 0;
      let high = copyAt.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (copyAt[middle]! <= offset) low = middle;
        else high = middle - 1;
      }
      last = low;
    }
    return Math.min(textAt[last]! + offset - copyAt[last]!, textAt[last + 1]!);
  };
  return { source, masks, textOffset };
}
