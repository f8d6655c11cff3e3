import { createHash } from 'node:crypto';
import { fromBase64 } from '../crypto/base64.ts';
import type { Home } from '../home/home.ts';
import { loadIdentity } from '../identity/identity-file.ts';
import { sameName } from '../identity/names.ts';
import { formatTime } from '../identity/time.ts';
import { labelOf } from '../identity/words.ts';
import { Refused } from '../refused.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
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

/**
 * Whether an entry is there for its block alone: `blockSender` made it, and nobody ever put the key on the list. The name tells, as
 * the file has no other place for that; it follows from the key, and can not be changed while the key is blocked.
 */
export function isBlockAlone({ name, key, state, addedBy, confirmed }: Buddy): boolean {
  return state === 'blocked' && addedBy === 'cli' && confirmed === undefined && namesOf(key).some((each) => sameName(each, name));
}

/** Not the handle that the stranger chose: it may be the name of somebody who is to be listed later. */
function nameFor(buddies: Buddies, key: string): string {
  const [usual, other] = namesOf(key);
  return buddies.byNameOrToken(usual) === undefined ? usual : other;
}

/** By the label, and by a digest where another key has that name. */
function namesOf(key: string): readonly [usual: string, other: string] {
  const bytes = fromBase64(key, 32) as Uint8Array;
  return [`blocked ${labelOf(bytes)}`, `blocked ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`];
}
