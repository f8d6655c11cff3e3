import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { systemReason } from '../../../../text/system-error.ts';
import { Refused } from '../refused.ts';
import { createAddresses } from './addresses.ts';
import { bodyTimes, type BodyTimes } from './body-times.ts';
import { Rate } from './rates.ts';
import type { RelayContext } from './relay-context.types.ts';
import { createRouter, reasonOf } from './router.ts';
import type { RelayLog, RelayStore } from './store.types.ts';
import { createTickets } from './tickets.ts';
import { Waiting } from './waiting.ts';

/** How long the server waits, in milliseconds: for a request's headers, on a silent connection, for what is in hand at its end, and how often it looks. */
export type ServerTimes = { readonly headerMs: number; readonly silenceMs: number; readonly closingMs: number; readonly checkMs: number; readonly body: BodyTimes };

/** What a relay runs on. */
export type RelayServeOptions = {
  readonly store: RelayStore;
  /** 32 bytes that relays of one store share; see `loadRelaySecret`. */
  readonly secret: Uint8Array;
  /** Address to listen on, 127.0.0.1 when not given. */
  readonly host?: string;
  /** 0 (when not given) takes a free one. */
  readonly port?: number;
  /** Origins that its users configure; the loopback origins when none are given. */
  readonly publicUrls?: readonly string[];
  /** PEM texts. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** CIDR ranges of proxies whose X-Forwarded-For counts. */
  readonly trustProxy?: readonly string[];
  /** Per address; 60 and 30 when not given. The limits of all requests and of sessions rise with them. */
  readonly pushesPerMinute?: number;
  readonly challengesPerMinute?: number;
  readonly now: () => number;
  readonly random: (size: number) => Uint8Array;
  readonly log: RelayLog;
  readonly times?: ServerTimes;
};

/** A running relay: the origin for its users, where it listens (`127.0.0.1:8787`); `close` gives what is in hand five seconds and closes the store. */
export type RunningRelay = { readonly origin: string; readonly listening: string; close(): Promise<void> };

/** Of section 11 and section 0 of the design. */
export const serverTimes: ServerTimes = { headerMs: 10_000, silenceMs: 60_000, closingMs: 5_000, checkMs: 1_000, body: bodyTimes };

const MINUTE = 60_000;
const HOUR = 3_600_000;
const MAX_SOCKETS = 256;
const MAX_SOCKETS_EACH = 16;
const BYTES_AN_HOUR = 256 * 1024 * 1024;
/** Beyond any body's own time: a guard for requests whose body nobody reads. */
const REQUEST_MS = 420_000;

/**
 * Starts a relay and answers once it listens. Throws Refused when it cannot listen, and a RangeError for a bad range in
 * `trustProxy`. The store is closed with the relay, and when it does not start.
 */
export async function serveRelay(options: RelayServeOptions): Promise<RunningRelay> {
  try {
    return await start(options);
  } catch (error) {
    await options.store.close();
    throw error;
  }
}

async function start({
  store, secret, host = '127.0.0.1', port = 0, publicUrls = [], tls, trustProxy = [], pushesPerMinute = 60, challengesPerMinute = 30, now, random, log,
  times = serverTimes,
}: RelayServeOptions): Promise<RunningRelay> {
  const addresses = createAddresses(trustProxy, secret, () =>
    log('warning', 'a trusted proxy sent an X-Forwarded-For whose last entry is no address: its own address counts for such requests'));
  const settings = {
    maxHeaderSize: 8_192, headersTimeout: times.headerMs, requestTimeout: Math.max(REQUEST_MS, times.headerMs), connectionsCheckingInterval: times.checkMs,
  };
  const server = tls === undefined ? http.createServer(settings) : https.createServer({ ...settings, ...tls, handshakeTimeout: times.headerMs });
  server.maxConnections = MAX_SOCKETS;
  server.timeout = times.silenceMs;
  limitSockets(server, (socket) => (addresses.isProxy(socket.remoteAddress) ? undefined : addresses.of(socket.remoteAddress, undefined)));
  await listen(server, port, host);

  const scheme = tls === undefined ? 'http' : 'https';
  const { port: taken } = server.address() as AddressInfo;
  const originAt = (name: string): string => new URL(`${scheme}://${name}:${taken}`).origin;
  const audiences = publicUrls.length > 0 ? publicUrls : ['127.0.0.1', 'localhost', '[::1]'].map(originAt);
  const named = host.includes(':') ? `[${host}]` : host;
  const stopping = new AbortController();
  const context: RelayContext = {
    store, audiences, addresses, now, random, stopping: stopping.signal, bodyTimes: times.body, large: { count: 0 },
    // What is answered in a shared store is known to all, also after a restart.
    tickets: createTickets(secret, audiences, random, store.shared ? secret : random(32)),
    waiting: new Waiting(),
    rates: {
      // Ten requests for each push, as a pull takes three a message.
      requests: new Rate(Math.max(600, 10 * pushesPerMinute, 20 * challengesPerMinute), MINUTE),
      pushes: new Rate(pushesPerMinute, MINUTE),
      challenges: new Rate(challengesPerMinute, MINUTE),
      sessions: new Rate(challengesPerMinute, MINUTE),
      bytes: new Rate(BYTES_AN_HOUR, HOUR),
    },
  };
  const route = createRouter(context, { log, maxInFlight: MAX_SOCKETS_EACH });
  const handle = (request: IncomingMessage, response: ServerResponse): void => void route(request, response);
  server.on('request', handle);
  // The body is asked for only when the headers are good.
  server.on('checkContinue', handle);

  let sweeping = Promise.resolve();
  const sweep = (): void => {
    sweeping = sweeping.then(() => store.expire(now(), stopping.signal)).then(
      (gone) => {
        if (gone > 0) log('info', `${gone} messages were older than their time`);
      },
      (error: unknown) => log('warning', `old messages could not be removed: ${reasonOf(error)}`),
    );
  };
  sweep();
  const sweeper = setInterval(sweep, HOUR).unref();

  return {
    origin: publicUrls[0] ?? originAt(named),
    listening: `${named}:${taken}`,
    async close() {
      clearInterval(sweeper);
      stopping.abort();
      const over = new AbortController();
      const timer = setTimeout(() => over.abort(), times.closingMs);
      await closeServer(server, context.waiting, over.signal);
      // Both at once, as a sweep may wait for an answer that only the store can give up.
      await Promise.all([sweeping, store.close(over.signal)]);
      clearTimeout(timer);
    },
  };
}

/** Of one address, or proxies aside, a few sockets at a time: a slow client must not take those of all others. */
function limitSockets(server: http.Server | https.Server, addressOf: (socket: Socket) => string | undefined): void {
  const held = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket);
    if (address === undefined) return;
    const count = (held.get(address) ?? 0) + 1;
    if (count > MAX_SOCKETS_EACH) {
      socket.destroy();
      return;
    }
    held.set(address, count);
    socket.on('close', () => {
      const left = (held.get(address) ?? 1) - 1;
      if (left > 0) held.set(address, left);
      else held.delete(address);
    });
  });
}

function listen(server: http.Server | https.Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const reason = systemReason(error, { EADDRINUSE: 'its port is in use', EADDRNOTAVAIL: 'this machine does not have its address' });
      reject(new Refused(`the relay cannot listen on ${host} port ${port}: ${reason}`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

/** Ends waiting readers and idle connections, and all others when `over` is aborted. */
function closeServer(server: http.Server | https.Server, waiting: Waiting, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const step = (): void => {
      waiting.wakeAll();
      if (over.aborted) server.closeAllConnections();
      else server.closeIdleConnections();
    };
    const timer = setInterval(step, 50);
    server.close(() => {
      clearInterval(timer);
      resolve();
    });
    step();
  });
}
