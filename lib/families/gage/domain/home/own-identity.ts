import { toBase64 } from '../crypto/base64.ts';
import { loadIdentity } from '../identity/identity-file.ts';
import type { Identity } from '../identity/identity.types.ts';
import { labelOf, wordsOf } from '../identity/words.ts';
import type { Home } from './home.ts';

/** The public side of an identity, as the tool and the commands show it; keys in base64. */
export type OwnIdentity = {
  readonly handle: string;
  readonly token: string;
  readonly sign_key: string;
  readonly box_key: string;
  readonly word_pairs: readonly string[];
  readonly words: string;
  readonly label: string;
};

/** Who a home is, without anything secret. Throws Refused where it has no identity, or one that others could read. */
export function ownIdentity(home: Home): Promise<OwnIdentity> {
  return publicSideOf(loadIdentity(home));
}

/** The public side of an identity that is at hand, such as one that was just made. */
export async function publicSideOf({ handle, token, signKey, boxKey }: Identity): Promise<OwnIdentity> {
  const { pairs, words } = await wordsOf(token);
  return { handle, token, sign_key: toBase64(signKey), box_key: toBase64(boxKey), word_pairs: pairs, words, label: labelOf(signKey) };
}
