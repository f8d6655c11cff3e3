import { LineSplitter } from '../jsonrpc/line-splitter.ts';
import { claimStdout } from './claim-stdout.ts';
import { endSession, within } from './end-session.ts';
import { Outbox } from './outbox.ts';
import { guardProcess, onEndingSignal } from './process-guard.ts';
import { isReaderGone } from './reader-gone.ts';
import { closeSession, logOf, openSession, type Server } from './server.ts';
import type { Session } from './session.ts';

/** A readable byte stream: what `process.stdin` offers. */
export type ByteInput = {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  pause(): unknown;
  resume(): unknown;
};

/** A writable stream: what `process.stdout` offers. */
export type TextOutput = {
  write(text: string, done?: (error?: Error | null) => void): boolean;
  on(event: 'drain', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  readonly writableLength: number;
};

/** How to serve; everything has a default. */
export type ServeOptions = {
  /** Hold answers back into the order of their requests; default false. */
  readonly ordered?: boolean;
  /** Seconds that open calls have after the end of input before their signals fire; `'none'` waits as long as they take. Default 5. */
  readonly drain?: number | 'none';
  /** Longest line that is looked at, in bytes; default 64 MiB. */
  readonly maxLineBytes?: number;
  /** Is told every line, for debugging. */
  readonly trace?: (direction: 'in' | 'out', line: string) => void;
  /** Default: the stdin and stdout of the process, which is then also guarded against stray exceptions and told of signals. */
  readonly input?: ByteInput;
  readonly output?: TextOutput;
};

/** Why serving ended. `exitCode` is what a program should exit with. */
export type ServeEnd = { readonly reason: 'end-of-input' | 'signal' | 'output-closed' | 'output-failed'; readonly exitCode: number };

/** Default of `maxLineBytes`. */
export const defaultMaxLineBytes = 64 * 1024 * 1024;

const defaultDrainSeconds = 5;
/** How long calls have after a signal, and how long the output may take to be flushed then, in milliseconds. */
const signalMs = 1_000;

/** A line, or what is wrong with one that can't be looked into. */
type Line = string | { readonly fault: 'not-text' | 'too-long' };

/**
 * Serves MCP on a pair of byte streams, by default the process's own, until the input ends, a signal comes or the
 * reader goes away. Resolves with the reason; it never rejects and never ends the process. Serving the process's own
 * streams it sets process.exitCode where the output failed.
 */
export function serveStdio(server: Server, options: ServeOptions = {}): Promise<ServeEnd> {
  return new Promise((resolve) => new StdioServer(server, options, resolve).start());
}

class StdioServer {
  readonly #log: ReturnType<typeof logOf>;
  readonly #server: Server;
  readonly #input: ByteInput;
  readonly #output: TextOutput;
  readonly #write: (text: string, done?: (error?: Error | null) => void) => boolean;
  readonly #drainMs: number;
  readonly #maxLineBytes: number;
  readonly #trace: ServeOptions['trace'];
  readonly #session: Session;
  readonly #outbox: Outbox;
  readonly #splitter: LineSplitter;
  readonly #resolve: (end: ServeEnd) => void;
  readonly #undo: (() => void)[] = [];
  readonly #ownsProcess: boolean;
  #lines: Line[] = [];
  #next = 0;
  #paused = false;
  #inputEnded = false;
  #ending = false;
  #over = false;
  #onPumped: (() => void) | undefined;

  constructor(server: Server, options: ServeOptions, resolve: (end: ServeEnd) => void) {
    this.#server = server;
    this.#log = logOf(server);
    this.#resolve = resolve;
    this.#input = options.input ?? (process.stdin as unknown as ByteInput);
    this.#output = options.output ?? (process.stdout as unknown as TextOutput);
    const { drain = defaultDrainSeconds } = options;
    this.#drainMs = drain === 'none' ? Infinity : drain * 1_000;
    this.#maxLineBytes = options.maxLineBytes ?? defaultMaxLineBytes;
    this.#trace = options.trace;
    this.#ownsProcess = options.output === undefined;
    if (options.output === undefined) {
      const claim = claimStdout();
      this.#write = claim.write;
      this.#undo.push(claim.release, guardProcess(this.#log), onEndingSignal((signal) => this.#onSignal(signal)));
    } else {
      this.#write = (text, done) => this.#output.write(text, done);
    }
    const output = this.#output;
    const sink = {
      write: (text: string): void => this.#send(text),
      get untaken(): number {
        return output.writableLength;
      },
    };
    this.#outbox = new Outbox(sink, options.ordered === true);
    this.#session = openSession(server, {
      notify: (line, droppable) => this.#outbox.notify(line, droppable === true),
      heldBytes: () => this.#outbox.heldBytes,
    });
    this.#splitter = new LineSplitter(
      {
        line: (text) => void this.#lines.push(text),
        notText: () => void this.#lines.push({ fault: 'not-text' }),
        tooLong: () => void this.#lines.push({ fault: 'too-long' }),
      },
      this.#maxLineBytes,
    );
  }

  start(): void {
    // A paused stdin alone does not keep the process alive, nor does a tool that waits on nothing of the event loop.
    const alive = setInterval(() => undefined, 2 ** 30);
    this.#undo.push(() => clearInterval(alive));
    this.#output.on('drain', () => this.#resume());
    this.#output.on('error', (error) => this.#onOutputError(error));
    this.#input.on('error', (error) => {
      this.#log('error', `reading the input failed: ${error.message}`);
      this.#endInput();
    });
    this.#input.on('end', () => this.#endInput());
    this.#input.on('close', () => this.#endInput());
    this.#input.on('data', (chunk) => {
      if (this.#inputEnded || this.#over) return;
      this.#splitter.push(chunk);
      this.#pump();
    });
  }

  /** Answers the lines that have come in, until the reader is too far behind. */
  #pump(): void {
    while (this.#next < this.#lines.length && !this.#over) {
      if (this.#outbox.full) {
        this.#outbox.flush();
        if (this.#outbox.full) return this.#pause();
      }
      const line = this.#lines[this.#next++] as Line;
      if (typeof line === 'string') {
        this.#trace?.('in', line);
        this.#outbox.add(this.#session.process(line));
      } else {
        this.#trace?.('in', line.fault === 'not-text' ? '(a line that is not UTF-8)' : `(a line of more than ${this.#maxLineBytes} bytes)`);
        this.#outbox.add(this.#session.refuse(line.fault, this.#maxLineBytes));
      }
    }
    this.#lines = [];
    this.#next = 0;
    this.#outbox.flush();
    if (this.#outbox.full) this.#pause();
    else this.#onPumped?.();
  }

  #pause(): void {
    this.#paused = true;
    this.#input.pause();
  }

  #resume(): void {
    if (!this.#paused || this.#over) return;
    this.#paused = false;
    this.#pump();
    if (!this.#paused && !this.#ending) this.#input.resume();
  }

  #send(text: string): void {
    if (this.#over) return;
    if (this.#trace !== undefined) for (const line of text.split('\n')) if (line !== '') this.#trace('out', line);
    try {
      this.#write(text, (error) => {
        if (error) this.#onOutputError(error);
      });
    } catch (error) {
      this.#onOutputError(error as Error);
    }
  }

  #endInput(): void {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    this.#splitter.end();
    void this.#end('end-of-input', this.#drainMs, Infinity);
  }

  #onSignal(signal: string): void {
    this.#log('notice', `ending on ${signal}`);
    this.#inputEnded = true;
    this.#input.pause();
    void this.#end('signal', signalMs, signalMs);
  }

  /** Gives open calls their time, answers what is left, flushes, and is done. */
  async #end(reason: ServeEnd['reason'], drainMs: number, flushMs: number): Promise<void> {
    if (this.#ending && reason === 'end-of-input') return;
    this.#ending = true;
    // Lines wait for the reader alone here, so they have the time that the flush has.
    await within(flushMs, this.#pumped());
    await endSession(this.#session, drainMs);
    this.#outbox.flush();
    await within(flushMs, this.#flushed());
    this.#finish({ reason, exitCode: 0 });
  }

  /** Resolves when every line that came in has been looked at: a slow reader may hold that up. */
  #pumped(): Promise<void> {
    return new Promise((resolve) => {
      this.#onPumped = resolve;
      if (!this.#paused) this.#pump();
    });
  }

  #flushed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#over) return resolve();
      // The outbox writes what settled just now at the end of this turn, so the mark goes behind it.
      setImmediate(() => {
        try {
          this.#write('', () => resolve());
        } catch {
          resolve();
        }
      });
    });
  }

  #onOutputError(error: Error): void {
    if (this.#over) return;
    const closed = isReaderGone(error);
    if (!closed) this.#log('error', `writing the output failed: ${error.message}`);
    this.#finish(closed ? { reason: 'output-closed', exitCode: 0 } : { reason: 'output-failed', exitCode: 1 });
  }

  #finish(end: ServeEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#input.pause();
    closeSession(this.#server, this.#session);
    for (const undo of this.#undo.splice(0)) undo();
    if (this.#ownsProcess && end.exitCode !== 0) process.exitCode = end.exitCode;
    this.#resolve(end);
  }
}
