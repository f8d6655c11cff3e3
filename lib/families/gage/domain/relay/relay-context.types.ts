import type { Addresses } from './addresses.ts';
import type { BodyTimes } from './body-times.ts';
import type { Rate } from './rates.ts';
import type { RelayStore } from './store.types.ts';
import type { Tickets } from './tickets.ts';
import type { Waiting } from './waiting.ts';

/** What the routes of one relay share. */
export type RelayContext = {
  readonly store: RelayStore;
  readonly tickets: Tickets;
  /** Origins that a reader may have signed for: those that this relay is reached at. */
  readonly audiences: readonly string[];
  readonly addresses: Addresses;
  readonly rates: { readonly requests: Rate; readonly pushes: Rate; readonly challenges: Rate; readonly sessions: Rate; readonly bytes: Rate };
  readonly waiting: Waiting;
  readonly bodyTimes: BodyTimes;
  /** How many large messages are on their way. */
  readonly large: { count: number };
  /** Aborted when the relay stops. */
  readonly stopping: AbortSignal;
  /** Milliseconds since the epoch. */
  now(): number;
  random(size: number): Uint8Array;
};

/** One request: the address that limits count for. */
export type Caller = { readonly address: string };
