import { lastPart, listAll } from './bucket-keys.ts';
import type { Bucket } from './bucket.types.ts';
import { CHALLENGE_MS, retention } from './quotas.ts';

/** A tag of a sender is older than this when its message is gone for good, and not still on its way. */
const SETTLED_MS = 3_600_000;

/**
 * Removes from a bucket what is older than its time, until it is stopped, and answers how many messages went. Any relay may do so at any time,
 * others too: what is removed twice is gone once. The times of objects are of the bucket's clock, so a relay whose own is ahead goes by that.
 */
export async function sweepBucket(bucket: Bucket, clock: number, stopping?: AbortSignal): Promise<number> {
  let gone = 0;
  const { date = clock } = await bucket.list('m/');
  const now = Math.min(clock, date);
  let opened: { readonly mailbox: string; readonly is: boolean } | undefined;
  for await (const { key, at } of listAll(bucket, 'm/')) {
    if (stopping?.aborted === true) return gone;
    if (now - at < retention.unopened) continue;
    const mailbox = mailboxOf(key);
    // Keys come in order, so that each mailbox is asked about once.
    if (opened?.mailbox !== mailbox) opened = { mailbox, is: await bucket.has(`o/${mailbox}`) };
    if (now - at < (opened.is ? retention.opened : retention.unopened)) continue;
    await bucket.remove(key);
    gone += 1;
  }
  for (const [prefix, keepMs] of [['d/', retention.opened], ['o/', retention.opened], ['c/', 5 * CHALLENGE_MS]] as const) {
    for await (const { key, at } of listAll(bucket, prefix)) {
      if (stopping?.aborted === true) return gone;
      if (now - at >= keepMs) await bucket.remove(key);
    }
  }
  let waiting: { readonly mailbox: string; readonly ids: ReadonlySet<string> } | undefined;
  for await (const { key, at } of listAll(bucket, 'a/')) {
    if (stopping?.aborted === true) return gone;
    if (now - at < SETTLED_MS) continue;
    const mailbox = mailboxOf(key);
    if (waiting?.mailbox !== mailbox) waiting = { mailbox, ids: await idsOf(bucket, mailbox) };
    if (!waiting.ids.has(lastPart(key))) await bucket.remove(key);
  }
  return gone;
}

const mailboxOf = (key: string): string => key.split('/')[1] ?? '';

async function idsOf(bucket: Bucket, mailbox: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { key } of listAll(bucket, `m/${mailbox}/`)) ids.add(lastPart(key));
  return ids;
}
