/**
 * Exit codes of every command line: done, refused (or findings at the threshold), wrong usage, and ended by a signal,
 * which shells report as 128 + its number. A family may add codes of its own from 3 on.
 */
export const exitCodes = { done: 0, refused: 1, usage: 2, interrupted: 130, terminated: 143 } as const;

/** One of the shared exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of a program that ends because of this signal. */
export function exitCodeOfSignal(signal: 'SIGINT' | 'SIGTERM'): ExitCode {
  return signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
}
