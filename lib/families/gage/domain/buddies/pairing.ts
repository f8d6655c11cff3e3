import { createHash, timingSafeEqual } from 'node:crypto';
import type { Home } from '../home/home.ts';
import { loadIdentity } from '../identity/identity-file.ts';
import { sameName } from '../identity/names.ts';
import { parseToken } from '../identity/token.ts';
import { normaliseEcho, wordsOf } from '../identity/words.ts';
import { Refused } from '../refused.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { shellCommand } from '../../../../text/shell-command.ts';
import { loadBuddies } from './buddies.ts';
import { checkFreeName, checkNewKey, halvesOf } from './check-new.ts';
import { addBuddy } from './edit.ts';

/** What a started pairing answers: the words to compare, and that nothing was added. */
export type PairingStarted = {
  readonly pairing_id: string;
  readonly word_pairs: readonly string[];
  readonly words: string;
  readonly name: string | null;
  /** Signing key in base64. */
  readonly key: string;
  readonly expires_in_s: number;
  readonly added: false;
  readonly note: string;
};

/** What a completed pairing answers: the buddy is listed, and `next` is the command by which a person makes it `confirmed`. */
export type PairingConfirmed = { readonly added: true; readonly name: string; readonly key: string; readonly state: 'unconfirmed'; readonly next: string };

type Pending = { readonly token: string; readonly name: string | undefined; readonly digest: Buffer; readonly deadline: number; attempts: number; isEnding: boolean };

const attemptsAllowed = 3;
const lifetimeMs = 15 * 60_000;
const maxPending = 8;

/** One text for an id that is unknown, spent or too old and for a wrong echo, so that an answer tells none of them apart. */
const failed = 'That did not complete the pairing. Nothing was added.';

const note =
  'Nothing was added. A person must compare these eight words with those that gage whoami --words prints on the other machine, over a channel ' +
  'that neither machine controls, such as a call. Only then call gage_pair_confirm with the words as that person read them.';

/** The pairings that one session has begun, in memory alone: what is not confirmed there leaves nothing behind. */
export class Pairings {
  readonly #pending = new Map<string, Pending>();

  /** Begins to add the key of a token. Throws Refused for a bad token, our own, a listed or blocked key, and a name that is bad or taken. */
  async start({ key: token, name: given }: { readonly key: string; readonly name?: string | undefined }, home: Home, { now, random }: Surroundings): Promise<PairingStarted> {
    const identity = loadIdentity(home);
    const parsed = parseToken(token);
    if ('problem' in parsed) throw new Refused(`key is no gage token (${parsed.problem}): it must be the 89 characters that gage whoami prints on the other machine`);
    const buddies = loadBuddies(home);
    checkNewKey(buddies, token, identity.token);
    const name = given?.normalize('NFC');
    if (name !== undefined) checkFreeName(buddies, name);
    const { pairs, words } = await wordsOf(token);
    const id = Buffer.from(random(16)).toString('base64url');
    this.#sweep(now());
    const oldest = this.#pending.size < maxPending ? undefined : this.#pending.keys().next().value;
    if (oldest !== undefined) this.#pending.delete(oldest);
    this.#pending.set(id, { token, name, digest: digestOf(pairs), deadline: now() + lifetimeMs, attempts: attemptsAllowed, isEnding: false });
    return { pairing_id: id, word_pairs: pairs, words, name: name ?? null, key: halvesOf(token).key, expires_in_s: lifetimeMs / 1000, added: false, note };
  }

  /**
   * Adds the key, as `unconfirmed`, where the echo is the words of its token. Three wrong echoes spend the id. A name that is
   * missing, differs from the one at the start or can not be used is refused before the echo is looked at and costs no attempt. Where
   * the list can not be written (its lock is held, the disk is full) the pairing stays, so that nobody has to compare again.
   */
  async confirm(
    { pairing_id: id, echo, name: given }: { readonly pairing_id: string; readonly echo: string | readonly string[]; readonly name?: string | undefined },
    home: Home,
    surroundings: Surroundings,
  ): Promise<PairingConfirmed> {
    const own = loadIdentity(home).token;
    this.#sweep(surroundings.now());
    const pending = this.#pending.get(id);
    if (pending === undefined || pending.isEnding) throw new Refused(failed);
    const name = agreedName(pending.name, given?.normalize('NFC'));
    const buddies = loadBuddies(home);
    checkFreeName(buddies, name);
    if (!timingSafeEqual(digestOf(echo), pending.digest)) {
      pending.attempts -= 1;
      if (pending.attempts === 0) this.#pending.delete(id);
      throw new Refused(failed);
    }
    checkNewKey(buddies, pending.token, own);
    // Closed before the list is written, so that two calls at once can not both get through.
    pending.isEnding = true;
    try {
      const added = await addBuddy(home, { token: pending.token, name, by: 'mcp', confirmed: false }, surroundings);
      this.#pending.delete(id);
      return { added: true, name: added.name, key: added.key, state: 'unconfirmed', next: shellCommand('gage buddies confirm', added.name) };
    } finally {
      pending.isEnding = false;
    }
  }

  #sweep(now: number): void {
    for (const [id, { deadline }] of this.#pending) if (now >= deadline) this.#pending.delete(id);
  }
}

function agreedName(before: string | undefined, now: string | undefined): string {
  if (before !== undefined && now !== undefined && !sameName(before, now)) throw new Refused('name is not the one that the pairing was started with: leave it out, or start again');
  const name = before ?? now;
  if (name === undefined) throw new Refused('the pairing was started without a name: give one as name');
  return name;
}

const digestOf = (echo: string | readonly string[]): Buffer => createHash('sha256').update(normaliseEcho(echo)).digest();
