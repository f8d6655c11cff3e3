import type { Identity } from '../identity/identity.types.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import type { ExchangeTimes } from './exchange.types.ts';

/**
 * What a client needs; `signal` ends what it is doing, and one that is asked for at each request lets one session be used under
 * several time limits. `times` and `ca` are for specs.
 */
export type RelayClientOptions = {
  readonly identity: Identity;
  readonly surroundings: Surroundings;
  readonly signal?: AbortSignal | (() => AbortSignal) | undefined;
  readonly times?: ExchangeTimes;
  readonly ca?: string;
};

/** What a relay says of itself. */
export type RelayInfo = { readonly maxMessageBytes: number; readonly retentionS: number; readonly time: string };

/** One message in the mailbox: its id (64 hex digits), size in bytes, and when it came (`YYYY-MM-DDTHH:MM:SSZ`). */
export type ListedMessage = { readonly id: string; readonly bytes: number; readonly at: string };

/** Up to 100 messages of the own mailbox; `next` is the cursor behind them, null at the end. */
export type Listing = { readonly messages: readonly ListedMessage[]; readonly next: string | null };

/** Which part of the mailbox to list; `waitS` (0 to 25) lets the relay hold the answer until something comes. */
export type ListOptions = { readonly after?: string; readonly limit?: number; readonly waitS?: number };

/**
 * A relay as its users see it. Every call throws a RelayError (a Refused of kind `network`) with the relay's code and
 * status, and the signal's reason when aborted. `list`, `fetch` and `remove` work on the identity's own mailbox and open a
 * session when there is none.
 */
export type RelayClient = {
  readonly origin: string;
  info(): Promise<RelayInfo>;
  /** Leaves a sealed message; `already` when the relay has or had it. */
  push(mailbox: string, sealed: Uint8Array): Promise<{ readonly messageId: string; readonly already: boolean; readonly status: number }>;
  list(options?: ListOptions): Promise<Listing>;
  /**
   * The bytes of a message, checked against its id; undefined when it is gone. It has as much time as its listed `bytes` need, or
   * the largest message when not given. Throws a DamagedMessage for other bytes.
   */
  fetch(id: string, bytes?: number): Promise<Uint8Array | undefined>;
  /** Takes a message away; true also when it was gone. */
  remove(id: string): Promise<void>;
  /** Ends idle connections. */
  close(): void;
};
