import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { systemReason } from '../../../../text/system-error.ts';
import { Refused } from '../refused.ts';
import { FolderSyncs } from './folder-syncs.ts';
import { MailboxCache } from './mailbox-cache.ts';
import { isEmpty, loadMailbox, type MailboxFolder } from './mailbox-folder.ts';
import { isAbandoned, pruneMailbox, removeEmpty, type Reserve } from './mailbox-steps.ts';
import { Places } from './places.ts';
import type { AgeTime, Seen } from './relay-clock.ts';
import { costOf, Room, type Cost } from './room.ts';
import type { RelayLog } from './store.types.ts';
import { Turns } from './turns.ts';

/** A step on a mailbox. */
export type MailboxWork<T> = (box: MailboxFolder, reserve: Reserve) => Promise<T>;

/** Where mailboxes are, how many bytes they may take with what their files cost beside, who is told of those that fail, and what ages are counted by: the wall clock where nothing else is given. */
export type MailboxesOptions = { readonly folder: string; readonly maxBytes: number; readonly log: RelayLog; readonly clock?: ((now: number) => AgeTime) | undefined };

const MAILBOX = /^[0-9a-f]{64}$/;
/** Mailboxes that are worked on at a time: each is in memory meanwhile, beside those that are kept there, and a disk does no more at once. */
const STEPS = 16;
/** How often a lack of room is told of. */
const HOUR_MS = 3_600_000;

/** The mailboxes of one folder: one thing at a time in each, the last used ones in memory, and the sum of what they cost. */
export class Mailboxes {
  readonly folder: string;
  readonly syncs = new FolderSyncs();
  readonly #room: Room;
  readonly #log: RelayLog;
  readonly #clock: (now: number) => AgeTime;
  #expired = 0;
  readonly #cache = new MailboxCache();
  /** What each mailbox was counted with: a file may have changed since, and a step may have failed in the middle. */
  readonly #counted = new Map<string, Cost>();
  /** Of all mailboxes, also those that are not in memory: some hundred bytes for each file of 4 KiB and more. */
  readonly #seen = new Map<string, Seen>();
  readonly #turns = new Turns();
  readonly #places = new Places(STEPS);
  readonly #toldAt = new Map<string, number>();

  constructor({ folder, maxBytes, log, clock }: MailboxesOptions) {
    this.folder = folder;
    this.#room = new Room(maxBytes);
    this.#log = log;
    this.#clock = clock ?? ((now) => ({ prune: now, up: now }));
  }

  /** Adds up what is there at the start. Throws Refused naming a mailbox that cannot be read. */
  async count(): Promise<void> {
    for (const name of await this.#names()) {
      try {
        this.#count(name, await loadMailbox(path.join(this.folder, name)));
      } catch (error) {
        const reason = systemReason(error, { ENOTDIR: 'it is no folder' });
        throw new Refused(`${name} in the folder of the relay cannot be read as a mailbox: ${reason}; move it away`, { cause: error });
      }
    }
  }

  /** Runs `work` on a mailbox after everything that was asked of it before, without what is older than its time. */
  inTurn<T>(mailbox: string, now: number, work: MailboxWork<T>, { sweeping = false } = {}): Promise<T> {
    return this.#turns.run(mailbox, () => this.#places.run(async () => {
      const age = this.#clock(now);
      const cached = this.#cache.get(mailbox);
      let box = cached ?? (await loadMailbox(path.join(this.folder, mailbox), this.#seen.get(mailbox)));
      let keep = cached !== undefined || !sweeping;
      let reserved: Cost | undefined;
      const reserve: Reserve = (bytes, sender) => {
        const taken = this.#room.take(bytes, sender);
        if (typeof taken !== 'string') reserved = taken;
        else if (taken === 'relay_full') this.#tellOfFull(sender === undefined ? 'marks' : 'messages', age);
        return typeof taken === 'string' ? taken : undefined;
      };
      try {
        box.up = age.up;
        const { gone, problem } = await pruneMailbox(box, age);
        this.#expired += gone;
        if (problem !== undefined) this.#log('warning', `what is too old in a mailbox could not be removed: ${systemReason(problem)}`);
        this.#count(mailbox, box);
        return await work(box, reserve);
      } catch (error) {
        // Read from the disk again, as the step may have been done in part.
        keep = false;
        await this.syncs.forget(box.folder);
        box = await loadMailbox(box.folder, box.seen).catch(() => box);
        throw error;
      } finally {
        this.#count(mailbox, box);
        if (reserved !== undefined) this.#room.add(reserved, -1);
        if (box.seen.size > 0) this.#seen.set(mailbox, box.seen);
        else this.#seen.delete(mailbox);
        // An empty one is read as quickly, and a sweep must not take the place of those that are used.
        if (keep && !isEmpty(box)) this.#cache.keep(mailbox, box);
        else this.#cache.drop(mailbox);
      }
    }));
  }

  /** Goes through all mailboxes until it is stopped, removes what is too old, and folders that nobody needs; answers how many messages went. */
  async expire(now: number, stopping?: AbortSignal): Promise<number> {
    const before = this.#expired;
    const names = new Set(await this.#names());
    // A person may have removed some: their room is free again.
    for (const name of this.#counted.keys()) {
      if (names.has(name)) continue;
      this.#cache.drop(name);
      names.add(name);
    }
    for (const name of names) {
      if (stopping?.aborted === true) break;
      try {
        await this.inTurn(name, now, (box) => this.#removeAbandoned(box, this.#clock(now)), { sweeping: true });
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

  /** Counts a mailbox as it is now, in the place of what it was counted with. */
  #count(name: string, box: MailboxFolder): void {
    const [before, cost] = [this.#counted.get(name), costOf(box)];
    if (before !== undefined) this.#room.add(before, -1);
    this.#room.add(cost);
    if (cost.marks === 0 && cost.bySender.size === 0) this.#counted.delete(name);
    else this.#counted.set(name, cost);
  }

  #tellOfFull(part: 'marks' | 'messages', { up }: AgeTime): void {
    if (up - (this.#toldAt.get(part) ?? -Infinity) < HOUR_MS) return;
    this.#toldAt.set(part, up);
    const what = part === 'marks' ? 'owners and collected ids are not noted' : 'pushes are refused';
    this.#log('warning', `the part of --max-bytes for ${part} is full: ${what} until older ones are gone`);
  }

  async #removeAbandoned(box: MailboxFolder, age: AgeTime): Promise<void> {
    if (!isAbandoned(box, age)) return;
    await this.syncs.forget(box.folder);
    // What is none of ours in it stays, and the folder with it.
    await removeEmpty(box);
    box.openedAt = undefined;
    box.seen.clear();
    box.collected.bytes = 0;
  }

  async #names(): Promise<readonly string[]> {
    return (await readdir(this.folder)).filter((name) => MAILBOX.test(name)).sort();
  }
}
