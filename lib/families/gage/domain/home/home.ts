import { lstatSync, statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { Refused } from '../refused.ts';
import { noFolder, whereThere } from './where-there.ts';

/** The folder that holds everything of one identity: keys, lists, inbox. */
export type Home = {
  /** Absolute path; the folder need not exist before `gage init`. */
  readonly root: string;
  /** Absolute path of a name in the home. */
  path(...parts: readonly string[]): string;
};

/**
 * The home that the environment names: GAGE_HOME, which must be absolute, else `.gage` in the user's home folder.
 * Nothing is made. Throws Refused where neither names a folder of its own, where others may write into it, and where nobody can tell.
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

/** What lies in these counts as taken in, refused or built here. Into `inbox/incoming` others of this machine may deliver. The outer ones first. */
const trusted = ['inbox', 'inbox/pending', 'inbox/accepted', 'inbox/rejected', 'inbox/quarantine', 'outbox'] as const;

/** A folder of the home as people are told of it; the home itself is `.`. */
export const showPlace = (place: string): string => (place === '.' ? 'the gage home' : `${place} in the gage home`);

function checkHome(root: string): void {
  const home = whereThere(root, showPlace('.'), () => statSync(root));
  if (home === undefined) return;
  if (!home.isDirectory()) throw new Refused('the gage home is no folder: set GAGE_HOME to one, or move away what is in its place');
  checkWriters(home, showPlace('.'));
  for (const place of trusted) {
    const found = statsOf(root, place);
    // All that looks into the inbox would find nothing there.
    if (place === 'inbox' && found?.isDirectory() === false) throw noFolder(showPlace(place));
    if (found !== undefined) checkWriters(found, showPlace(place));
  }
}

/** Whose a place is, of what a link there leads to. What can not even be seen in its folder is told of that folder. */
function statsOf(root: string, place: string): Stats | undefined {
  const [at, above] = [path.join(root, place), path.dirname(place)];
  const seen = whereThere(path.join(root, above), showPlace(above), () => lstatSync(at));
  return seen && whereThere(at, showPlace(place), () => statSync(at));
}
