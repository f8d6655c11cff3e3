import path from 'node:path';
import { blockSender } from '../buddies/block-sender.ts';
import type { Home } from '../home/home.ts';
import { formatTime } from '../identity/time.ts';
import { Refused } from '../refused.ts';
import type { Surroundings } from '../surroundings.types.ts';
import { judgeContext } from '../verdict/context.ts';
import { judgeBundle } from '../verdict/judge.ts';
import type { Row } from '../verdict/verdict.types.ts';
import { placeCopy, removeCopy } from './copy.ts';
import { withInboxLock } from './lock.ts';
import { readNote } from './places.ts';
import { readCopies } from './read-copy.ts';
import { writeTombstone } from './tombstones.ts';

/** What a reject did: whether the id is remembered, and under which name the signer is blocked now. */
export type Rejected = { readonly id: string; readonly remembered: boolean; readonly blocked: string | null };

/**
 * Moves a bundle that waits to `accepted`: exactly the bytes that were verified here. For a person alone. Returns its row, with
 * the paths of its items. Throws Refused unless it is what its sender signed, for us, from nobody blocked and, without
 * `expired`, not expired.
 */
export function accept(home: Home, id: string, { expired = false }: { readonly expired?: boolean }, surroundings: Surroundings): Promise<Row> {
  return withInboxLock(home, async () => {
    const context = judgeContext(home, surroundings);
    const copies = readCopies(home, id, context);
    const [{ copy, bytes, judged: { row } }] = copies;
    const rest = copies.filter((each) => each.copy.state !== 'accepted');
    const problem = copy.state === 'accepted' && rest.length === 0 ? 'this bundle is accepted already' : acceptProblem(row, expired);
    if (problem !== undefined) throw new Refused(problem);
    if (copy.state === 'accepted') {
      // It came again, or an accept was killed before it took these away.
      for (const each of rest) await removeCopy(each.copy.root, surroundings);
      return row;
    }
    const arrival = copy.receivedAt === undefined ? undefined : readNote(path.join(copy.root, 'arrival.json'));
    const accepted = { at: formatTime(context.now), by: 'cli' };
    const notes = { ...(arrival !== undefined && { 'arrival.json': arrival }), 'accepted.json': accepted };
    await placeCopy(home, { state: 'accepted', id, bundle: bytes, notes }, surroundings);
    for (const each of rest) await removeCopy(each.copy.root, surroundings);
    const receivedAt = copy.receivedAt === undefined ? {} : { receivedAt: copy.receivedAt };
    return judgeBundle(bytes, context, { state: 'accepted', path: home.path('inbox', 'accepted', id, 'bundle'), ...receivedAt }).row;
  });
}

/** Why a bundle can not be accepted, undefined where it can. `expired` says that the person takes an expired one. */
export function acceptProblem({ attributable, to_me, verdict, reasons, state, label }: Row, expired: boolean): string | undefined {
  if (!attributable) return `this bundle can not be accepted: ${label}; gage reject deletes it`;
  if (verdict === 'blocked') return 'its signer is blocked: gage buddies unblock comes first';
  if (!to_me) return 'this bundle is addressed to someone else, and is not for you to accept';
  return state !== 'accepted' && reasons.includes('expired') && !expired ? 'this bundle is expired: --expired takes it all the same' : undefined;
}

/**
 * Deletes a bundle that waits, every copy of it, or an accepted one where none waits. Where its signature is good the id is
 * remembered as refused, so that it does not come again. `block` blocks its signer too. For a person alone. Throws Refused for an
 * unknown id, and for `block` where nobody can be held to have sent it.
 */
export function reject(home: Home, id: string, { block = false }: { readonly block?: boolean }, surroundings: Surroundings): Promise<Rejected> {
  return withInboxLock(home, async () => {
    const context = judgeContext(home, surroundings);
    const copies = readCopies(home, id, context);
    const [{ judged: { row, manifest } }] = copies;
    // Only a copy that verifies says that its signer sent it, and only such a one may keep the id out later.
    const from = row.attributable ? manifest?.from : undefined;
    if (block && from === undefined) throw new Refused('nobody can be blocked for this bundle, as it is not certain who sent it: reject it without --block');
    const token = from === undefined ? '' : `${from.key}.${from.box}`;
    const blocked = block ? await blockSender(home, { token }, surroundings) : undefined;
    if (from !== undefined) await writeTombstone(home, id, { from_key: from.key, why: 'person', now: context.now });
    const waiting = copies.filter(({ copy }) => copy.state !== 'accepted');
    for (const { copy } of waiting.length > 0 ? waiting : copies) await removeCopy(copy.root, surroundings);
    return { id, remembered: from !== undefined, blocked: blocked?.name ?? null };
  });
}
