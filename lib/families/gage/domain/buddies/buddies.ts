import { createHash } from 'node:crypto';
import type { Home } from '../home/home.ts';
import { changeState, readState } from '../home/state-file.ts';
import { foldName } from '../identity/names.ts';
import { buddiesFile } from './buddies-file.ts';
import type { Buddies, Buddy, BuddyState } from './buddies.types.ts';

export type { Buddies, Buddy, BuddyState } from './buddies.types.ts';

/** The list in buddies.json; empty where there is no file. Throws Refused that names the key of a broken one. */
export function loadBuddies(home: Home): Buddies {
  return indexOf(readState(home, buddiesFile));
}

/**
 * Changes the list under its lock, so that two processes lose no update: `change` gets the list as it is then, and what it
 * gives as `next` replaces it (without it nothing is written). Returns its `result`. Throws Refused, the old list in place.
 */
export function changeBuddies<R>(home: Home, change: (buddies: Buddies) => { readonly next?: readonly Buddy[]; readonly result: R }): Promise<R> {
  return changeState(home, buddiesFile, (all) => change(indexOf(all)));
}

/**
 * What a buddy counts as now. The record of a comparison holds for the token that was compared: with another one in its
 * place the buddy is unconfirmed again, whatever the file says.
 */
export function stateOf(buddy: Buddy): BuddyState {
  if (buddy.state === 'blocked') return 'blocked';
  return buddy.confirmed?.tokenSha256 === tokenDigest(buddy.token) ? 'confirmed' : 'unconfirmed';
}

/** Whether words were compared, but for another token than the one on the list now. */
export function isStale(buddy: Buddy): boolean {
  return buddy.confirmed !== undefined && buddy.confirmed.tokenSha256 !== tokenDigest(buddy.token);
}

/** SHA-256 of a token's text in hex, as a confirmation keeps it. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function indexOf(all: readonly Buddy[]): Buddies {
  const keys = new Map(all.map((buddy) => [buddy.key, buddy]));
  return {
    all,
    byKey: (key) => keys.get(key),
    byNameOrToken(text) {
      const name = foldName(text);
      return all.find((buddy) => buddy.token === text || foldName(buddy.name) === name);
    },
  };
}
