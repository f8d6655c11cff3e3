import { Buffer } from 'node:buffer';
import { rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { formatTime } from '../identity/time.ts';
import { onceInTurn, plainHeaders, sendJson, TurnedAway } from './answers.ts';
import { Ending, type Part } from './ending.ts';
import { messageTooLarge, receiveMessage } from './receive.ts';
import type { Caller, RelayContext } from './relay-context.types.ts';
import { mailboxOfBearer } from './session-routes.ts';
import type { StoredPage } from './store.types.ts';
import { MAX_MESSAGE } from './wire.ts';

const MAX_PAGE = 100;
const MAX_WAIT_S = 25;
/** Large messages that are not whole yet lie beside what a relay may keep: 1.25 GiB of them at most. */
const MAX_LARGE = 64;
/** Where other relays write to the same store, nobody here hears of a push to them. */
const LOOK_AGAIN_MS = 2_000;
/** Timers may end a moment early: less than this is no time to wait for. */
const NO_TIME_MS = 10;

/** POST …/messages: leaves a sealed message. Everything that its headers tell is checked before a byte of it is read. */
export async function takeMessage(request: IncomingMessage, response: ServerResponse, mailbox: string, { address }: Caller, context: RelayContext): Promise<void> {
  const { store, rates, addresses, bodyTimes, now, random } = context;
  const wait = rates.pushes.take(address, now());
  if (wait > 0) throw limited(wait);
  checkHeaders(request);
  // Asked for by those who send the headers alone first; the others send their body at once.
  if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
  const count = (bytes: number): void => {
    const seconds = rates.bytes.take(address, now(), bytes);
    if (seconds > 0) throw limited(seconds);
  };
  let large = 0;
  const onSpool = (): void => {
    if (context.large.count >= MAX_LARGE) throw new TurnedAway(429, 'rate_limited', 'too many large messages are on their way', 10);
    large = 1;
    context.large.count += 1;
  };
  const file = path.join(store.spoolFolder, `${Buffer.from(random(16)).toString('hex')}.in`);
  try {
    const arrival = await receiveMessage(request, file, { times: bodyTimes, count, onSpool });
    const outcome = await store.put(mailbox, arrival, addresses.tagOf(address), now());
    if (outcome === 'mailbox_full') throw new TurnedAway(507, 'mailbox_full', 'the mailbox takes no more from this address until its owner has collected some');
    if (outcome === 'sender_full') throw new TurnedAway(507, 'internal', 'the relay holds as much from this address as it takes from one; it takes more when some of it was collected');
    if (outcome === 'relay_full') throw new TurnedAway(507, 'internal', 'the relay is full');
    sendJson(response, outcome === 'stored' ? 201 : 200, { message_id: arrival.id });
    if (outcome === 'stored') context.waiting.wake(mailbox);
  } finally {
    context.large.count -= large;
    if (large > 0) await rm(file, { force: true });
  }
}

/** GET …/messages: what is there; with `wait` it answers when something comes, or when so many seconds are over, at once where too many of the address wait. */
export async function listMessages(request: IncomingMessage, response: ServerResponse, mailbox: string, query: URLSearchParams, { address }: Caller, context: RelayContext): Promise<void> {
  checkOwner(request, mailbox, context);
  const { store, waiting, now } = context;
  const after = query.get('after') ?? undefined;
  if (after !== undefined && !store.isCursor(after)) throw new TurnedAway(400, 'bad_request', 'after must be the next of an earlier answer');
  const limit = numberOf(query, 'limit', MAX_PAGE, 1, MAX_PAGE);
  const waitS = numberOf(query, 'wait', 0, 0, MAX_WAIT_S);
  const leave = waitS > 0 ? waiting.enter(address) : undefined;
  const reader = readerOf(request, response);
  const until = performance.now() + (leave === undefined ? 0 : waitS * 1_000);
  let page: StoredPage;
  try {
    for (;;) {
      const left = until - performance.now();
      // The look comes after the wait was entered, or a push between the two would be heard by nobody; the answer ends a wait in vain.
      const woken = left > NO_TIME_MS ? waiting.wait(mailbox, store.shared ? Math.min(left, LOOK_AGAIN_MS) : left, reader.signal) : undefined;
      page = await store.list(mailbox, { after, limit }, now());
      if (page.messages.length > 0 || woken === undefined || context.stopping.aborted) break;
      await woken;
      if (reader.signal.aborted || context.stopping.aborted) break;
    }
  } finally {
    // With the last wait, which nobody may have waited for.
    reader.end();
    leave?.();
  }
  const messages = page.messages.map(({ id, bytes, at }) => ({ id, bytes, at: formatTime(at) }));
  // Who may not wait is not to hold a socket until the next look either.
  sendJson(response, 200, { messages, next: page.next }, waitS > 0 && leave === undefined ? { connection: 'close' } : {});
}

/** GET …/messages/{id}: the sealed bytes. */
export async function giveMessage(request: IncomingMessage, response: ServerResponse, mailbox: string, id: string, context: RelayContext): Promise<void> {
  checkOwner(request, mailbox, context);
  const found = await context.store.get(mailbox, id, context.now());
  if (found === undefined) throw new TurnedAway(404, 'not_found', 'there is no such message');
  response.writeHead(200, { ...plainHeaders, 'content-type': 'application/octet-stream', 'content-length': found.bytes });
  // A reader has as long as a sender of as many bytes.
  const { bodyMs, bytesASecond } = context.bodyTimes;
  const reader = readerOf(request, response);
  onceInTurn(response, () => reader.within(bodyMs + Math.ceil(found.bytes / bytesASecond) * 1_000));
  try {
    // An answer that stands behind another one of its connection has no socket yet, and when that ends a pipeline into it never does.
    await Promise.race([pipeline(found.stream, response, { signal: reader.signal }), abortOf(reader.signal)]);
  } finally {
    reader.end();
  }
}

/** DELETE …/messages/{id}: the owner has it. */
export async function removeMessage(request: IncomingMessage, response: ServerResponse, mailbox: string, id: string, context: RelayContext): Promise<void> {
  checkOwner(request, mailbox, context);
  await context.store.remove(mailbox, id, context.now());
  response.writeHead(204, plainHeaders);
  response.end();
}

/** Rejects when the signal is aborted, with its reason. */
function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** One listener a connection, which may carry many requests. */
const connections = new WeakMap<Socket, Ending>();

/** Ends when nobody is there any more to read an answer. An answer that stands behind others of its connection hears of its end from the connection alone. */
function readerOf({ socket }: IncomingMessage, response: ServerResponse): Part {
  let connection = connections.get(socket);
  if (connection === undefined) {
    const ending = connection = new Ending();
    socket.once('close', () => ending.end());
    if (socket.destroyed) ending.end();
    connections.set(socket, ending);
  }
  const reader = connection.part();
  response.once('close', () => {
    // After its end there is nothing to give up, and its connection goes on.
    if (!response.writableFinished) reader.end();
  });
  return reader;
}

function checkHeaders({ headers }: IncomingMessage): void {
  if (headers['content-type']?.toLowerCase() !== 'application/octet-stream' || headers['content-encoding'] !== undefined) {
    throw new TurnedAway(415, 'wrong_type', 'a message must be application/octet-stream, without an encoding');
  }
  const length = headers['content-length'];
  if (length === undefined && headers['transfer-encoding']?.toLowerCase() !== 'chunked') throw new TurnedAway(411, 'bad_request', 'a message needs a length, or chunks');
  if (length !== undefined && Number(length) > MAX_MESSAGE) throw messageTooLarge();
}

function checkOwner(request: IncomingMessage, mailbox: string, context: RelayContext): void {
  if (mailboxOfBearer(request, context) !== mailbox) throw new TurnedAway(403, 'forbidden', 'this session is for another mailbox');
}

function numberOf(query: URLSearchParams, name: string, otherwise: number, min: number, max: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  const value = /^\d{1,3}$/.test(text) ? Number(text) : -1;
  if (value < min || value > max) throw new TurnedAway(400, 'bad_request', `${name} must be a number from ${min} to ${max}`);
  return value;
}

const limited = (seconds: number): TurnedAway => new TurnedAway(429, 'rate_limited', 'too much from this address', seconds);
