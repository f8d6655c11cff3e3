import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { BundleBytes } from '../bundle/bundle.types.ts';
import { layout } from '../bundle/layout.ts';
import type { Home } from '../home/home.ts';
import { formatTime } from '../identity/time.ts';
import { loadIdentity } from '../identity/identity-file.ts';
import { Refused } from '../refused.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { judgeContext } from '../verdict/context.ts';
import { idForm, judgeBundle } from '../verdict/judge.ts';
import type { Verdict } from '../verdict/verdict.types.ts';
import { placeCopy } from './copy.ts';
import { withInboxLock } from './lock.ts';
import { copiesIn, copiesOf } from './places.ts';
import type { Copy } from './places.ts';
import { quarantine } from './quarantine.ts';
import { inspectAnew, seenBefore } from './seen.ts';
import { writeTombstone } from './tombstones.ts';
import { UnknownId } from './unknown-id.ts';

/** A message from a relay: its id there (hex), the relay's origin, and its sealed bytes. */
export type Arrival = { readonly message_id: string; readonly relay: string; readonly sealed: Uint8Array };

/** What became of an arrival; `id` where it is a bundle with a good signature. */
export type Filed = { readonly outcome: 'pulled' | 'duplicate' | 'refused' | 'malformed'; readonly id?: string };

/** Verdicts of bundles that are for us: they wait for a person, who has answered already where the signer is blocked. */
const taken: ReadonlySet<Verdict> = new Set(['verified', 'listed_unconfirmed', 'not_listed', 'expired', 'self', 'blocked']);
const MAX_PENDING = 1_000;
const MAX_PENDING_BYTES = 1024 ** 3;

/**
 * Takes in what a relay had: to `pending`, or a tombstone for a blocked signer, or quarantine for what is no bundle for us
 * (`bytes` undefined: it could not be unsealed or unpacked). When this returns the outcome is on the disk, and taking in the
 * same message again changes nothing. Throws Refused where the disk, the lock or a list says no; then nothing was taken in.
 */
export function fileArrival(
  home: Home,
  bytes: BundleBytes | undefined,
  arrival: Arrival,
  surroundings: Pick<Surroundings, 'now' | 'random'>,
): Promise<Filed> {
  return withInboxLock(home, async () => {
    const context = judgeContext(home, surroundings);
    const at = formatTime(context.now);
    const row = bytes === undefined ? undefined : judgeBundle(bytes, context, { state: 'pending', receivedAt: at }).row;
    if (bytes === undefined || row === undefined || row.id === null || !taken.has(row.verdict)) {
      await quarantine(home, arrival.sealed, { reason: row?.verdict ?? 'unsealable', now: context.now });
      return { outcome: 'malformed' };
    }
    const { id } = row;
    if (row.verdict === 'blocked') {
      await writeTombstone(home, id, { from_key: row.from_key as string, why: 'blocked', now: context.now });
      return { outcome: 'refused', id };
    }
    if (seenBefore(home, id, { inspect: inspectAnew }) !== undefined) return { outcome: 'duplicate', id };
    const note = { at, message_id: arrival.message_id, relay: arrival.relay, via: 'relay' };
    await placeCopy(home, { state: 'pending', id, bundle: bytes, notes: { 'arrival.json': note } }, surroundings);
    return { outcome: 'pulled', id };
  });
}

/** What waits in pending: how many bundles and bytes. It is counted on the disk, which takes long where much waits. */
export type Pending = { readonly bundles: number; readonly bytes: number };

/** Counts what waits in pending. */
export function measurePending(home: Home): Pending {
  const copies = copiesIn(home, 'pending');
  return { bundles: copies.length, bytes: copies.reduce((sum, copy) => sum + bytesOf(copy), 0) };
}

/** Why a pull must not take in more, undefined while it may: 1,000 bundles or 1 GiB wait already. */
export function fullProblem({ bundles, bytes }: Pending): string | undefined {
  const full = bundles >= MAX_PENDING || bytes >= MAX_PENDING_BYTES;
  return full ? 'the inbox is full (1,000 bundles or 1 GiB wait): accept or reject some with `gage accept` and `gage reject`' : undefined;
}

/** Bytes of the files of a copy, of those that lie where a pull puts them. */
function bytesOf({ root, path: folder }: Copy): number {
  let sum = 0;
  for (const each of [root, folder, path.join(folder, layout.items)]) {
    const bytes = bytesIn(each);
    if (bytes === undefined) break;
    sum += bytes;
  }
  return sum;
}

/** Bytes of the files in a real folder, undefined for none. One copy that is damaged, however, must not stop the next from coming. */
function bytesIn(folder: string): number | undefined {
  try {
    if (!lstatSync(folder).isDirectory()) return undefined;
    const entries = readdirSync(folder).map((name) => lstatSync(path.join(folder, name), { throwIfNoEntry: false }));
    return entries.reduce((sum, stats) => sum + (stats?.isFile() === true ? stats.size : 0), 0);
  } catch {
    return undefined;
  }
}

/** The most settled copy of an id in the inbox, whatever state it is in; undefined where there is none. */
export function placeOf(home: Home, id: string): Copy | undefined {
  return copiesOf(home, id)[0];
}

/** The whole id that a person means by 12 digits or more. Throws Refused without an identity, where none begins so, or more than one. */
export function resolveId(home: Home, text: string): string {
  const found = findId(home, text);
  if (found === undefined) throw new UnknownId();
  return found;
}

/** The same, and undefined where no bundle of the inbox has that id or begins so. */
export function findId(home: Home, text: string): string | undefined {
  // Without an identity, and with settings that can not be used, that is what has to be said.
  loadIdentity(home);
  const start = text.toLowerCase();
  if (idForm.test(start)) return placeOf(home, start) === undefined ? undefined : start;
  const ids = new Set((['accepted', 'pending', 'incoming'] as const).flatMap((state) => copiesIn(home, state).map(({ folder }) => folder)));
  const found = [...ids].filter((id) => idForm.test(id) && id.startsWith(start));
  if (found.length > 1) throw new Refused('more than one bundle begins with these digits: give more of them');
  return found[0];
}
