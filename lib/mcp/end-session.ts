import type { Session } from './session.ts';

/** How long calls have to settle once their signals have fired, in milliseconds. */
const settleMs = 1_000;

/**
 * Ends what is open in a session in good order: calls have `drainMs` to finish, then their signals fire, and a second
 * later whatever is left is answered as stopped. Subscriptions get their closing result.
 */
export async function endSession(session: Session, drainMs: number): Promise<void> {
  await within(drainMs, session.calls.whenIdle());
  session.calls.abortAll();
  await within(settleMs, session.calls.whenIdle());
  session.calls.failAll();
  session.subscriptions.close();
}

/** Waits for a promise, but no longer than `ms`. */
export async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  if (ms === Infinity) return void (await promise);
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([promise, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
