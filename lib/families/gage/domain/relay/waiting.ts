/** Readers that wait for mail: they are woken by a push to this relay. */
export class Waiting {
  readonly #byMailbox = new Map<string, Set<() => void>>();

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
