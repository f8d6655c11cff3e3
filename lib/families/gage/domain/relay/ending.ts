/** One of the things that end with another: its signal, `end`, which aborts it and lets it go, to be called when it is done, and `within`, which gives it so many milliseconds from now, in the place of what it had. */
export type Part = { readonly signal: AbortSignal; readonly end: () => void; readonly within: (ms: number) => void };

/**
 * The end of something that lives long (a connection, a store), and of all that runs in it. What is done is forgotten, while `AbortSignal.any`
 * keeps some hundred bytes of each for as long as the long one lives (Node 20).
 */
export class Ending {
  readonly #parts = new Set<AbortController>();
  #over = false;

  /** Ends with a signal, where one is given. */
  constructor(over?: AbortSignal) {
    over?.addEventListener('abort', () => this.end(), { once: true });
    if (over?.aborted === true) this.end();
  }

  get isOver(): boolean {
    return this.#over;
  }

  end(): void {
    this.#over = true;
    for (const each of [...this.#parts]) each.abort();
  }

  /** Begins a part. When its time is over it is aborted as by AbortSignal.timeout. */
  part(): Part {
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const within = (ms: number): void => {
      clearTimeout(timer);
      if (!controller.signal.aborted) timer = setTimeout(() => controller.abort(new DOMException('not in time', 'TimeoutError')), ms).unref();
    };
    controller.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      this.#parts.delete(controller);
    });
    this.#parts.add(controller);
    if (this.#over) controller.abort();
    return { signal: controller.signal, end: () => controller.abort(), within };
  }
}
