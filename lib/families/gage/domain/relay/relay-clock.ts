import type { RelayLog } from './store.types.ts';

/** A clock may be so far from what passed since it was looked at last, in milliseconds. */
const STEP_MS = 86_400_000;
/** So long a step ahead is not believed: a clock that is set right at the start takes minutes. */
const DOUBT_MS = 3_600_000;

/**
 * The two times that a relay goes by, in milliseconds since 1970. `date` is put on what comes: it never steps back by more than a day,
 * so that nothing seems old that is new. `prune` is what ages are counted by: it steps ahead by more than a day only when the clock has said so for an
 * hour, as what is too old goes for good. `seen` is what the next start has to know.
 */
export type RelayTime = { readonly date: number; readonly prune: number; readonly seen: number };

/** Makes them of the wall clock; `seen` is of an earlier run, undefined for none, and `uptime` are milliseconds that never step. */
export function createRelayClock({ seen, uptime, log }: { readonly seen: number | undefined; readonly uptime: () => number; readonly log: RelayLog }): (now: number) => RelayTime {
  let last = seen === undefined ? undefined : { date: seen, prune: seen };
  let lookedAt = uptime();
  let doubtedAt: number | undefined;
  let isBehind = false;
  return (now) => {
    const up = uptime();
    const passed = up - lookedAt;
    lookedAt = up;
    const expected = last === undefined ? { date: now, prune: now } : { date: last.date + passed, prune: last.prune + passed };
    const behind = now < expected.date - STEP_MS;
    if (behind && !isBehind) log('warning', `the clock is ${daysOf(expected.date - now)} days behind what it was: what comes is dated by the time that passed; set it right if it is wrong`);
    isBehind = behind;
    const ahead = now > expected.prune + STEP_MS;
    if (ahead && doubtedAt === undefined) log('warning', `the clock is ${daysOf(now - expected.prune)} days ahead of what it was: nothing is removed by it for an hour; set it right if that was no pause`);
    doubtedAt = ahead ? doubtedAt ?? up : undefined;
    const doubted = doubtedAt !== undefined && up - doubtedAt < DOUBT_MS;
    if (!doubted) doubtedAt = undefined;
    last = { date: behind ? expected.date : now, prune: doubted ? expected.prune : now };
    return { ...last, seen: doubted ? expected.prune : last.date };
  };
}

const daysOf = (ms: number): number => Math.round(ms / STEP_MS);
