import { createHash } from 'node:crypto';
import { fromBase64 } from '../crypto/base64.ts';
import type { Home } from '../home/home.ts';
import { loadIdentity } from '../identity/identity-file.ts';
import { formatTime } from '../identity/time.ts';
import { labelOf } from '../identity/words.ts';
import { Refused } from '../refused.ts';
import type { Surroundings } from '../surroundings.types.ts';
import { changeBuddies } from './buddies.ts';
import type { Buddies, Buddy } from './buddies.types.ts';
import { halvesOf } from './check-new.ts';

/**
 * Blocks the signer of a bundle, by the token that the bundle's good signature covers: the entry on the list, or a new one
 * called `blocked` and the key's label. Returns it. Throws Refused for our own key and where the list is broken.
 */
export function blockSender(home: Home, { token }: { readonly token: string }, { now }: Surroundings): Promise<Buddy> {
  const halves = halvesOf(token);
  if (halves.key === halvesOf(loadIdentity(home).token).key) throw new Refused('that is the key of this home itself: it can not be blocked');
  return changeBuddies(home, (buddies) => {
    const known = buddies.byKey(halves.key);
    const blocked: Buddy = known === undefined
      ? { name: nameFor(buddies, halves.key), token, ...halves, state: 'blocked', addedAt: formatTime(now()), addedBy: 'cli', confirmed: undefined }
      : { ...known, state: 'blocked' };
    return { next: [...buddies.all.filter((each) => each !== known), blocked], result: blocked };
  });
}

/** Not the handle that the stranger chose: it may be the name of somebody who is to be listed later. */
function nameFor(buddies: Buddies, key: string): string {
  const bytes = fromBase64(key, 32) as Uint8Array;
  const name = `blocked ${labelOf(bytes)}`;
  return buddies.byNameOrToken(name) === undefined ? name : `blocked ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;
}
