import type { MailboxFolder } from './mailbox-folder.ts';

const MAX_BOXES = 2_000;
/** Messages and collected ids of all of them: some 200 bytes each, and a mailbox may have twenty thousand. */
const MAX_ENTRIES = 200_000;

/** The mailboxes that were used last, as many as memory is given for. */
export class MailboxCache {
  readonly #boxes = new Map<string, { readonly box: MailboxFolder; readonly entries: number }>();
  #entries = 0;

  get(name: string): MailboxFolder | undefined {
    return this.#boxes.get(name)?.box;
  }

  /** Keeps a mailbox as the one used last, and lets those go that nobody has asked for longest. */
  keep(name: string, box: MailboxFolder): void {
    this.drop(name);
    const entries = box.messages.size + box.collected.byId.size + box.collected.dropped.size;
    this.#boxes.set(name, { box, entries });
    this.#entries += entries;
    for (const each of this.#boxes.keys()) {
      if (this.#boxes.size <= MAX_BOXES && this.#entries <= MAX_ENTRIES) break;
      this.drop(each);
    }
  }

  drop(name: string): void {
    this.#entries -= this.#boxes.get(name)?.entries ?? 0;
    this.#boxes.delete(name);
  }
}
