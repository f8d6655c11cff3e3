import { Answer, type Reply } from './answer.ts';

/** Bytes (UTF-16 units, near enough) that may wait for the reader before reading pauses. */
export const maxUntaken = 16 * 1024 * 1024;

/** Where an outbox writes. `untaken` is what the stream holds for a slow reader. */
export type Sink = { write(text: string): void; readonly untaken: number };

type Slot = { line: string | undefined; done: boolean };

/**
 * Collects the lines of one session and writes them in few pieces: all that one input chunk produced in one write,
 * later ones together at the end of the current turn of the event loop.
 *
 * With `ordered`, replies are held back into the order of their requests; notifications never are.
 */
export class Outbox {
  readonly #sink: Sink;
  readonly #ordered: boolean;
  #buffer = '';
  #flushPlanned = false;
  #slots: Slot[] = [];
  /** Slots before this one have been released. */
  #head = 0;
  #heldBytes = 0;

  constructor(sink: Sink, ordered: boolean) {
    this.#sink = sink;
    this.#ordered = ordered;
  }

  /** Bytes of replies that wait for an earlier one. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Whether so much waits for the reader that nothing more should be produced. */
  get full(): boolean {
    return this.#buffer.length + this.#sink.untaken > maxUntaken;
  }

  /** Takes the reply to one request line; they come in the order of the requests. */
  add(reply: Reply): void {
    if (reply === undefined) return;
    if (typeof reply === 'string') {
      if (!this.#ordered || this.#head === this.#slots.length) this.#push(reply);
      else this.#hold(reply);
    } else if (!this.#ordered || reply.unordered) {
      reply.whenSettled((line) => this.#pushLater(line));
    } else {
      this.#holdAnswer(reply);
    }
  }

  /** Takes a notification. A droppable one is left out while the reader is far behind: a flood must not fill memory. */
  notify(line: string, droppable: boolean): void {
    if (droppable && this.full) return;
    this.#pushLater(line);
  }

  /** Writes what has been collected. */
  flush(): void {
    if (this.#buffer === '') return;
    const text = this.#buffer;
    this.#buffer = '';
    this.#sink.write(text);
  }

  #push(line: string): void {
    this.#buffer += `${line}\n`;
  }

  #pushLater(line: string | undefined): void {
    if (line === undefined) return;
    this.#push(line);
    this.#planFlush();
  }

  #planFlush(): void {
    if (this.#flushPlanned) return;
    this.#flushPlanned = true;
    setImmediate(() => {
      this.#flushPlanned = false;
      this.flush();
    });
  }

  #hold(line: string): void {
    this.#slots.push({ line, done: true });
    this.#heldBytes += line.length;
  }

  #holdAnswer(answer: Answer): void {
    const slot: Slot = { line: undefined, done: false };
    this.#slots.push(slot);
    answer.whenSettled((line) => {
      slot.line = line;
      slot.done = true;
      this.#heldBytes += line?.length ?? 0;
      this.#releaseHeld();
    });
  }

  #releaseHeld(): void {
    const before = this.#head;
    for (let slot = this.#slots[this.#head]; slot?.done === true; slot = this.#slots[++this.#head]) {
      if (slot.line === undefined) continue;
      this.#heldBytes -= slot.line.length;
      this.#push(slot.line);
      slot.line = undefined;
    }
    if (this.#head === before) return;
    // Dropped by the half: cutting the list at each answer would cost its length each time.
    if (this.#head * 2 >= this.#slots.length) {
      this.#slots = this.#slots.slice(this.#head);
      this.#head = 0;
    }
    this.#planFlush();
  }
}
