import { Buffer } from 'node:buffer';
import { BucketError } from './bucket-error.ts';
import type { Bucket } from './bucket.types.ts';

/**
 * The same bucket, which is asked before its first use for an object that nobody has written. A server that has that too (the front page of
 * a mistyped host, a page of maintenance) has everything: it would say of each message that it was collected already.
 */
export function provenBucket(bucket: Bucket, random: (size: number) => Uint8Array, proof = { done: false }): Bucket {
  const name = (): string => Buffer.from(random(32)).toString('hex');
  const first = async <T>(request: () => Promise<T>): Promise<T> => {
    if (!proof.done) {
      if (await bucket.has(`m/${name()}/${name()}`).catch(withAdvice)) throw new BucketError('the bucket has an object that nobody has written, so it is none; check the URL of --bucket', 200);
      proof.done = true;
    }
    return await request();
  };
  return {
    put: (key, body) => first(() => bucket.put(key, body)),
    get: (key) => first(() => bucket.get(key)),
    has: (key) => first(() => bucket.has(key)),
    remove: (key) => first(() => bucket.remove(key)),
    list: (prefix, after) => first(() => bucket.list(prefix, after)),
    until: (signal) => provenBucket(bucket.until(signal), random, proof),
  };
}

/** A bucket that has never answered is more likely a wrong URL than a server that is down; 403 is told of credentials where it is shown. */
function withAdvice(error: unknown): never {
  if (!(error instanceof BucketError) || error.status === 200 || error.status === 403) throw error;
  throw new BucketError(`${error.message}; check the URL of --bucket and the region`, error.status, error);
}
