import { setTimeout as delay } from 'node:timers/promises';
import { isRefused } from '../refused.ts';
import { isRelayError } from '../relay/relay-error.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { openPulls, type Brought, type Pulled, type PullSession } from './pull.ts';

type Log = Surroundings['log'];

/**
 * Whom to show what came, and how long to wait: at the relay (s, at most 25), and at most (ms) where it fails, brings nothing new
 * or does not hold its answer.
 */
export type WatchOptions = { readonly signal: AbortSignal; show(pulled: Pulled): void; readonly waitS?: number; readonly retryMs?: number };

/** As long as a relay may ask a watch to wait, in ms. */
const maxAsked = 60 * 60 * 1_000;

/** The first pause, doubled each time up to `retryMs`; and an answer that took as long was held back, in ms. */
const soon = 1_000;

/**
 * Pulls until the signal is aborted, whose reason it throws. The relay holds each answer until something comes. A relay that
 * worked before and can not be reached is tried again soon, then less and less often, and not before a 429 says so; everything else
 * is thrown as `pull` does. A warning that comes again with the next pull is said once.
 */
export async function watchPulls(surroundings: Surroundings, { signal, show, waitS = 25, retryMs = 30_000 }: WatchOptions): Promise<never> {
  const { nextRound, log } = onceInARow(surroundings.log);
  const session = openPulls({ ...surroundings, log }, { signal });
  try {
    for (let [pause, isFirst] = [0, true]; ; isFirst = false) {
      const start = performance.now();
      nextRound();
      const tried = await pullOnce(session, isFirst ? 0 : waitS, log, signal);
      const brought = 'pulled' in tried ? tried : undefined;
      const some = brought !== undefined && showSome(brought.pulled, show);
      // All else comes at once again and again from a relay that keeps what it was told to delete, or holds nothing back.
      const goesOn = brought !== undefined && (isFirst || brought.news || (!some && brought.pulled.remaining === 0 && performance.now() - start >= soon));
      pause = goesOn ? 0 : Math.min(Math.max(pause * 2, soon), retryMs);
      const wait = Math.max(pause, 'askedMs' in tried ? tried.askedMs : 0);
      if (wait > 0) await delay(wait, undefined, { signal });
    }
  } finally {
    session.close();
  }
}

/** What a pull brought; where the relay could not be used, how long it asks to be left alone. */
async function pullOnce(session: PullSession, waitS: number, log: Log, signal: AbortSignal): Promise<Brought | { readonly askedMs: number }> {
  try {
    return await session.pull(waitS);
  } catch (error) {
    signal.throwIfAborted();
    // Wrong settings show at once instead of being tried for ever.
    if (!isRefused(error) || error.kind !== 'network' || !session.hasList()) throw error;
    log('warning', error.message);
    return { askedMs: askedPause(error) };
  }
}

/** How long (ms, at most an hour) the relay behind a failed pull asks to be left alone: the Retry-After of a 429, else 0. */
export function askedPause(error: unknown): number {
  // A refusal in the middle of a pull stands around that of the relay.
  const given = isRelayError(error) ? error : isRefused(error) ? error.cause : undefined;
  return isRelayError(given) && given.status === 429 ? Math.min((given.retryAfterS ?? 0) * 1_000, maxAsked) : 0;
}

/** A log that leaves out what the round before said too, whatever number of seconds is in it. */
function onceInARow(inner: Log): { nextRound(): void; log: Log } {
  let before = new Set<string>();
  let now = new Set<string>();
  return {
    nextRound() {
      before = now;
      now = new Set();
    },
    log(level, text, data) {
      const what = text.replace(/ in \d{1,5} s\b/, '');
      now.add(what);
      if (!before.has(what)) inner(level, text, data);
    },
  };
}

function showSome(pulled: Pulled, show: (pulled: Pulled) => void): boolean {
  const some = pulled.pulled + pulled.duplicates + pulled.refused + pulled.malformed > 0;
  if (some) show(pulled);
  return some;
}
