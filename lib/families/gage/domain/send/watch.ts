import { setTimeout as delay } from 'node:timers/promises';
import { isRefused } from '../refused.ts';
import type { Surroundings } from '../surroundings.types.ts';
import { openPulls, type Pulled, type PullSession } from './pull.ts';

/** Whom to show what came, and how long to wait: at the relay (s, at most 25), and after a failure or an empty answer at once (ms). */
export type WatchOptions = { readonly signal: AbortSignal; show(pulled: Pulled): void; readonly waitS?: number; readonly retryMs?: number };

/** A relay that holds no answer back must not be asked without pause, in ms. */
const soon = 1_000;

/**
 * Pulls until the signal is aborted, whose reason it throws. The relay holds each answer until something comes. A relay that
 * worked before and can not be reached is tried again; everything else is thrown as `pull` does.
 */
export async function watchPulls(surroundings: Surroundings, { signal, show, waitS = 25, retryMs = 30_000 }: WatchOptions): Promise<never> {
  const session = openPulls(surroundings, { signal });
  try {
    // Wrong settings show at once instead of being tried for ever.
    showNews(await session.pull(), show);
    for (;;) {
      const start = performance.now();
      const brought = await pullOnce(session, waitS, surroundings, signal);
      if (brought !== undefined && showNews(brought, show)) continue;
      if (brought === undefined || performance.now() - start < soon) await delay(retryMs, undefined, { signal });
    }
  } finally {
    session.close();
  }
}

/** What a pull brought; undefined where the relay could not be used. */
async function pullOnce(session: PullSession, waitS: number, { log }: Surroundings, signal: AbortSignal): Promise<Pulled | undefined> {
  try {
    return await session.pull(waitS);
  } catch (error) {
    signal.throwIfAborted();
    if (!isRefused(error) || error.kind !== 'network') throw error;
    log('warning', error.message);
    return undefined;
  }
}

function showNews(pulled: Pulled, show: (pulled: Pulled) => void): boolean {
  const news = pulled.pulled + pulled.duplicates + pulled.refused + pulled.malformed > 0;
  if (news) show(pulled);
  return news;
}
