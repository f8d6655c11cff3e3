import { fromBase64 } from '../crypto/base64.ts';
import type { Home } from '../home/home.ts';
import { loadIdentity } from '../identity/identity-file.ts';
import { labelOf } from '../identity/words.ts';
import { unreadByKey } from './inbox.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { loadBuddies, stateOf } from '../buddies/buddies.ts';
import type { BuddyState } from '../buddies/buddies.types.ts';

/** A buddy as the tool and the command show it; `unread` counts as `unreadByKey` does, `key` is the signing key. */
export type BuddyRow = {
  readonly name: string;
  readonly token: string;
  readonly key: string;
  readonly label: string;
  readonly state: BuddyState;
  readonly confirmed_at: string | null;
  readonly added_at: string;
  readonly unread: number;
};

/** The whole list, sorted by name. Throws Refused without an identity and where the list is broken. */
export async function showBuddies(home: Home, surroundings: Surroundings): Promise<{ readonly buddies: readonly BuddyRow[]; readonly total: number }> {
  loadIdentity(home);
  const { all } = loadBuddies(home);
  const unread = await unreadByKey(home, surroundings);
  const buddies = all.map((buddy): BuddyRow => {
    const { name, token, key, confirmed, addedAt } = buddy;
    const state = stateOf(buddy);
    // A record for another token says nothing about this one, so its time is not shown.
    const confirmedAt = state === 'confirmed' ? (confirmed?.at ?? null) : null;
    return { name, token, key, label: labelOf(fromBase64(key, 32) as Uint8Array), state, confirmed_at: confirmedAt, added_at: addedAt, unread: unread.get(key) ?? 0 };
  });
  return { buddies, total: buddies.length };
}
