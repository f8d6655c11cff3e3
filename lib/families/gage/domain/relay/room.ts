import type { MailboxFolder } from './mailbox-folder.ts';
import { quotas } from './quotas.ts';

/** What a file costs beside its bytes: counted, so that many tiny ones cannot fill the disk's table of files. */
export const FILE_COST = 4_096;
/** No address fills more than this part of a relay, whose mailboxes are free for anybody to name; one mailbox's worth in a small relay. */
const SHARE = 1 / 8;
const LEAST_SHARE = quotas.senderBytes + quotas.senderMessages * FILE_COST;

/** What mailboxes take, in bytes with what their files cost beside: in all, and the messages of each sender's tag. */
export type Cost = { readonly total: number; readonly bySender: ReadonlyMap<string, number> };

/** What has no room: the relay as a whole, or the share of one sender. */
export type NoRoom = 'relay_full' | 'sender_full';

/** What one mailbox takes: the bytes of all its files, and what each costs beside. */
export function costOf({ messages, collected, openedAt }: MailboxFolder): Cost {
  let total = (openedAt === undefined ? 0 : FILE_COST) + (collected.bytes === 0 ? 0 : FILE_COST + collected.bytes);
  const bySender = new Map<string, number>();
  for (const { bytes, sender } of messages.values()) {
    total += bytes + FILE_COST;
    bySender.set(sender, (bySender.get(sender) ?? 0) + bytes + FILE_COST);
  }
  return { total, bySender };
}

/** The room of a relay: what its mailboxes take of it, and what steps have reserved. */
export class Room {
  readonly #maxBytes: number;
  #used = 0;
  readonly #bySender = new Map<string, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes room at once, so that two steps never count on the same; answers what has none. */
  take(bytes: number, sender?: string): NoRoom | undefined {
    if (this.#used + bytes > this.#maxBytes) return 'relay_full';
    if (sender !== undefined && (this.#bySender.get(sender) ?? 0) + bytes > Math.max(this.#maxBytes * SHARE, LEAST_SHARE)) return 'sender_full';
    this.add({ total: bytes, bySender: new Map(sender === undefined ? [] : [[sender, bytes]]) });
    return undefined;
  }

  /** Counts what was found or is there now, whether there is room for it or not; `sign` -1 takes it off again. */
  add({ total, bySender }: Cost, sign: 1 | -1 = 1): void {
    this.#used += sign * total;
    for (const [sender, bytes] of bySender) {
      const sum = (this.#bySender.get(sender) ?? 0) + sign * bytes;
      if (sum === 0) this.#bySender.delete(sender);
      else this.#bySender.set(sender, sum);
    }
  }
}
