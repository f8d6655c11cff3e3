import type { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * How long the client waits, in milliseconds: for a connection, for the next byte of an answer, and (`wholeMs`, 60,000 when not
 * given) for the whole of a request and its answer, to which comes the connection, the time for their bytes and a wait on purpose.
 */
export type ExchangeTimes = { readonly connectMs: number; readonly silenceMs: number; readonly wholeMs?: number };

/**
 * One request to a relay. `maxBytes` caps the body of its answer: a longer one throws, or is cut there with `cut`. `likelyBytes` is
 * what it takes its time by, `maxBytes` when not given. `waitMs` is how much longer the relay may be silent on purpose.
 */
export type ExchangeRequest = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly maxBytes: number;
  readonly likelyBytes?: number;
  readonly cut?: boolean;
  readonly waitMs?: number;
};

/** What came back. */
export type ExchangeAnswer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** Sends requests to one origin over connections of its own; `close` ends those that are idle. */
export type Exchange = { send(request: ExchangeRequest): Promise<ExchangeAnswer>; close(): void };
