import { Buffer } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { Refused } from '../refused.ts';
import { isLoopbackHost } from '../home/relay-origin.ts';
import { BucketError, brokeOff, isNoS3, isUnreachable, saysNo } from './bucket-error.ts';
import { readListing } from './bucket-listing.ts';
import { provenBucket } from './bucket-proof.ts';
import type { Bucket } from './bucket.types.ts';

export { BucketError } from './bucket-error.ts';
export type { Bucket } from './bucket.types.ts';

const TRIES = 3;
const SMALL_MS = 30_000;
/** Longer than the relay gives the slowest reader of a message, which would be cut off here else. */
const OBJECT_MS = 400_000;
const MAX_LIST = 4 * 1024 * 1024;
/** What messages and marks are put as. A page that stands in for the bucket comes as another kind. */
const OBJECT_TYPE = 'application/octet-stream';

/** Sends one request of a bucket, once. */
type Send = (method: string, target: string, body: Uint8Array | undefined, signal: AbortSignal) => Promise<Response>;

/** How a request is answered: the statuses that are good, and what is read of such an answer at once, as part of the try. */
type Asking<T> = { readonly good: readonly number[]; readonly read: (response: Response) => T | Promise<T>; readonly body?: Uint8Array; readonly ms?: number };

/**
 * Opens a bucket of an S3-compatible service by its URL: `https://HOST/BUCKET`, or `https://BUCKET.HOST`; http for loopback alone.
 * Credentials come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, the region from AWS_REGION or
 * AWS_DEFAULT_REGION (us-east-1 when neither is set). Throws Refused naming what is missing.
 */
export function openBucket(url: string, env: Readonly<Record<string, string | undefined>>, random: (size: number) => Uint8Array = randomBytes): Bucket {
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
  return provenBucket(bucketOf(base, once), random);
}

/** The requests of a bucket, over what sends one of them. */
function bucketOf(base: string, once: Send, over?: AbortSignal): Bucket {
  const isOver = (): boolean => over?.aborted === true;
  const attempt = async <T>(method: string, target: string, { good, read, body, ms = SMALL_MS }: Asking<T>): Promise<T> => {
    let response: Response | undefined;
    try {
      const limit = AbortSignal.timeout(ms);
      response = await once(method, target, body, over === undefined ? limit : AbortSignal.any([limit, over]));
      if (!good.includes(response.status)) throw saysNo(method, response.status);
      return await read(response);
    } catch (error) {
      await drop(response);
      if (error instanceof BucketError) throw error;
      throw response === undefined ? isUnreachable(method, error) : brokeOff(method, error);
    }
  };
  /** Every request may be done twice, so a server that is busy, a broken connection, or an answer that is none of a bucket is tried again. */
  const ask = async <T>(method: string, target: string, asking: Asking<T>): Promise<T> => {
    for (let left = TRIES - 1; ; left -= 1) {
      try {
        return await attempt(method, target, asking);
      } catch (error) {
        if (left === 0 || isOver() || !(error instanceof BucketError) || isFinal(error.status)) throw error;
        await wait(100 * 2 ** (TRIES - left), undefined, { signal: over }).catch(() => {});
        if (isOver()) throw error;
      }
    }
  };

  return {
    put: (key, body = new Uint8Array()) => ask('PUT', `${base}/${key}`, {
      good: [200], body, ms: OBJECT_MS,
      async read(response) {
        checkTag('PUT', response);
        await drop(response);
      },
    }),
    get: (key) => ask('GET', `${base}/${key}`, {
      good: [200, 404], ms: OBJECT_MS,
      async read(response) {
        if (response.status === 200) return { bytes: lengthOf(response), body: response.body as ReadableStream<Uint8Array> };
        await drop(response);
        return undefined;
      },
    }),
    has: (key) => ask('HEAD', `${base}/${key}`, {
      good: [200, 404],
      read(response) {
        if (response.status === 200) checkObject('HEAD', response);
        return response.status === 200;
      },
    }),
    remove: (key) => ask('DELETE', `${base}/${key}`, { good: [204, 404], read: drop }),
    list(prefix, after) {
      const query = new URLSearchParams({ 'list-type': '2', 'max-keys': '1000', prefix, ...(after !== undefined && { 'start-after': after }) });
      return ask('GET', `${base}?${query.toString()}`, {
        good: [200],
        async read(response) {
          const listing = readListing(await textOf(response), { prefix, after });
          if (listing === undefined) throw isNoS3('GET', 'no whole listing', response.status);
          const date = Date.parse(response.headers.get('date') ?? '');
          return { ...listing, date: Number.isNaN(date) ? undefined : date };
        },
      });
    },
    until: (signal) => bucketOf(base, once, signal),
  };
}

/** Whether asking once more would be answered in the same way. */
const isFinal = (status: number | null): boolean => status !== null && status >= 300 && status < 500;

/** Leaves what is not read of an answer; how that ends is nobody's matter. */
async function drop(response: Response | undefined): Promise<void> {
  await response?.body?.cancel().catch(() => {});
}

/** S3 names what it has stored, and what it has, by an ETag (PutObject, HeadObject and GetObject of its reference); a server that takes anything does not. */
function checkTag(method: string, { headers, status }: Response): void {
  if ((headers.get('etag') ?? '') === '') throw isNoS3(method, 'no ETag', status);
}

function checkObject(method: string, response: Response): void {
  checkTag(method, response);
  if (!/^\w+\/octet-stream\b/.test(response.headers.get('content-type') ?? '')) throw isNoS3(method, 'another type than what was put', response.status);
}

/** The bytes of an object. Without a number before them, or when they are not sent as they are, a reader could not tell whether all came. */
function lengthOf(response: Response): number {
  checkObject('GET', response);
  const { headers, status } = response;
  const length = headers.get('content-length') ?? '';
  if (!/^\d{1,15}$/.test(length)) throw isNoS3('GET', 'no length', status);
  if (!['identity', null].includes(headers.get('content-encoding'))) throw isNoS3('GET', 'an encoding', status);
  return Number(length);
}

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MAX_LIST) throw isNoS3('GET', 'a listing that is too long', response.status);
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
