/** Helpers for the specs of families: a client in the same process, and a player of transcripts. */
import { RpcError } from './jsonrpc/errors.ts';
import { endSession } from './mcp/end-session.ts';
import { Outbox } from './mcp/outbox.ts';
import { closeSession, openSession, type Server } from './mcp/server.ts';

/** A message of the server that answers no request. */
export type Notification = { readonly method: string; readonly params?: Readonly<Record<string, unknown>> };

/** How to make one request. When `signal` fires the request is cancelled and its promise rejects with the signal's reason. */
export type RequestOptions = { readonly signal?: AbortSignal };

/** A client in the same process; see `connect`. */
export type TestClient = {
  /** Sends a request; resolves with its `result`, rejects with an RpcError of the answer's code, message and data. */
  request(method: string, params?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<unknown>;
  /** Calls a tool: `tools/call`. The result may say `isError`. */
  call(tool: string, args?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<ToolResult>;
  notify(method: string, params?: Readonly<Record<string, unknown>>): void;
  /** Every notification so far, oldest first. */
  readonly notifications: readonly Notification[];
  /** Ends the session: open requests reject. */
  close(): void;
};

/** The result object of a tool call, as the wire has it. */
export type ToolResult = {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
};

type Pending = { resolve(result: unknown): void; reject(error: unknown): void };
type Incoming = Notification & { readonly id?: number; readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** Opens a session with a server in the same process. It sends no `initialize` of its own, which a server does not insist on. */
export function connect(server: Server): TestClient {
  const pending = new Map<number, Pending>();
  const notifications: Notification[] = [];
  let lastId = 0;
  const session = server.connect({
    send: (line) => {
      const { id, result, error, ...rest } = JSON.parse(line) as Incoming;
      if (id === undefined) {
        const { method, params } = rest;
        notifications.push(params === undefined ? { method } : { method, params });
        return;
      }
      const waiting = pending.get(id);
      pending.delete(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new RpcError(error.code, error.message, error.data));
    },
  });
  const send = (message: object): void => session.handle(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const client: TestClient = {
    notifications,
    notify: (method, params) => send({ method, params }),
    call: (tool, args = {}, options) => client.request('tools/call', { name: tool, arguments: args }, options) as Promise<ToolResult>,
    request: (method, params, { signal } = {}) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        const cancel = (): void => {
          if (!pending.delete(id)) return;
          send({ method: 'notifications/cancelled', params: { requestId: id } });
          reject(signal?.reason);
        };
        pending.set(id, { resolve, reject });
        send({ id, method, params });
        if (signal?.aborted === true) cancel();
        else signal?.addEventListener('abort', cancel, { once: true });
      }),
    close: () => {
      session.close();
      for (const { reject } of pending.values()) reject(new Error('the session is closed'));
      pending.clear();
    },
  };
  return client;
}

/** How to play a transcript. */
export type PlayOptions = {
  /** Hold answers back into the order of their requests, as `toolwire mcp --ordered` does; default true. */
  readonly ordered?: boolean;
  /** Seconds that open calls have at the end before their signals fire; default 5. */
  readonly drain?: number;
};

/** A line that came and was not expected, or the other way round. `line` counts the transcript's lines from 1. */
export type Mismatch = { readonly line: number; readonly expected: string | undefined; readonly got: string | undefined; readonly message: string };

/**
 * Plays a transcript as one session and returns where the answers differ from it; nothing when they are equal to the byte.
 *
 * `> line` is sent, `< line` is expected, in this order over the whole session; `# note` and blank lines are skipped.
 * All lines are sent at once and the input ends after them, as in `printf … | toolwire mcp --ordered`.
 */
export async function play(transcript: string, server: Server, { ordered = true, drain = 5 }: PlayOptions = {}): Promise<readonly Mismatch[]> {
  const got: string[] = [];
  const sink = { write: (text: string): void => void got.push(...text.slice(0, -1).split('\n')), untaken: 0 };
  const outbox = new Outbox(sink, ordered);
  const session = openSession(server, { notify: (line) => outbox.notify(line, false), heldBytes: () => outbox.heldBytes });
  const { sent, expected } = readTranscript(transcript);
  for (const line of sent) outbox.add(session.process(line));
  await endSession(session, drain * 1_000);
  outbox.flush();
  closeSession(server, session);
  return compare(expected, got);
}

type ExpectedLine = { readonly line: number; readonly text: string };

function readTranscript(transcript: string): { readonly sent: readonly string[]; readonly expected: readonly ExpectedLine[] } {
  const sent: string[] = [];
  const expected: ExpectedLine[] = [];
  for (const [index, raw] of transcript.split('\n').entries()) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    const text = line[1] === ' ' ? line.slice(2) : line.slice(1);
    if (line[0] === '>') sent.push(text);
    else if (line[0] === '<') expected.push({ line: index + 1, text });
    else if (line.trim() !== '' && line[0] !== '#') throw new SyntaxError(`transcript line ${index + 1} starts with none of #, > and <`);
  }
  return { sent, expected };
}

/** Walks both lists; after a difference it goes on where they meet again. */
function compare(expected: readonly ExpectedLine[], got: readonly string[]): readonly Mismatch[] {
  const mismatches: Mismatch[] = [];
  let at = 0;
  let next = 0;
  while (at < expected.length || next < got.length) {
    const want = expected[at];
    const came = got[next];
    if (want !== undefined && want.text === came) {
      at++;
      next++;
      continue;
    }
    const cameLater = want !== undefined && got.includes(want.text, next);
    const wantedLater = came !== undefined && expected.some((each, index) => index > at && each.text === came);
    const missing = want !== undefined && (came === undefined || (wantedLater && !cameLater));
    const unexpected = came !== undefined && !missing && (want === undefined || cameLater);
    mismatches.push(mismatch(unexpected ? undefined : want, missing ? undefined : came, expected.at(-1)?.line ?? 0));
    if (!unexpected) at++;
    if (!missing) next++;
  }
  return mismatches;
}

function mismatch(want: ExpectedLine | undefined, came: string | undefined, lastLine: number): Mismatch {
  const line = want?.line ?? lastLine;
  const wanted = want === undefined ? 'nothing' : want.text;
  return { line, expected: want?.text, got: came, message: `line ${line}: expected ${wanted}\n${' '.repeat(`line ${line}: `.length)}but got ${came ?? 'nothing'}` };
}
