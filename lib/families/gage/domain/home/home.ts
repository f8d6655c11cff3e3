import { statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { isMissing, systemReason } from '../../../../text/system-error.ts';
import { isRefused, Refused } from '../refused.ts';

/** The folder that holds everything of one identity: keys, lists, inbox. */
export type Home = {
  /** Absolute path; the folder need not exist before `gage init`. */
  readonly root: string;
  /** Absolute path of a name in the home. */
  path(...parts: readonly string[]): string;
};

/**
 * The home that the environment names: GAGE_HOME, which must be absolute, else `.gage` in the user's home folder.
 * Nothing is made. Throws Refused where neither names a folder of its own, and where others may write into it.
 */
export function openHome(env: Readonly<Record<string, string | undefined>>): Home {
  const root = rootOf(env);
  // Keys, lists and inbox would lie among the folders of the whole system.
  if (path.dirname(root) === root) throw new Refused('the gage home can not be the root of the file system: set GAGE_HOME to a folder of its own');
  checkHome(root);
  return { root, path: (...parts) => path.join(root, ...parts) };
}

/**
 * Throws Refused where group or other may write to `shown`, as who can write a list of trusted keys decides whom we trust.
 * Windows has no such modes: there nothing is checked.
 */
export function checkModes(mode: number, shown: string, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'win32' || (mode & 0o022) === 0) return;
  throw new Refused(`${shown} can be written by others (mode ${(mode & 0o777).toString(8)}): take that away with chmod go-w, and look whether it was changed`);
}

/**
 * Throws Refused where somebody else may write to `shown`: group or other by its mode, or an owner, who may take any mode, unless that is
 * this user or root, who needs no mode. `self` is this user's id. Windows has neither modes nor owners: there nothing is checked.
 */
export function checkWriters(
  { mode, uid }: Pick<Stats, 'mode' | 'uid'>,
  shown: string,
  { platform = process.platform, self = process.getuid?.() }: { readonly platform?: NodeJS.Platform; readonly self?: number | undefined } = {},
): void {
  checkOwner(uid, shown, { platform, self });
  checkModes(mode, shown, platform);
}

/** Throws Refused where `shown` belongs to neither this user nor root. */
export function checkOwner(uid: number, shown: string, { platform = process.platform, self = process.getuid?.() }: { readonly platform?: NodeJS.Platform; readonly self?: number | undefined } = {}): void {
  if (platform === 'win32' || uid === self || uid === 0) return;
  throw new Refused(`${shown} belongs to another user, who can change it: use a home of your own, or look at it and take it over with chown`);
}

/** Why a file of the home can not even be opened: most often it is another user's, as after a command that was run as root. */
export const deniedReason = { EACCES: 'permission denied; where it belongs to another user, take it back with chown' } as const;

/** Whether group or other may look into the home. False on Windows, which has no such modes, and where there is none. */
export function isOpenToRead({ root }: Home, platform: NodeJS.Platform = process.platform): boolean {
  const stats = statSync(root, { throwIfNoEntry: false });
  return platform !== 'win32' && stats !== undefined && (stats.mode & 0o055) !== 0;
}

function rootOf({ GAGE_HOME, HOME, USERPROFILE }: Readonly<Record<string, string | undefined>>): string {
  if (GAGE_HOME !== undefined) {
    // Set but empty is a slip of a script, which must not end up in the real home.
    if (!path.isAbsolute(GAGE_HOME)) throw new Refused('GAGE_HOME must be the absolute path of a folder: set it to one, or unset it to use ~/.gage');
    return path.resolve(GAGE_HOME);
  }
  const user = HOME ?? USERPROFILE ?? '';
  if (!path.isAbsolute(user)) throw new Refused('there is no home folder to hold .gage: set GAGE_HOME to the absolute path of a folder');
  return path.join(user, '.gage');
}

/** What lies in these counts as taken in, refused or built here. Into `inbox/incoming` others of this machine may deliver. */
const trusted = ['inbox', 'inbox/pending', 'inbox/accepted', 'inbox/rejected', 'inbox/quarantine', 'outbox'] as const;

function checkHome(root: string): void {
  try {
    const stats = statSync(root);
    if (!stats.isDirectory()) throw new Refused('the gage home is no folder: set GAGE_HOME to one, or move away what is in its place');
    checkWriters(stats, 'the gage home');
    for (const place of trusted) {
      const found = statSync(path.join(root, place), { throwIfNoEntry: false });
      if (found !== undefined) checkWriters(found, `${place} in the gage home`);
    }
  } catch (error) {
    if (isMissing(error)) return;
    if (isRefused(error)) throw error;
    throw new Refused(`the gage home can not be read: ${systemReason(error)}`, { cause: error });
  }
}
