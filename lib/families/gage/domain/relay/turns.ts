/** Queues by name: of the work of one name, one piece runs at a time, in the order of its coming. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work, work);
    this.#last.set(name, turn);
    const done = (): void => {
      if (this.#last.get(name) === turn) this.#last.delete(name);
    };
    turn.then(done, done);
    return turn;
  }

  /** Resolves when all that runs or waits now is done. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}
