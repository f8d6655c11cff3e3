import { setTimeout as delay } from 'node:timers/promises';
import { isRefused } from '../refused.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { openPulls, type Brought, type Pulled, type PullSession } from './pull.ts';

/**
 * Whom to show what came, and how long to wait: at the relay (s, at most 25), and at most (ms) where it fails, brings nothing new
 * or does not hold its answer.
 */
export type WatchOptions = { readonly signal: AbortSignal; show(pulled: Pulled): void; readonly waitS?: number; readonly retryMs?: number };

/** The first pause, doubled each time up to `retryMs`; and an answer that took as long was held back, in ms. */
const soon = 1_000;

/**
 * Pulls until the signal is aborted, whose reason it throws. The relay holds each answer until something comes. A relay that
 * worked before and can not be reached is tried again soon, then less and less often; everything else is thrown as `pull` does.
 */
export async function watchPulls(surroundings: Surroundings, { signal, show, waitS = 25, retryMs = 30_000 }: WatchOptions): Promise<never> {
  const session = openPulls(surroundings, { signal });
  try {
    // Wrong settings show at once instead of being tried for ever.
    showSome((await session.pull()).pulled, show);
    for (let pause = 0; ; ) {
      const start = performance.now();
      const brought = await pullOnce(session, waitS, surroundings, signal);
      const some = brought !== undefined && showSome(brought.pulled, show);
      // All else comes at once again and again from a relay that keeps what it was told to delete, or holds nothing back.
      const goesOn = brought !== undefined && (brought.news || (!some && brought.pulled.remaining === 0 && performance.now() - start >= soon));
      pause = goesOn ? 0 : Math.min(Math.max(pause * 2, soon), retryMs);
      if (pause > 0) await delay(pause, undefined, { signal });
    }
  } finally {
    session.close();
  }
}

/** What a pull brought; undefined where the relay could not be used. */
async function pullOnce(session: PullSession, waitS: number, { log }: Surroundings, signal: AbortSignal): Promise<Brought | undefined> {
  try {
    return await session.pull(waitS);
  } catch (error) {
    signal.throwIfAborted();
    if (!isRefused(error) || error.kind !== 'network') throw error;
    log('warning', error.message);
    return undefined;
  }
}

function showSome(pulled: Pulled, show: (pulled: Pulled) => void): boolean {
  const some = pulled.pulled + pulled.duplicates + pulled.refused + pulled.malformed > 0;
  if (some) show(pulled);
  return some;
}
