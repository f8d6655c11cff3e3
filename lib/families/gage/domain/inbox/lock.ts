import { isLockHeldError, isLockUnsupportedError } from '../../../../store/lock-errors.ts';
import { readLockFile } from '../../../../store/lock-holder.ts';
import { withLock } from '../../../../store/lock.ts';
import { isMissing, systemErrorCode, systemReason } from '../../../../text/system-error.ts';
import type { Home } from '../home/home.ts';
import { loadIdentity } from '../identity/identity-file.ts';
import { isRefused, Refused } from '../refused.ts';

const LOCK = 'inbox.lock';
const OWN_WAIT_MS = 5_000;
/** What no process of ours wrote goes away by a person's hand alone. */
const FOREIGN_WAIT_MS = 200;

/**
 * Runs `work` while this process alone changes the inbox: a pull, an accept and a reject of one bundle must not meet.
 * Throws Refused without an identity, where the lock is not free within 5 s, and for every system error of the work.
 */
export async function withInboxLock<T>(home: Home, work: () => T | Promise<T>): Promise<T> {
  loadIdentity(home);
  try {
    const lock = home.path(LOCK);
    return await withLock(lock, work, { waitMs: readLockFile(lock)?.holder === null ? FOREIGN_WAIT_MS : OWN_WAIT_MS });
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  if (isRefused(error)) return error;
  const refuse = (why: string): Refused => new Refused(`the inbox can not be changed: ${why}`, { cause: error });
  if (isLockHeldError(error)) return refuse(`another process holds ${LOCK} in the gage home: try again, or delete that file if no gage runs`);
  if (isLockUnsupportedError(error)) return refuse('the file system of the gage home has no hard links, which locks need');
  if (isMissing(error)) return refuse('something in it was taken away at the same time: try again');
  // An error without a code is a bug, and must not pass for a refusal.
  return systemErrorCode(error) === undefined ? error : refuse(systemReason(error));
}
