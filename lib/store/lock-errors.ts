import type { HolderState, LockHolder } from './lock-holder.ts';

const HELD = Symbol.for('toolwire.lock-held');
const UNSUPPORTED = Symbol.for('toolwire.lock-unsupported');

/** Who kept us out: `file` is the lock, or the mark of a takeover that its maker cannot finish. */
export type LockBlocker = { readonly file: string; readonly holder: LockHolder | null; readonly state: HolderState };

/** The lock was not free within the time allowed; carries the file, its holder and what is known of it. */
export class LockHeldError extends Error {
  readonly file: string;
  readonly holder: LockHolder | null;
  readonly state: HolderState;

  constructor({ file, holder, state }: LockBlocker) {
    super(`${file} is held by ${describe(holder, state)}`);
    this.file = file;
    this.holder = holder;
    this.state = state;
  }

  static {
    Object.defineProperty(this.prototype, 'name', { value: 'LockHeldError' });
    Object.defineProperty(this.prototype, HELD, { value: true });
  }
}

/** The file system cannot make hard links, so that no lock on it would be safe; `cause` is its error. */
export class LockUnsupportedError extends Error {
  readonly file: string;

  constructor(file: string, cause: unknown) {
    super(`no lock can be made at ${file}: its file system has no hard links (locks work on local disks only)`, { cause });
    this.file = file;
  }

  static {
    Object.defineProperty(this.prototype, 'name', { value: 'LockUnsupportedError' });
    Object.defineProperty(this.prototype, UNSUPPORTED, { value: true });
  }
}

/** Recognises a LockHeldError, also one of another copy of this module. */
export function isLockHeldError(error: unknown): error is LockHeldError {
  return typeof error === 'object' && error !== null && HELD in error;
}

/** Recognises a LockUnsupportedError, also one of another copy of this module. */
export function isLockUnsupportedError(error: unknown): error is LockUnsupportedError {
  return typeof error === 'object' && error !== null && UNSUPPORTED in error;
}

function describe(holder: LockHolder | null, state: HolderState): string {
  if (holder === null) return 'something that is no toolwire process; remove the file if nothing uses it';
  const who = `process ${holder.pid} on host ${JSON.stringify(holder.host)}`;
  return state === 'unknown' ? `${who}, which cannot be seen from here; break the lock if it no longer runs` : who;
}
