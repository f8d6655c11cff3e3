import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { Refused } from '../refused.ts';
import { isLoopbackHost } from '../home/relay-origin.ts';

/** An object of a bucket: its key, its size in bytes, and when it was written, in milliseconds since the epoch. */
export type BucketObject = { readonly key: string; readonly bytes: number; readonly at: number };

/** The five requests that a store needs of a bucket. Keys are of `[0-9a-z/]`. Each throws a BucketError after three tries. */
export type Bucket = {
  put(key: string, body?: Uint8Array): Promise<void>;
  /** Undefined when there is no such object. */
  get(key: string): Promise<{ readonly bytes: number; readonly body: ReadableStream<Uint8Array> } | undefined>;
  has(key: string): Promise<boolean>;
  /** Nothing when there is no such object. */
  remove(key: string): Promise<void>;
  /** Up to 1,000 keys that begin with `prefix` and come behind `after`, in order; `more` when that was not all; `date` is the bucket's own clock, where it tells. */
  list(prefix: string, after?: string): Promise<{ readonly objects: readonly BucketObject[]; readonly more: boolean; readonly date: number | undefined }>;
  /** The same bucket, whose requests end, as if it could not be reached, when the signal is aborted. */
  until(signal: AbortSignal): Bucket;
};

/** The bucket did not do what it was asked; carries the status, null without an answer. */
export class BucketError extends Error {
  static {
    this.prototype.name = 'BucketError';
  }
  readonly status: number | null;

  constructor(what: string, status: number | null, cause?: unknown) {
    super(status === null ? `the bucket cannot be reached (${what})` : `the bucket answered ${status} (${what})`, cause === undefined ? {} : { cause });
    this.status = status;
  }
}

const TRIES = 3;
const SMALL_MS = 30_000;
const OBJECT_MS = 300_000;
const MAX_LIST = 4 * 1024 * 1024;

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

  const once = async (method: string, target: string, body: Uint8Array | undefined, signal: AbortSignal): Promise<Response> => {
    // Signed with the body's own hash, so that what arrives is what was sent on plain connections too.
    const hash = createHash('sha256').update(body ?? '').digest('hex');
    const request = await client.sign(target, { method, headers: { 'x-amz-content-sha256': hash, 'accept-encoding': 'identity' }, ...(body !== undefined && { body }) });
    return await fetch(request, { redirect: 'error', signal });
  };
  return bucketOf(base, once);
}

/** The requests of a bucket, over what sends one of them. */
function bucketOf(base: string, once: (method: string, target: string, body: Uint8Array | undefined, signal: AbortSignal) => Promise<Response>, over?: AbortSignal): Bucket {
  const isOver = (): boolean => over?.aborted === true;
  /** Every request may be done twice, so a server that is busy, or a broken connection, is tried again. */
  const ask = async (method: string, target: string, { good, body, ms = SMALL_MS }: { readonly good: readonly number[]; readonly body?: Uint8Array; readonly ms?: number }): Promise<Response> => {
    for (let left = TRIES - 1; ; left -= 1) {
      let failure: BucketError;
      try {
        const limit = AbortSignal.timeout(ms);
        const response = await once(method, target, body, over === undefined ? limit : AbortSignal.any([limit, over]));
        if (good.includes(response.status)) return response;
        await response.body?.cancel();
        failure = new BucketError(method, response.status);
        if (response.status < 500) throw failure;
      } catch (error) {
        if (error instanceof BucketError) throw error;
        failure = new BucketError(method, null, error);
      }
      if (left === 0 || isOver()) throw failure;
      await wait(100 * 2 ** (TRIES - left), undefined, { signal: over }).catch(() => {});
      if (isOver()) throw failure;
    }
  };
  const drop = async (response: Response): Promise<void> => void (await response.body?.cancel());

  return {
    put: async (key, body = new Uint8Array()) => drop(await ask('PUT', `${base}/${key}`, { good: [200], body, ms: OBJECT_MS })),
    async get(key) {
      const response = await ask('GET', `${base}/${key}`, { good: [200, 404], ms: OBJECT_MS });
      if (response.status === 200 && response.body !== null) return { bytes: Number(response.headers.get('content-length')), body: response.body as ReadableStream<Uint8Array> };
      await drop(response);
      return undefined;
    },
    has: async (key) => (await ask('HEAD', `${base}/${key}`, { good: [200, 404] })).status === 200,
    remove: async (key) => drop(await ask('DELETE', `${base}/${key}`, { good: [200, 204, 404] })),
    async list(prefix, after) {
      const query = new URLSearchParams({ 'list-type': '2', 'max-keys': '1000', prefix, ...(after !== undefined && { 'start-after': after }) });
      const response = await ask('GET', `${base}?${query.toString()}`, { good: [200] });
      const date = Date.parse(response.headers.get('date') ?? '');
      const text = await textOf(response);
      return { objects: objectsOf(text), more: text.includes('<IsTruncated>true</IsTruncated>'), date: Number.isNaN(date) ? undefined : date };
    },
    until: (signal) => bucketOf(base, once, signal),
  };
}

/** All objects behind a prefix, a page at a time. */
export async function* listAll(bucket: Bucket, prefix: string): AsyncGenerator<BucketObject> {
  let after: string | undefined;
  for (;;) {
    const { objects, more } = await bucket.list(prefix, after);
    yield* objects;
    after = objects.at(-1)?.key;
    if (!more || after === undefined) return;
  }
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

/** The answer to a listing. Our keys need no escaping, so that its XML can be read by its few tags; others' objects are passed over. */
function objectsOf(xml: string): BucketObject[] {
  return xml.split('<Contents>').slice(1).flatMap((part) => {
    const [, key] = /<Key>([0-9a-z/]{1,300})<\/Key>/.exec(part) ?? [];
    const [, size] = /<Size>(\d{1,15})<\/Size>/.exec(part) ?? [];
    const [, written = ''] = /<LastModified>([0-9TZ:.-]{1,40})<\/LastModified>/.exec(part) ?? [];
    const at = Date.parse(written);
    return key === undefined || size === undefined || Number.isNaN(at) ? [] : [{ key, bytes: Number(size), at }];
  });
}

async function textOf(response: Response): Promise<string> {
  const text = await response.text();
  if (text.length > MAX_LIST) throw new BucketError('a listing is too long', response.status);
  return text;
}
