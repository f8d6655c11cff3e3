import { Buffer } from 'node:buffer';
import http from 'node:http';
import https from 'node:https';
import type { Exchange, ExchangeAnswer, ExchangeRequest, ExchangeTimes } from './exchange.types.ts';
import { RelayError } from './relay-error.ts';

/** Connect 10 s, no byte for 20 s (design section 0, Arrival), and 60 s for the whole as the relay itself gives to a request. */
export const exchangeTimes = { connectMs: 10_000, silenceMs: 20_000, wholeMs: 60_000 } as const satisfies ExchangeTimes;
/** So many bytes get one more second, up or down: the relay's own measure. */
const bytesASecond = 64 * 1024;
const secondsOf = (bytes: number): number => bytes / bytesASecond;

/**
 * Opens an exchange with an origin of `readOrigin`. No redirect is followed, no proxy variable read, no cookie kept. A
 * connection that breaks before the answer is tried once more with the same bytes; then, and for every other failure to
 * get an answer, send() throws a RelayError. An aborted signal throws its reason.
 */
export function openExchange(
  origin: string,
  { signal, times = exchangeTimes, ca }: { readonly signal?: AbortSignal | (() => AbortSignal) | undefined; readonly times?: ExchangeTimes; readonly ca?: string | undefined } = {},
): Exchange {
  const signalNow = (): AbortSignal | undefined => (typeof signal === 'function' ? signal() : signal);
  const secure = origin.startsWith('https:');
  const agent = secure
    ? new https.Agent({ keepAlive: true, maxSockets: 4, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) })
    : new http.Agent({ keepAlive: true, maxSockets: 4 });
  const once = (request: ExchangeRequest): Promise<ExchangeAnswer> => exchange(secure ? https : http, agent, origin, request, { signal: signalNow(), times });
  return {
    async send(request) {
      try {
        return await once(request);
      } catch (error) {
        signalNow()?.throwIfAborted();
        if (!(error instanceof Broken)) throw error;
      }
      return await once(request).catch((error: unknown) => {
        signalNow()?.throwIfAborted();
        throw error instanceof Broken ? unreachable('the connection broke', error) : error;
      });
    },
    close: () => agent.destroy(),
  };
}

/** The connection ended before the whole answer: the one failure that is worth a second try. */
class Broken extends Error {}

const unreachable = (what: string, cause?: unknown): RelayError =>
  new RelayError(`the relay cannot be reached (${what}); try again later, or check gage config show`, { code: 'unreachable', cause });

const addIt = 'where it is the right one, ask who runs the relay for the certificate, and start gage with NODE_EXTRA_CA_CERTS=FILE, which names a PEM file to trust';
const renewIt = 'who runs the relay has to renew it, unless the clock of this machine is wrong';
/** Why node takes a certificate for no good one, by its codes, and what a person can do about it. */
const untrusted = new Map<string, readonly [why: string, advice: string]>([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', ['it is self-signed', addIt]],
  ['SELF_SIGNED_CERT_IN_CHAIN', ['it comes from an authority that is not known here', addIt]],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_UNTRUSTED'].map(
    (code): [string, [string, string]] => [code, ['it comes from an authority that is not known here, or without the certificates in between', addIt]],
  ),
  ['CERT_HAS_EXPIRED', ['it has expired', renewIt]],
  ['CERT_NOT_YET_VALID', ['it is not valid yet', renewIt]],
  ['CERT_REVOKED', ['it was revoked', 'who runs the relay has to get a new one']],
  ['ERR_TLS_CERT_ALTNAME_INVALID', ['it is made out for another name', 'check the address of the relay with gage config show']],
]);

/** What a connection that failed is told as. */
function failedConnection(error: NodeJS.ErrnoException): RelayError {
  const code = codeOf(error);
  const [why, advice] = untrusted.get(code) ?? [];
  if (why === undefined) return unreachable(code, error);
  return new RelayError(`the relay cannot be reached (${code}): its certificate is not trusted here, as ${why}; ${advice}`, { code: 'unreachable', cause: error });
}

function exchange(
  transport: typeof http | typeof https,
  agent: http.Agent,
  origin: string,
  { method, path, headers = {}, body, maxBytes, likelyBytes = maxBytes, cut = false, waitMs = 0 }: ExchangeRequest,
  { signal, times }: { readonly signal: AbortSignal | undefined; readonly times: ExchangeTimes },
): Promise<ExchangeAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const request = transport.request(`${origin}${path}`, { method, agent, headers: { ...headers, ...length }, ...(signal === undefined ? {} : { signal }) });
    const fail = (error: Error): void => {
      reject(error);
      request.destroy();
    };
    // A byte now and then is a sign of life, and would keep a caller for ever.
    const wholeMs = times.connectMs + (times.wholeMs ?? exchangeTimes.wholeMs) + secondsOf(Math.max(body?.length ?? 0, likelyBytes)) * 1_000 + waitMs;
    const whole = setTimeout(() => fail(unreachable(`it was not done within ${Math.ceil(wholeMs / 1_000)} s`)), wholeMs);
    let connecting: NodeJS.Timeout | undefined;
    // From here on, as a request may wait for one of the sockets before it has its own.
    request.on('socket', (socket) => {
      if (!socket.connecting) return;
      connecting = setTimeout(() => fail(unreachable('it does not take connections')), times.connectMs);
      socket.once(transport === https ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
    });
    // A long upload looks silent from here while what was handed on at once drains, to the system or through TLS.
    request.setTimeout(times.silenceMs + waitMs + secondsOf(body?.length ?? 0) * 1_000, () => fail(unreachable('it went silent')));
    request.on('error', (error: NodeJS.ErrnoException) => reject(isBroken(error) ? new Broken('', { cause: error }) : failedConnection(error)));
    request.on('close', () => {
      clearTimeout(connecting);
      clearTimeout(whole);
      reject(new Broken());
    });
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      const done = (): void => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts, Math.min(size, maxBytes)) });
      response.on('data', (part: Buffer) => {
        size += part.length;
        if (size > maxBytes && cut) {
          parts.push(part);
          done();
          request.destroy();
        } else if (size > maxBytes) fail(new RelayError('the relay sent a longer answer than it may; use another relay', { code: 'bad_answer', status: response.statusCode ?? null }));
        else parts.push(part);
      });
      response.on('end', done);
      response.on('error', (error) => reject(new Broken('', { cause: error })));
    });
    request.end(body);
  });
}

const isBroken = (error: NodeJS.ErrnoException): boolean => error.code === 'ECONNRESET' || error.code === 'EPIPE';
/** Codes of the system are safe words; a message may hold names that the other side chose. */
const codeOf = (error: NodeJS.ErrnoException): string => (/^[A-Z][A-Z0-9_]{2,60}$/.test(error.code ?? '') ? (error.code ?? '') : 'no connection');
