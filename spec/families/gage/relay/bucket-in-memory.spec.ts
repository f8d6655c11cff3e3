import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { openBucketStore } from '../../../../lib/families/gage/domain/relay/bucket-store.ts';
import { openBucket, type Bucket } from '../../../../lib/families/gage/domain/relay/bucket.ts';
import { front, listingOf, objectHeaders, page, startBucketServer } from './bucket-server.ts';
import { idOf, random, sealedOf } from './test-relay.ts';

describe('a store over a bucket', () => {
  const mailbox = 'a'.repeat(64);
  const at = (time: number): string => new Date(time).toISOString();
  const start = Date.UTC(2026, 11, 1);
  const DAY = 86_400_000;

  /** A bucket in memory, whose clock is set by hand. */
  async function memoryBucket(objects: Map<string, { size: number; at: number }>, before: (request: IncomingMessage, response: ServerResponse) => boolean = () => false): Promise<{ bucket: Bucket; bucketClock: { time: number }; puts: string[] }> {
    const bucketClock = { time: start };
    const puts: string[] = [];
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      if (before(request, response)) return;
      const url = new URL(request.url ?? '', 'http://x');
      const key = url.pathname.slice('/mail/'.length);
      response.setHeader('date', new Date(bucketClock.time).toUTCString());
      if (request.method === 'PUT') {
        puts.push(key);
        objects.set(key, { size: Number(request.headers['content-length'] ?? 0), at: bucketClock.time });
        response.writeHead(200, objectHeaders).end();
      } else if (request.method === 'DELETE') {
        objects.delete(key);
        response.writeHead(204).end();
      } else {
        const [prefix, after] = [url.searchParams.get('prefix') ?? '', url.searchParams.get('start-after') ?? ''];
        const most = Math.min(3, Number(url.searchParams.get('max-keys')));
        const keys = [...objects.keys()].filter((each) => each.startsWith(prefix) && each > after).sort();
        response.end(listingOf(keys.slice(0, most).map((each) => ({ key: each, size: objects.get(each)?.size ?? 0, at: at(objects.get(each)?.at ?? 0) })), { truncated: keys.length > most }));
      }
    };
    return { bucket: openBucket((await startBucketServer(answer)).url, { AWS_ACCESS_KEY_ID: 'an-id', AWS_SECRET_ACCESS_KEY: 'a-key' }), bucketClock, puts };
  }

  it('notes an owner again when the clock was ahead', async () => {
    const { bucket, puts } = await memoryBucket(new Map());
    const store = await openBucketStore({ bucket, random });
    await store.markOpened(mailbox, start + 400 * DAY);
    await store.markOpened(mailbox, start);
    await store.markOpened(mailbox, start + DAY - 1);
    assert.equal(puts.length, 2);
    await store.markOpened(mailbox, start + DAY);
    assert.equal(puts.length, 3);
    await store.close();
  });

  it('counts and knows what waits though its own clock is ahead of the bucket', async () => {
    const { bucket } = await memoryBucket(new Map());
    const store = await openBucketStore({ bucket, random });
    const sender = '0'.repeat(16);
    const messages = Array.from({ length: 26 }, () => sealedOf());
    const put = (content: Buffer, now: number): Promise<string> => store.put(mailbox, { id: idOf(content), bytes: content.length, content }, sender, now);
    for (const content of messages.slice(0, 25)) assert.equal(await put(content, start), 'stored');
    assert.equal(await put(messages[3] as Buffer, start + 400 * DAY), 'known');
    assert.equal(await put(messages[25] as Buffer, start + 400 * DAY), 'mailbox_full');
    await store.close();
  });

  it('neither shows, counts nor sweeps what others have put there', async () => {
    const id = (digit: string): string => digit.repeat(64);
    const others = ['m/', `m/${mailbox}/`, `m/${mailbox}/0`, `m/${mailbox}/1readme`, `m/${mailbox}/2/x`, 'm/readme', 'd/readme', 'a/readme', 'o/', 'c/readme'];
    const objects = new Map([...others, `m/${mailbox}/${id('3')}`, `m/${mailbox}/${id('4')}`].map((key) => [key, { size: 100, at: start }]));
    const { bucket, bucketClock } = await memoryBucket(objects);
    const store = await openBucketStore({ bucket, random });
    const first = await store.list(mailbox, { after: undefined, limit: 1 }, start);
    assert.deepEqual([first.messages.map((each) => each.id), first.next], [[id('3')], id('3')]);
    const rest = await store.list(mailbox, { after: id('3'), limit: 1 }, start);
    assert.deepEqual([rest.messages.map((each) => each.id), rest.next], [[id('4')], null]);
    bucketClock.time = start + 400 * DAY;
    assert.equal(await store.expire(bucketClock.time), 2);
    assert.deepEqual([...objects.keys()].sort(), [...others].sort());
    await store.close();
  });

  it('loses nothing by a page of 404 that stands in for the bucket', async () => {
    const id = '3'.repeat(64);
    const key = `m/${mailbox}/${id}`;
    for (const method of ['GET', 'DELETE']) {
      const objects = new Map([key, `o/${mailbox}`].map((each) => [each, { size: 100, at: start }]));
      let isProxy = false;
      const { bucket, bucketClock } = await memoryBucket(objects, (request, response) => {
        // All but the first listing of a sweep, so that it would go on.
        if (!isProxy || request.method !== method || /prefix=m%2F(?:&|$)/.test(request.url ?? '')) return false;
        response.writeHead(404, page).end(front);
        return true;
      });
      const store = await openBucketStore({ bucket, random });
      bucketClock.time = start + 10 * DAY;
      isProxy = true;
      if (method === 'GET') await assert.rejects(store.expire(bucketClock.time), { status: 404 });
      await assert.rejects(store.remove(mailbox, id, bucketClock.time), { status: 404 });
      isProxy = false;
      assert.deepEqual((await store.list(mailbox, { after: undefined, limit: 9 }, bucketClock.time)).messages.map((each) => each.id), [id]);
      await store.close();
    }
  });

  it('opens no session for a challenge whose mark it does not find', async () => {
    const objects = new Map<string, { size: number; at: number }>();
    const { bucket } = await memoryBucket(objects);
    const digest = 'd'.repeat(64);
    // Another relay's mark, while the own one is not shown yet.
    const stale = (one: Bucket): Bucket => ({ ...one, until: (signal) => stale(one.until(signal)), list: async () => ({ objects: [{ key: `c/${digest}/${'e'.repeat(32)}`, bytes: 0, at: start }], next: undefined, date: undefined }) });
    const store = await openBucketStore({ bucket: stale(bucket), random });
    assert.equal(await store.useChallenge(digest, start), false);
    const good = await openBucketStore({ bucket, random });
    objects.clear();
    assert.equal(await good.useChallenge(digest, start), true);
    assert.equal(await good.useChallenge(digest, start), false);
    await Promise.all([store.close(), good.close()]);
  });
});
