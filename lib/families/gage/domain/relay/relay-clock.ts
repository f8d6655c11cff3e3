import type { RelayLog } from './store.types.ts';

/** A clock may be so far from what passed since it was looked at last, in milliseconds. */
const STEP_MS = 86_400_000;
/** So long another time is waited for before such a step is believed: a clock that is set right at the start takes minutes. */
const DOUBT_MS = 3_600_000;

/**
 * The time that a relay goes by, made of the wall clock: one that steps by more than a day is not believed for an hour, as what is
 * too old by it would be removed for good. `seen` is the last time of an earlier run, undefined for none; `uptime` are
 * milliseconds that never step.
 */
export function createRelayClock({ seen, uptime, log }: { readonly seen: number | undefined; readonly uptime: () => number; readonly log: RelayLog }): (now: number) => number {
  let believed = seen;
  let lookedAt = uptime();
  let doubtedAt: number | undefined;
  return (now) => {
    const up = uptime();
    const expected = believed === undefined ? now : believed + up - lookedAt;
    lookedAt = up;
    if (Math.abs(now - expected) > STEP_MS && up - (doubtedAt ?? up) < DOUBT_MS) {
      if (doubtedAt === undefined) log('warning', `the clock is ${Math.round(Math.abs(now - expected) / STEP_MS)} days ${now > expected ? 'ahead of' : 'behind'} what it was: nothing is removed by it for an hour; set it right if it is wrong`);
      doubtedAt ??= up;
      believed = expected;
    } else {
      doubtedAt = undefined;
      believed = now;
    }
    return believed;
  };
}
