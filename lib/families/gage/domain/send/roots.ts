import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { systemReason } from '../../../../text/system-error.ts';
import { safeText } from '../../../../text/safe-text.ts';
import { loadConfig } from '../home/config.ts';
import type { Home } from '../home/home.ts';
import { Refused } from '../refused.ts';
import type { Surroundings } from '../surroundings.types.ts';

/** Which folders files may be sent from, as real paths; `homes` are places of keys inside of which nothing is sent. */
export type SendRoots = { readonly folders: readonly string[]; readonly homes: readonly string[]; readonly why: string };

const howToSet = 'set one with: gage config send-roots add DIR';

/**
 * The send roots: `send_roots` of config.json, else the working folder, unless that is the root of a disk, the user's home or
 * above it: from there everything the user owns could leave. Throws Refused for an unreadable config.json.
 */
export function loadSendRoots(home: Home, { env, cwd }: Pick<Surroundings, 'env' | 'cwd'>): SendRoots {
  const user = realOf(env['HOME'] ?? env['USERPROFILE'] ?? homedir());
  const homes = [realOf(home.root), path.join(user, '.gage')];
  const { sendRoots } = loadConfig(home);
  if (sendRoots !== undefined) return { folders: sendRoots.map(realOf), homes, why: `it is in none of the send roots of config.json; ${howToSet}` };
  const here = realOf(cwd);
  // The user's home lies inside of a root of a disk too.
  if (isInside(here, user) || here === path.parse(here).root) {
    return { folders: [], homes, why: `there is no send root, since the working folder is the user's home or above it; ${howToSet}` };
  }
  return { folders: [here], homes, why: `it is outside of the working folder, which is the only send root; ${howToSet}` };
}

/** The innermost send root that holds a real path; undefined where none does. */
export function rootHolding({ folders }: SendRoots, real: string): string | undefined {
  return folders.filter((folder) => isInside(folder, real)).sort((a, b) => b.length - a.length)[0];
}

/** Whether a path is a folder itself or in it, by segments; both absolute, normal and real. */
export function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

/** Whether a real path lies in a home of gage: one of those known, or any folder above it that holds an identity. */
export function isInHome(homes: readonly string[], real: string): boolean {
  if (homes.some((home) => isInside(home, real))) return true;
  for (let folder = real; ; folder = path.dirname(folder)) {
    if (entryAt(path.join(folder, 'identity.key')) !== undefined) return true;
    if (folder === path.dirname(folder)) return false;
  }
}

/**
 * The real path of a folder that somebody named, relative ones from `cwd`. Throws Refused when it is missing, a link, no
 * folder, or neither in a send root nor in one of the folders `also`.
 */
export function realFolder(dir: string, cwd: string, { roots, also = [] }: { readonly roots: SendRoots; readonly also?: readonly string[] }): string {
  const shown = showPath(dir);
  const given = path.resolve(cwd, dir);
  let real: string;
  try {
    const found = lstatSync(given);
    if (found.isSymbolicLink()) throw new Refused(`the folder ${shown} is a link; name the folder that it points to`);
    if (!found.isDirectory()) throw new Refused(`${shown} is no folder; name the folder of a bundle`);
    real = realpathSync(given);
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(`the folder ${shown} can not be read: ${systemReason(error)}; check the path`, { cause: error });
  }
  if (also.some((folder) => isInside(realOf(folder), real))) return real;
  if (rootHolding(roots, real) === undefined) throw new Refused(`the folder ${shown} can not be used: ${roots.why}`);
  if (isInHome(roots.homes, real)) throw new Refused(`the folder ${shown} is inside of a home of gage; use another one`);
  return real;
}

/** A path as a refusal shows it. */
export const showPath = (file: string): string => `"${safeText(file, 200)}"`;

/** What stands at a path, not following a last link; undefined for nothing, and for what nobody may see. */
export function entryAt(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch {
    return undefined;
  }
}

/** A path with its links followed; what does not exist stays as it is, since nothing can be inside of it. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}
