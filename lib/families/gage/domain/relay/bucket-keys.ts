import type { Bucket, BucketObject, BucketPage } from './bucket.types.ts';

/**
 * The keys that relays make: `m/<mailbox>/<id>` a message, `a/<mailbox>/<sender's tag>/<id>` who left it, `d/<mailbox>/<id>` a collected id,
 * `o/<mailbox>` opened, `c/<digest>/<random>` an answered challenge.
 */
const HASH = '[0-9a-f]{64}';
const OURS = new RegExp(`^(?:[md]/${HASH}/${HASH}|a/${HASH}/[0-9a-f]{16}/${HASH}|o/${HASH}|c/${HASH}/[0-9a-f]{32})$`);

/** The last part of a key: the id, in all but marks of owners and challenges. */
export const lastPart = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/** What relays have put behind a prefix, a page at a time; what others have (a mark of a folder, a file by hand) is neither shown nor swept. */
export async function* listPages(bucket: Bucket, prefix: string, after?: string): AsyncGenerator<Omit<BucketPage, 'next'>> {
  for (let next = after; ; ) {
    const page = await bucket.list(prefix, next);
    yield { objects: page.objects.filter(({ key }) => OURS.test(key)), date: page.date };
    next = page.next;
    if (next === undefined) return;
  }
}

/** All that relays have put behind a prefix. */
export async function* listAll(bucket: Bucket, prefix: string): AsyncGenerator<BucketObject> {
  for await (const { objects } of listPages(bucket, prefix)) yield* objects;
}
