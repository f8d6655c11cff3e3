/** What a line gets: its reply at once, nothing, or an answer that comes later. */
export type Reply = string | undefined | Answer;

/** A reply that is not there yet. It settles once, with a line or with nothing (cancelled). */
export class Answer {
  #settled = false;
  #line: string | undefined;
  #listener: ((line: string | undefined) => void) | undefined;
  /** A subscription's answer comes at shutdown only, so `--ordered` does not hold others back for it. */
  readonly unordered: boolean;

  constructor(unordered = false) {
    this.unordered = unordered;
  }

  /** Sets the outcome; later ones are dropped. */
  settle(line: string | undefined): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#line = line;
    this.#listener?.(line);
  }

  /** Calls the one listener when the outcome is there: at once where it is already. */
  whenSettled(listener: (line: string | undefined) => void): void {
    if (this.#settled) listener(this.#line);
    else this.#listener = listener;
  }
}
