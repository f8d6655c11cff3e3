import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { isInside } from '../../../../files/inside.ts';
import { systemReason } from '../../../../text/system-error.ts';
import { safeText } from '../../../../text/safe-text.ts';
import { loadConfig } from '../home/config.ts';
import type { Home } from '../home/home.ts';
import { isRefused, Refused } from '../refused.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { holdsIdentity, homeHolding } from './homes.ts';

/** Which folders files may be sent from, as real paths; `homes` are places of keys inside of which nothing is sent. */
export type SendRoots = { readonly folders: readonly string[]; readonly homes: readonly string[]; readonly why: string };

const howToSet = 'set one with: gage config send-roots add DIR';

/**
 * The send roots: `send_roots` of config.json, else the working folder, unless that is the root of a disk, the user's home or
 * above it: from there everything the user owns could leave. Throws Refused for an unreadable config.json, and where that
 * names such a folder or a home of gage.
 */
export function loadSendRoots(home: Home, { env, cwd }: Pick<Surroundings, 'env' | 'cwd'>): SendRoots {
  const homes = homesOf(home, env);
  const { sendRoots } = loadConfig(home);
  if (sendRoots !== undefined) {
    const folders = sendRoots.map(realOf);
    for (const [index, folder] of folders.entries()) {
      const problem = rootProblem(folder, home, env);
      const written = showPath(sendRoots[index] as string);
      if (problem !== undefined) throw new Refused(`send_roots of config.json can not be used: ${written} ${problem}; a person takes it out with: gage config send-roots remove DIR`);
    }
    return { folders, homes, why: `it is in none of the send roots of config.json; ${howToSet}` };
  }
  const here = realOf(cwd);
  if (isAboveUser(here, env)) return { folders: [], homes, why: `there is no send root, since the working folder is the user's home or above it; ${howToSet}` };
  return { folders: [here], homes, why: `it is outside of the working folder, which is the only send root; ${howToSet}` };
}

/** Why a folder (a real path) can not be a send root, said so that it follows its name; undefined where it can. */
export function rootProblem(folder: string, home: Home, env: Surroundings['env']): string | undefined {
  if (folder === path.parse(folder).root) return 'is the root of the file system, from which everything could leave';
  if (isAboveUser(folder, env)) return "is the user's home or a folder above it, from which everything the user has could leave";
  if (homesOf(home, env).some((each) => isInside(each, folder)) || holdsIdentity(folder)) return 'is a home of gage or in one, from which nothing is sent';
  return undefined;
}

/** The home in use, and the one that is used without GAGE_HOME. */
function homesOf(home: Home, env: Surroundings['env']): readonly string[] {
  return [realOf(home.root), realOf(path.join(userOf(env), '.gage'))];
}

const userOf = (env: Surroundings['env']): string => realOf(env['HOME'] ?? env['USERPROFILE'] ?? homedir());

/** Whether a folder is the root of a disk or holds the user's home; the latter lies inside of a root of a disk too. */
const isAboveUser = (folder: string, env: Surroundings['env']): boolean => isInside(folder, userOf(env)) || folder === path.parse(folder).root;

/** The innermost send root that holds a real path; undefined where none does. */
export function rootHolding({ folders }: SendRoots, real: string): string | undefined {
  return folders.filter((folder) => isInside(folder, real)).sort((a, b) => b.length - a.length)[0];
}

type FolderRules = {
  readonly roots: () => SendRoots;
  readonly also?: readonly string[];
  readonly noFolder?: string;
  readonly outside?: (roots: SendRoots) => string;
};

/**
 * The real path of a folder that somebody named, relative ones from `cwd`. Throws Refused when it is missing, a link, no
 * folder (`noFolder` says what to do then), or neither in one of the folders `also` nor in a send root (`outside` says why, and what
 * to do, when that is not to add one). The roots are asked for last, so that one bad entry of config.json stops nothing that needs none.
 */
export function realFolder(
  dir: string,
  cwd: string,
  { roots: rootsOf, also = [], noFolder = 'name the folder of a bundle', outside = ({ why }) => why }: FolderRules,
): string {
  const shown = showPath(dir);
  const given = path.resolve(cwd, dir);
  let real: string;
  try {
    const found = lstatSync(given);
    if (found.isSymbolicLink()) throw new Refused(`the folder ${shown} is a link; name the folder that it points to`);
    if (!found.isDirectory()) throw new Refused(`${shown} is no folder; ${noFolder}`);
    real = realpathSync(given);
  } catch (error) {
    if (isRefused(error)) throw error;
    throw new Refused(`the folder ${shown} can not be read: ${systemReason(error)}; check the path`, { cause: error });
  }
  if (also.some((folder) => isInside(realOf(folder), real))) return real;
  const roots = rootsOf();
  if (rootHolding(roots, real) === undefined) throw new Refused(`the folder ${shown} can not be used: ${outside(roots)}`);
  const within = homeHolding(roots, real);
  if (within !== undefined) throw new Refused(`the folder ${shown} is inside of a home of gage, ${showHome(within, dir, cwd)}; use another one`);
  return real;
}

/** A home that holds what somebody named as `given`, as they would name it: relative where that was. */
export function showHome(home: string, given: string, cwd: string): string {
  return showPath(path.isAbsolute(given) ? home : path.relative(realOf(cwd), home) || '.');
}

/** A path as a refusal shows it: in quotes that it can not close. */
export const showPath = (file: string): string => `"${safeText(file.replaceAll(/["\\]/g, '\\$&'), 200)}"`;

/** What stands at a path, not following a last link; undefined for nothing, and for what nobody may see. */
export function entryAt(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch {
    return undefined;
  }
}

/** A path with its links followed; what does not exist stays as it is, since nothing can be inside of it. */
export function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}
