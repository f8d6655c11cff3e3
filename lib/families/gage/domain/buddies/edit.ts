import type { Home } from '../home/home.ts';
import { loadIdentity } from '../identity/identity-file.ts';
import { sameName } from '../identity/names.ts';
import { formatTime } from '../identity/time.ts';
import { Refused } from '../refused.ts';
import { quotedName } from '../render/escape.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { isBlockAlone } from './block-sender.ts';
import { changeBuddies, tokenDigest } from './buddies.ts';
import type { Buddies, Buddy } from './buddies.types.ts';
import { checkFreeName, checkName, checkNewKey, checkNotBlocked, findBuddy, halvesOf } from './check-new.ts';

/** A key to put on the list: by whom, and whether a person has compared its words. */
export type NewBuddy = { readonly token: string; readonly name: string; readonly by: 'cli' | 'mcp'; readonly confirmed: boolean };

/** Puts a key on the list, its name in form NFC. Throws Refused for our own key, one that is listed or blocked, and a name that is bad or taken. */
export function addBuddy(home: Home, { token, name: given, by, confirmed }: NewBuddy, { now }: Surroundings): Promise<Buddy> {
  const name = given.normalize('NFC');
  const own = loadIdentity(home).token;
  return changeBuddies(home, (buddies) => {
    checkNewKey(buddies, token, own);
    checkFreeName(buddies, name);
    const at = formatTime(now());
    const record = confirmed ? { at, tokenSha256: tokenDigest(token) } : undefined;
    const added: Buddy = { name, token, ...halvesOf(token), state: 'listed', addedAt: at, addedBy: by, confirmed: record };
    return { next: [...buddies.all, added], result: added };
  });
}

/** Says that a person has compared the words of `token`: the only way to `confirmed`. Throws Refused when the list has another token by then. */
export function confirmBuddy(home: Home, { name, token }: Pick<Buddy, 'name' | 'token'>, { now }: Surroundings): Promise<Buddy> {
  return changeBuddy(home, name, (buddy) => {
    // The words were compared before the lock was taken; what they belonged to may have been replaced since.
    if (buddy.token !== token) throw new Refused(`the key of ${quotedName(buddy.name)} changed while its words were compared: compare them again`);
    checkNotBlocked(buddy);
    return { ...buddy, confirmed: { at: formatTime(now()), tokenSha256: tokenDigest(token) } };
  });
}

/**
 * Gives a buddy another name, in form NFC. Throws Refused for a name that is bad or another buddy's, and for a key that is there for its block
 * alone: under a name of its own it would pass for one that was listed.
 */
export function renameBuddy(home: Home, from: string, given: string): Promise<Buddy> {
  const to = given.normalize('NFC');
  return changeBuddy(home, from, (buddy, buddies) => {
    if (isBlockAlone(buddy)) throw new Refused('that key was never on the list and has no name of its own: gage buddies unblock takes the block away');
    // Another spelling of its own name is free for it.
    if (sameName(buddy.name, to)) checkName(to);
    else checkFreeName(buddies, to);
    return { ...buddy, name: to };
  });
}

/**
 * Blocks a buddy, or takes the block away; the record of compared words stays. A key that was on the list for its block alone
 * leaves it and comes back as it was (`isBlockAlone` tells), as undoing a block must trust nobody. Throws Refused where there is no such buddy.
 */
export function setBlocked(home: Home, nameOrToken: string, blocked: boolean): Promise<Buddy> {
  return changeBuddies(home, (buddies) => {
    const found = findBuddy(buddies, nameOrToken);
    if (!blocked && isBlockAlone(found)) return { next: buddies.all.filter((each) => each !== found), result: found };
    const result: Buddy = { ...found, state: blocked ? 'blocked' : 'listed' };
    return { next: buddies.all.map((each) => (each === found ? result : each)), result };
  });
}

/** Takes a buddy off the list and returns it. Throws Refused where there is none of that name or token. */
export function removeBuddy(home: Home, nameOrToken: string): Promise<Buddy> {
  return changeBuddies(home, (buddies) => {
    const found = findBuddy(buddies, nameOrToken);
    return { next: buddies.all.filter((each) => each !== found), result: found };
  });
}

function changeBuddy(home: Home, nameOrToken: string, change: (buddy: Buddy, buddies: Buddies) => Buddy): Promise<Buddy> {
  return changeBuddies(home, (buddies) => {
    const found = findBuddy(buddies, nameOrToken);
    const result = change(found, buddies);
    return { next: buddies.all.map((each) => (each === found ? result : each)), result };
  });
}
