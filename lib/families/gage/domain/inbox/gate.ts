import path from 'node:path';
import type { Home } from '../home/home.ts';
import { formatTime } from '../identity/time.ts';
import { Refused } from '../refused.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { judgeContext } from '../verdict/context.ts';
import { judgeBundle } from '../verdict/judge.ts';
import type { Row } from '../verdict/verdict.types.ts';
import { placeCopy, removeCopy } from './copy.ts';
import { withInboxLock } from './lock.ts';
import { readNote } from './places.ts';
import { readCopies } from './read-copy.ts';

/**
 * Moves a bundle that waits to `accepted`: exactly the bytes that were verified here; one that is accepted already stays as it is.
 * For a person alone. Returns its row, with the paths of its items. Throws Refused unless it is what its sender signed, for us,
 * from nobody blocked and, without `expired`, not expired.
 */
export function accept(home: Home, id: string, { expired = false }: { readonly expired?: boolean }, surroundings: Surroundings): Promise<Row> {
  return withInboxLock(home, async () => {
    const context = judgeContext(home, surroundings);
    const copies = readCopies(home, id, context);
    const [{ copy, bytes, judged: { row } }] = copies;
    const rest = copies.filter((each) => each.copy.state !== 'accepted');
    const problem = acceptProblem(row, expired);
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
  if (verdict === 'blocked') return 'its signer is blocked: gage buddies lists them, and gage buddies unblock NAME comes first';
  if (!to_me) return 'this bundle is addressed to someone else, and is not for you to accept';
  return state !== 'accepted' && reasons.includes('expired') && !expired ? 'this bundle is expired: --expired takes it all the same' : undefined;
}
