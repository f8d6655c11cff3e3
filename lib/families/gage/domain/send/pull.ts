import { loadBuddies } from '../buddies/buddies.ts';
import type { BundleBytes } from '../bundle/bundle.types.ts';
import { unpack } from '../bundle/package.ts';
import { unseal } from '../crypto/seal.ts';
import { loadConfig } from '../home/config.ts';
import { openHome, type Home } from '../home/home.ts';
import { loadIdentity } from '../identity/identity-file.ts';
import type { Identity } from '../identity/identity.types.ts';
import { fileArrival, fullProblem, measurePending, type Filed, type Pending } from '../inbox/store.ts';
import { isRefused, Refused } from '../refused.ts';
import { relayClient, type ListedMessage, type RelayClient } from '../relay/client.ts';
import { isDamagedMessage } from '../relay/damaged-message.ts';
import type { ExchangeTimes } from '../relay/exchange.types.ts';
import { isRelayError, type RelayError } from '../relay/relay-error.ts';
import { MAX_MESSAGE } from '../relay/wire.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { atOnce, type InTurn } from './in-turn.ts';

/** What one pull brought, in the words of the wire. `remaining` counts what still is on the relay, to 1,000. */
export type Pulled = {
  readonly pulled: number;
  readonly new_ids: readonly string[];
  readonly duplicates: number;
  readonly refused: number;
  readonly malformed: number;
  readonly remaining: number;
  readonly relay: string;
};

/** How much one pull takes at most, and for how long (ms) it begins with another message; a mailbox can be filled by anybody. */
export type PullLimits = { readonly messages: number; readonly bytes: number; readonly ms: number };

/** What ends a pull before its time, its limits and those of a request (for specs), and its turn among the calls of a session. */
export type PullOptions = { readonly signal?: AbortSignal; readonly limits?: PullLimits; readonly times?: ExchangeTimes; readonly inTurn?: InTurn };

/** What one pull of a session brought; `news` when something new was filed, and no message came that the session had deleted before. */
export type Brought = { readonly pulled: Pulled; readonly news: boolean };

/** Pulls over one session with the relay; `waitS` (0 to 25) lets the relay hold its first answer until something comes. `hasList` tells whether the relay has ever said what waits: the settings are right then. */
export type PullSession = { pull(waitS?: number): Promise<Brought>; hasList(): boolean; close(): void };

const usualLimits: PullLimits = { messages: 100, bytes: 256 * 1024 * 1024, ms: 120_000 };
const maxCounted = 1_000;
/** So many messages in a row that the relay can not give or delete: then it is the relay that fails, and not they. */
const maxFailures = 20;
/** Deleted messages that a session remembers. */
const maxRemembered = 10_000;
/** How long a session does not ask for a message again for which other bytes came, in ms: doubled each time, as a watch would else fetch up to 20 MiB each half a minute. */
const damagedPause = { first: 30_000, most: 60 * 60 * 1_000 } as const;

/**
 * Collects what waits on the relay: each message is fetched, unsealed, judged and filed durably, and only then deleted there, so
 * a crash at any point leaves it in one place or in both, and the next pull finds the second copy out. A message that the
 * relay fails to give, or gives damaged twice, stays there for the next pull. Throws Refused: no relay, not reachable, a full
 * inbox, a disk that says no; what was filed before stays filed.
 */
export async function pull(surroundings: Surroundings, options: PullOptions = {}): Promise<Pulled> {
  const session = openPulls(surroundings, options);
  try {
    return (await session.pull()).pulled;
  } finally {
    session.close();
  }
}

/** Opens a session for several pulls, as a watch makes them; each throws as `pull` does and has the whole time for itself. */
export function openPulls(surroundings: Surroundings, { signal, limits = usualLimits, times, inTurn = atOnce }: PullOptions): PullSession {
  const home = openHome(surroundings.env);
  const identity = loadIdentity(home);
  const { relay } = loadConfig(home);
  // A list that can not be read refuses everything, also where nothing waits.
  loadBuddies(home);
  if (relay === undefined) throw new Refused('nothing was pulled: no relay is set; a person sets one with: gage config relay URL');
  const caller = signal ?? new AbortController().signal;
  let current = caller;
  const client = relayClient(relay, { identity, surroundings, signal: () => current, ...(times !== undefined && { times }) });
  const deleted = new Set<string>();
  const damaged: Run['damaged'] = new Map();
  let hasList = false;
  return {
    close: () => client.close(),
    hasList: () => hasList,
    async pull(waitS = 0) {
      const within = `${Math.ceil(limits.ms / 1_000)} s`;
      const late = AbortSignal.timeout(limits.ms + waitS * 1_000);
      const listing = AbortSignal.any([caller, late]);
      // A message that was begun has the time that its own size gives it; what comes before and between has that of the pull.
      const use = (what: 'list' | 'message'): void => void (current = what === 'list' ? listing : caller);
      const run: Run = {
        home, identity, surroundings, client, limits, inTurn, deleted, damaged, use, isLate: () => late.aborted,
        pending: measurePending(home),
        counts: { pulled: 0, duplicate: 0, refused: 0, malformed: 0 },
        newIds: [], pages: 0, listed: 0, away: 0, taken: 0, bytes: 0, failures: 0, failure: undefined, skipped: 0, damagedCount: 0, again: false, cutShort: false,
      };
      try {
        checkRoom(run.pending);
        await takeAll(run, waitS);
      } catch (error) {
        hasList ||= run.pages > 0;
        // Out of time is no failure once there is a list: the rest waits for the next pull.
        if (error !== late.reason) throw withCounts(error, run);
        run.cutShort = true;
        if (run.pages === 0) throw new Refused(`the relay cannot be used (it did not say within ${within} what waits); try again later, or check gage config show`, { kind: 'network', cause: error });
      }
      hasList = true;
      const { counts, newIds, listed, away, again, skipped, damagedCount, cutShort } = run;
      if (skipped > 0) surroundings.log('warning', `the relay failed for ${skipped === 1 ? 'one message' : `${skipped} messages`}, which the next pull tries again`);
      if (damagedCount > 0) surroundings.log('warning', `other bytes came than those of ${damagedCount === 1 ? 'one message' : `${damagedCount} messages`}, from the relay or from something on the way; nothing is deleted there for that, and a later pull tries again`);
      if (cutShort) surroundings.log('warning', `the time of one pull (${within}) was over before all messages were taken; the next pull goes on`);
      const { pulled: fresh, duplicate: duplicates, refused, malformed } = counts;
      const pulled = { pulled: fresh, new_ids: newIds, duplicates, refused, malformed, remaining: Math.min(listed - away, maxCounted), relay: client.origin };
      return { pulled, news: fresh > 0 && !again };
    },
  };
}

type Run = {
  readonly home: Home;
  readonly identity: Identity;
  readonly surroundings: Surroundings;
  readonly client: RelayClient;
  readonly limits: PullLimits;
  readonly inTurn: InTurn;
  /** Says what is asked for next, as a list ends with the time of the pull. */
  use(what: 'list' | 'message'): void;
  isLate(): boolean;
  /** Messages that the relay said it had deleted. */
  readonly deleted: Set<string>;
  /** Messages for which other bytes came, twice: until when they are left alone, in ms of the process, and for how long that was. */
  readonly damaged: Map<string, { readonly until: number; readonly pause: number }>;
  readonly counts: Record<Filed['outcome'], number>;
  readonly newIds: string[];
  /** Counted once a pull; what is filed is added, as each count reads all of it. */
  pending: Pending;
  pages: number;
  listed: number;
  /** Listed, and not on the relay any more: deleted, or another pull had it. */
  away: number;
  taken: number;
  bytes: number;
  /** Messages in a row that the relay failed to give or to delete, and how it did last. */
  failures: number;
  failure: unknown;
  skipped: number;
  /** How many of those this pull has seen. */
  damagedCount: number;
  /** Whether the relay gave a message once more that it had deleted. */
  again: boolean;
  /** Whether the time was over with messages left. */
  cutShort: boolean;
};

/** Page by page; once the limit of one pull is reached, the pages are only counted. */
async function takeAll(run: Run, waitS: number): Promise<void> {
  const cursors = new Set<string>();
  let full = false;
  for (let after: string | undefined; ; ) {
    run.use('list');
    const page = await run.client.list({ ...(after === undefined ? { waitS } : { after }) });
    run.pages += 1;
    run.listed += page.messages.length;
    run.use('message');
    for (const message of page.messages) {
      run.cutShort ||= !full && run.isLate();
      // Too large for a message is not fetched, so that no claim of a relay can be too large for a pull.
      full ||= run.cutShort || run.taken + run.damagedCount >= run.limits.messages || run.bytes + (message.bytes > MAX_MESSAGE ? 0 : message.bytes) > run.limits.bytes;
      if (!full) await takeOrSkip(run, message);
    }
    // A cursor that comes again would go round for ever.
    if (page.next === null || cursors.has(page.next) || page.messages.length === 0 || run.listed - run.taken >= maxCounted) break;
    cursors.add(page.next);
    after = page.next;
  }
  if (run.failures >= maxFailures) throw run.failure;
}

/** Takes a message; one that the relay fails for must not hold up those behind it, however many there are, but where each costs its time. */
async function takeOrSkip(run: Run, message: ListedMessage): Promise<void> {
  const before = run.damaged.get(message.id);
  if (before !== undefined && performance.now() < before.until) {
    run.damagedCount += 1;
    return;
  }
  try {
    await take(run, message);
    run.failures = 0;
  } catch (error) {
    if (isDamagedMessage(error)) {
      // It has answered, so it is not the relay that fails.
      run.failures = 0;
      run.damagedCount += 1;
      run.bytes += error.bytes.length;
      if (run.damaged.size >= maxRemembered) run.damaged.clear();
      const pause = Math.min(before === undefined ? damagedPause.first : before.pause * 2, damagedPause.most);
      run.damaged.set(message.id, { until: performance.now() + pause, pause });
      return;
    }
    run.failures += 1;
    run.failure = error;
    run.skipped += 1;
    if (!isAboutOne(error) || (run.failures >= maxFailures && error.code === 'unreachable')) throw error;
  }
}

async function take(run: Run, message: ListedMessage): Promise<void> {
  const { client, home, identity, surroundings, inTurn, deleted } = run;
  const sealed = message.bytes > MAX_MESSAGE ? new Uint8Array(0) : await fetched(client, message);
  if (sealed === undefined) {
    run.away += 1;
    return;
  }
  const { outcome, id } = await inTurn(() => fileArrival(home, readMessage(sealed, identity), { message_id: message.id, relay: client.origin, sealed }, surroundings));
  run.damaged.delete(message.id);
  run.taken += 1;
  run.bytes += sealed.length;
  run.counts[outcome] += 1;
  run.again ||= deleted.has(message.id);
  if (outcome === 'pulled' && id !== undefined) {
    run.newIds.push(id);
    run.pending = { bundles: run.pending.bundles + 1, bytes: run.pending.bytes + sealed.length };
  }
  await client.remove(message.id);
  run.away += 1;
  if (deleted.size >= maxRemembered) deleted.clear();
  deleted.add(message.id);
  if (outcome === 'pulled') checkRoom(run.pending);
}

/**
 * The bytes that hash to an id, undefined where the relay has them no more. What was damaged on its way alone is whole the second
 * time; bytes of another hash are never the message, which may be whole at the relay, and say nothing of it.
 */
function fetched(client: RelayClient, { id, bytes }: ListedMessage): Promise<Uint8Array | undefined> {
  return client.fetch(id, bytes).catch((error: unknown) => (isDamagedMessage(error) ? client.fetch(id, bytes) : Promise.reject(error)));
}

/** Failures that may be those of one message, as the list before it was good: no answer, or any that is not about who asks (401) or how often (429). */
function isAboutOne(error: unknown): error is RelayError {
  return isRelayError(error) && (error.code === 'unreachable' || (error.status !== null && error.status !== 401 && error.status !== 429));
}

/** The bundle in a sealed message; undefined where it is for somebody else or damaged. */
function readMessage(sealed: Uint8Array, identity: Identity): BundleBytes | undefined {
  const packed = unseal(sealed, identity);
  return packed === undefined ? undefined : unpack(packed);
}

function checkRoom(pending: Pending): void {
  const full = fullProblem(pending);
  if (full !== undefined) throw new Refused(full);
}

/** A refusal in the middle of a pull says what had come by then. */
function withCounts(error: unknown, { counts }: Run): unknown {
  if (!isRefused(error) || counts.pulled === 0) return error;
  return new Refused(`${error.message}; ${counts.pulled} new ${counts.pulled === 1 ? 'bundle was' : 'bundles were'} filed before that`, { kind: error.kind, cause: error });
}
