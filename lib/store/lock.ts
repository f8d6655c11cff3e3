import { realpathSync } from 'node:fs';
import path from 'node:path';
import { FileLock } from './file-lock.ts';
import { LockHeldError } from './lock-errors.ts';
import type { LockBlocker } from './lock-errors.ts';
import { readSystem } from './system.ts';
import type { System } from './system.ts';
import { Turnstile } from './turnstile.ts';

/** How to wait for a lock: at most `waitMs` milliseconds (5,000 when not given), or until the signal is aborted. */
export type LockOptions = { readonly waitMs?: number; readonly signal?: AbortSignal };

/** A lock kept open for many uses; `close` removes this process's identity file beside it. */
export type Lock = {
  readonly path: string;
  /** Runs `work` while holding the lock; see `withLock`. */
  run<T>(work: () => T | Promise<T>, options?: LockOptions): Promise<T>;
  close(): void;
};

type Entry = { readonly file: FileLock; readonly turns: Turnstile; users: number };

const DEFAULT_WAIT_MS = 5_000;
/** Opening costs a synced file, so locks stay open after use; but a server may see thousands of them in its life. */
const MAX_IDLE = 16;

const entries = new Map<string, Entry>();
let system: System | undefined;

/**
 * Runs `work` while this process alone holds the lock file, and gives it back however the work ends.
 *
 * Use one lock a file that is written. The folder must exist; beside the lock lie `<lock>.id-*` and `<lock>.reap-*`.
 * A lock whose process died (kill -9, power cut) is taken over. Throws LockHeldError when it was not free in time,
 * which includes waiting for other calls of this process and for the caller's own enclosing call, the signal's
 * reason when aborted, and LockUnsupportedError where the file system has no hard links.
 */
export async function withLock<T>(file: string, work: () => T | Promise<T>, options: LockOptions = {}): Promise<T> {
  const key = keyOf(file);
  const entry = use(key);
  try {
    return await run(entry, work, options);
  } finally {
    entry.users -= 1;
    closeIdle();
  }
}

/** Opens a lock for many uses and sweeps what dead processes left beside it; calls share one queue a file. */
export function openLock(file: string): Lock {
  const key = keyOf(file);
  const entry = use(key);
  let open = true;
  return {
    path: key,
    run(work, options = {}) {
      if (!open) throw new Error(`the lock ${key} is closed`);
      return run(entry, work, options);
    },
    close() {
      if (!open) return;
      open = false;
      entry.users -= 1;
      if (entry.users === 0) dispose(key, entry);
    },
  };
}

/**
 * Removes a lock whose holder cannot be seen from here (another container or host), after a person said so.
 * Returns what was removed, an empty list when there was nothing. Throws LockHeldError when the holder runs for certain.
 */
export function breakLock(file: string): LockBlocker[] {
  const key = keyOf(file);
  const entry = use(key);
  try {
    return entry.file.breakOpen();
  } finally {
    entry.users -= 1;
    closeIdle();
  }
}

async function run<T>({ file, turns }: Entry, work: () => T | Promise<T>, options: LockOptions): Promise<T> {
  const { waitMs = DEFAULT_WAIT_MS, signal } = options;
  const deadline = performance.now() + waitMs;
  if (!(await turns.enter(waitMs, signal))) {
    throw new LockHeldError({ file: file.path, holder: file.holder, state: 'alive' });
  }
  try {
    await file.take({ deadline, signal });
    try {
      return await work();
    } finally {
      file.release();
    }
  } finally {
    turns.leave();
  }
}

/** Two spellings of one folder must meet in one queue. */
function keyOf(file: string): string {
  return path.join(realpathSync(path.dirname(file)), path.basename(file));
}

function use(key: string): Entry {
  let entry = entries.get(key);
  if (entry === undefined) {
    if (system === undefined) {
      system = readSystem();
      // Only identities go: at exit a write under the lock may still be under way in the thread pool.
      process.on('exit', closeAll);
    }
    entry = { file: new FileLock(key, system), turns: new Turnstile(), users: 0 };
  }
  // Last used goes last, so that the oldest is closed first.
  entries.delete(key);
  entries.set(key, entry);
  entry.users += 1;
  return entry;
}

function closeIdle(): void {
  const idle = [...entries].filter(([, entry]) => entry.users === 0);
  for (const [key, entry] of idle.slice(0, Math.max(0, idle.length - MAX_IDLE))) dispose(key, entry);
}

function closeAll(): void {
  for (const [key, entry] of entries) dispose(key, entry);
}

function dispose(key: string, entry: Entry): void {
  entries.delete(key);
  entry.file.close();
}
