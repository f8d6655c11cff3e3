import type { ChildProcess } from 'node:child_process';
import type { RunnerError } from '../fix.types.ts';
import { timedOut } from './messages-api.ts';

/** How long the program may take, and how long after SIGTERM it is killed, in milliseconds. */
export type CliPatience = { readonly total: number; readonly grace: number };

/** What the program wrote, or why that is of no use. */
export type ProgramOutput = { readonly output: string } | { readonly error: RunnerError };

const maxOutput = 4 * 1024 * 1024;
/** How long after its end a program's last words may take to come through the pipe, in milliseconds. */
const drainMs = 250;

/**
 * What a started program writes, which must lead a process group of its own. Ends with the program, though others that it
 * started keep its output open, and at the latest a moment after the program was killed. Its group ends with it, and with
 * this process. Never rejects: whoever cancelled by `signal` is told of a timeout.
 */
export function outputOf(child: ChildProcess, prompt: string, signal: AbortSignal, { total, grace }: CliPatience): Promise<ProgramOutput> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let size = 0;
    let why: RunnerError | undefined;
    const timers: NodeJS.Timeout[] = [];
    const after = (ms: number, work: () => void): void => void timers.push(setTimeout(work, ms));
    const forget = endWithProcess(child);
    let isOver = false;
    const done = (result: ProgramOutput): void => {
      if (isOver) return;
      isOver = true;
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', cancelled);
      // What it left running in its group ends with it; what left the group keeps the pipe, which is let go of.
      signalGroup(child, 'SIGKILL');
      forget();
      child.stdout!.destroy();
      child.stdin!.destroy();
      child.unref();
      resolve(result);
    };
    const stop = (error: RunnerError): void => {
      if (why !== undefined) return;
      why = error;
      signalGroup(child, 'SIGTERM');
      after(grace, () => {
        signalGroup(child, 'SIGKILL');
        after(drainMs, () => done({ error }));
      });
    };
    const cancelled = (): void => stop({ kind: 'timeout', message: 'the request was cancelled', retryable: true });
    const ended = (code: number | null): void => {
      if (why !== undefined) done({ error: why });
      else if (size === 0) done({ error: { kind: 'http', message: `the program claude ended with ${code ?? 'a signal'} and no answer`, retryable: true } });
      else done({ output: Buffer.concat(pieces).toString('utf8') });
    };
    after(total, () => stop(timedOut));
    signal.addEventListener('abort', cancelled);
    if (signal.aborted) cancelled();
    child.stdout!.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > maxOutput) stop({ kind: 'http', message: 'the program claude wrote too much', retryable: false });
      else pieces.push(piece);
    });
    // A program that does not read its input is judged by what it writes.
    child.stdin!.on('error', () => undefined);
    child.stdin!.end(prompt);
    child.on('error', () => done({ error: { kind: 'http', message: 'the program claude can not be started', retryable: false } }));
    const drain = (code: number | null, seen: number): void =>
      after(drainMs, () => {
        if (size === seen) ended(code);
        else drain(code, size);
      });
    child.on('exit', (code) => drain(code, size));
    child.on('close', ended);
  });
}

/** Programs that run; none outlives this process, which may end before they do. */
const running = new Set<ChildProcess>();
const endAll = (): void => running.forEach((child) => signalGroup(child, 'SIGKILL'));

/** Lets a program end with this process, until the answer is called. */
function endWithProcess(child: ChildProcess): () => void {
  if (running.size === 0) process.on('exit', endAll);
  running.add(child);
  return () => {
    running.delete(child);
    if (running.size === 0) process.off('exit', endAll);
  };
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // It is gone already.
  }
}
