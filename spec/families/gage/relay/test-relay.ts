import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { after } from 'node:test';
import { toBase64 } from '../../../../lib/families/gage/domain/crypto/base64.ts';
import { signBytes } from '../../../../lib/families/gage/domain/crypto/ed25519.ts';
import type { Identity } from '../../../../lib/families/gage/domain/identity/identity.types.ts';
import { completeIdentity } from '../../../../lib/families/gage/domain/identity/stored-identity.ts';
import { mailboxOf } from '../../../../lib/families/gage/domain/identity/token.ts';
import { relayClient, type RelayClient } from '../../../../lib/families/gage/domain/relay/client.ts';
import { openDiskStore } from '../../../../lib/families/gage/domain/relay/disk-store.ts';
import { serveRelay, type RelayServeOptions } from '../../../../lib/families/gage/domain/relay/server.ts';
import type { RelayLog } from '../../../../lib/families/gage/domain/relay/store.types.ts';
import { sessionMessage } from '../../../../lib/families/gage/domain/relay/wire.ts';
import type { Surroundings } from '../../../../lib/domain/surroundings.types.ts';

/** A time that specs move by hand: 1 December 2026. */
export const START = Date.UTC(2026, 11, 1);

/** A clock that stands still until it is moved. */
export class Clock {
  time = START;
  readonly now = (): number => this.time;
}

export const random = (size: number): Uint8Array => randomBytes(size);

/** Somebody with keys, and the mailbox of theirs. */
export function person(): Identity & { readonly mailbox: string } {
  const identity = completeIdentity({ handle: 'someone', created_at: '2026-11-30T12:00:00Z', signSeed: random(32), boxPrivate: random(32) });
  return { ...identity, mailbox: mailboxOf(identity.signKey) };
}

/** Bytes that a relay takes for a sealed message, of exactly this size. */
export function sealedOf(size = 100): Buffer {
  return Buffer.concat([Buffer.from('GAGESEA1'), randomBytes(size - 8)]);
}

export const idOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export type TestRelay = { readonly origin: string; readonly clock: Clock; readonly logged: string[]; close(): Promise<void> };

/** A relay over a folder, with a clock that stands; closed after the specs that it is started in unless `keep` says otherwise. */
export async function startTestRelay(folder: string, options: Partial<RelayServeOptions> & { readonly maxBytes?: number; readonly clock?: Clock } = {}): Promise<TestRelay> {
  const { clock = new Clock(), maxBytes, ...rest } = options;
  const logged: string[] = [];
  const log: RelayLog = (_level, message) => void logged.push(message);
  const store = options.store ?? (await openDiskStore({ folder, random, log, ...(maxBytes !== undefined && { maxBytes }) }));
  const relay = await serveRelay({ secret: Buffer.alloc(32, 7), now: clock.now, random, log, ...rest, store });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= relay.close());
  after(close);
  return { origin: relay.origin, clock, logged, close };
}

const surroundings: Surroundings = { env: {}, cwd: '/', now: Date.now, random, log: () => {} };

/** A client of a relay; its idle connections are closed after the specs. */
export function clientOf(origin: string, identity: Identity, options: Partial<Parameters<typeof relayClient>[1]> = {}): RelayClient {
  const client = relayClient(origin, { identity, surroundings, ...options });
  after(() => client.close());
  return client;
}

export type RawRequest = { readonly method?: string; readonly path: string; readonly headers?: http.OutgoingHttpHeaders; readonly body?: Uint8Array | string; readonly chunked?: boolean };
export type RawAnswer = { readonly status: number; readonly headers: http.IncomingHttpHeaders; readonly text: string; readonly json: any };

/** One request without a client's manners, over a connection of its own. */
export function send(origin: string, { method = 'GET', path, headers = {}, body, chunked = false }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined || chunked ? {} : { 'content-length': Buffer.byteLength(body as string) };
    const request = http.request(`${origin}${path}`, { method, headers: { ...length, ...headers }, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: text.startsWith('{') ? JSON.parse(text) : undefined });
        request.destroy();
      });
    });
    // A relay that answers early stops reading; the answer is there all the same.
    request.on('error', reject);
    if (chunked && body !== undefined) request.write(body);
    request.end(chunked ? undefined : body);
  });
}

/** Leaves a message the way any client may. */
export const push = (origin: string, mailbox: string, body: Uint8Array, headers: http.OutgoingHttpHeaders = {}): Promise<RawAnswer> =>
  send(origin, { method: 'POST', path: `/v1/mailboxes/${mailbox}/messages`, headers: { 'content-type': 'application/octet-stream', ...headers }, body });

const postJson = (origin: string, path: string, value: object): Promise<RawAnswer> =>
  send(origin, { method: 'POST', path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) });

/** The signed answer to a new challenge, ready for POST /v1/auth/session. */
export async function signedChallenge(origin: string, identity: Identity, aud = origin): Promise<{ challenge: string; key: string; sig: string }> {
  const key = toBase64(identity.signKey);
  const { challenge } = (await postJson(origin, '/v1/auth/challenge', { key })).json;
  return { challenge, key, sig: toBase64(signBytes(identity.signSeed, sessionMessage({ aud, challenge, key }))) };
}

/** The header of a session of this person. */
export async function bearerOf(origin: string, identity: Identity): Promise<{ authorization: string }> {
  const { json } = await postJson(origin, '/v1/auth/session', await signedChallenge(origin, identity));
  return { authorization: `Bearer ${json.token}` };
}

export const openSession = (origin: string, value: object): Promise<RawAnswer> => postJson(origin, '/v1/auth/session', value);

/** A bare connection: what it received, and when it ended. */
export function rawConnection(origin: string): { readonly socket: Socket; received(): string; readonly closed: Promise<void> } {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (part) => void (text += part.toString('latin1')));
  socket.on('error', () => {});
  return { socket, received: () => text, closed: new Promise((resolve) => socket.on('close', () => resolve())) };
}

/** A port that nothing listens on a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
