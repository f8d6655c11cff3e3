/** A longer time makes setTimeout fire at once. */
const LONGEST_TIMER_MS = 0x7fff_ffff;

/** Lets the callers of one process through one at a time, in the order they came. */
export class Turnstile {
  #busy = false;
  readonly #waiting = new Set<() => void>();

  /** Waits at most `ms` for one's turn; false when it did not come. Throws the signal's reason when aborted. */
  async enter(ms: number, signal?: AbortSignal): Promise<boolean> {
    signal?.throwIfAborted();
    if (!this.#busy) {
      this.#busy = true;
      return true;
    }
    let entered = false;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        this.#waiting.delete(enter);
        resolve();
      };
      const enter = (): void => {
        entered = true;
        done();
      };
      const timer = setTimeout(done, Math.min(ms, LONGEST_TIMER_MS));
      signal?.addEventListener('abort', done);
      this.#waiting.add(enter);
    });
    // A turn that came together with the abort is passed on, or everybody behind would wait for ever.
    if (entered && signal?.aborted === true) this.leave();
    signal?.throwIfAborted();
    return entered;
  }

  /** Ends one's turn and begins that of the next in line. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#busy = false;
    else next();
  }
}
