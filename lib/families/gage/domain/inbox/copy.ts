import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder, writeFileAtomic } from '../../../../store/atomic-write.ts';
import { makeFolders } from '../../../../store/make-folders.ts';
import { canonicalJson } from '../../../../text/canonical-json.ts';
import type { BundleBytes } from '../bundle/bundle.types.ts';
import { writeBundleFolder } from '../bundle/folder.ts';
import type { Home } from '../home/home.ts';
import type { Surroundings } from '../surroundings.types.ts';
import { isThere, namesIn } from './places.ts';

/** Notes beside a bundle by file name, such as `arrival.json`. */
export type Notes = Readonly<Record<string, unknown>>;

/** Names of folders that are being written or taken away; nobody reads them. */
const TEMP = '.tmp-';

/**
 * Puts a bundle from memory into `inbox/<state>/<id>` with its notes, in the place of what is there: it appears whole or not
 * at all, and is on the disk when this returns. The inbox's lock must be held.
 */
export async function placeCopy(
  home: Home,
  { state, id, bundle, notes }: { readonly state: 'pending' | 'accepted'; readonly id: string; readonly bundle: BundleBytes; readonly notes: Notes },
  { random }: Pick<Surroundings, 'random'>,
): Promise<void> {
  const folder = home.path('inbox', state);
  makeFolders(folder, 0o700);
  await sweep(folder);
  const temp = path.join(folder, tempName(random));
  makeFolders(temp, 0o700);
  await writeBundleFolder(path.join(temp, 'bundle'), bundle);
  for (const [name, note] of Object.entries(notes)) await writeFileAtomic(path.join(temp, name), `${canonicalJson(note)}\n`, { mode: 0o600 });
  await syncFolder(temp);
  const target = path.join(folder, id);
  if (isThere(target)) await removeCopy(target, { random });
  await rename(temp, target);
  await syncFolder(folder);
}

/** Takes a copy away at one stroke, so that no half of it is ever seen. The inbox's lock must be held. */
export async function removeCopy(root: string, { random }: Pick<Surroundings, 'random'>): Promise<void> {
  const gone = path.join(path.dirname(root), tempName(random, 'old-'));
  await rename(root, gone);
  await rm(gone, { recursive: true, force: true });
}

const tempName = (random: Surroundings['random'], what = ''): string => `${TEMP}${what}${Buffer.from(random(8)).toString('hex')}`;

/** What a killed process left: under the lock nobody else is writing here. */
async function sweep(folder: string): Promise<void> {
  for (const name of namesIn(folder)) if (name.startsWith(TEMP)) await rm(path.join(folder, name), { recursive: true, force: true });
}
