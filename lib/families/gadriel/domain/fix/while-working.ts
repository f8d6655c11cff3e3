import type { FixSurroundings } from './fix.types.ts';

/** How often a caller hears that a runner is still at work, in milliseconds. */
const interval = 1_000;

/**
 * Runs a piece of work and reports progress at its start, at each `tell` and every second between, in seconds since the start.
 * No more is reported once the work is over.
 */
export async function whileWorking<T>(
  { progress, signal }: Pick<FixSurroundings, 'progress' | 'signal'>, runnerId: string, work: (tell: (message: string) => void) => Promise<T>,
): Promise<T> {
  const start = performance.now();
  let last = -1;
  let message = 'starting';
  const report = (): void => {
    // It has to grow, whatever the clock's grain.
    last = Math.max(last + 0.001, Math.round(performance.now() - start) / 1_000);
    if (!signal.aborted) progress(last, undefined, `${runnerId}: ${message}`);
  };
  const timer = setInterval(report, interval);
  timer.unref();
  try {
    return await work((next) => {
      message = next;
      report();
    });
  } finally {
    clearInterval(timer);
  }
}
