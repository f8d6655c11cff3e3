import { Buffer } from 'node:buffer';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lastPart, listAll, listPages } from './bucket-keys.ts';
import { sweepBucket } from './bucket-sweep.ts';
import type { Bucket, BucketObject } from './bucket.types.ts';
import { fits, retention } from './quotas.ts';
import type { RelayStore, StoredMessage } from './store.types.ts';
import { Places } from './places.ts';
import { Turns } from './turns.ts';

/** What a bucket store needs. */
export type BucketStoreOptions = { readonly bucket: Bucket; readonly random: (size: number) => Uint8Array };

const DAY_MS = 86_400_000;
const MAX_OWNERS = 10_000;
/** Large bodies in memory on their way to the bucket, at most 20 MiB each. */
const UPLOADS = 4;

/**
 * A store that many relays share: everything is in a bucket, and in a relay only what it can do without; `bucket-keys.ts` has its keys.
 * The bucket must show a write to every later read.
 *
 * Without conditional writes, relays that take pushes at the same moment may each pass a quota by one message.
 */
export async function openBucketStore({ bucket: whole, random }: BucketStoreOptions): Promise<RelayStore> {
  const spoolFolder = await mkdtemp(path.join(tmpdir(), 'gage-relay-'));
  const ending = new AbortController();
  const bucket = whole.until(ending.signal);
  const turns = new Turns();
  const ownersSeen = new Map<string, number>();
  const uploads = new Places(UPLOADS);

  /** What waits in a mailbox, a page at a time. Objects are dated by the bucket, so a relay whose clock is ahead goes by that of the bucket. */
  async function* pagesOf(mailbox: string, now: number, after?: string): AsyncGenerator<readonly BucketObject[]> {
    const prefix = `m/${mailbox}/`;
    for await (const { objects, date = now } of listPages(bucket, prefix, after === undefined ? undefined : `${prefix}${after}`)) {
      // The owner asks, or it does not matter: the shorter time of a mailbox that was never opened is the sweep's to keep.
      yield objects.filter(({ at }) => Math.min(now, date) - at < retention.opened);
    }
  }
  const messagesOf = async (mailbox: string, now: number): Promise<readonly BucketObject[]> => {
    const found: BucketObject[] = [];
    for await (const objects of pagesOf(mailbox, now)) found.push(...objects);
    return found;
  };

  return {
    spoolFolder,
    shared: true,
    isCursor: (text) => /^[0-9a-f]{64}$/.test(text),
    put: (mailbox, { id, bytes, content }, sender, now) =>
      turns.run(mailbox, async () => {
        const [held, collected] = await Promise.all([messagesOf(mailbox, now), bucket.has(`d/${mailbox}/${id}`)]);
        if (collected || held.some((each) => lastPart(each.key) === id)) return 'known';
        const own = new Set<string>();
        for await (const { key } of listAll(bucket, `a/${mailbox}/${sender}/`)) own.add(lastPart(key));
        if (!fits(bytes, held, held.filter((each) => own.has(lastPart(each.key))))) return 'mailbox_full';
        // First who sent it: a kill between the two leaves a tag without a message, which counts for nothing.
        await bucket.put(`a/${mailbox}/${sender}/${id}`);
        const key = `m/${mailbox}/${id}`;
        if ('file' in content) await uploads.run(async () => bucket.put(key, await readFile(content.file)));
        else await bucket.put(key, content);
        return 'stored';
      }),
    async list(mailbox, { after, limit }, now) {
      const messages: StoredMessage[] = [];
      for await (const objects of pagesOf(mailbox, now, after)) {
        messages.push(...objects.map(({ key, bytes, at }) => ({ id: lastPart(key), bytes, at })));
        if (messages.length > limit) break;
      }
      const page = messages.slice(0, limit);
      return { messages: page, next: messages.length > limit ? (page.at(-1)?.id ?? null) : null };
    },
    get: (mailbox, id) => bucket.get(`m/${mailbox}/${id}`),
    async remove(mailbox, id) {
      if (!(await bucket.has(`m/${mailbox}/${id}`))) return;
      await bucket.put(`d/${mailbox}/${id}`);
      await bucket.remove(`m/${mailbox}/${id}`);
      for await (const { key } of listAll(bucket, `a/${mailbox}/`)) if (lastPart(key) === id) await bucket.remove(key);
    },
    async markOpened(mailbox, now) {
      // Seen at a time to come: the clock was ahead then, and tells nothing of how old the mark is.
      if (Math.abs(now - (ownersSeen.get(mailbox) ?? -Infinity)) < DAY_MS) return;
      await bucket.put(`o/${mailbox}`);
      if (ownersSeen.size >= MAX_OWNERS) ownersSeen.clear();
      ownersSeen.set(mailbox, now);
    },
    async useChallenge(digest) {
      // Whoever finds another mark beside their own gives way, so two that come together both do, and their readers try again.
      const prefix = `c/${digest}/`;
      const own = `${prefix}${Buffer.from(random(16)).toString('hex')}`;
      await bucket.put(own);
      const marks: string[] = [];
      for await (const { key } of listAll(bucket, prefix)) marks.push(key);
      return marks.length === 1 && marks[0] === own;
    },
    expire: (now, stopping) => sweepBucket(bucket, now, stopping),
    async close(over) {
      const end = (): void => ending.abort();
      over?.addEventListener('abort', end);
      if (over?.aborted === true) end();
      await turns.settled();
      over?.removeEventListener('abort', end);
      // What nobody waits for any more must not keep the process alive.
      end();
      await rm(spoolFolder, { recursive: true, force: true });
    },
  };
}
