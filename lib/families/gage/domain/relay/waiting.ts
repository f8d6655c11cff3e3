/** Readers of one address that may wait at a time: half of its sockets, as those that wait must not keep out those that push. */
const MAX_EACH = 8;

/** Readers that wait for mail: they are woken by a push to this relay. */
export class Waiting {
  readonly #byMailbox = new Map<string, Set<() => void>>();
  readonly #byAddress = new Map<string, number>();

  /** Lets a reader of an address wait; answers what ends that, or undefined where as many wait as may. */
  enter(address: string): (() => void) | undefined {
    const count = this.#byAddress.get(address) ?? 0;
    if (count >= MAX_EACH) return undefined;
    this.#byAddress.set(address, count + 1);
    return () => {
      const left = (this.#byAddress.get(address) ?? 1) - 1;
      if (left > 0) this.#byAddress.set(address, left);
      else this.#byAddress.delete(address);
    };
  }

  /** Resolves at the next push to a mailbox, after `ms`, or when the signal is aborted, whichever comes first. */
  wait(mailbox: string, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const readers = this.#byMailbox.get(mailbox) ?? new Set();
      this.#byMailbox.set(mailbox, readers);
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        readers.delete(done);
        if (readers.size === 0) this.#byMailbox.delete(mailbox);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
      readers.add(done);
      if (signal.aborted) done();
    });
  }

  wake(mailbox: string): void {
    for (const done of [...(this.#byMailbox.get(mailbox) ?? [])]) done();
  }

  wakeAll(): void {
    for (const mailbox of [...this.#byMailbox.keys()]) this.wake(mailbox);
  }
}
