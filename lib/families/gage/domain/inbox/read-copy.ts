import type { BundleBytes } from '../bundle/bundle.types.ts';
import { readBundleFolder } from '../bundle/folder.ts';
import type { Home } from '../home/home.ts';
import type { JudgeContext } from '../verdict/context.ts';
import { idForm, judgeBundle } from '../verdict/judge.ts';
import type { Judged, Place, SeenBefore } from '../verdict/verdict.types.ts';
import { copiesOf } from './places.ts';
import type { Copy } from './places.ts';
import { inspectAnew, seenBefore } from './seen.ts';
import type { Inspect } from './seen.ts';
import { UnknownId } from './unknown-id.ts';

/** A copy in the inbox with its bytes, read once, and the verdict on exactly these. */
export type ReadCopy = { readonly copy: Copy; readonly bytes: BundleBytes; readonly judged: Judged };

/** What a verdict needs to know of a place in the inbox. */
export function placeOfCopy(home: Home, { state, folder, path, receivedAt }: Copy, inspect: Inspect): Place {
  const seen = (id: string): SeenBefore | undefined => seenBefore(home, id, { except: path, inspect });
  return { state, folder, path, ...(receivedAt !== undefined && { receivedAt }), seenBefore: seen };
}

/**
 * All copies of an id, each read from the disk: first those that are what their sender signed, among them the most settled.
 * Throws Refused for none.
 */
export function readCopies(home: Home, id: string, context: JudgeContext): readonly [ReadCopy, ...ReadCopy[]] {
  const read = idForm.test(id) ? copiesOf(home, id).map((copy): ReadCopy => {
    const bytes = readBundleFolder(copy.path);
    return { copy, bytes, judged: judgeBundle(bytes, context, placeOfCopy(home, copy, inspectAnew)) };
  }) : [];
  const [first, ...rest] = read.sort((a, b) => Number(b.judged.row.attributable) - Number(a.judged.row.attributable));
  if (first === undefined) throw new UnknownId();
  return [first, ...rest];
}
