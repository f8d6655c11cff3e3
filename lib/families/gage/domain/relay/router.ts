import type { IncomingMessage, ServerResponse } from 'node:http';
import { isDiskFull, systemErrorCode, systemReason } from '../../../../text/system-error.ts';
import { formatTime } from '../identity/time.ts';
import { hasBody, sendJson, sendRefusal, TurnedAway } from './answers.ts';
import { giveMessage, listMessages, removeMessage, takeMessage } from './mail-routes.ts';
import { retention } from './quotas.ts';
import type { RelayContext } from './relay-context.types.ts';
import { giveChallenge, openSession } from './session-routes.ts';
import type { RelayLog } from './store.types.ts';
import { MAX_MESSAGE } from './wire.ts';

/** How a router reports, and how many requests of one address it works on at a time. */
export type RouterOptions = { readonly log: RelayLog; readonly maxInFlight: number };

/** One of the relay's endpoints: its name in the log, and what it does. */
type Endpoint = { readonly name: string; readonly takesBody: boolean; run(): Promise<void> };

const MAIL = /^\/v1\/mailboxes\/([0-9a-f]{64})\/messages(?:\/([0-9a-f]{64}))?$/;

/** Makes the handler of a relay's requests; it answers every one of them, and never rejects. */
export function createRouter(context: RelayContext, { log, maxInFlight }: RouterOptions): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const inFlight = new Map<string, number>();
  return async (request, response) => {
    const forwarded = request.headers['x-forwarded-for'];
    const address = context.addresses.of(request.socket.remoteAddress, Array.isArray(forwarded) ? forwarded.join(',') : forwarded);
    const count = inFlight.get(address) ?? 0;
    inFlight.set(address, count + 1);
    const endpoint = endpointOf(request, response, address, context);
    const start = performance.now();
    let isBroken = false;
    try {
      const wait = context.rates.requests.take(address, context.now());
      if (wait > 0) throw new TurnedAway(429, 'rate_limited', 'too many requests from this address', wait);
      // A socket may carry many requests at once, and a proxy's sockets those of many addresses.
      if (count >= maxInFlight) throw new TurnedAway(429, 'rate_limited', 'too many requests of this address at a time', 1);
      if (endpoint === undefined) throw new TurnedAway(404, 'not_found', 'there is no such endpoint');
      if (!endpoint.takesBody && hasBody(request)) throw new TurnedAway(400, 'bad_request', 'this request takes no body');
      await endpoint.run();
    } catch (error) {
      if (!response.headersSent && !request.socket.destroyed) sendRefusal(request, response, refusalOf(error, log));
      else {
        if (!isOfReader(error)) log('warning', `an answer broke off: ${reasonOf(error)}`);
        // In its middle, it must not look whole.
        request.socket.destroy();
        isBroken = true;
      }
    } finally {
      const left = (inFlight.get(address) ?? 1) - 1;
      if (left > 0) inFlight.set(address, left);
      else inFlight.delete(address);
    }
    log('info', `${endpoint?.name ?? 'unknown'} ${isBroken ? 'broken off' : response.statusCode} ${Math.round(performance.now() - start)} ms`);
  };
}

function endpointOf(request: IncomingMessage, response: ServerResponse, address: string, context: RelayContext): Endpoint | undefined {
  const { method = '', url = '' } = request;
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const caller = { address };
  switch (`${method} ${path}`) {
    // A HEAD is answered as the GET is; Node leaves its body out.
    case 'HEAD /v1/info':
    case 'GET /v1/info':
      return { name: 'info', takesBody: false, run: async () => sendJson(response, 200, infoOf(context)) };
    case 'POST /v1/auth/challenge':
      return { name: 'challenge', takesBody: true, run: () => giveChallenge(request, response, caller, context) };
    case 'POST /v1/auth/session':
      return { name: 'session', takesBody: true, run: () => openSession(request, response, caller, context) };
    default:
  }
  const [, mailbox, id] = MAIL.exec(path) ?? [];
  if (mailbox === undefined) return undefined;
  if (id === undefined) {
    const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
    if (method === 'POST') return { name: 'push', takesBody: true, run: () => takeMessage(request, response, mailbox, caller, context) };
    return method === 'GET' ? { name: 'list', takesBody: false, run: () => listMessages(request, response, mailbox, query, caller, context) } : undefined;
  }
  if (method === 'GET') return { name: 'fetch', takesBody: false, run: () => giveMessage(request, response, mailbox, id, context) };
  return method === 'DELETE' ? { name: 'remove', takesBody: false, run: () => removeMessage(request, response, mailbox, id, context) } : undefined;
}

const infoOf = ({ now }: RelayContext): object => ({ v: 1, max_message_bytes: MAX_MESSAGE, retention_s: retention.opened / 1_000, time: formatTime(now()) });

/** What an error is answered with: a full disk is named, anything else stays in the log. */
function refusalOf(error: unknown, log: RouterOptions['log']): TurnedAway {
  if (error instanceof TurnedAway) return error;
  log('error', `the store failed: ${reasonOf(error)}`);
  if (isDiskFull(error)) return new TurnedAway(507, 'internal', 'the relay is full');
  return new TurnedAway(500, 'internal', 'the relay failed; try again later');
}

/** Whether a reader left, or was too slow: nothing failed here. */
function isOfReader(error: unknown): boolean {
  return error instanceof Error && (['AbortError', 'TimeoutError'].includes(error.name) || ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'].includes(systemErrorCode(error) ?? ''));
}

/** Why a step of the relay failed, for its log: a system's error in words without paths, and what the bucket answered. */
export function reasonOf(error: unknown): string {
  return systemErrorCode(error) === undefined && error instanceof Error ? error.message : systemReason(error);
}
