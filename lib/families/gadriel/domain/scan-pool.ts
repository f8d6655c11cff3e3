import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ScanOutcome, ScanRequest } from './scan-request.ts';
import { ToolFailed } from './tool-failed.ts';

/** What goes to a worker and what comes back. */
export type WorkerTask<Request = ScanRequest> = { readonly id: number; readonly request: Request };
export type WorkerReply<Outcome = ScanOutcome> = { readonly id: number } & ({ readonly outcome: Outcome } | { readonly failed: string } | { readonly crashed: string });

type Job<Request, Outcome> = {
  readonly request: Request;
  readonly signal: AbortSignal | undefined;
  settle(end: Outcome | Error): void;
};
type Member<Request, Outcome> = { readonly worker: Worker; job: Job<Request, Outcome> | undefined; deadline?: ReturnType<typeof setTimeout> };

/** The limits of one scan, and the script of the workers: it takes a WorkerTask and posts a WorkerReply. */
export type ScanPoolOptions = {
  readonly maxWorkers?: number;
  readonly maxHeapMb?: number;
  readonly maxScanSeconds?: number;
  readonly script?: URL;
};

/** A hostile file must end its own scan, not the process; an honest one of the largest size takes a few seconds. */
// Trees of code are short-lived: a small nursery is collected more often. On CPython's library 4 MiB take 25 MiB less than 16, and as long.
// More than two workers cost more memory than they save time.
const defaults = { maxWorkers: 2, maxHeapMb: 1_024, maxScanSeconds: 60 } as const;
const nurseryMb = 4;

/** Runs scans in worker threads, so that the thread that answers the protocol is never busy; by default those of one file. */
export class ScanPool<Request = ScanRequest, Outcome extends object = ScanOutcome> {
  readonly #size: number;
  readonly #members: Member<Request, Outcome>[] = [];
  readonly #queue: Job<Request, Outcome>[] = [];
  readonly #options: Required<ScanPoolOptions>;
  /** Jobs by their signal, with the one listener that it has however many jobs wait: a large scan has hundreds. */
  readonly #watched = new Map<AbortSignal, { readonly jobs: Set<Job<Request, Outcome>>; readonly onAbort: () => void }>();
  #nextId = 0;

  constructor(options: ScanPoolOptions = {}) {
    this.#size = Math.min(options.maxWorkers ?? defaults.maxWorkers, availableParallelism());
    this.#options = { ...defaults, script: new URL('./scan.worker.js', import.meta.url), ...options };
  }

  /**
   * Scans in a worker. Rejects with ToolFailed where the scan says so, and with the signal's reason when it fires: the
   * worker is ended then, whatever it is at.
   */
  run(request: Request, signal?: AbortSignal): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const job: Job<Request, Outcome> = {
        request,
        signal,
        settle: (end) => {
          this.#unwatch(job);
          if (end instanceof Error) reject(end);
          else resolve(end);
        },
      };
      this.#watch(job);
      this.#queue.push(job);
      this.#assign();
    });
  }

  /** Lets idle workers end by themselves; running and waiting scans are ended. */
  async close(): Promise<void> {
    for (const job of this.#queue.splice(0)) job.settle(new Error('the scan was ended'));
    await Promise.all(
      this.#members.splice(0).map((member) => {
        // Whoever awaits this must see its end, also where nothing else keeps the process alive.
        member.worker.ref();
        if (member.job !== undefined) return member.worker.terminate();
        const exited = new Promise((resolve) => member.worker.once('exit', resolve));
        member.worker.postMessage('close');
        return exited;
      }),
    );
  }

  #assign(): void {
    while (this.#queue.length > 0) {
      const idle = this.#members.find((member) => member.job === undefined) ?? (this.#members.length < this.#size ? this.#add() : undefined);
      if (idle === undefined) return;
      idle.job = this.#queue.shift() as Job<Request, Outcome>;
      idle.worker.ref();
      const { maxScanSeconds } = this.#options;
      idle.deadline = setTimeout(() => this.#end(idle, new ToolFailed(`the scan took longer than ${maxScanSeconds} s and was given up`)), maxScanSeconds * 1_000);
      idle.worker.postMessage({ id: this.#nextId++, request: idle.job.request } satisfies WorkerTask<Request>);
    }
  }

  #add(): Member<Request, Outcome> {
    const { script, maxHeapMb } = this.#options;
    // Without the flags of the process: a worker can not start under `--input-type`, as `node -e` with the library has it.
    const worker = new Worker(script, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: nurseryMb } });
    const member: Member<Request, Outcome> = { worker, job: undefined };
    worker.unref();
    worker.on('message', (reply: WorkerReply<Outcome>) => this.#settle(member, endOf(reply)));
    worker.on('error', (error) => this.#lose(member, endOfLoss(error, maxHeapMb)));
    worker.on('exit', () => this.#lose(member, new Error('the scan worker ended unexpectedly')));
    this.#members.push(member);
    return member;
  }

  #settle(member: Member<Request, Outcome>, end: Outcome | Error): void {
    const { job } = member;
    member.job = undefined;
    clearTimeout(member.deadline);
    member.worker.unref();
    job?.settle(end);
    this.#assign();
  }

  #lose(member: Member<Request, Outcome>, end: Error): void {
    const index = this.#members.indexOf(member);
    if (index !== -1) this.#members.splice(index, 1);
    this.#settle(member, end);
  }

  #watch(job: Job<Request, Outcome>): void {
    const { signal } = job;
    if (signal === undefined) return;
    let watched = this.#watched.get(signal);
    if (watched === undefined) {
      const jobs = new Set<Job<Request, Outcome>>();
      // The last first: those that wait must not get the workers of those that run.
      const onAbort = (): void => [...jobs].reverse().forEach((one) => this.#abort(one));
      this.#watched.set(signal, (watched = { jobs, onAbort }));
      signal.addEventListener('abort', onAbort);
    }
    watched.jobs.add(job);
  }

  #unwatch(job: Job<Request, Outcome>): void {
    const { signal } = job;
    const watched = signal && this.#watched.get(signal);
    if (signal === undefined || watched === undefined) return;
    watched.jobs.delete(job);
    if (watched.jobs.size > 0) return;
    signal.removeEventListener('abort', watched.onAbort);
    this.#watched.delete(signal);
  }

  #abort(job: Job<Request, Outcome>): void {
    const waiting = this.#queue.indexOf(job);
    const reason = job.signal?.reason instanceof Error ? job.signal.reason : new Error('cancelled');
    if (waiting !== -1) {
      this.#queue.splice(waiting, 1);
      job.settle(reason);
      return;
    }
    const member = this.#members.find((one) => one.job === job);
    if (member !== undefined) this.#end(member, reason);
  }

  /** Ends a running scan together with its worker: nothing else stops synchronous code. */
  #end(member: Member<Request, Outcome>, end: Error): void {
    this.#lose(member, end);
    void member.worker.terminate();
  }
}

function endOf<Outcome>(reply: WorkerReply<Outcome>): Outcome | Error {
  if ('outcome' in reply) return reply.outcome;
  return 'failed' in reply ? new ToolFailed(reply.failed) : new Error(`the scan failed: ${reply.crashed}`);
}

function endOfLoss(error: Error, maxHeapMb: number): Error {
  const outOfMemory = (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY';
  return outOfMemory ? new ToolFailed(`the scan needs more than ${maxHeapMb} MiB of memory`, { cause: error }) : error;
}
