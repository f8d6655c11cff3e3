import { chmod, lstat, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isDiskFull } from '../../../../text/system-error.ts';
import { syncFolder, writeFileAtomic } from '../../../../store/atomic-write.ts';
import { makeFolders } from '../../../../store/make-folders.ts';
import { canonicalJson } from '../../../../text/canonical-json.ts';
import type { BundleBytes } from '../bundle/bundle.types.ts';
import { writeBundleFolder } from '../bundle/folder.ts';
import type { Home } from '../home/home.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { isThere, namesIn } from './places.ts';
import type { InboxState } from './places.ts';

/** Notes beside a bundle by file name, such as `arrival.json`. */
export type Notes = Readonly<Record<string, unknown>>;

/** Names of folders that are being written or taken away; nobody reads them. */
const TEMP = '.tmp-';
const GONE = `${TEMP}old-`;

/**
 * Puts a bundle from memory into `inbox/<state>/<id>` with its notes, in the place of what is there, whatever that is: it appears
 * whole or not at all, and is on the disk when this returns. On an error, such as a full disk, nothing of it is left. The inbox's
 * lock must be held.
 */
export async function placeCopy(
  home: Home,
  { state, id, bundle, notes }: { readonly state: 'pending' | 'accepted'; readonly id: string; readonly bundle: BundleBytes; readonly notes: Notes },
  { random }: Pick<Surroundings, 'random'>,
): Promise<void> {
  const folder = home.path('inbox', state);
  makeFolders(folder, 0o700);
  await sweep(home, state, TEMP);
  const temp = path.join(folder, tempName(TEMP, random));
  const target = path.join(folder, id);
  let gone: string | undefined;
  try {
    makeFolders(temp, 0o700);
    await writeBundleFolder(path.join(temp, 'bundle'), bundle);
    for (const [name, note] of Object.entries(notes)) await writeFileAtomic(path.join(temp, name), `${canonicalJson(note)}\n`, { mode: 0o600 });
    await syncFolder(temp);
    if (isThere(home, state, id)) gone = await putAside(target, random);
    await rename(temp, target);
    await syncFolder(folder);
  } catch (error) {
    await removeIfPossible(temp);
    throw error;
  }
  // What was damaged in a way that keeps it from being deleted must not keep the good copy out; the next sweep tries again.
  if (gone !== undefined) await removeIfPossible(gone);
}

/**
 * Takes a copy away at one stroke, so that no half of it is ever seen, and deletes it. The inbox's lock must be held, unless the disk
 * is too full to take it.
 */
export async function removeCopy(root: string, { random }: Pick<Surroundings, 'random'>): Promise<void> {
  // On a full disk there may be no room for the other name.
  await removeTree(await putAside(root, random).catch((error: unknown) => (isDiskFull(error) ? root : Promise.reject(error))));
}

/** Deletes what killed processes left of copies that were being written or taken away. The inbox's lock must be held. */
export async function sweepCopies(home: Home): Promise<void> {
  for (const state of ['pending', 'accepted'] as const) await sweep(home, state, TEMP);
  // Who delivers on this machine may be writing there now.
  await sweep(home, 'incoming', GONE);
}

async function putAside(root: string, random: Surroundings['random']): Promise<string> {
  const gone = path.join(path.dirname(root), tempName(GONE, random));
  await rename(root, gone);
  return gone;
}

const tempName = (start: string, random: Surroundings['random']): string => `${start}${Buffer.from(random(8)).toString('hex')}`;

/** What a killed process left: under the lock nobody else is writing here. */
async function sweep(home: Home, place: InboxState, start: string): Promise<void> {
  for (const name of namesIn(home, place)) if (name.startsWith(start)) await removeIfPossible(home.path('inbox', place, name));
}

const removeIfPossible = (root: string): Promise<void> => removeTree(root).catch(() => {});

/** Deletes a tree, also one whose folders are closed to their owner. No link is followed. */
async function removeTree(root: string): Promise<void> {
  try {
    await rm(root, { recursive: true, force: true });
  } catch {
    await openFolders(root);
    await rm(root, { recursive: true, force: true });
  }
}

async function openFolders(folder: string): Promise<void> {
  if (!(await lstat(folder)).isDirectory()) return;
  await chmod(folder, 0o700);
  for (const name of await readdir(folder)) await openFolders(path.join(folder, name));
}
