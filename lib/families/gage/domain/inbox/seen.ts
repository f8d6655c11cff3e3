import { readBundleFolder } from '../bundle/folder.ts';
import type { Home } from '../home/home.ts';
import { inspectBundle } from '../verdict/inspect.ts';
import type { Inspected } from '../verdict/inspect.ts';
import type { SeenBefore } from '../verdict/verdict.types.ts';
import { copiesOf } from './places.ts';
import { hasTombstone } from './tombstones.ts';

/** Reads and inspects a bundle's folder: anew, or through the memory of lists. */
export type Inspect = (folder: string) => Inspected;

/** Reads a bundle's folder and inspects it, from the disk every time. */
export const inspectAnew: Inspect = (folder) => inspectBundle(readBundleFolder(folder));

/** Whether a copy is the bundle of this id, as it was signed: everything else is as good as not there. */
function isGoodCopy(path: string, id: string, inspect: Inspect): boolean {
  const inspected = inspect(path);
  return inspected.intact && inspected.id === id;
}

/**
 * What is known of an id beside the copy at `except`. A copy counts only while it verifies, since an id covers neither
 * signature nor items: a damaged one that came first must not stand in for the good one.
 */
export function seenBefore(home: Home, id: string, { except, inspect }: { readonly except?: string; readonly inspect: Inspect }): SeenBefore | undefined {
  const others = copiesOf(home, id).filter(({ state, path }) => state !== 'incoming' && path !== except);
  const known = others.filter(({ path }) => isGoodCopy(path, id, inspect));
  if (known.some(({ state }) => state === 'accepted')) return 'accepted';
  if (hasTombstone(home, id)) return 'rejected';
  return known.length > 0 ? 'pending' : undefined;
}
