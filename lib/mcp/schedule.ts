import type { Effects } from './family.types.ts';

/** How many calls may be started and not settled at once. */
export const maxStarted = 64;
/** How many calls may wait for their turn. */
export const maxWaiting = 10_000;
/** How long a cancelled call keeps its place in its family's queue, in milliseconds. */
export const cancelledGraceMs = 2_000;

/** How many turns that are over a queue may keep before it drops them. */
const compactAfter = 1_000;

/** A call as the scheduler sees it. `start` runs it and returns a promise only while it is not settled. */
export type Job = {
  readonly effects: Effects;
  readonly queue: FamilyQueue;
  start(): PromiseLike<unknown> | undefined;
};

type Turn = { readonly kind: 'call' | 'section'; dead: boolean; begin(): void };

/** A call that the scheduler knows. */
export type Ticket = {
  started: boolean;
  /** Takes a waiting job out, or lets a started one keep its place for at most `cancelledGraceMs`. */
  cancel(onOverdue: () => void): void;
};

/**
 * Decides when calls start: at most 64 at once, ordered calls of one family one after the other.
 *
 * A call that settles synchronously never touches the queues.
 */
export class Scheduler {
  #started = 0;
  #waiting = 0;
  readonly #slotWaiters: (() => void)[] = [];

  /** Calls that wait for a turn or a slot. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Whether a job would have to wait now. */
  mustWait(effects: Effects, queue: FamilyQueue): boolean {
    return this.#started >= maxStarted || (effects === 'ordered' && queue.busy);
  }

  /** Lines a job up for its turn. */
  submit(job: Job): Ticket {
    this.#waiting++;
    let running: Ticket | undefined;
    const turn: Turn = {
      kind: 'call',
      dead: false,
      begin: () => {
        this.#waiting--;
        ticket.started = true;
        const settling = job.start();
        if (settling !== undefined) running = this.adopt(settling, job.effects, job.queue);
      },
    };
    const ticket: Ticket = {
      started: false,
      cancel: (onOverdue) => {
        if (ticket.started) return running?.cancel(onOverdue);
        if (turn.dead) return;
        turn.dead = true;
        this.#waiting--;
      },
    };
    if (job.effects === 'ordered') job.queue.push(turn, this);
    else this.onSlot(() => (turn.dead ? undefined : turn.begin()));
    return ticket;
  }

  /** Takes a call that has been started and has not settled; it holds a slot and its turn until it does. */
  adopt(settling: PromiseLike<unknown>, effects: Effects, queue: FamilyQueue): Ticket {
    this.#started++;
    const release = effects === 'ordered' ? queue.hold(this) : undefined;
    const cancel = afterGrace(settling, () => {
      this.#started--;
      release?.();
      this.#wakeNext();
    });
    return { started: true, cancel };
  }

  /** Whether one more call may be started. */
  get hasSlot(): boolean {
    return this.#started < maxStarted;
  }

  /** Calls `wake` once when a slot is free. */
  onSlot(wake: () => void): void {
    this.#slotWaiters.push(wake);
  }

  #wakeNext(): void {
    while (this.hasSlot) {
      const wake = this.#slotWaiters.shift();
      if (wake === undefined) return;
      wake();
    }
  }
}

/** An exclusive section that is waiting or running. `giveUp` takes it out, or lets it keep the queue for the grace time. */
export type Section<T> = { readonly result: Promise<T>; giveUp(onOverdue: () => void): void };

/** Calls `release` once when the promise settles; what it returns does so `cancelledGraceMs` after it was called. */
function afterGrace(settling: PromiseLike<unknown>, release: () => void): (onOverdue: () => void) => void {
  let overdue: ReturnType<typeof setTimeout> | undefined;
  let done = false;
  const finish = (): void => {
    if (done) return;
    done = true;
    clearTimeout(overdue);
    release();
  };
  settling.then(finish, finish);
  return (onOverdue) => {
    if (done || overdue !== undefined) return;
    overdue = setTimeout(() => {
      onOverdue();
      finish();
    }, cancelledGraceMs);
    overdue.unref();
  };
}

/** The queue of one family: its ordered calls and the exclusive sections of its `own` calls, one at a time. */
export class FamilyQueue {
  #held = false;
  #turns: Turn[] = [];
  #head = 0;
  #waitsForSlot = false;

  /** Whether a new ordered call has to wait. */
  get busy(): boolean {
    return this.#held || this.#head < this.#turns.length;
  }

  /** Lines a turn up and begins it when it is first and the queue is free. */
  push(turn: Turn, scheduler: Scheduler): void {
    this.#turns.push(turn);
    this.#advance(scheduler);
  }

  /** Takes the queue for a call that has just started; returns what gives it back. */
  hold(scheduler: Scheduler): () => void {
    this.#held = true;
    return () => {
      this.#held = false;
      this.#advance(scheduler);
    };
  }

  /** Runs `fn` when the queue is free, after the turns that are lined up now. */
  section<T>(scheduler: Scheduler, fn: () => T | PromiseLike<T>): Section<T> {
    let giveUp: (onOverdue: () => void) => void = () => undefined;
    const result = new Promise<T>((resolve, reject) => {
      const turn: Turn = {
        kind: 'section',
        dead: false,
        begin: () => {
          const release = this.hold(scheduler);
          const settling = Promise.resolve().then(fn);
          settling.then(resolve, reject);
          giveUp = afterGrace(settling, release);
        },
      };
      giveUp = () => {
        turn.dead = true;
        reject(new DOMException('the call was cancelled while it waited for its family', 'AbortError'));
      };
      this.push(turn, scheduler);
    });
    return { result, giveUp: (onOverdue) => giveUp(onOverdue) };
  }

  #advance(scheduler: Scheduler): void {
    // A call that settles at once leaves the queue free, so several turns may begin in one go.
    while (!this.#held) {
      while (this.#turns[this.#head]?.dead === true) this.#head++;
      let turn = this.#turns[this.#head];
      if (turn?.kind === 'call' && !scheduler.hasSlot) {
        this.#awaitSlot(scheduler);
        turn = this.#takeSection();
      } else if (turn !== undefined) {
        this.#head++;
        if (this.#head > compactAfter) this.#compact();
      }
      if (turn === undefined) return this.#compact();
      turn.begin();
    }
  }

  // Slots may all be held by calls that wait for a section of this queue: letting those pass is what frees a slot.
  #takeSection(): Turn | undefined {
    const index = this.#turns.findIndex((turn, at) => at >= this.#head && turn.kind === 'section' && !turn.dead);
    return index === -1 ? undefined : this.#turns.splice(index, 1)[0];
  }

  #awaitSlot(scheduler: Scheduler): void {
    if (this.#waitsForSlot) return;
    this.#waitsForSlot = true;
    scheduler.onSlot(() => {
      this.#waitsForSlot = false;
      this.#advance(scheduler);
    });
  }

  #compact(): void {
    if (this.#head === 0) return;
    this.#turns = this.#turns.slice(this.#head);
    this.#head = 0;
  }
}
