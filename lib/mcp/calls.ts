import { encodeError, encodeResult } from '../jsonrpc/encode.ts';
import { ErrorCode } from '../jsonrpc/errors.ts';
import { idKey, type RequestId } from '../jsonrpc/request-id.ts';
import { Answer, type Reply } from './answer.ts';
import { Call, type CallHost } from './call.ts';
import { makeRow, type Row } from './dispatch-table.ts';
import type { Revision } from './eras/revisions.ts';
import { encodeDirectRefusal, encodeRefusal } from './outcome.ts';
import type { LogLevel } from './protocol.types.ts';
import { isRefusal } from './refusal.ts';
import { maxWaiting, type FamilyQueue } from './schedule.ts';
import { shortName } from './short-name.ts';
import type { ServerCore } from './server-core.ts';
import type { SessionHost } from './session.ts';
import { prepareArguments, runTool, type CallRequest, type CallStyle } from './tool-call.ts';

/** How many bytes waiting calls and held answers may take before new calls are refused. */
export const maxHeldBytes = 256 * 1024 * 1024;

/** A request for a call, whichever method it came by. */
export type Invocation = {
  readonly id: RequestId;
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly revision: Revision;
  readonly progressToken: RequestId | undefined;
  readonly logLevel: LogLevel | undefined;
  readonly style: CallStyle;
  /** Size of the request line. */
  readonly bytes: number;
};

/** A request in flight. */
type Flight = {
  /** Takes it back for its client: nothing more is written for it. */
  cancel(): void;
  /** The server is stopping: fires the signal of what runs, answers what was never started. */
  stop(): void;
  /** Answers it with the error that it was stopped. */
  fail(): void;
};

/** The requests of one session that have not been answered: running and waiting calls. */
export class Calls {
  readonly #core: ServerCore;
  readonly #host: SessionHost;
  readonly #open = new Map<string | number, Flight>();
  readonly #hosts = new Map<Row, CallHost>();
  #waitingBytes = 0;
  /** Requests that wait for the tool tables, or for a family that may know their tool. */
  #deferred = 0;
  #onIdle: (() => void) | undefined;

  constructor(core: ServerCore, host: SessionHost) {
    this.#core = core;
    this.#host = host;
  }

  /** Whether a request with this id has not been answered. */
  has(id: RequestId): boolean {
    return this.#open.size > 0 && this.#open.has(idKey(id));
  }

  /** How many requests have not been answered. */
  get size(): number {
    return this.#open.size;
  }

  /** Resolves when no request is unanswered. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      this.#checkIdle();
    });
  }

  /** Takes a request back: nothing more is written for it. Unknown ids are ignored. */
  cancel(id: RequestId): void {
    this.#open.get(idKey(id))?.cancel();
  }

  /** Fires the signals of all running calls; those that were never started are answered at once. */
  abortAll(): void {
    for (const flight of [...this.#open.values()]) flight.stop();
  }

  /** Answers every open request with the error that it was stopped. */
  failAll(): void {
    for (const flight of [...this.#open.values()]) flight.fail();
  }

  /** Runs a tool by name. */
  invoke(invocation: Invocation): Reply {
    const row = this.#core.table?.rows.get(invocation.name);
    if (row !== undefined) return this.#invokeRow(row, invocation);
    if (!this.#core.findsUnknownTools) return unknownTool(invocation);
    return this.defer(invocation, () => this.#findUnknown(invocation), (found) =>
      typeof found === 'string' ? found : this.#invokeRow(found, invocation),
    );
  }

  /** Answers when `ready` has resolved, with what `proceed` makes of it; until then the id is in flight. */
  defer<T>({ id, bytes }: Pick<Invocation, 'id' | 'bytes'>, ready: Promise<T> | (() => Promise<T>), proceed: (value: T) => Reply): Reply {
    if (this.#isBusy(bytes)) return busyLine(id);
    const answer = new Answer();
    const key = idKey(id);
    const leave = (): boolean => {
      if (this.#open.get(key) !== flight) return false;
      this.#open.delete(key);
      this.#deferred--;
      this.#waitingBytes -= bytes;
      return true;
    };
    const finish = (line: string | undefined): void => {
      leave();
      answer.settle(line);
      this.#checkIdle();
    };
    const fail = (): void => finish(stoppedLine(id));
    const flight: Flight = { cancel: () => finish(undefined), stop: fail, fail };
    this.#open.set(key, flight);
    this.#deferred++;
    this.#waitingBytes += bytes;
    const continueWith = (value: T): void => {
      // The call that follows puts itself in flight under the same id.
      if (!leave()) return;
      const reply = proceed(value);
      if (reply instanceof Answer) reply.whenSettled((line) => answer.settle(line));
      else finish(reply);
    };
    (typeof ready === 'function' ? ready() : ready).then(continueWith).catch((error: unknown) => {
      this.#core.log('error', 'a request failed unexpectedly', error instanceof Error ? error.stack : String(error));
      finish(encodeError(id, ErrorCode.internalError, 'Internal error'));
    });
    return answer;
  }

  #invokeRow(row: Row, invocation: Invocation): Reply {
    const { compiler } = this.#core;
    if (!compiler.loaded) return this.defer(invocation, () => compiler.load(), () => this.#invokeRow(row, invocation));
    const { id, args, style, bytes } = invocation;
    const host = this.#hostOf(row);
    const call = new Call(id, invocation.revision, host, invocation.progressToken, invocation.logLevel);
    const request: CallRequest = { row, call, args, style, log: host.log };
    const refused = prepareArguments(request);
    if (refused !== undefined) return refused;
    if (this.#isBusy(bytes)) return busyLine(id);
    const { scheduler } = this.#core;
    const queue = this.#core.queueOf(row.entry);
    if (scheduler.mustWait(row.effects, queue)) return this.#wait(request, queue, bytes);
    const settling = runTool(request);
    if (settling === undefined) return call.line;
    call.scheduled(scheduler.adopt(settling, row.effects, queue));
    return this.#track(call);
  }

  #wait(request: CallRequest, queue: FamilyQueue, bytes: number): Answer {
    const { row, call } = request;
    this.#waitingBytes += bytes;
    call.waitingBytes = bytes;
    const start = (): Promise<void> | undefined => {
      this.#endWaiting(call);
      return runTool(request);
    };
    const answer = this.#track(call);
    call.scheduled(this.#core.scheduler.submit({ effects: row.effects, queue, start }));
    return answer;
  }

  #track(call: Call): Answer {
    const key = idKey(call.id);
    this.#open.set(key, call);
    return call.later(() => {
      if (this.#open.get(key) === call) this.#open.delete(key);
      this.#endWaiting(call);
      this.#checkIdle();
    });
  }

  #endWaiting(call: Call): void {
    if (call.waitingBytes === 0) return;
    this.#waitingBytes -= call.waitingBytes;
    call.waitingBytes = 0;
  }

  #hostOf(row: Row): CallHost {
    let host = this.#hosts.get(row);
    if (host === undefined) {
      const queue = this.#core.queueOf(row.entry);
      host = {
        notify: (line) => this.#host.notify(line, true),
        log: this.#core.toolLog(row),
        // An ordered call holds the queue already.
        section: (fn) => (row.effects === 'ordered' ? undefined : queue.section(this.#core.scheduler, fn)),
        stoppedLine,
      };
      this.#hosts.set(row, host);
    }
    return host;
  }

  #isBusy(bytes: number): boolean {
    return this.#core.scheduler.waiting + this.#deferred >= maxWaiting || this.#waitingBytes + bytes + this.#host.heldBytes() > maxHeldBytes;
  }

  async #findUnknown({ id, name, args, revision, style }: Invocation): Promise<Row | string> {
    for (const entry of this.#core.entries) {
      const found = await entry.family.unknownTool?.(name, args, entry.context);
      if (found === undefined) continue;
      if (!isRefusal(found)) {
        await this.#core.compiler.load();
        return makeRow(found, entry, this.#core.compiler);
      }
      return style.direct ? encodeDirectRefusal(id, name, found) : encodeResult(id, encodeRefusal(found, revision, style.tail));
    }
    return unknownTool({ id, name, revision });
  }

  #checkIdle(): void {
    if (this.#open.size > 0) return;
    const onIdle = this.#onIdle;
    this.#onIdle = undefined;
    onIdle?.();
  }
}

// Both eras' words: the legacy one takes an unknown tool for an unknown method, the modern one for a bad parameter.
function unknownTool({ id, name, revision }: Pick<Invocation, 'id' | 'name' | 'revision'>): string {
  const code = revision.modern ? ErrorCode.invalidParams : ErrorCode.methodNotFound;
  const shown = shortName(name);
  return encodeError(id, code, `Unknown tool: ${shown}`, { name: shown });
}

const busyLine = (id: RequestId): string => encodeError(id, ErrorCode.internalError, 'busy: too many calls are waiting, try again later');
const stoppedLine = (id: RequestId): string => encodeError(id, ErrorCode.internalError, 'stopped before it finished');
