import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { Refused } from '../refused.ts';
import { isLoopbackHost } from '../home/relay-origin.ts';
import { BucketError, brokeOff, isNoS3, isUnreachable, saysNo } from './bucket-error.ts';
import { readListing } from './bucket-listing.ts';
import type { Bucket, BucketPage } from './bucket.types.ts';
import { Ending } from './ending.ts';

export { BucketError } from './bucket-error.ts';
export type { Bucket } from './bucket.types.ts';

const TRIES = 3;
/** For an answer to begin, and what is small to come. */
const SMALL_MS = 30_000;
/** Longer than the relay gives the slowest reader of a message, which would be cut off here else. */
const OBJECT_MS = 400_000;
/** What is put has a second more for each of these. */
const BYTES_A_SECOND = 64 * 1024;
const MAX_TEXT = 4 * 1024 * 1024;
const MAX_KEYS = 1_000;
/** What messages and marks are put as. A page that stands in for the bucket comes as another kind. */
const OBJECT_TYPE = 'application/octet-stream';

/** Sends one request of a bucket, once. */
type Send = (method: string, target: string, body: Uint8Array | undefined, signal: AbortSignal) => Promise<Response>;

/** How a request is answered: the statuses that are good, and what is read of such an answer at once, as part of the try; what is given to `keep` is read later, in the time of the request. */
type Asking<T> = { readonly good: readonly number[]; readonly read: (response: Response, keep: (stream: Readable) => Readable) => T | Promise<T>; readonly body?: Uint8Array };

/**
 * Opens a bucket of an S3-compatible service by its URL: `https://HOST/BUCKET`, or `https://BUCKET.HOST`; http for loopback alone.
 * Credentials come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, the region from AWS_REGION or
 * AWS_DEFAULT_REGION (us-east-1 when neither is set). Throws Refused naming what is missing.
 */
export function openBucket(url: string, env: Readonly<Record<string, string | undefined>>): Bucket {
  const base = baseOf(url);
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '', AWS_SESSION_TOKEN: sessionToken = '' } = env;
  if (accessKeyId === '' || secretAccessKey === '') throw new Refused('the bucket needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region, ...(sessionToken !== '' && { sessionToken }) });

  const once: Send = async (method, target, body, signal) => {
    // Signed with the body's own hash, so that what arrives is what was sent on plain connections too.
    const hash = createHash('sha256').update(body ?? '').digest('hex');
    const headers = { 'x-amz-content-sha256': hash, 'accept-encoding': 'identity', ...(body !== undefined && { 'content-type': OBJECT_TYPE }) };
    const request = await client.sign(target, { method, headers, ...(body !== undefined && { body }) });
    return await fetch(request, { redirect: 'error', signal });
  };
  return bucketOf(base, once);
}

/** The requests of a bucket, over what sends one of them. */
function bucketOf(base: string, once: Send, over?: AbortSignal): Bucket {
  const open = new Ending(over);
  const attempt = async <T>(method: string, target: string, { good, read, body }: Asking<T>): Promise<T> => {
    const part = open.part();
    part.within(SMALL_MS + Math.ceil((body?.length ?? 0) / BYTES_A_SECOND) * 1_000);
    let response: Response | undefined;
    let isKept = false;
    const keep = (stream: Readable): Readable => {
      isKept = true;
      part.within(OBJECT_MS);
      return stream.once('close', part.end);
    };
    try {
      response = await once(method, target, body, part.signal);
      if (!good.includes(response.status)) throw saysNo(method, response.status);
      return await read(response, keep);
    } catch (error) {
      await drop(response);
      if (error instanceof BucketError) throw error;
      throw response === undefined ? isUnreachable(method, error) : brokeOff(method, error);
    } finally {
      if (!isKept) part.end();
    }
  };
  /** Every request may be done twice, so a server that is busy, a broken connection, or an answer that is none of a bucket is tried again. */
  const ask = async <T>(method: string, target: string, asking: Asking<T>): Promise<T> => {
    for (let left = TRIES - 1; ; left -= 1) {
      try {
        return await attempt(method, target, asking);
      } catch (error) {
        if (left === 0 || open.isOver || !(error instanceof BucketError) || isFinal(error.status)) throw error;
        await wait(100 * 2 ** (TRIES - left), undefined, { signal: over }).catch(() => {});
        if (open.isOver) throw error;
      }
    }
  };

  const listing = (prefix: string, after?: string, most = MAX_KEYS): Promise<BucketPage> => {
    const query = new URLSearchParams({ 'list-type': '2', 'max-keys': String(most), prefix, ...(after !== undefined && { 'start-after': after }) });
    return ask('GET', `${base}?${query.toString()}`, {
      good: [200],
      async read(response) {
        const found = readListing(await textOf('GET', response), { prefix, after });
        if (found === undefined) throw isNoS3('GET', 'no whole listing', response.status);
        const date = Date.parse(response.headers.get('date') ?? '');
        return { ...found, date: Number.isNaN(date) ? undefined : date };
      },
    });
  };

  return {
    put: (key, body = new Uint8Array()) => ask('PUT', `${base}/${key}`, {
      good: [200], body,
      async read(response) {
        checkTag('PUT', response);
        // PutObject answers with headers alone; a page that stands in for the bucket has stored nothing.
        if ((await textOf('PUT', response)) !== '') throw isNoS3('PUT', 'more than headers', response.status);
      },
    }),
    get: (key) => ask('GET', `${base}/${key}`, {
      good: [200, 404],
      async read(response, keep) {
        if (response.status === 200) return { bytes: lengthOf(response), stream: keep(Readable.fromWeb(response.body as ReadableStream<Uint8Array>)) };
        await checkMissing('GET', response);
        return undefined;
      },
    }),
    // An answer to HEAD has no body that says whether it is the bucket's own, and any server has pages of 404.
    has: async (key) => (await listing(key, undefined, 1)).objects[0]?.key === key,
    remove: (key) => ask('DELETE', `${base}/${key}`, {
      good: [204, 404],
      async read(response) {
        if (response.status === 404) await checkMissing('DELETE', response);
        else await drop(response);
      },
    }),
    list: (prefix, after) => listing(prefix, after),
    until: (signal) => bucketOf(base, once, signal),
  };
}

/** Whether asking once more would be answered in the same way. */
const isFinal = (status: number | null): boolean => status !== null && status >= 300 && status < 500 && ![408, 429].includes(status);

/** Leaves what is not read of an answer; how that ends is nobody's matter. */
async function drop(response: Response | undefined): Promise<void> {
  await response?.body?.cancel().catch(() => {});
}

/** S3 names what it has stored, and what it has, by an ETag (PutObject and GetObject of its reference); a server that takes anything does not. */
function checkTag(method: string, { headers, status }: Response): void {
  if ((headers.get('etag') ?? '') === '') throw isNoS3(method, 'no ETag', status);
}

/** That there is no such object, S3 says by a code of its own. A proxy's page of 404 says nothing of the bucket. */
async function checkMissing(method: string, response: Response): Promise<void> {
  if (!/<Code>\s*NoSuchKey\s*<\/Code>/.test(await textOf(method, response))) throw saysNo(method, response.status);
}

/** The bytes of an object. Without a number before them, or when they are not sent as they are, a reader could not tell whether all came. */
function lengthOf(response: Response): number {
  checkTag('GET', response);
  const { headers, status } = response;
  if (!/^\w+\/octet-stream\b/.test(headers.get('content-type') ?? '')) throw isNoS3('GET', 'another type than what was put', status);
  const length = headers.get('content-length') ?? '';
  if (!/^\d{1,15}$/.test(length)) throw isNoS3('GET', 'no length', status);
  if (!['identity', null].includes(headers.get('content-encoding'))) throw isNoS3('GET', 'an encoding', status);
  return Number(length);
}

async function textOf(method: string, response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MAX_TEXT) throw isNoS3(method, 'a text that is too long', response.status);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function baseOf(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch (error) {
    throw new Refused('--bucket needs a URL: https://HOST/BUCKET', { cause: error });
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) throw new Refused('--bucket needs an https:// URL; http:// is for this machine alone');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '' || !/^\/[A-Za-z0-9._-]{0,63}\/?$/.test(url.pathname)) {
    throw new Refused('--bucket must be https://HOST/BUCKET or https://BUCKET.HOST, with nothing behind and no credentials in it');
  }
  return `${url.origin}${url.pathname}`.replace(/\/$/, '');
}
