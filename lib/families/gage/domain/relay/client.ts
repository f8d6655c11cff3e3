import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { toBase64 } from '../crypto/base64.ts';
import { signBytes } from '../crypto/ed25519.ts';
import { parseTime } from '../identity/time.ts';
import { mailboxOf } from '../identity/token.ts';
import { Refused } from '../refused.ts';
import type { ListedMessage, Listing, RelayClient, RelayClientOptions } from './client.types.ts';
import { DamagedMessage } from './damaged-message.ts';
import { openExchange } from './exchange.ts';
import type { ExchangeAnswer, ExchangeRequest } from './exchange.types.ts';
import { readOrigin } from '../home/relay-origin.ts';
import { RelayError, isRelayError, relayCodes } from './relay-error.ts';
import { MAX_MESSAGE, sessionMessage } from './wire.ts';

export type { ListedMessage, RelayClient } from './client.types.ts';

/** What a relay says beside messages is short: 100 rows of a list take 14 KiB. */
const SMALL = 64 * 1024;
const MAX_WAIT_S = 25;
const ID = /^[0-9a-f]{64}$/;

/** A client of the relay at `origin` (https, or http to loopback); throws Refused for another kind of URL. */
export function relayClient(origin: string, { identity, signal, times, ca }: RelayClientOptions): RelayClient {
  const read = readOrigin(origin);
  if ('problem' in read) throw new Refused(`this relay cannot be used: ${read.problem}; set one with gage config relay URL`);
  const aud = read.origin;
  const exchange = openExchange(aud, { signal, ...(times === undefined ? {} : { times }), ca });
  const box = `/v1/mailboxes/${mailboxOf(identity.signKey)}/messages`;
  const key = toBase64(identity.signKey);
  let token: Promise<string> | undefined;

  const ask = async (request: ExchangeRequest, ...good: readonly number[]): Promise<ExchangeAnswer> => {
    const answer = await exchange.send(request);
    if (!good.includes(answer.status)) throw refusalOf(answer);
    return answer;
  };
  const post = async (path: string, value: object): Promise<unknown> =>
    jsonOf(await ask({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)), maxBytes: SMALL }, 200));

  const openSession = async (): Promise<string> => {
    const { challenge } = objectOf(await post('/v1/auth/challenge', { key }));
    // Exactly what a relay makes: signing text of its choice could sign something else.
    if (typeof challenge !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(challenge)) throw badAnswer();
    const sig = toBase64(signBytes(identity.signSeed, sessionMessage({ aud, challenge, key })));
    const session = objectOf(await post('/v1/auth/session', { challenge, key, sig }));
    if (typeof session['token'] !== 'string' || !/^[A-Za-z0-9_-]{1,500}$/.test(session['token'])) throw badAnswer();
    return session['token'];
  };
  // A challenge can be lost to another relay over the same bucket, or to an answer that was lost: once more then.
  const newSession = (): Promise<string> => openSession().catch((error: unknown) => (isUnauthorised(error) ? openSession() : Promise.reject(error)));

  const asOwner = async (request: ExchangeRequest, ...good: readonly number[]): Promise<ExchangeAnswer> => {
    const known = token;
    token ??= newSession();
    let session: string | undefined;
    try {
      session = await token;
      return await ask({ ...request, headers: { authorization: `Bearer ${session}` } }, ...good);
    } catch (error) {
      // Kept where the relay answers for the message alone: a session for each of many would be turned away as too many.
      if (!isRelayError(error) || error.status === null || error.status === 401 || session === undefined) token = undefined;
      // A session lasts ten minutes; a long pull needs another one.
      if (known === undefined || !isUnauthorised(error)) throw error;
    }
    token = newSession();
    return await ask({ ...request, headers: { authorization: `Bearer ${await token}` } }, ...good);
  };

  return {
    origin: aud,
    close: () => exchange.close(),
    async info() {
      const { v, max_message_bytes: max, retention_s: retention, time } = objectOf(jsonOf(await ask({ method: 'GET', path: '/v1/info', maxBytes: SMALL }, 200)));
      if (v !== 1 || !isCount(max) || !isCount(retention) || !isTime(time)) throw badAnswer();
      return { maxMessageBytes: max, retentionS: retention, time };
    },
    async push(mailbox, sealed) {
      const messageId = sha256(sealed);
      const headers = { 'content-type': 'application/octet-stream' };
      const answer = await ask({ method: 'POST', path: `/v1/mailboxes/${mailbox}/messages`, headers, body: sealed, maxBytes: SMALL }, 200, 201);
      if (objectOf(jsonOf(answer))['message_id'] !== messageId) throw badAnswer();
      return { messageId, already: answer.status === 200, status: answer.status };
    },
    async list({ after, limit, waitS = 0 } = {}) {
      const wait = Math.min(Math.max(waitS, 0), MAX_WAIT_S);
      const query = new URLSearchParams({ ...(after !== undefined && { after }), ...(limit !== undefined && { limit: String(limit) }), ...(wait > 0 && { wait: String(wait) }) });
      const path = query.size === 0 ? box : `${box}?${query.toString()}`;
      return listingOf(objectOf(jsonOf(await asOwner({ method: 'GET', path, maxBytes: SMALL, waitMs: wait * 1_000 }, 200))));
    },
    async fetch(id, bytes = MAX_MESSAGE) {
      // Cut instead of refused: what is too long is no message, and is told like one whose bytes are others.
      const answer = await asOwner({ method: 'GET', path: `${box}/${id}`, maxBytes: MAX_MESSAGE, likelyBytes: Math.min(bytes, MAX_MESSAGE), cut: true }, 200, 404);
      // A page of something that stands before the relay says nothing of the message, which stays there.
      if (answer.status === 404) {
        const refusal = refusalOf(answer);
        if (refusal.code !== 'not_found') throw refusal;
        return undefined;
      }
      if (!/^application\/octet-stream\s*(?:;|$)/i.test(answer.headers['content-type'] ?? '')) throw badAnswer(200);
      if (sha256(answer.body) !== id) throw new DamagedMessage(answer.body);
      return answer.body;
    },
    async remove(id) {
      await asOwner({ method: 'DELETE', path: `${box}/${id}`, maxBytes: SMALL }, 204);
    },
  };
}

/** What a relay's refusal says: its code when it is one of the list, and the status. Its message is somebody's text and stays out. */
function refusalOf({ status, body, headers }: ExchangeAnswer): RelayError {
  let given: unknown;
  try {
    given = objectOf(objectOf(JSON.parse(body.toString('utf8')))['error'])['code'];
  } catch {
    given = undefined;
  }
  const code = relayCodes.find((each) => each === given) ?? 'other';
  const after = headers['retry-after'] ?? '';
  const retryAfterS = /^\d{1,5}$/.test(after) ? Number(after) : null;
  const seconds = retryAfterS === null ? '' : `; try again in ${after} s`;
  return new RelayError(`the relay answered ${code} (status ${status})${seconds}`, { code, status, retryAfterS });
}

function listingOf({ messages, next }: Readonly<Record<string, unknown>>): Listing {
  if (!Array.isArray(messages) || messages.length > 100 || !(next === null || (typeof next === 'string' && /^[0-9a-zA-Z._-]{1,200}$/.test(next)))) throw badAnswer();
  const list = messages.map((each: unknown): ListedMessage => {
    const { id, bytes, at } = objectOf(each);
    if (typeof id !== 'string' || !ID.test(id) || !isCount(bytes) || !isTime(at)) throw badAnswer();
    return { id, bytes, at };
  });
  return { messages: list, next };
}

function jsonOf({ body, status }: ExchangeAnswer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw badAnswer(status, error);
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badAnswer();
  return value as Readonly<Record<string, unknown>>;
}

const badAnswer = (status: number | null = null, cause?: unknown): RelayError =>
  new RelayError('the relay answered something that no gage relay says; check gage config show', { code: 'bad_answer', status, cause });
const isUnauthorised = (error: unknown): boolean => isRelayError(error) && error.status === 401;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isTime = (value: unknown): value is string => typeof value === 'string' && parseTime(value) !== undefined;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
