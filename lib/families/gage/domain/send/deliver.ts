import { Buffer } from 'node:buffer';
import { readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { makeFolders } from '../../../../store/make-folders.ts';
import { isMissing, systemErrorCode, systemReason } from '../../../../text/system-error.ts';
import type { BuiltBundle } from '../bundle/build.ts';
import { readBundleFolder, writeBundleFolder } from '../bundle/folder.ts';
import type { Home } from '../home/home.ts';
import { routeTo } from '../home/routes.ts';
import { Refused } from '../refused.ts';
import { homeHolding } from '../roots/homes.ts';
import { entryAt, rootHolding, showHome, showPath, type SendRoots } from '../roots/send-roots.ts';
import { routeProblem } from './route-folder.ts';

/** Where a built bundle lies now: `local` in the folder of the recipient's route, `directory` in the outbox or in `out`. */
export type Delivery = { readonly dir: string; readonly delivered: 'local' | 'directory' };

/** Puts a bundle into `out` when given, else into the folder of the recipient's route, else into the outbox. Throws Refused. */
export async function deliver(bundle: BuiltBundle, { home, key, out }: { readonly home: Home; readonly key: string; readonly out: string | undefined }): Promise<Delivery> {
  if (out !== undefined) {
    await makeParents(out);
    return { dir: await written(bundle, out, 'the folder of out'), delivered: 'directory' };
  }
  const route = routeTo(home, key);
  if (route === undefined) {
    const outbox = home.path('outbox');
    await writing('the outbox', () => makeFolders(outbox, 0o700));
    return { dir: await written(bundle, path.join(outbox, bundle.id), 'the outbox'), delivered: 'directory' };
  }
  const problem = routeProblem(route);
  if (problem !== undefined) throw new Refused(`the route's folder ${showPath(route)} ${problem}; change the route with gage route add or gage route remove`);
  const dir = path.join(route, bundle.id);
  if (entryAt(dir) === undefined) return { dir: await written(bundle, dir, "the route's folder"), delivered: 'local' };
  if (!isSameBundle(dir, bundle)) throw new Refused(`${showPath(dir)} is in the way and is not this bundle; move it away and send again`);
  return { dir, delivered: 'local' };
}

/**
 * The folder that `out` names, checked: inside of a send root, outside of homes, missing or empty. Nothing is made yet: what
 * is refused for another reason leaves no folder behind. Throws Refused.
 */
export function checkOut(out: string, cwd: string, roots: SendRoots): string {
  const given = path.resolve(cwd, out);
  const above: string[] = [];
  let there = given;
  for (; entryAt(there) === undefined && there !== path.dirname(there); there = path.dirname(there)) above.unshift(path.basename(there));
  // What is named itself may be no link; on the way to it one that leads somewhere may be.
  const base = there === given && entryAt(there)?.isSymbolicLink() === true ? undefined : folderAt(there);
  if (base === undefined) throw new Refused(`out ${showPath(out)} is a link or no folder, or below what is none; name a new or an empty folder`);
  const real = path.join(base, ...above);
  if (rootHolding(roots, real) === undefined) throw new Refused(`out ${showPath(out)} can not be used: ${roots.why}`);
  const within = homeHolding(roots, real);
  if (within !== undefined) throw new Refused(`out ${showPath(out)} is inside of a home of gage, ${showHome(within, out, cwd)}; leave it out to use the outbox`);
  if (!isEmptyOrMissing(real)) throw new Refused(`out ${showPath(out)} is not empty; name a new or an empty folder`);
  return real;
}

/** The real path of a folder; undefined for what is none, is gone, or is a link that leads nowhere. */
function folderAt(folder: string): string | undefined {
  try {
    const real = realpathSync(folder);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

/** Makes the folders above `out`, and says no when one of them has become a link by then. */
async function makeParents(out: string): Promise<void> {
  const parent = path.dirname(out);
  await writing('the folder of out', () => makeFolders(parent));
  if (folderAt(parent) !== parent) throw new Refused(`the folder of out ${showPath(out)} changed meanwhile; try again`);
}

async function written(bundle: BuiltBundle, dir: string, what: string): Promise<string> {
  await writing(what, () => writeBundleFolder(dir, bundle));
  return dir;
}

async function writing(what: string, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    // An error without a code is a bug, and must not pass for a refusal.
    if (systemErrorCode(error) === undefined) throw error;
    throw new Refused(`${what} can not be written: ${systemReason(error, { ENOTEMPTY: 'something else is in its place' })}`, { cause: error });
  }
}

/** Whether a folder holds this very bundle, byte for byte: then it was delivered before. */
function isSameBundle(dir: string, { manifest, signature, items }: BuiltBundle): boolean {
  const found = readBundleFolder(dir);
  const equal = (left: Uint8Array | undefined, right: Uint8Array | undefined): boolean => left !== undefined && right !== undefined && Buffer.compare(left, right) === 0;
  return found.faults.length === 0 && equal(found.manifest, manifest) && equal(found.signature, signature) && items.every((bytes, index) => equal(found.items[index], bytes));
}

/** Whether a folder is missing or has no entries. */
function isEmptyOrMissing(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    return isMissing(error);
  }
}
