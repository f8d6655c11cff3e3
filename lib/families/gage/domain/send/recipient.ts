import { loadBuddies } from '../buddies/buddies.ts';
import type { Buddy } from '../buddies/buddies.types.ts';
import { checkNotOwn, findBuddy } from '../buddies/check-new.ts';
import type { Home } from '../home/home.ts';
import { Refused } from '../refused.ts';
import { quotedName } from '../render/escape.ts';
import { shellCommand } from '../../../../text/shell-command.ts';

/** The buddy that a bundle is for, by name or whole token; `own` is the token of this home. Throws Refused for somebody unknown, a blocked buddy and our own token. */
export function recipientOf(home: Home, to: string, own: string): Buddy {
  checkNotOwn(to, own);
  const buddy = findBuddy(loadBuddies(home), to);
  if (buddy.state === 'blocked') throw new Refused(`${quotedName(buddy.name)} is blocked, so nothing is sent there; a person can lift that with: ${shellCommand('gage buddies unblock', buddy.name)}`);
  return buddy;
}
