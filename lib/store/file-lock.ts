import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readdirSync, renameSync, rmSync, unlinkSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LockHeldError, LockUnsupportedError } from './lock-errors.ts';
import type { LockBlocker } from './lock-errors.ts';
import { readLockFile, stateOf } from './lock-holder.ts';
import type { LockFile, LockHolder } from './lock-holder.ts';
import type { System } from './system.ts';

const POLL_MS = 2;
/** Looking at the holder costs five system calls and taking one, so a waiter looks less often than it tries. */
const LOOK_EVERY_MS = 10;
const GIVE_WAY_WITHIN_MS = 1_000;
const UNREADABLE_IDENTITY_MS = 3_600_000;
/** Marks of marks end at the first living process; only forged files can go in a circle. */
const MAX_MARKS = 16;
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EINVAL']);

/** How long `take` may wait: `deadline` on the clock of performance.now(), and a signal that ends the wait. */
export type TakeLimits = { readonly deadline: number; readonly signal?: AbortSignal | undefined };

/**
 * One process's hand on one lock file. Its content is a hard link to the holder's identity file, so a lock is never
 * seen half written, and it can be removed by its holder or under a mark that one process alone can hold.
 * It knows no queue: callers of one process must take turns (lock.ts).
 */
export class FileLock {
  readonly path: string;
  readonly holder: LockHolder;
  readonly #system: System;
  readonly #identity: string;
  #waitedAt = -Infinity;
  #takenAt = 0;
  #giveWayUntil = 0;

  /** Writes the identity file and sweeps what dead processes left; the folder must exist. */
  constructor(file: string, system: System) {
    const { pid, start, boot, ns, host } = system;
    this.path = file;
    this.holder = { pid, start, boot, ns, host, random: randomBytes(12).toString('hex') };
    this.#system = system;
    this.#identity = `${file}.id-${this.holder.random}`;
    this.#identify();
    this.#sweep();
  }

  /** Waits for the lock and holds it. Throws LockHeldError after the deadline, the signal's reason when aborted. */
  async take({ deadline, signal }: TakeLimits): Promise<void> {
    const pause = Math.min(this.#giveWayUntil, deadline) - performance.now();
    if (pause > 0) await this.#sleep(pause, signal);
    let lookedAt = -Infinity;
    for (;;) {
      signal?.throwIfAborted();
      if (this.#claim(this.path)) break;
      const now = performance.now();
      this.#waitedAt = now;
      const late = now >= deadline;
      if (late || now - lookedAt >= LOOK_EVERY_MS) {
        lookedAt = now;
        const blocker = this.#clear(this.path);
        // Nothing in the way any more: a lock whose holder died is worth one more try, however late it is.
        if (late && blocker !== undefined) throw new LockHeldError(blocker);
      }
      await this.#sleep(Math.random() * POLL_MS, signal);
    }
    this.#takenAt = performance.now();
  }

  /** Gives the lock back, unless a person has broken it meanwhile and it is another's now. */
  release(): void {
    const now = performance.now();
    // Waiting lately means others want it too. Pollers lose against a process that takes it again at once, hence the pause.
    if (now - this.#waitedAt < GIVE_WAY_WITHIN_MS) this.#giveWayUntil = now + (now - this.#takenAt);
    this.#removeIfOf(this.path, this.holder);
  }

  /** Removes the lock and its marks unless their holders run for certain; throws LockHeldError for those that do. */
  breakOpen(): LockBlocker[] {
    const found = [this.path, ...this.#siblings('reap')].flatMap((file): LockBlocker[] => {
      const content = readLockFile(file);
      return content === undefined ? [] : [{ file, holder: content.holder, state: stateOf(content, this.#system) }];
    });
    const alive = found.find(({ state }) => state === 'alive');
    if (alive !== undefined) throw new LockHeldError(alive);
    // Marks first, as the lock goes under one of them.
    for (const { file, holder } of [...found].reverse()) {
      if (holder === null) this.#removeForeign(file);
      else this.#removeMarked(file, holder);
    }
    return found;
  }

  /** Removes the identity file. A lock still held stays: the work under it may not have ended. */
  close(): void {
    remove(this.#identity);
  }

  #identify(): void {
    const fd = openSync(this.#identity, 'wx', 0o644);
    try {
      writeSync(fd, `${JSON.stringify(this.holder)}\n`);
      // Else a power cut could leave a lock without content, of which nobody knows the holder.
      fsyncSync(fd);
    } catch (error) {
      remove(this.#identity);
      throw error;
    } finally {
      closeSync(fd);
    }
  }

  /** Makes `file` ours if it is free. A file that already says us is a link whose answer, or whose removal, failed. */
  #claim(file: string): boolean {
    try {
      return this.#link(file);
    } catch (error) {
      // The identity file is gone: cleaned away with its folder, or swept. It says the same when written again.
      if (!isCode(error, 'ENOENT')) throw error;
      this.#identify();
      return this.#link(file);
    }
  }

  #link(file: string): boolean {
    try {
      linkSync(this.#identity, file);
      return true;
    } catch (error) {
      if (isCode(error, 'EEXIST')) return readLockFile(file)?.holder?.random === this.holder.random;
      if (NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw new LockUnsupportedError(file, error);
      throw error;
    }
  }

  /**
   * Removes `file` if its holder is dead; undefined when it is worth another try, else who is in the way.
   * Only the holder of the mark `reap-r` may remove what the dead r left, and it looks again once it has the mark:
   * two processes that both saw r dead cannot both remove, the second one the lock of a third.
   */
  #clear(file: string, depth = 0): LockBlocker | undefined {
    const found = readLockFile(file);
    if (found === undefined) return undefined;
    const { holder } = found;
    const state = stateOf(found, this.#system);
    if (holder === null || state !== 'dead' || depth > MAX_MARKS) return { file, holder, state };
    return this.#removeMarked(file, holder) ? undefined : this.#clear(this.#markOf(holder), depth + 1);
  }

  /** Removes `file` if it still says `holder`, under the mark that one process alone can hold; false where another has the mark. */
  #removeMarked(file: string, holder: LockHolder): boolean {
    const mark = this.#markOf(holder);
    if (!this.#claim(mark)) return false;
    try {
      this.#removeIfOf(file, holder);
    } finally {
      remove(mark);
    }
    return true;
  }

  /** What is none of ours has no mark. It is moved away first: a lock that came into its place meanwhile goes back. */
  #removeForeign(file: string): void {
    const away = `${this.#identity}.away`;
    try {
      renameSync(file, away);
    } catch (error) {
      if (isCode(error, 'ENOENT')) return;
      throw error;
    }
    if (readLockFile(away)?.holder !== null) this.#putBack(away, file);
    else rmSync(away, { force: true, recursive: true });
  }

  #putBack(away: string, file: string): void {
    try {
      linkSync(away, file);
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    }
    remove(away);
  }

  #markOf({ random }: LockHolder): string {
    return `${this.path}.reap-${random}`;
  }

  #removeIfOf(file: string, holder: LockHolder): void {
    if (readLockFile(file)?.holder?.random === holder.random) remove(file);
  }

  /** Removes identity files and marks that dead processes left behind. */
  #sweep(): void {
    for (const file of this.#siblings('reap')) this.#clear(file);
    for (const file of this.#siblings('id')) {
      const found = readLockFile(file);
      if (found !== undefined && this.#isStale(found)) remove(file);
    }
  }

  #isStale(found: LockFile): boolean {
    // Without content: its writer was killed between creating and writing it, or is about to write.
    if (found.holder === null) return Date.now() - found.writtenAt > UNREADABLE_IDENTITY_MS;
    return stateOf(found, this.#system) === 'dead';
  }

  #siblings(kind: 'id' | 'reap'): string[] {
    const prefix = `${path.basename(this.path)}.${kind}-`;
    const folder = path.dirname(this.path);
    return readdirSync(folder)
      .filter((name) => name.startsWith(prefix))
      .map((name) => path.join(folder, name));
  }

  async #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await sleep(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
