import type { Effects } from './family.types.ts';

/** How many calls may be started and not settled at once. */
export const maxStarted = 64;
/** How many calls may wait for their turn. */
export const maxWaiting = 10_000;
/** How long a cancelled call keeps its place in its family's queue, in milliseconds. */
export const cancelledGraceMs = 2_000;

/** A call as the scheduler sees it. `start` runs it and returns a promise only while it is not settled. */
export type Job = {
  readonly effects: Effects;
  readonly queue: FamilyQueue;
  start(): PromiseLike<unknown> | undefined;
};

type Turn = { readonly kind: 'call' | 'section'; readonly begin: () => void };

/** Takes somebody out of a line; false where he is not in it any more. */
type Leave = () => boolean;

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
  readonly #slotWaiters = new Set<() => void>();

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
        // Taken out, not marked: a client that makes calls and cancels them must not fill memory.
        if (leave()) this.#waiting--;
      },
    };
    const leave = job.effects === 'ordered' ? job.queue.push(turn, this) : this.onSlot(turn.begin);
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
  onSlot(wake: () => void): Leave {
    this.#slotWaiters.add(wake);
    return () => this.#slotWaiters.delete(wake);
  }

  #wakeNext(): void {
    for (const wake of this.#slotWaiters) {
      if (!this.hasSlot) return;
      this.#slotWaiters.delete(wake);
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
  readonly #turns = new Set<Turn>();
  #waitsForSlot = false;

  /** Whether a new ordered call has to wait. */
  get busy(): boolean {
    return this.#held || this.#turns.size > 0;
  }

  /** Lines a turn up and begins it when it is first and the queue is free. */
  push(turn: Turn, scheduler: Scheduler): Leave {
    this.#turns.add(turn);
    this.#advance(scheduler);
    return () => this.#turns.delete(turn);
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
    let giveUp: ((onOverdue: () => void) => void) | undefined;
    let leave: Leave = () => false;
    let drop: (reason: Error) => void = () => undefined;
    const result = new Promise<T>((resolve, reject) => {
      drop = reject;
      const begin = (): void => {
        const release = this.hold(scheduler);
        const settling = Promise.resolve().then(fn);
        settling.then(resolve, reject);
        giveUp = afterGrace(settling, release);
      };
      leave = this.push({ kind: 'section', begin }, scheduler);
    });
    return {
      result,
      giveUp: (onOverdue) => {
        if (leave()) drop(new DOMException('the call was cancelled while it waited for its family', 'AbortError'));
        else giveUp?.(onOverdue);
      },
    };
  }

  #advance(scheduler: Scheduler): void {
    // A call that settles at once leaves the queue free, so several turns may begin in one go.
    while (!this.#held) {
      const turn = this.#next(scheduler);
      if (turn === undefined) return;
      this.#turns.delete(turn);
      turn.begin();
    }
  }

  #next(scheduler: Scheduler): Turn | undefined {
    for (const turn of this.#turns) {
      if (turn.kind === 'section' || scheduler.hasSlot) return turn;
      // Slots may all be held by calls that wait for a section of this queue: letting those pass is what frees a slot.
      this.#awaitSlot(scheduler);
    }
    return undefined;
  }

  #awaitSlot(scheduler: Scheduler): void {
    if (this.#waitsForSlot) return;
    this.#waitsForSlot = true;
    scheduler.onSlot(() => {
      this.#waitsForSlot = false;
      this.#advance(scheduler);
    });
  }
}
