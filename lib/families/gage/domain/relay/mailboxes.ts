import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { systemReason } from '../../../../text/system-error.ts';
import { Refused } from '../refused.ts';
import { FolderSyncs } from './folder-syncs.ts';
import { costOf, loadMailbox, type MailboxFolder } from './mailbox-folder.ts';
import { isAbandoned, pruneMailbox, removeEmpty } from './mailbox-steps.ts';
import type { AgeTime, Seen } from './relay-clock.ts';
import type { RelayLog } from './store.types.ts';
import { Turns } from './turns.ts';

/** Takes room for what a step is about to write, at once, so that two steps never count on the same; false where there is none. */
export type Reserve = (bytes: number) => boolean;

/** A step on a mailbox. */
export type MailboxWork<T> = (box: MailboxFolder, reserve: Reserve) => Promise<T>;

/** Where mailboxes are, how many bytes they may take with what their files cost beside, who is told of those that fail, and what ages are counted by: the wall clock where nothing else is given. */
export type MailboxesOptions = { readonly folder: string; readonly maxBytes: number; readonly log: RelayLog; readonly clock?: ((now: number) => AgeTime) | undefined };

const MAX_CACHED = 2_000;
const MAILBOX = /^[0-9a-f]{64}$/;

/** The mailboxes of one folder: one thing at a time in each, the last used ones in memory, and the sum of what they cost. */
export class Mailboxes {
  readonly folder: string;
  readonly syncs = new FolderSyncs();
  readonly #maxBytes: number;
  readonly #log: RelayLog;
  readonly #clock: (now: number) => AgeTime;
  /** What all mailboxes cost, and what is reserved. */
  #used = 0;
  #expired = 0;
  readonly #boxes = new Map<string, MailboxFolder>();
  /** Of all mailboxes, also those that are not in memory: some hundred bytes for each file of 4 KiB and more. */
  readonly #seen = new Map<string, Seen>();
  readonly #turns = new Turns();

  constructor({ folder, maxBytes, log, clock }: MailboxesOptions) {
    this.folder = folder;
    this.#maxBytes = maxBytes;
    this.#log = log;
    this.#clock = clock ?? ((now) => ({ prune: now, up: now }));
  }

  /** Adds up what is there at the start. Throws Refused naming a mailbox that cannot be read. */
  async count(): Promise<void> {
    for (const name of await this.#names()) {
      try {
        this.#used += costOf(await loadMailbox(path.join(this.folder, name)));
      } catch (error) {
        const reason = systemReason(error, { ENOTDIR: 'it is no folder' });
        throw new Refused(`${name} in the folder of the relay cannot be read as a mailbox: ${reason}; move it away`, { cause: error });
      }
    }
  }

  /** Runs `work` on a mailbox after everything that was asked of it before, without what is older than its time. */
  inTurn<T>(mailbox: string, now: number, work: MailboxWork<T>): Promise<T> {
    return this.#turns.run(mailbox, async () => {
      const age = this.#clock(now);
      let box = this.#boxes.get(mailbox) ?? (await loadMailbox(path.join(this.folder, mailbox), this.#seen.get(mailbox)));
      // Moved to the end: the first ones are those that nobody has asked for longest.
      this.#boxes.delete(mailbox);
      this.#boxes.set(mailbox, box);
      this.#trim();
      let counted = costOf(box);
      let reserved = 0;
      const settle = (): void => {
        const cost = costOf(box);
        this.#used += cost - counted - reserved;
        [counted, reserved] = [cost, 0];
      };
      const reserve = (bytes: number): boolean => {
        if (this.#used + bytes > this.#maxBytes) return false;
        reserved += bytes;
        this.#used += bytes;
        return true;
      };
      try {
        box.up = age.up;
        this.#expired += await pruneMailbox(box, age);
        settle();
        return await work(box, reserve);
      } catch (error) {
        // Read from the disk again, as the step may have been done in part.
        this.#boxes.delete(mailbox);
        await this.syncs.forget(box.folder);
        box = await loadMailbox(box.folder, box.seen).catch(() => box);
        throw error;
      } finally {
        settle();
        if (box.seen.size > 0) this.#seen.set(mailbox, box.seen);
        else this.#seen.delete(mailbox);
      }
    });
  }

  /** Goes through all mailboxes until it is stopped, removes what is too old, and folders that nobody needs; answers how many messages went. */
  async expire(now: number, stopping?: AbortSignal): Promise<number> {
    const before = this.#expired;
    for (const name of await this.#names()) {
      if (stopping?.aborted === true) break;
      try {
        await this.inTurn(name, now, (box) => this.#removeAbandoned(name, box, this.#clock(now)));
      } catch (error) {
        // One that fails must not keep all those behind it.
        this.#log('warning', `old messages of a mailbox could not be removed: ${systemReason(error)}`);
      }
    }
    return this.#expired - before;
  }

  /** Waits until nothing is being done. */
  async close(): Promise<void> {
    await this.#turns.settled();
    await this.syncs.close();
  }

  async #removeAbandoned(name: string, box: MailboxFolder, age: AgeTime): Promise<void> {
    if (!isAbandoned(box, age)) return;
    this.#boxes.delete(name);
    await this.syncs.forget(box.folder);
    // What is none of ours in it stays, and the folder with it.
    await removeEmpty(box);
    box.openedAt = undefined;
    box.seen.clear();
    box.collected.bytes = 0;
  }

  #trim(): void {
    for (const name of this.#boxes.keys()) {
      if (this.#boxes.size <= MAX_CACHED) break;
      if (!this.#turns.has(name)) this.#boxes.delete(name);
    }
  }

  async #names(): Promise<readonly string[]> {
    return (await readdir(this.folder)).filter((name) => MAILBOX.test(name));
  }
}
