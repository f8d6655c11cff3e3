import { setTimeout as sleep } from 'node:timers/promises';
import type { RunnerError } from '../fix.types.ts';
import type { RunnerRequest } from './runner.types.ts';
import { readUsage, type Usage } from './prices.ts';

/** One turn of a conversation. */
export type Turn = { readonly role: 'user' | 'assistant'; readonly content: string };

/** What is sent. The key goes into a header and nowhere else. */
export type MessageRequest = {
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
  readonly system: string;
  readonly turns: readonly Turn[];
};

/** The text of an answer and its tokens, or why there is none. */
export type MessageAnswer = { readonly text: string; readonly usage: Usage } | { readonly error: RunnerError; readonly usage?: Usage };

/** How long things may take, in milliseconds; specs take less. */
export type Patience = { readonly total: number; readonly firstDelay: number; readonly maxDelay: number; readonly longestRetryAfter: number };

/** Two minutes in all; half a second doubling to eight between tries; a server that asks for more than half a minute is given up. */
export const usualPatience: Patience = { total: 120_000, firstDelay: 500, maxDelay: 8_000, longestRetryAfter: 30_000 };

const maxRetries = 2;
const maxTokens = 8_192;
const maxAnswerBytes = 4 * 1024 * 1024;

/**
 * Sends one message to the Messages API (version 2023-06-01) and waits for the whole answer, until `until` (a time of
 * `performance.now()`) at the latest. Tries again twice on 408, 409, 429, 5xx and network errors, as the vendor's SDK does;
 * redirects are not followed. Rejects only when the request is cancelled; then no more connection is made.
 */
export async function sendMessage(
  request: MessageRequest, { signal, random }: RunnerRequest['surroundings'], until: number, patience: Patience,
): Promise<MessageAnswer> {
  signal.throwIfAborted();
  // One controller, held by its timer: signals that are derived from others are lost to the garbage collector in Node 20.
  const stop = new AbortController();
  const cancelled = (): void => stop.abort();
  const timer = setTimeout(cancelled, Math.max(0, until - performance.now()));
  signal.addEventListener('abort', cancelled, { once: true });
  try {
    return await tryThrice(request, stop.signal, random, patience);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    signal.throwIfAborted();
    return { error: timedOut };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancelled);
  }
}

/** Rejects when `stop` says so. */
async function tryThrice(request: MessageRequest, stop: AbortSignal, random: (size: number) => Uint8Array, patience: Patience): Promise<MessageAnswer> {
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await unlessStopped(stop, tryOnce(request, stop));
    if (!('retry' in outcome)) return outcome;
    const { error, retry, after } = outcome;
    if (!retry || attempt === maxRetries || (after ?? 0) > patience.longestRetryAfter) return { error };
    await sleep(after ?? backoff(attempt, random, patience), undefined, { signal: stop });
  }
}

/** What the work comes to, or a rejection as soon as the signal says so, whatever the work makes of that. */
function unlessStopped<T>(stop: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopped = (): void => reject(stop.reason as Error);
    if (stop.aborted) stopped();
    stop.addEventListener('abort', stopped, { once: true });
    work.then(resolve, reject).finally(() => stop.removeEventListener('abort', stopped));
  });
}

/** The answer to a request that took too long. */
export const timedOut: RunnerError = { kind: 'timeout', message: 'the model did not answer in time', retryable: true };

type Failure = { readonly error: RunnerError; readonly retry: boolean; readonly after?: number | undefined };

async function tryOnce({ baseUrl, key, model, system, turns }: MessageRequest, stop: AbortSignal): Promise<MessageAnswer | Failure> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(`${baseUrl}/v1/messages`, {
      method: 'POST', redirect: 'error', signal: stop,
      headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: maxTokens, system, messages: turns }),
    });
    body = await readJson(response, stop);
  } catch {
    // What fetch throws may name addresses; that it failed is enough.
    return { error: { kind: 'http', message: 'the connection to the model failed', retryable: true }, retry: true };
  }
  return response.ok ? readAnswer(body) : refusedBy(response, body, key);
}

/**
 * A body of JSON up to 4 MiB; undefined for another one. Breaks the connection off by itself when told to stop: once the
 * headers are there, fetch in Node 20 forgets its signal at the next garbage collection.
 */
async function readJson(response: Response, stop: AbortSignal): Promise<unknown> {
  const reader = response.body?.getReader();
  const cancel = (): void => void reader?.cancel().catch(() => undefined);
  stop.addEventListener('abort', cancel, { once: true });
  if (stop.aborted) cancel();
  try {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
      size += read.value.byteLength;
      if (size > maxAnswerBytes) {
        cancel();
        return undefined;
      }
      pieces.push(read.value);
    }
    return parse(Buffer.concat(pieces).toString('utf8'));
  } finally {
    stop.removeEventListener('abort', cancel);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusedBy({ status, headers }: Response, body: unknown, key: string): Failure {
  const said = headers.get('x-should-retry');
  const retry = said === 'true' || (said !== 'false' && (status === 408 || status === 409 || status === 429 || status >= 500));
  const type = member(member(body, 'error'), 'type');
  // Words of the server's own could hold anything, a key too; its type of error is one word.
  const word = typeof type === 'string' && /^[a-z_]{1,40}$/.test(type) && !type.includes(key) ? ` (${type})` : '';
  return { error: { kind: 'http', message: `the model's server answered ${status}${word}`, retryable: retry }, retry, after: retryAfter(headers) };
}

/** Milliseconds to wait, as the server asks for: `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfter(headers: Headers): number | undefined {
  const milliseconds = Number(headers.get('retry-after-ms') ?? NaN);
  if (milliseconds >= 0) return milliseconds;
  const given = headers.get('retry-after');
  if (given === null) return undefined;
  const wait = /^\d+(?:\.\d+)?$/.test(given.trim()) ? Number(given) * 1_000 : Date.parse(given) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** Doubling, up to a quarter less so that many clients do not come back at once. */
function backoff(attempt: number, random: (size: number) => Uint8Array, { firstDelay, maxDelay }: Patience): number {
  return Math.min(firstDelay * 2 ** attempt, maxDelay) * (1 - random(1)[0]! / 1_024);
}

function readAnswer(body: unknown): MessageAnswer {
  const content = member(body, 'content');
  const usage = readUsage(member(body, 'usage'));
  const stop = member(body, 'stop_reason');
  if (stop === 'refusal') return { error: { kind: 'refusal', message: 'the model refuses to answer', retryable: false }, usage };
  if (stop === 'max_tokens') return { error: { kind: 'parse', message: 'the answer was cut off at the limit of tokens', retryable: false }, usage };
  // A page of a proxy, say: that is no answer to the question, so that no other one mends it.
  if (!Array.isArray(content)) return { error: { kind: 'http', message: 'what the server answered is no message of a model', retryable: false }, usage };
  const texts = content.map((part) => member(part, 'text')).filter((text) => typeof text === 'string');
  if (texts.length === 0) return { error: { kind: 'parse', message: 'the answer of the server has no text', retryable: false }, usage };
  return { text: texts.join(''), usage };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
