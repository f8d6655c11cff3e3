import type { BundleBytes } from '../bundle/bundle.types.ts';
import { unpack } from '../bundle/package.ts';
import { unseal } from '../crypto/seal.ts';
import { loadConfig } from '../home/config.ts';
import { openHome, type Home } from '../home/home.ts';
import { loadIdentity } from '../identity/identity-file.ts';
import type { Identity } from '../identity/identity.types.ts';
import { fileArrival, pendingIsFull, type Filed } from '../inbox/store.ts';
import { isRefused, Refused } from '../refused.ts';
import { relayClient, type ListedMessage, type RelayClient } from '../relay/client.ts';
import { MAX_MESSAGE } from '../relay/wire.ts';
import type { Surroundings } from '../surroundings.types.ts';

/** What one pull brought, in the words of the wire. `remaining` counts what is listed and was not taken, to 1,000. */
export type Pulled = {
  readonly pulled: number;
  readonly new_ids: readonly string[];
  readonly duplicates: number;
  readonly refused: number;
  readonly malformed: number;
  readonly remaining: number;
  readonly relay: string;
};

/** How much one pull takes at most; a mailbox can be filled by anybody. */
export type PullLimits = { readonly messages: number; readonly bytes: number; readonly ms: number };

/** Pulls over one session with the relay; `waitS` (0 to 25) lets the relay hold its first answer until something comes. */
export type PullSession = { pull(waitS?: number): Promise<Pulled>; close(): void };

const usualLimits: PullLimits = { messages: 100, bytes: 256 * 1024 * 1024, ms: 120_000 };
const maxCounted = 1_000;

/**
 * Collects what waits on the relay: each message is fetched, unsealed, judged and filed durably, and only then deleted there, so
 * a crash at any point leaves it in one place or in both, and the next pull finds the second copy out. Throws Refused: no
 * relay, not reachable, a full inbox, a disk that says no; what was filed before stays filed. `limits` are for specs.
 */
export async function pull(surroundings: Surroundings, { signal, limits = usualLimits }: { readonly signal?: AbortSignal; readonly limits?: PullLimits } = {}): Promise<Pulled> {
  const late = AbortSignal.timeout(limits.ms);
  const session = openPulls(surroundings, { signal: signal === undefined ? late : AbortSignal.any([signal, late]), late, limits });
  try {
    return await session.pull();
  } finally {
    session.close();
  }
}

/** Opens a session for several pulls, as a watch makes them; each throws as `pull` does. `late` ends one without a failure. */
export function openPulls(surroundings: Surroundings, { signal, late, limits = usualLimits }: { readonly signal: AbortSignal; readonly late?: AbortSignal; readonly limits?: PullLimits }): PullSession {
  const home = openHome(surroundings.env);
  const identity = loadIdentity(home);
  const { relay } = loadConfig(home);
  if (relay === undefined) throw new Refused('nothing was pulled: no relay is set; a person sets one with: gage config relay URL');
  const client = relayClient(relay, { identity, surroundings, signal });
  return {
    close: () => client.close(),
    async pull(waitS = 0) {
      const run: Run = { home, identity, surroundings, client, limits, counts: { pulled: 0, duplicate: 0, refused: 0, malformed: 0 }, newIds: [], listed: 0, gone: 0, taken: 0, bytes: 0 };
      try {
        checkRoom(home);
        await takeAll(run, waitS);
      } catch (error) {
        // Out of time is no failure: the rest waits for the next pull.
        if (late?.aborted !== true || signal.reason !== late.reason) throw withCounts(error, run);
      }
      const { counts, newIds, listed, gone, taken } = run;
      return { pulled: counts.pulled, new_ids: newIds, duplicates: counts.duplicate, refused: counts.refused, malformed: counts.malformed, remaining: Math.min(listed - gone - taken, maxCounted), relay: client.origin };
    },
  };
}

type Run = {
  readonly home: Home;
  readonly identity: Identity;
  readonly surroundings: Surroundings;
  readonly client: RelayClient;
  readonly limits: PullLimits;
  readonly counts: Record<Filed['outcome'], number>;
  readonly newIds: string[];
  listed: number;
  /** Listed, but another pull had it. */
  gone: number;
  taken: number;
  bytes: number;
};

/** Page by page; once the limit of one pull is reached, the pages are only counted. */
async function takeAll(run: Run, waitS: number): Promise<void> {
  const cursors = new Set<string>();
  let full = false;
  for (let after: string | undefined; ; ) {
    const page = await run.client.list({ ...(after === undefined ? { waitS } : { after }) });
    run.listed += page.messages.length;
    for (const message of page.messages) {
      full ||= run.taken >= run.limits.messages || run.bytes + message.bytes > run.limits.bytes;
      if (!full) await take(run, message);
    }
    // A cursor that comes again would go round for ever.
    if (page.next === null || cursors.has(page.next) || page.messages.length === 0 || run.listed - run.taken >= maxCounted) return;
    cursors.add(page.next);
    after = page.next;
  }
}

async function take(run: Run, message: ListedMessage): Promise<void> {
  const { client, home, identity, surroundings } = run;
  const sealed = message.bytes > MAX_MESSAGE ? new Uint8Array(0) : await client.fetch(message.id);
  if (sealed === undefined) {
    run.gone += 1;
    return;
  }
  const { outcome, id } = await fileArrival(home, readMessage(sealed, identity), { message_id: message.id, relay: client.origin, sealed }, surroundings);
  run.taken += 1;
  run.bytes += sealed.length;
  run.counts[outcome] += 1;
  if (outcome === 'pulled' && id !== undefined) run.newIds.push(id);
  await client.remove(message.id);
  if (outcome === 'pulled') checkRoom(home);
}

/** The bundle in a sealed message; undefined where it is for somebody else or damaged. */
function readMessage(sealed: Uint8Array, identity: Identity): BundleBytes | undefined {
  const packed = unseal(sealed, identity);
  return packed === undefined ? undefined : unpack(packed);
}

function checkRoom(home: Home): void {
  const full = pendingIsFull(home);
  if (full !== undefined) throw new Refused(full);
}

/** A refusal in the middle of a pull says what had come by then. */
function withCounts(error: unknown, { counts }: Run): unknown {
  if (!isRefused(error) || counts.pulled === 0) return error;
  return new Refused(`${error.message}; ${counts.pulled} new ${counts.pulled === 1 ? 'bundle was' : 'bundles were'} filed before that, see gage_inbox`, { kind: error.kind, cause: error });
}
