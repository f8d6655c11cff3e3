import { lstatSync, rmSync } from 'node:fs';
import { writeFileAtomic } from '../../../../store/atomic-write.ts';
import { makeFolders } from '../../../../store/make-folders.ts';
import { canonicalJson } from '../../../../text/canonical-json.ts';
import type { Home } from '../home/home.ts';
import { formatTime } from '../identity/time.ts';
import { withInboxLock } from './lock.ts';
import { namesIn, readNote } from './places.ts';

/** What stays of a bundle that was refused: by a person, or because its signer is blocked. */
export type Tombstone = { readonly at: string; readonly from_key: string; readonly why: 'person' | 'blocked' };

/** Blocked senders may go on for years; a person's own refusals are few. */
const MAX_BLOCKED = 1_000;
const form = /^[0-9a-f]{64}\.json$/;

/** Whether a bundle of this id was refused here. */
export function hasTombstone(home: Home, id: string): boolean {
  return readTombstone(home, `${id}.json`) !== undefined;
}

/**
 * Remembers a refused bundle, which must have been verified; the first tombstone of an id stays, but that a person's takes the
 * place of a block's: unblocking forgets a block's alone. Of those for blocked signers the newest 1,000 are kept. The inbox's lock must be held.
 */
export async function writeTombstone(home: Home, id: string, { from_key, why, now }: Omit<Tombstone, 'at'> & { readonly now: number }): Promise<void> {
  const known = readTombstone(home, `${id}.json`);
  if (known !== undefined && (known.why === 'person' || why === 'blocked')) return;
  makeFolders(home.path('inbox', 'rejected'), 0o700);
  const file = home.path('inbox', 'rejected', `${id}.json`);
  // A link would be written through, and a folder would refuse every pull of this bundle.
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) rmSync(file, { recursive: true, force: true });
  const note = canonicalJson({ at: formatTime(now), from_key, why });
  await writeFileAtomic(file, `${note}\n`, { mode: 0o600 });
  if (why === 'blocked') dropOldest(home);
}

/** Takes away the tombstones of a key that is blocked no longer, so that its bundles may come again. A person's own refusals stay. */
export async function forgetBlocked(home: Home, key: string): Promise<void> {
  if (namesIn(home, 'rejected').length === 0) return;
  await withInboxLock(home, () => {
    const gone = blockedOnes(home).filter(({ tombstone }) => tombstone.from_key === key);
    for (const { name } of gone) rmSync(home.path('inbox', 'rejected', name), { force: true });
  });
}

function dropOldest(home: Home): void {
  if (namesIn(home, 'rejected').length <= MAX_BLOCKED) return;
  const newestFirst = blockedOnes(home).sort((a, b) => (a.tombstone.at < b.tombstone.at ? 1 : -1));
  for (const { name } of newestFirst.slice(MAX_BLOCKED)) rmSync(home.path('inbox', 'rejected', name), { force: true });
}

function blockedOnes(home: Home): { readonly name: string; readonly tombstone: Tombstone }[] {
  return namesIn(home, 'rejected').flatMap((name) => {
    const tombstone = form.test(name) ? readTombstone(home, name) : undefined;
    return tombstone?.why === 'blocked' ? [{ name, tombstone }] : [];
  });
}

function readTombstone(home: Home, name: string): Tombstone | undefined {
  const note = readNote(home.path('inbox', 'rejected', name));
  const [at, from_key, why] = [note?.['at'], note?.['from_key'], note?.['why']];
  if (typeof at !== 'string' || typeof from_key !== 'string' || (why !== 'person' && why !== 'blocked')) return undefined;
  return { at, from_key, why };
}
