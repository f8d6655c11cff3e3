import type { MailboxFolder } from './mailbox-folder.ts';
import { quotas } from './quotas.ts';

/** What a file costs beside its bytes: counted, so that many tiny ones cannot fill the disk's table of files. */
export const FILE_COST = 4_096;
/** No address fills more than this part of a relay, whose mailboxes are free for anybody to name; one mailbox's worth in a small relay. */
const SHARE = 1 / 8;
/** Marks (who was there, what was collected) are nobody's share, so they have a part of their own: whoever fills it keeps no message out. */
const MARKS = 1 / 8;
const LEAST_SHARE = quotas.senderBytes + (quotas.senderMessages + 1) * FILE_COST;
/** A relay of less would say that it takes a message of 20 MiB, and have no room for one: the part for messages of this has. */
export const LEAST_ROOM = 32 * 1024 * 1024;

/** What mailboxes take, in bytes with what their files cost beside: their marks, and the messages of each sender's tag. */
export type Cost = { readonly marks: number; readonly bySender: ReadonlyMap<string, number> };

/** What has no room: the relay as a whole (its part for marks, or that for messages), or the share of one sender. */
export type NoRoom = 'relay_full' | 'sender_full';

/** What one mailbox takes: the bytes of all its files, and what each and their folder cost beside. The folder goes with the marks, where there are none with the first message. */
export function costOf(box: MailboxFolder): Cost {
  const { messages, collected, openedAt } = box;
  const marks = hasMarks(box) ? FILE_COST + (openedAt === undefined ? 0 : FILE_COST) + (collected.bytes === 0 ? 0 : FILE_COST + collected.bytes) : 0;
  const bySender = new Map<string, number>();
  const [first] = messages.values();
  if (marks === 0 && first !== undefined) bySender.set(first.sender, FILE_COST);
  for (const { bytes, sender } of messages.values()) {
    bySender.set(sender, (bySender.get(sender) ?? 0) + bytes + FILE_COST);
  }
  return { marks, bySender };
}

/** What one more mark costs beside its bytes: its file where there is none, and the folder with the first one. */
export const markCost = (box: MailboxFolder, hasFile: boolean): number => (hasFile ? 0 : FILE_COST) + (hasMarks(box) ? 0 : FILE_COST);

/** What one more message costs beside its bytes: its file, and the folder where nothing is in it. */
export const messageCost = (box: MailboxFolder): number => (box.messages.size === 0 && !hasMarks(box) ? 2 : 1) * FILE_COST;

/** Whether anything in it says who was there, or what was collected. */
export const hasMarks = ({ collected, openedAt }: MailboxFolder): boolean => openedAt !== undefined || collected.bytes > 0;

/** The room of a relay: what its mailboxes take of it, and what steps have reserved. */
export class Room {
  readonly #most: { readonly marks: number; readonly messages: number; readonly sender: number };
  #marks = 0;
  #messages = 0;
  readonly #bySender = new Map<string, number>();

  constructor(maxBytes: number) {
    const marks = Math.floor(maxBytes * MARKS);
    this.#most = { marks, messages: maxBytes - marks, sender: Math.max(maxBytes * SHARE, LEAST_SHARE) };
  }

  /** Takes room at once, so that two steps never count on the same: for a message of a sender, or a mark where none is named. Answers what was taken, or what has none. */
  take(bytes: number, sender?: string): Cost | NoRoom {
    if (sender === undefined ? this.#marks + bytes > this.#most.marks : this.#messages + bytes > this.#most.messages) return 'relay_full';
    if (sender !== undefined && (this.#bySender.get(sender) ?? 0) + bytes > this.#most.sender) return 'sender_full';
    const cost = sender === undefined ? { marks: bytes, bySender: new Map<string, number>() } : { marks: 0, bySender: new Map([[sender, bytes]]) };
    this.add(cost);
    return cost;
  }

  /** Counts what was found or is there now, whether there is room for it or not; `sign` -1 takes it off again. */
  add({ marks, bySender }: Cost, sign: 1 | -1 = 1): void {
    this.#marks += sign * marks;
    for (const [sender, bytes] of bySender) {
      this.#messages += sign * bytes;
      const sum = (this.#bySender.get(sender) ?? 0) + sign * bytes;
      if (sum === 0) this.#bySender.delete(sender);
      else this.#bySender.set(sender, sum);
    }
  }
}
