import type { Log } from './family.types.ts';

/** The two signals that end a server, with the exit code of a second one (128 + signal number). */
const endingSignals = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Keeps the process alive through exceptions that no call caught (a tool that throws in a timer, a rejected promise
 * that nobody awaits): each becomes one log line. Returns what takes the handlers away again.
 */
export function guardProcess(log: Log): () => void {
  const report = (what: string) => (error: unknown) => log('error', what, error instanceof Error ? (error.stack ?? error.message) : String(error));
  const onException = report('uncaught exception; the session goes on');
  const onRejection = report('unhandled rejection; the session goes on');
  const ignore = (): void => undefined;
  process.on('uncaughtException', onException);
  process.on('unhandledRejection', onRejection);
  // A closed or full stderr must not end a session whose answers still get through.
  process.stderr.on('error', ignore);
  return () => {
    process.off('uncaughtException', onException);
    process.off('unhandledRejection', onRejection);
    process.stderr.off('error', ignore);
  };
}

/** Calls `onFirst` at the first SIGINT or SIGTERM; the second one ends the process at once with 130 or 143. */
export function onEndingSignal(onFirst: (signal: string) => void): () => void {
  let signalled = false;
  const handlers = Object.entries(endingSignals).map(([signal, code]) => {
    const handler = (): void => {
      if (signalled) process.exit(code);
      signalled = true;
      onFirst(signal);
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  return () => handlers.forEach(({ signal, handler }) => process.off(signal, handler));
}
