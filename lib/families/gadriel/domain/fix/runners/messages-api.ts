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
 * Sends one message to the Messages API (version 2023-06-01) and waits for the whole answer. Tries again twice on 408, 409, 429,
 * 5xx and network errors, as the vendor's SDK does; redirects are not followed. Rejects only when the request is cancelled.
 */
export async function sendMessage(
  request: MessageRequest, { signal, random }: RunnerRequest['surroundings'], deadline: AbortSignal, patience: Patience,
): Promise<MessageAnswer> {
  const both = AbortSignal.any([signal, deadline]);
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await tryOnce(request, both);
    if ('usage' in outcome && !('retry' in outcome)) return outcome;
    signal.throwIfAborted();
    if (deadline.aborted) return { error: timedOut };
    const { error, retry, after } = outcome as Failure;
    if (!retry || attempt === maxRetries || (after ?? 0) > patience.longestRetryAfter) return { error };
    try {
      await sleep(after ?? backoff(attempt, random, patience), undefined, { signal: both });
    } catch {
      signal.throwIfAborted();
      return { error: timedOut };
    }
  }
}

/** The answer to a request that took too long. */
export const timedOut: RunnerError = { kind: 'timeout', message: 'the model did not answer in time', retryable: true };

type Failure = { readonly error: RunnerError; readonly retry: boolean; readonly after?: number | undefined };

async function tryOnce({ baseUrl, key, model, system, turns }: MessageRequest, signal: AbortSignal): Promise<MessageAnswer | Failure> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(`${baseUrl}/v1/messages`, {
      method: 'POST', redirect: 'error', signal,
      headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: maxTokens, system, messages: turns }),
    });
    body = await readJson(response);
  } catch {
    // What fetch throws may name addresses; that it failed is enough.
    return { error: { kind: 'http', message: 'the connection to the model failed', retryable: true }, retry: true };
  }
  return response.ok ? readAnswer(body) : refusedBy(response, body);
}

/** A body of JSON up to 4 MiB; undefined for another one. */
async function readJson(response: Response): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.byteLength;
    if (size > maxAnswerBytes) return undefined;
    pieces.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    return undefined;
  }
}

function refusedBy({ status, headers }: Response, body: unknown): Failure {
  const said = headers.get('x-should-retry');
  const retry = said === 'true' || (said !== 'false' && (status === 408 || status === 409 || status === 429 || status >= 500));
  const type = member(member(body, 'error'), 'type');
  // Words of the server's own could hold anything, a key too; its type of error is one word.
  const word = typeof type === 'string' && /^[a-z_]{1,40}$/.test(type) ? ` (${type})` : '';
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
  const texts = Array.isArray(content) ? content.map((part) => member(part, 'text')).filter((text) => typeof text === 'string') : [];
  if (texts.length === 0) return { error: { kind: 'parse', message: 'the answer of the server has no text', retryable: false }, usage };
  return { text: texts.join(''), usage };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
