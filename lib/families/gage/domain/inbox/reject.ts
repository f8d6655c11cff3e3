import { isDiskFull } from '../../../../text/system-error.ts';
import { blockSender } from '../buddies/block-sender.ts';
import { signerToken } from '../bundle/signature.ts';
import type { Home } from '../home/home.ts';
import { Refused } from '../refused.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { judgeContext } from '../verdict/context.ts';
import { idForm, shownFolder } from '../verdict/judge.ts';
import { removeCopy, sweepCopies } from './copy.ts';
import { withInboxLock } from './lock.ts';
import { copiesIn } from './places.ts';
import type { Copy } from './places.ts';
import { readCopies } from './read-copy.ts';
import { inspectAnew, seenBefore } from './seen.ts';
import { writeTombstone } from './tombstones.ts';

/**
 * What a reject did: the id, null for a folder under another name; whether the id is known from now on, so that it does not come in
 * again; and under which name the signer is blocked now.
 */
export type Rejected = { readonly id: string | null; readonly remembered: boolean; readonly blocked: string | null };

/** What is to be deleted, and what is to be written about its signer. */
type Plan = { readonly roots: readonly string[]; readonly signer: { readonly key: string; readonly token: string } | undefined };

/**
 * Deletes a bundle that waits, every copy of it, or an accepted one where none waits. Where its signature is good the id is
 * remembered as refused, so that it does not come again. `block` blocks its signer too. For a person alone. A disk that is full is no
 * obstacle: then it is deleted first. Throws Refused for an unknown id, and for `block` where nobody can be held to have sent it.
 */
export async function reject(home: Home, id: string, { block = false }: { readonly block?: boolean }, surroundings: Surroundings): Promise<Rejected> {
  const remember = async ({ signer }: Plan): Promise<string | null> => {
    const blocked = block && signer !== undefined ? await blockSender(home, signer, surroundings) : undefined;
    if (signer !== undefined) await writeTombstone(home, id, { from_key: signer.key, why: 'person', now: surroundings.now() });
    return blocked?.name ?? null;
  };
  const done = (blocked: string | null): Rejected => ({ id, remembered: seenBefore(home, id, { inspect: inspectAnew }) !== undefined, blocked });
  try {
    return await withInboxLock(home, async () => {
      const plan = planFor(home, id, block, surroundings);
      // Remembered before it is deleted: who is killed in between can reject it once more.
      const blocked = await remember(plan);
      for (const root of plan.roots) await removeCopy(root, surroundings);
      await sweepCopies(home);
      return done(blocked);
    });
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
  // There may be no room for the lock itself. Each copy goes at one stroke, so who comes between finds it or does not.
  const plan = planFor(home, id, block, surroundings);
  for (const root of plan.roots) await removeCopy(root, surroundings);
  try {
    return await withInboxLock(home, async () => {
      await sweepCopies(home);
      return done(await remember(plan));
    });
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new Refused(`the bundle is deleted, but the disk is too full to remember that${block ? ' and to block its signer' : ''}: make room, as it may come again`, { cause: error });
  }
}

/** Whether a delivery lies under a name that is no id, such as the beginning of one. */
export function isNamedDelivery(home: Home, name: string): boolean {
  return namedDeliveries(home).some(({ folder }) => folder === name);
}

/**
 * Deletes a delivery that lies under a name that is no id, by that name or by the form in which lists show it. Nobody is held to
 * have sent it, so nothing is remembered. For a person alone. Throws Refused where there is none, and more than one.
 */
export async function rejectFolder(home: Home, name: string, surroundings: Surroundings): Promise<Rejected> {
  const remove = async (): Promise<Rejected> => {
    const named = namedDeliveries(home);
    const exact = named.filter(({ folder }) => folder === name);
    const found = exact.length > 0 ? exact : named.filter(({ folder }) => shownFolder(folder) === name);
    const [copy, other] = found;
    if (copy === undefined) throw new Refused('nothing of this name was delivered: gage inbox shows ids, and the names of what lies under none');
    if (other !== undefined) throw new Refused('more than one delivery is shown by this name: give the whole name, as it is in inbox/incoming of the gage home');
    await removeCopy(copy.root, surroundings);
    return { id: null, remembered: false, blocked: null };
  };
  try {
    return await withInboxLock(home, remove);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return remove();
  }
}

const namedDeliveries = (home: Home): Copy[] => copiesIn(home, 'incoming').filter(({ folder }) => !idForm.test(folder));

function planFor(home: Home, id: string, block: boolean, surroundings: Surroundings): Plan {
  const copies = readCopies(home, id, judgeContext(home, surroundings));
  const [{ judged: { row, manifest } }] = copies;
  // Only a copy that verifies says that its signer sent it, and only such a one may keep the id out later.
  const signed = row.attributable ? manifest : undefined;
  if (block && signed === undefined) throw new Refused('nobody can be blocked for this bundle, as it is not certain who sent it: reject it without --block');
  const waiting = copies.filter(({ copy }) => copy.state !== 'accepted');
  const roots = (waiting.length > 0 ? waiting : copies).map(({ copy }) => copy.root);
  return { roots, signer: signed === undefined ? undefined : { key: signed.from.key, token: signerToken(signed) } };
}
