import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fromBase64 } from '../crypto/base64.ts';
import { verifyStrict } from '../crypto/ed25519.ts';
import { mailboxOf } from '../identity/token.ts';
import { sendJson, TurnedAway } from './answers.ts';
import { CHALLENGE_MS } from './quotas.ts';
import type { Rate } from './rates.ts';
import { receiveObject } from './receive.ts';
import type { Caller, RelayContext } from './relay-context.types.ts';
import { SESSION_MS } from './tickets.ts';
import { sessionMessage } from './wire.ts';

const MAX_BODY = 1_024;

/** POST /v1/auth/challenge: something for the reader to sign. Nothing is remembered of it. */
export async function giveChallenge(request: IncomingMessage, response: ServerResponse, caller: Caller, context: RelayContext): Promise<void> {
  const { tickets, rates, now } = context;
  const { key } = await bodyOf(request, caller, context, rates.challenges, ['key']);
  sendJson(response, 200, { challenge: tickets.challenge(keyOf(key), now()), expires_in: CHALLENGE_MS / 1_000 });
}

/** POST /v1/auth/session: a token for the mailbox of a key that signed a challenge of ours, for an origin of ours, for the first time. */
export async function openSession(request: IncomingMessage, response: ServerResponse, caller: Caller, context: RelayContext): Promise<void> {
  const { tickets, store, rates, audiences, now } = context;
  const { challenge = '', key: text = '', sig = '' } = await bodyOf(request, caller, context, rates.sessions, ['challenge', 'key', 'sig']);
  const key = keyOf(text);
  const signature = fromBase64(sig, 64);
  const good = signature !== undefined && tickets.challengedAt(challenge, key, now()) !== undefined
    && audiences.some((aud) => verifyStrict(key, sessionMessage({ aud, challenge, key: text }), signature));
  const digest = createHash('sha256').update(challenge).digest('hex');
  // Only behind a good signature is anything remembered, so that strangers cannot fill that memory.
  if (!good || !(await store.useChallenge(digest, now()))) throw new TurnedAway(401, 'unauthorised', 'this opens no session; ask for a new challenge');
  const mailbox = mailboxOf(key);
  await store.markOpened(mailbox, now());
  sendJson(response, 200, { token: tickets.token(mailbox, now()), expires_in: SESSION_MS / 1_000 });
}

/** The mailbox of the request's token; throws TurnedAway 401 without a good one. */
export function mailboxOfBearer(request: IncomingMessage, { tickets, now }: RelayContext): string {
  const [, token] = /^Bearer ([A-Za-z0-9_-]{1,200})$/i.exec(request.headers.authorization ?? '') ?? [];
  const mailbox = token === undefined ? undefined : tickets.mailboxOf(token, now());
  if (mailbox === undefined) throw new TurnedAway(401, 'unauthorised', 'no session, or one that is over; open a session first');
  return mailbox;
}

/** Reads exactly these members, all text. */
async function bodyOf(request: IncomingMessage, { address }: Caller, { bodyTimes, now }: RelayContext, rate: Rate, names: readonly string[]): Promise<Record<string, string>> {
  const wait = rate.take(address, now());
  if (wait > 0) throw new TurnedAway(429, 'rate_limited', 'too many requests from this address', wait);
  if (!/^application\/json(?:;|$)/i.test(request.headers['content-type'] ?? '')) throw new TurnedAway(415, 'wrong_type', 'the body must be application/json');
  const body = await receiveObject(request, MAX_BODY, { times: { ...bodyTimes, bytesASecond: MAX_BODY }, count: () => {} });
  const given = Object.entries(body);
  if (given.length !== names.length || !given.every(([name, value]) => names.includes(name) && typeof value === 'string')) {
    throw new TurnedAway(400, 'bad_request', `the body must have ${names.join(', ')} and nothing else`);
  }
  return body as Record<string, string>;
}

function keyOf(text: string | undefined): Uint8Array {
  const key = fromBase64(text ?? '', 32);
  if (key === undefined) throw new TurnedAway(400, 'bad_request', 'key must be a signing key: 32 bytes in base64');
  return key;
}
