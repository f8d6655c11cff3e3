import type { RelayLog } from './store.types.ts';

/** A clock that says so for this long is believed, in milliseconds: one that is set right at the start takes minutes. */
const DOUBT_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** A step of the clock that is worth a word. */
const STEP_MS = 86_400_000;

/**
 * What ages are counted by, in milliseconds: `prune` since 1970, the earliest time that the clock had for the last hour, and
 * -Infinity in the first hour of looks, as what is too old goes for good; `up` since the first look of the run, by a clock that never steps.
 */
export type AgeTime = { readonly prune: number; readonly up: number };

/**
 * When this run saw something, by its uptime in milliseconds: what came in it, and what is of a time that has not come. Its age counts by this,
 * whatever the clock says.
 */
export type Seen = Map<string, number>;

/** The last millisecond that is written with 13 digits, in the year 2286. */
const LAST_MS = 9_999_999_999_999;

/** A time that the names and lines of files can hold. */
export const fileTime = (ms: number): number => Math.min(Math.max(ms, 0), LAST_MS);

/** Makes it of the wall clock, which is looked at by every step of the relay, and by a sweep an hour. */
export function createRelayClock({ uptime, log }: { readonly uptime: () => number; readonly log: RelayLog }): (now: number) => AgeTime {
  let started: number | undefined;
  /** How far the wall clock was ahead of the uptime, the least of each minute that it was looked at; one of before the last hour is kept, which held until then. */
  const looks: { readonly from: number; least: number }[] = [];
  let last: number | undefined;
  return (now) => {
    const running = uptime();
    started ??= running;
    const up = running - started;
    const ahead = fileTime(now) - up;
    const latest = looks.at(-1);
    if (latest === undefined || up - latest.from >= MINUTE_MS) looks.push({ from: up, least: ahead });
    else latest.least = Math.min(latest.least, ahead);
    while (looks[1] !== undefined && looks[1].from <= up - DOUBT_MS) looks.shift();
    if (last !== undefined && Math.abs(ahead - last) > STEP_MS) {
      log('warning', `the clock went ${Math.round(Math.abs(ahead - last) / STEP_MS)} days ${ahead > last ? 'ahead' : 'back'}: nothing is removed by that for an hour; set it right if there was no pause`);
    }
    last = ahead;
    return { up, prune: up < DOUBT_MS ? -Infinity : up + Math.min(...looks.map(({ least }) => least)) };
  };
}
