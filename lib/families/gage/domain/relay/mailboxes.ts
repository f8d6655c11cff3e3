import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { FolderSyncs } from './folder-syncs.ts';
import { loadMailbox, type MailboxFolder } from './mailbox-folder.ts';
import { isAbandoned, pruneMailbox } from './mailbox-steps.ts';
import { Turns } from './turns.ts';

/** What a file costs beside its bytes: counted, so that many tiny ones cannot fill the disk's table of files. */
export const FILE_COST = 4_096;

const MAX_CACHED = 2_000;
const MAILBOX = /^[0-9a-f]{64}$/;

/** The mailboxes of one folder: one thing at a time in each, the last used ones in memory, and the sum of what they cost. */
export class Mailboxes {
  readonly folder: string;
  /** Bytes of all messages and what their files cost beside. */
  used = 0;
  readonly syncs = new FolderSyncs();
  #expired = 0;
  readonly #boxes = new Map<string, MailboxFolder>();
  readonly #turns = new Turns();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Adds up what is there at the start. */
  async count(): Promise<void> {
    for (const name of await this.#names()) {
      const box = await loadMailbox(path.join(this.folder, name));
      for (const { bytes } of box.messages.values()) this.used += bytes + FILE_COST;
      if (box.openedAt !== undefined) this.used += FILE_COST;
    }
  }

  /** Runs `work` on a mailbox after everything that was asked of it before, without what is older than its time. */
  inTurn<T>(mailbox: string, now: number, work: (box: MailboxFolder) => Promise<T>): Promise<T> {
    return this.#turns.run(mailbox, async () => {
      const box = this.#boxes.get(mailbox) ?? (await loadMailbox(path.join(this.folder, mailbox)));
      // Moved to the end: the first ones are those that nobody has asked for longest.
      this.#boxes.delete(mailbox);
      this.#boxes.set(mailbox, box);
      this.#trim();
      try {
        for (const bytes of await pruneMailbox(box, now)) {
          this.used -= bytes + FILE_COST;
          this.#expired += 1;
        }
        return await work(box);
      } catch (error) {
        // Read from the disk again the next time, as the step may have been done in part.
        this.#boxes.delete(mailbox);
        await this.syncs.forget(box.folder);
        throw error;
      }
    });
  }

  /** Goes through all mailboxes, removes what is too old, and folders that nobody needs; answers how many messages went. */
  async expire(now: number): Promise<number> {
    const before = this.#expired;
    for (const name of await this.#names()) {
      await this.inTurn(name, now, async (box) => {
        if (!isAbandoned(box, now)) return;
        if (box.openedAt !== undefined) this.used -= FILE_COST;
        this.#boxes.delete(name);
        await this.syncs.forget(box.folder);
        await rm(box.folder, { recursive: true, force: true });
      });
    }
    return this.#expired - before;
  }

  /** Waits until nothing is being done. */
  async close(): Promise<void> {
    await this.#turns.settled();
    await this.syncs.close();
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
