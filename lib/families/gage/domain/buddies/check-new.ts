import { shellCommand } from '../../../../text/shell-command.ts';
import { checkNewBuddyName, foldName } from '../identity/names.ts';
import { Refused } from '../refused.ts';
import { quotedName } from '../render/escape.ts';
import type { Buddies, Buddy } from './buddies.types.ts';

/** Throws Refused where a checked token can not be put on the list: it is ours, or its signing key is there already. */
export function checkNewKey(buddies: Buddies, token: string, own: string): void {
  const { key } = halvesOf(token);
  if (key === halvesOf(own).key) throw new Refused('that is the key of this home itself: ask the other person for theirs (gage whoami)');
  const listed = buddies.byKey(key);
  if (listed === undefined) return;
  const name = quotedName(listed.name);
  if (listed.token !== token) throw new Refused(`box key changed: ${name} has this signing key with another box key; remove and pair again, once the person has confirmed the change`);
  if (listed.state === 'blocked') throw new Refused(`that key is blocked, as ${name}: a person can unblock it with: ${shellCommand('gage buddies unblock', listed.name)}`);
  throw new Refused(`that key is on the list already, as ${name}`);
}

/**
 * Throws Refused for a name that no buddy may get: one against the rules of names, and one of those that `blockSender` gives, which
 * have to be free.
 */
export function checkName(name: string): void {
  const bad = checkNewBuddyName(name) ?? (foldName(name).startsWith('blocked ') ? 'begins with "blocked", which is for blocked senders' : undefined);
  if (bad !== undefined) throw new Refused(`the name ${bad}`);
}

/** Throws Refused for a name that no buddy may have, and for one that a buddy has. */
export function checkFreeName(buddies: Buddies, name: string): void {
  checkName(name);
  if (buddies.byNameOrToken(name) !== undefined) throw new Refused(`the name ${quotedName(name)} is taken: choose another one`);
}

/** The buddy of a name or a whole token. Throws Refused where there is none, naming the command that lists them. */
export function findBuddy(buddies: Buddies, nameOrToken: string): Buddy {
  const found = buddies.byNameOrToken(nameOrToken);
  if (found === undefined) throw new Refused('nobody of that name or token is on the list: gage buddies shows who is');
  return found;
}

/** Throws Refused where a word is a token of the home's own key, which is on no list. */
export function checkNotOwn(nameOrToken: string, own: string): void {
  if (halvesOf(nameOrToken).key === halvesOf(own).key) throw new Refused('that is the key of this home itself: nothing is sent there; give the name or token of a buddy');
}

/** Throws Refused for a buddy who is blocked, naming the command that lifts it. */
export function checkNotBlocked({ name, state }: Buddy): void {
  if (state === 'blocked') throw new Refused(`${quotedName(name)} is blocked: ${shellCommand('gage buddies unblock', name)} comes first`);
}

/** The two keys in a checked token, each in base64. */
export function halvesOf(token: string): { readonly key: string; readonly box: string } {
  return { key: token.slice(0, 44), box: token.slice(45) };
}
