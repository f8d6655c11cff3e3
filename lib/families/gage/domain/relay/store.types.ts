import type { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';

/** Told of what happens in a relay, in words without keys, ids and addresses of its users. */
export type RelayLog = (level: 'info' | 'warning' | 'error', message: string) => void;

/** A sealed message that has arrived whole: its id (hex SHA-256), its size, and where its bytes are: in memory, or in a file of the spool. */
export type Arrival = { readonly id: string; readonly bytes: number; readonly content: Buffer | { readonly file: string } };

/** One message in a mailbox; `at` is when it came, in milliseconds since the epoch. */
export type StoredMessage = { readonly id: string; readonly bytes: number; readonly at: number };

/** Part of a mailbox in the order of its cursors; `next` is the cursor of the last one when there are more, else null. */
export type StoredPage = { readonly messages: readonly StoredMessage[]; readonly next: string | null };

/** What became of a push: `known` when the same bytes are or were there, `full` with what is full. */
export type PutOutcome = 'stored' | 'known' | 'mailbox_full' | 'relay_full' | 'sender_full';

/**
 * Where a relay keeps messages. `now` is milliseconds since the epoch; a mailbox and an id are 64 hex digits. Every
 * promise of `put` that says `stored` is durable: the message survives a kill and a power cut.
 */
export type RelayStore = {
  /** A folder for bodies that are too large for memory, on the file system of the store where it has one. */
  readonly spoolFolder: string;
  /** Whether other relays write to it too, so that a waiting reader must look again by itself. */
  readonly shared: boolean;
  /** `sender` is a tag of the sender's address, 16 hex digits: one sender may fill a part of a mailbox only. */
  put(mailbox: string, arrival: Arrival, sender: string, now: number): Promise<PutOutcome>;
  /** `after` is a cursor of an earlier page, checked by `isCursor`. */
  list(mailbox: string, page: { readonly after: string | undefined; readonly limit: number }, now: number): Promise<StoredPage>;
  isCursor(text: string): boolean;
  /** Undefined too for a message whose bytes are no longer those that came: the mail behind it must be had all the same. */
  get(mailbox: string, id: string, now: number): Promise<{ readonly bytes: number; readonly stream: Readable } | undefined>;
  /** Takes a message away and remembers its id for as long as messages are kept; nothing when it is not there. Works on a full disk. */
  remove(mailbox: string, id: string, now: number): Promise<void>;
  /** Notes that the owner has been here: their mail is kept longer from now on. Left out where there is no room for it. */
  markOpened(mailbox: string, now: number): Promise<void>;
  /** Whether this is the first use of a challenge, told by its hex SHA-256; false for every later one. */
  useChallenge(digest: string, now: number): Promise<boolean>;
  /** Removes what is older than its time, until it is stopped, and answers how many messages went. */
  expire(now: number, stopping?: AbortSignal): Promise<number>;
  /** Ends when what is being done is done; what still waits for an answer from elsewhere when `over` is aborted is given up. */
  close(over?: AbortSignal): Promise<void>;
};
