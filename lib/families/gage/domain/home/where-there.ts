import { existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { isMissing, systemErrorCode, systemReason } from '../../../../text/system-error.ts';
import { Refused } from '../refused.ts';

/** Why a file of the home can not even be opened: most often it is another user's, as after a command that was run as root. */
export const deniedReason = { EACCES: 'permission denied; where it belongs to another user, take it back with chown' } as const;

/** What is said of a place that must be a folder and is none. */
export const noFolder = (shown: string): Refused => new Refused(`${shown} is no folder: move away what is in its place`);

/**
 * What `look` finds at or in `place` (an absolute path, `shown` to people), undefined where nothing is there. Throws Refused that names
 * the place where nobody can tell: a folder that is closed or none, and a link to what is not there, which the system calls missing too.
 */
export function whereThere<T>(place: string, shown: string, look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isMissing(error)) {
      const link = deadLink(place);
      if (link === undefined) return undefined;
      // Without the system's error as its cause: what is missing may be made, and this may not be.
      throw new Refused(`${shown} ${link === place ? 'is' : 'is below'} a link to what is not there, such as a disk that is not mounted: bring that back, or take the link away`);
    }
    if (systemErrorCode(error) === 'ENOTDIR' && stands(place)) throw noFolder(shown);
    throw new Refused(`${shown} can not be read: ${systemReason(error, deniedReason)}`, { cause: error });
  }
}

/** The link to nowhere that a path is, or leads over; undefined where it leads over none, and nothing is amiss but that it is not there. */
function deadLink(place: string): string | undefined {
  let at = place;
  // The root of a disk is its own parent.
  while (!stands(at) && at !== path.dirname(at)) at = path.dirname(at);
  return existsSync(at) ? undefined : at;
}

/** Whether anything is at a path, a link to nowhere too. */
function stands(at: string): boolean {
  try {
    return lstatSync(at, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
