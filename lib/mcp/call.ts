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
  #controller: AbortController | undefined;
  #aborted = false;
  #lastProgress = -Infinity;
  #line: string | undefined;
  #answer: Answer | undefined;
  #onOver: (() => void) | undefined;
  #sections: Set<Section<unknown>> | undefined;
  #over = false;
  /** Set once the scheduler knows the call. */
  ticket: Ticket | undefined;
  /** Bytes of the request, counted while the call waits for its turn. */
  waitingBytes = 0;

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
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort();
    return this.#controller.signal;
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

  /** Whether nothing more may be sent for this call. */
  get over(): boolean {
    return this.#over;
  }

  /** The reply of a call that settled synchronously. */
  get line(): string | undefined {
    return this.#line;
  }

  /** Makes the answer of a call that did not settle at once; `onOver` is told when it is over. */
  later(onOver: () => void): Answer {
    this.#onOver = onOver;
    this.#answer = new Answer();
    return this.#answer;
  }

  /** Ends the call with its reply, or without one; only the first time counts. */
  finish(line: string | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#line = line;
    this.#onOver?.();
    this.#answer?.settle(line);
  }

  /** Takes the call back for its client: nothing more is written for it. */
  cancel(): void {
    this.finish(undefined);
    this.#abort();
    this.#giveUpPlace();
  }

  /** The server is stopping: fires the signal of a running call, answers one that was never started. */
  stop(): void {
    if (this.ticket?.started === false) this.fail();
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
    this.ticket?.cancel(onOverdue);
    this.#sections?.forEach((section) => section.giveUp(onOverdue));
  }

  /** The reply that says that the server stopped the call. */
  get stoppedLine(): string {
    return this.#host.stoppedLine(this.id);
  }

  /** Whether the signal has fired. */
  get aborted(): boolean {
    return this.#aborted;
  }

  #abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }

  async #runExclusive<T>(fn: () => Awaitable<T>): Promise<T> {
    const section = this.#host.section(fn);
    if (section === undefined) return fn();
    this.#sections ??= new Set();
    this.#sections.add(section);
    try {
      return await section.result;
    } finally {
      this.#sections.delete(section);
    }
  }

  #sendProgress(done: number, total: number | undefined, message: string | undefined): void {
    if (this.#over || this.#progressToken === undefined || !(done > this.#lastProgress) || !Number.isFinite(done)) return;
    this.#lastProgress = done;
    const totalJson = Number.isFinite(total) ? `,"total":${String(total)}` : '';
    // The revision 2024-11-05 has no message here; the flag that begins with the next one stands for it.
    const messageJson = message === undefined || !this.revision.annotations ? '' : `,"message":${JSON.stringify(String(message))}`;
    const params = `{"progressToken":${encodeId(this.#progressToken)},"progress":${done}${totalJson}${messageJson}}`;
    this.#host.notify(encodeNotification('notifications/progress', params));
  }

  #writeLog(level: LogLevel, message: string, data: unknown): void {
    if (!this.revision.modern) return this.#host.log(level, message, data);
    if (this.#over || this.#logLevel === undefined || logLevels.indexOf(level) < logLevels.indexOf(this.#logLevel)) return;
    const payload = toJson(data === undefined ? message : { message, data });
    this.#host.notify(encodeNotification('notifications/message', `{"level":${JSON.stringify(level)},"data":${payload ?? '""'}}`));
  }
}
