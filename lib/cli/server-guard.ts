import { lineLog } from '../mcp/log-line.ts';
import { guardProcess, onEndingSignal } from '../mcp/process-guard.ts';
import type { Log } from '../mcp/family.types.ts';

let log: Log | undefined;
/** While serveStdio runs, its own guard tells what happened. */
let serving = false;

/**
 * Guards the process against stray exceptions and promises of tools from now on until it exits: while plugins load, between
 * the last answer and the end, and while families close. For a process that serves; only the first call counts.
 */
export function guardServer(name: string): void {
  if (log !== undefined) return;
  const write = lineLog((line) => void process.stderr.write(`${name}: ${line}\n`));
  log = (...entry) => {
    if (!serving) write(...entry);
  };
  guardProcess(log);
}

/**
 * Runs what serves. A signal ends that in good order; one that comes later, while families close, changes nothing any more,
 * since the process is about to exit. A second signal ends it at once, whenever the first one came.
 */
export async function guarded<T>(serve: () => Promise<T>): Promise<T> {
  onEndingSignal((signal) => log?.('notice', `ending on ${signal}`));
  serving = true;
  const end = await serve();
  serving = false;
  return end;
}
