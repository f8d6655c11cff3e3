import { loadBuddies } from '../buddies/buddies.ts';
import type { Buddies } from '../buddies/buddies.ts';
import { toBase64 } from '../crypto/base64.ts';
import { grantFor } from '../home/authority.ts';
import type { GrantAnswer } from '../home/authority.ts';
import { loadConfig } from '../home/config.ts';
import type { Home } from '../home/home.ts';
import { loadIdentity } from '../identity/identity-file.ts';
import { foldName } from '../identity/names.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';

/** What a verdict depends on beside the bundle: who reads it, whom they know, what they set, and when. */
export type JudgeContext = {
  /** The reader's signing key, base64. */
  readonly me: string;
  readonly buddies: Buddies;
  /** Keys of the list by name, folded as names are compared. */
  readonly keyOfName: ReadonlyMap<string, string>;
  readonly withholdStrangers: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  grantOf(key: string, type: string): GrantAnswer;
};

/** Reads what verdicts depend on. Throws Refused without an identity, and for a list or config.json that is broken. */
export function judgeContext(home: Home, surroundings: Pick<Surroundings, 'now'>): JudgeContext {
  const identity = loadIdentity(home);
  const buddies = loadBuddies(home);
  const { withholdStrangers } = loadConfig(home);
  const now = surroundings.now();
  return {
    me: toBase64(identity.signKey),
    buddies,
    keyOfName: new Map(buddies.all.map(({ name, key }) => [foldName(name), key])),
    withholdStrangers,
    now,
    grantOf: (key, type) => grantFor(home, { key, type, now }),
  };
}
