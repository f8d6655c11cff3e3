import { encodeNotification, toJson } from '../jsonrpc/encode.ts';
import { encodeId, type RequestId } from '../jsonrpc/request-id.ts';
import { Answer } from './answer.ts';
import { logLevels } from './eras/modern-claim.ts';
import type { Revision } from './eras/revisions.ts';
import type { Awaitable, CallContext, Log } from './family.types.ts';
import type { LogLevel } from './protocol.types.ts';
import type { Section, Ticket } from './schedule.ts';

/** What a call needs from its session. */
export type CallHost = {
  /** Sends a notification line, unless the reader is far behind. */
  notify(line: string): void;
  /** Writes a log line of this tool to stderr. */
  readonly log: Log;
  /** Lines a section up in the family's queue; undefined where the call holds the queue already. */
  section<T>(fn: () => Awaitable<T>): Section<T> | undefined;
  /** The reply to a call that the server stopped. */
  stoppedLine(id: RequestId): string;
};

/** What a call needs once it does not settle at once, reports progress, or uses its signal or the family's queue. */
class More {
  controller: AbortController | undefined;
  aborted = false;
  lastProgress = -Infinity;
  answer: Answer | undefined;
  onOver: (() => void) | undefined;
  readonly sections = new Set<Section<unknown>>();
  inSection = 0;
  readonly nested = new Set<Promise<unknown>>();
  ticket: Ticket | undefined;
  waitingBytes = 0;

  /** Runs a section inside a running one, and remembers it until it is over. */
  nest<T>(fn: () => Awaitable<T>): Promise<T> {
    const running = Promise.resolve().then(fn);
    this.nested.add(running);
    const forget = (): void => void this.nested.delete(running);
    running.then(forget, forget);
    return running;
  }
}

/**
 * One call in flight: its context for the tool, and its answer.
 *
 * The tool may take the members out of the context object, so each getter hands out a function that needs no `this`.
 * The AbortController is made only when a tool asks for its signal: most never do, and it costs more than a call.
 */
export class Call implements CallContext {
  readonly id: RequestId;
  readonly revision: Revision;
  readonly #host: CallHost;
  readonly #progressToken: RequestId | undefined;
  readonly #logLevel: LogLevel | undefined;
  /** The state of the few calls that use it: most finish at once and never ask for more than their arguments. */
  #more: More | undefined;
  /** The reply of a call that settled synchronously. */
  line: string | undefined;
  /** Whether nothing more may be sent for this call. */
  over = false;

  constructor(id: RequestId, revision: Revision, host: CallHost, progressToken: RequestId | undefined, logLevel: LogLevel | undefined) {
    this.id = id;
    this.revision = revision;
    this.#host = host;
    this.#progressToken = progressToken;
    this.#logLevel = logLevel;
  }

  get era(): 'legacy' | 'modern' {
    return this.revision.modern ? 'modern' : 'legacy';
  }

  get signal(): AbortSignal {
    const more = this.#state();
    more.controller ??= new AbortController();
    if (more.aborted) more.controller.abort();
    return more.controller.signal;
  }

  get exclusive(): CallContext['exclusive'] {
    return (fn) => this.#runExclusive(fn);
  }

  get progress(): CallContext['progress'] {
    return (done, total, message) => this.#sendProgress(done, total, message);
  }

  get log(): Log {
    return (level, message, data) => this.#writeLog(level, message, data);
  }

  #state(): More {
    return (this.#more ??= new More());
  }

  /** Makes the answer of a call that did not settle at once; `onOver` is told when it is over. */
  later(onOver: () => void): Answer {
    const more = this.#state();
    more.onOver = onOver;
    more.answer = new Answer();
    return more.answer;
  }

  /** Tells the call where it stands with the scheduler. */
  scheduled(ticket: Ticket): void {
    this.#state().ticket = ticket;
  }

  /** Bytes of the request, counted while the call waits for its turn. */
  get waitingBytes(): number {
    return this.#more?.waitingBytes ?? 0;
  }

  set waitingBytes(bytes: number) {
    this.#state().waitingBytes = bytes;
  }

  /** Ends the call with its reply, or without one; only the first time counts. */
  finish(line: string | undefined): void {
    if (this.over) return;
    this.over = true;
    this.line = line;
    if (this.#more === undefined) return;
    this.#more.onOver?.();
    this.#more.answer?.settle(line);
  }

  /** Takes the call back for its client: nothing more is written for it. */
  cancel(): void {
    this.finish(undefined);
    this.#abort();
    this.#giveUpPlace();
  }

  /** The server is stopping: fires the signal of a running call, answers one that was never started. */
  stop(): void {
    if (this.#more?.ticket?.started === false) this.fail();
    else this.#abort();
  }

  /** Answers the call with the error that it was stopped. */
  fail(): void {
    this.finish(this.stoppedLine);
    this.#giveUpPlace();
  }

  // Whatever the tool goes on doing, the calls behind it have to get their turn.
  #giveUpPlace(): void {
    const onOverdue = (): void => this.#host.log('warning', 'was cancelled and has not settled for 2 s: the calls behind it go on');
    this.#more?.ticket?.cancel(onOverdue);
    this.#more?.sections.forEach((section) => section.giveUp(onOverdue));
  }

  /** The reply that says that the server stopped the call. */
  get stoppedLine(): string {
    return this.#host.stoppedLine(this.id);
  }

  /** Whether the signal has fired. */
  get aborted(): boolean {
    return this.#more?.aborted === true;
  }

  #abort(): void {
    const more = this.#state();
    more.aborted = true;
    more.controller?.abort();
  }

  async #runExclusive<T>(fn: () => Awaitable<T>): Promise<T> {
    const more = this.#state();
    // Inside a section of its own the call holds the queue already: waiting for it again would never end.
    if (more.inSection > 0) return more.nest(fn);
    const section = this.#host.section(async () => {
      more.inSection++;
      try {
        return await fn();
      } finally {
        // An inner section that is not awaited still keeps the queue until it is over.
        while (more.nested.size > 0) await Promise.allSettled(more.nested);
        more.inSection--;
      }
    });
    if (section === undefined) return fn();
    more.sections.add(section);
    try {
      return await section.result;
    } finally {
      more.sections.delete(section);
    }
  }

  #sendProgress(done: number, total: number | undefined, message: string | undefined): void {
    if (this.over || this.#progressToken === undefined || !Number.isFinite(done)) return;
    const more = this.#state();
    if (done <= more.lastProgress) return;
    more.lastProgress = done;
    const totalJson = Number.isFinite(total) ? `,"total":${String(total)}` : '';
    // The revision 2024-11-05 has no message here; the flag that begins with the next one stands for it.
    const messageJson = message === undefined || !this.revision.annotations ? '' : `,"message":${JSON.stringify(String(message))}`;
    const params = `{"progressToken":${encodeId(this.#progressToken)},"progress":${done}${totalJson}${messageJson}}`;
    this.#host.notify(encodeNotification('notifications/progress', params));
  }

  #writeLog(level: LogLevel, message: string, data: unknown): void {
    if (!this.revision.modern) return this.#host.log(level, message, data);
    if (this.over || this.#logLevel === undefined || logLevels.indexOf(level) < logLevels.indexOf(this.#logLevel)) return;
    const payload = toJson(data === undefined ? message : { message, data });
    this.#host.notify(encodeNotification('notifications/message', `{"level":${JSON.stringify(level)},"data":${payload ?? '""'}}`));
  }
}
