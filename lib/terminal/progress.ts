import { safeText } from '../text/safe-text.ts';
import { cutToWidth } from './display-width.ts';
import type { OutputStream } from './terminal.types.ts';

/** Where to draw (stderr, as stdout carries the answer), what to call it, how much there is to do, and the clock in ms. */
export type ProgressOptions = {
  readonly stream: OutputStream;
  readonly label: string;
  readonly total?: number | undefined;
  readonly now?: () => number;
};

/** A line that is redrawn while work goes on, and taken away at its end. */
export type Progress = {
  /** Says how much is done, and a word on what is being done; drawn at most ten times a second. */
  update(done: number, detail?: string): void;
  /** Clears the line. */
  end(): void;
};

const INTERVAL_MS = 100;
const BAR = 20;
const CLEAR = '\u001b[K';

/** A progress line on a terminal; on any other stream it writes nothing. Work that ends within 100 ms shows none. */
export function createProgress({ stream, label, total = 0, now = () => performance.now() }: ProgressOptions): Progress {
  if (stream.isTTY !== true) return { update: () => undefined, end: () => undefined };
  let drawnAt = now();
  let drawn = false;
  return {
    update(done, detail = '') {
      const time = now();
      if (time - drawnAt < INTERVAL_MS) return;
      drawnAt = time;
      drawn = true;
      const line = safeText([label, amount(done, total), detail].filter((part) => part !== '').join(' '), 1_000);
      // A line that fills the last column would wrap, and the next return would not reach its start.
      stream.write(`\r${cutToWidth(line, (stream.columns || 80) - 1)}${CLEAR}`);
    },
    end() {
      if (drawn) stream.write(`\r${CLEAR}`);
      drawn = false;
    },
  };
}

function amount(done: number, total: number): string {
  if (total <= 0) return String(done);
  const part = Math.min(1, Math.max(0, done / total));
  const full = Math.round(part * BAR);
  return `[${'#'.repeat(full)}${'-'.repeat(BAR - full)}] ${String(Math.floor(part * 100)).padStart(3)} % ${done}/${total}`;
}
