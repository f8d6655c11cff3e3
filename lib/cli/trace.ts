import { closeSync, openSync, writeSync } from 'node:fs';
import { maskLine } from './mask.ts';

/** Takes the lines of a session for `--trace`. */
export type Trace = { line(direction: 'in' | 'out', line: string): void; close(): void };

/**
 * Appends one JSON line `{ts, dir, line}` a message to a file that only its owner may read, secrets masked. A file
 * that can't be opened throws; one that can't be written later ends the trace, not the session.
 */
export function openTrace(file: string, now: () => number, warn: (text: string) => void): Trace {
  let fd: number | undefined = openSync(file, 'a', 0o600);
  return {
    line: (direction, line) => {
      if (fd === undefined) return;
      const entry = JSON.stringify({ ts: new Date(now()).toISOString(), dir: direction, line: maskLine(line) });
      try {
        writeSync(fd, `${entry}\n`);
      } catch (error) {
        fd = undefined;
        warn(`the trace ends here: ${(error as Error).message}`);
      }
    },
    close: () => {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}
