import type { RelayLog } from './store.types.ts';

/** A clock that says so for this long is believed, in milliseconds: one that is set right at the start takes minutes. */
const DOUBT_MS = 3_600_000;
/** A step of the clock that is worth a word. */
const STEP_MS = 86_400_000;

/**
 * What ages are counted by, in milliseconds: `prune` since 1970, the earliest time that the clock had for the last hour, and
 * -Infinity in the first hour of a run, as what is too old goes for good; `up` since the start of the run, by a clock that never steps.
 */
export type AgeTime = { readonly prune: number; readonly up: number };

/** Makes it of the wall clock, which is looked at by every step of the relay. */
export function createRelayClock({ uptime, log }: { readonly uptime: () => number; readonly log: RelayLog }): (now: number) => AgeTime {
  const started = uptime();
  /** How far the wall clock is ahead of the uptime, the least of it in this half of the time and in the one before. */
  let [half, least, before] = [0, Infinity, Infinity];
  let last: number | undefined;
  return (now) => {
    const up = uptime() - started;
    const ahead = now - up;
    const current = Math.floor(up / DOUBT_MS);
    if (current !== half) [half, least, before] = [current, Infinity, current === half + 1 ? least : Infinity];
    least = Math.min(least, ahead);
    if (last !== undefined && Math.abs(ahead - last) > STEP_MS) {
      log('warning', `the clock went ${Math.round(Math.abs(ahead - last) / STEP_MS)} days ${ahead > last ? 'ahead' : 'back'}: nothing is removed by that for an hour; set it right if there was no pause`);
    }
    last = ahead;
    return { up, prune: up < DOUBT_MS ? -Infinity : up + Math.min(least, before) };
  };
}
