import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RelayCode } from './relay-error.ts';

/** A request that the relay turns away: what it answers. Thrown by the routes, never seen by clients as an error of ours. */
export class TurnedAway extends Error {
  static {
    this.prototype.name = 'TurnedAway';
  }
  readonly status: number;
  readonly code: RelayCode;
  /** Seconds after which another try makes sense. */
  readonly retryAfter: number | undefined;

  constructor(status: number, code: RelayCode, message: string, retryAfter?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** How long a connection stays for the sender of a body that is not read to its end to see the answer, in milliseconds. */
const LINGER_MS = 1_000;

/** Answers with a JSON value. */
export function sendJson(response: ServerResponse, status: number, value: object, headers: Readonly<Record<string, string>> = {}): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { ...plainHeaders, 'content-type': 'application/json', 'content-length': body.length, ...headers });
  response.end(body);
}

/** Headers of every answer; none for other origins' scripts, so that browsers keep theirs out. */
export const plainHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** Answers with an error. When the body of the request has not come to its end, the rest is not read and the connection goes. */
export function sendRefusal(request: IncomingMessage, response: ServerResponse, { status, code, message, retryAfter }: TurnedAway): void {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  if (request.complete || !hasBody(request)) {
    sendJson(response, status, { error: { code, message } }, headers);
    return;
  }
  const body = Buffer.from(JSON.stringify({ error: { code, message } }));
  request.pause();
  response.writeHead(status, { ...plainHeaders, 'content-type': 'application/json', 'content-length': body.length, connection: 'close', ...headers });
  response.write(body);
  // Ending now would close a socket with unread bytes in it, and the reset may overtake the answer.
  const linger = (): void => {
    const timer = setTimeout(() => {
      response.end();
      request.socket.destroy();
    }, LINGER_MS);
    response.on('close', () => clearTimeout(timer));
  };
  onceInTurn(response, linger);
}

/** Calls when an answer has its connection for itself: one that stands behind another has none yet, and must not take that one's away, by its time or otherwise. */
export function onceInTurn(response: ServerResponse, work: () => void): void {
  if (response.socket === null) response.once('socket', work);
  else work();
}

/** Whether a request says that a body comes with it. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0');
}
