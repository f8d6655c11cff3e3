import type { Readable } from 'node:stream';

/** An object of a bucket: its key, its size in bytes, and when it was written, in milliseconds since the epoch. */
export type BucketObject = { readonly key: string; readonly bytes: number; readonly at: number };

/** Part of a listing, in the order of its keys; `next` is the key behind which the rest is, `date` the bucket's own clock, where it tells. */
export type BucketPage = { readonly objects: readonly BucketObject[]; readonly next: string | undefined; readonly date: number | undefined };

/** The five requests that a store needs of a bucket. Keys are of `[0-9a-z/]`. Each throws a BucketError after three tries. */
export type Bucket = {
  put(key: string, body?: Uint8Array): Promise<void>;
  /** Undefined when there is no such object. A body that breaks off in its middle ends in an error, never as if it were whole. */
  get(key: string): Promise<{ readonly bytes: number; readonly stream: Readable } | undefined>;
  has(key: string): Promise<boolean>;
  /** Nothing when there is no such object. */
  remove(key: string): Promise<void>;
  /** Up to 1,000 objects whose keys begin with `prefix` and come behind `after`. */
  list(prefix: string, after?: string): Promise<BucketPage>;
  /** The same bucket, whose requests end, as if it could not be reached, when the signal is aborted. */
  until(signal: AbortSignal): Bucket;
};
