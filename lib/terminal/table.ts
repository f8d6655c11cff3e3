import { safeText } from '../text/safe-text.ts';
import type { Paint } from './colour.ts';
import { cutToWidth, displayWidth } from './display-width.ts';

/** A cell's text, and how to paint it once it is cut and aligned. Numbers stand at the right. */
export type Cell = string | number | { readonly text: string; readonly paint: Paint };

/** Column titles, how to paint them, and the width in columns not to exceed (no limit when not given). */
export type TableOptions = { readonly head?: readonly string[]; readonly paintHead?: Paint; readonly width?: number | undefined };

const GAP = '  ';
/** Narrower columns say nothing any more. */
const MIN_COLUMN = 4;
/** Longer cells are cut before they are measured; no terminal is that wide. */
const MAX_CELL = 2_000;

type Row = readonly { readonly text: string; readonly paint: Paint | undefined; readonly right: boolean }[];

/**
 * Lines of aligned columns without trailing spaces, each ended by a newline; no rows and no head give an empty string.
 * Cells are made safe for a terminal. Where the table is wider than allowed, its widest columns are cut with `…`.
 */
export function formatTable(rows: readonly (readonly Cell[])[], { head, paintHead, width = Infinity }: TableOptions = {}): string {
  const body = rows.map((row): Row => row.map(toCell));
  const titles: Row[] = head === undefined ? [] : [head.map((text, index) => {
    const right = body.length > 0 && body.every((row) => row[index]?.right === true);
    return { text: safeText(text, MAX_CELL), paint: paintHead, right };
  })];
  const all = [...titles, ...body];
  const widths = fitWidths(measure(all), width);
  return all.map((row) => `${formatRow(row, widths)}\n`).join('');
}

function toCell(cell: Cell): Row[number] {
  if (typeof cell === 'object') return { text: safeText(cell.text, MAX_CELL), paint: cell.paint, right: false };
  return { text: safeText(String(cell), MAX_CELL), paint: undefined, right: typeof cell === 'number' };
}

function measure(rows: readonly Row[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, { text }] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, displayWidth(text));
  }
  return widths;
}

/** Takes columns from the widest one, again and again, so that narrow ones stay whole as long as possible. */
function fitWidths(widths: readonly number[], width: number): readonly number[] {
  const fitted = [...widths];
  let over = fitted.reduce((sum, each) => sum + each, 0) + GAP.length * (fitted.length - 1) - width;
  for (; over > 0; over -= 1) {
    const widest = Math.max(...fitted);
    if (widest <= MIN_COLUMN) break;
    fitted[fitted.lastIndexOf(widest)] = widest - 1;
  }
  return fitted;
}

function formatRow(row: Row, widths: readonly number[]): string {
  const cells = row.map(({ text, paint, right }, index) => {
    const cut = cutToWidth(text, widths[index] as number);
    const space = ' '.repeat((widths[index] as number) - displayWidth(cut));
    const painted = paint === undefined ? cut : paint(cut);
    if (right) return space + painted;
    return index === row.length - 1 ? painted : painted + space;
  });
  return cells.join(GAP).trimEnd();
}
