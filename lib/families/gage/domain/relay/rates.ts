/** A count an address and window; see `Rate`. */
type Window = { since: number; count: number };

const MAX_ADDRESSES = 50_000;

/** So much of something for each address in a window of time that begins with its first use. */
export class Rate {
  readonly limit: number;
  readonly windowMs: number;
  readonly #windows = new Map<string, Window>();

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
  }

  /** Takes `amount` for an address. Answers 0 when that is within the limit, else the seconds until the next window. */
  take(address: string, now: number, amount = 1): number {
    let window = this.#windows.get(address);
    if (window === undefined || now - window.since >= this.windowMs || now < window.since) {
      window = { since: now, count: 0 };
      this.#windows.delete(address);
      this.#windows.set(address, window);
      this.#forget(now);
    }
    if (window.count + amount > this.limit) return Math.max(1, Math.ceil((window.since + this.windowMs - now) / 1_000));
    window.count += amount;
    return 0;
  }

  /** Windows lie in the order of their start, so what is over is in front; beyond the cap the oldest goes too. */
  #forget(now: number): void {
    for (const [address, { since }] of this.#windows) {
      if (now - since < this.windowMs && this.#windows.size <= MAX_ADDRESSES) break;
      this.#windows.delete(address);
    }
  }
}
