import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { writeFileAtomic } from '../../../../store/atomic-write.ts';
import { isLockHeldError, isLockUnsupportedError } from '../../../../store/lock-errors.ts';
import { withLock } from '../../../../store/lock.ts';
import { canonicalJson } from '../../../../text/canonical-json.ts';
import { safeText } from '../../../../text/safe-text.ts';
import { isMissing, systemErrorCode, systemReason } from '../../../../text/system-error.ts';
import { isRefused, Refused } from '../refused.ts';
import { checkWriters } from './home.ts';
import type { Home } from './home.ts';
import { parseHandJson } from './read-json.ts';
import { deniedReason } from './where-there.ts';

/** One of the small JSON files at the top of the home: what it is called and what may be in it. */
export type StateFile<T> = {
  readonly name: string;
  readonly maxBytes: number;
  /** What a missing file means. */
  readonly missing: T;
  /** The content of a parsed file, or the place in it (a JSON pointer) and what is wrong there. */
  parse(value: unknown): { readonly content: T } | { readonly problem: string };
};

/** A state file that commands write too; `encode` gives the JSON value to write. */
export type WritableStateFile<T> = StateFile<T> & { encode(content: T): unknown };

/**
 * Reads a state file. A missing one gives `missing`; a link, one that others may write or own, one that is too big or broken
 * throws Refused that names file and place: nobody may read an empty list out of a damaged one.
 */
export function readState<T>(home: Home, file: StateFile<T>): T {
  const bytes = readBytes(home, file);
  if (bytes === undefined) return file.missing;
  const parsed = parseHandJson(bytes);
  const checked = 'problem' in parsed ? parsed : file.parse(parsed.value);
  if ('problem' in checked) throw new Refused(`${file.name} in the gage home can not be used: ${safeText(checked.problem, 300)}; repair it by hand`);
  return checked.content;
}

/**
 * Changes a state file under its lock, `<name>.lock`: reads it anew, and writes what `change` answers as `next` in canonical
 * JSON, mode 0600; without `next` nothing is written. Returns `result`. Throws Refused, the old bytes in place.
 */
export async function changeState<T, R>(home: Home, file: WritableStateFile<T>, change: (content: T) => { readonly next?: T; readonly result: R }): Promise<R> {
  try {
    return await withLock(home.path(`${file.name}.lock`), async () => {
      const { next, result } = change(readState(home, file));
      if (next === undefined) return result;
      const value = file.encode(next);
      // What could not be read again, such as one entry too many, would lock its owner out of everything.
      const checked = file.parse(value);
      if ('problem' in checked) throw new Refused(`${file.name} in the gage home can not hold that: ${safeText(checked.problem, 300)}`);
      await writeFileAtomic(home.path(file.name), `${canonicalJson(value)}\n`, { mode: 0o600 });
      return result;
    });
  } catch (error) {
    throw refusalOf(error, file.name);
  }
}

function readBytes(home: Home, { name, maxBytes }: StateFile<unknown>): Buffer | undefined {
  let fd: number | undefined;
  try {
    // Without following a link and without waiting for the other end of a FIFO.
    fd = openSync(home.path(name), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Refused(`${name} in the gage home is no regular file: move it away`);
    checkWriters(stats, `${name} in the gage home`);
    if (stats.size > maxBytes) throw new Refused(`${name} in the gage home is larger than ${maxBytes / 1024} KiB: repair it by hand`);
    return readFileSync(fd);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (isRefused(error)) throw error;
    throw new Refused(`${name} in the gage home can not be read: ${systemReason(error, { ...deniedReason, ELOOP: 'it is a symbolic link' })}`, { cause: error });
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function refusalOf(error: unknown, name: string): unknown {
  if (isRefused(error)) return error;
  const refuse = (why: string): Refused => new Refused(`${name} in the gage home can not be written: ${why}`, { cause: error });
  if (isLockHeldError(error)) return refuse(error.holder === null ? `its lock ${name}.lock is no lock of ours: delete it if nothing uses it` : `process ${error.holder.pid} holds its lock ${name}.lock: try again, or delete that file if the process no longer runs`);
  if (isLockUnsupportedError(error)) return refuse('its file system has no hard links, which locks need');
  if (isMissing(error)) return new Refused('there is no identity here yet: a person makes one with `gage init HANDLE`', { cause: error });
  // An error without a code is a bug, and must not pass for a refusal.
  return systemErrorCode(error) === undefined ? error : refuse(systemReason(error));
}
