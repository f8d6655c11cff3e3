import type { Reply } from './answer.ts';
import { Answer } from './answer.ts';
import type { Compiler } from './compiler.ts';
import type { Family, Log } from './family.types.ts';
import { lineLog } from './log-line.ts';
import { ServerCore } from './server-core.ts';
import { Session } from './session.ts';

/** What a server is made of; everything but name, version and families has a default of this process. */
export type ServerOptions = {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly families: readonly Family[];
  /**
   * Families whose schemas a test has compiled: theirs are compiled at a tool's first call, which spares the start, and
   * a fault in them would show only then. All others are compiled, and refused, at registration.
   */
  readonly proven?: readonly Family[];
  /** Tools a page of tools/list; default 100. */
  readonly pageSize?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly random?: (size: number) => Uint8Array;
  /** Takes diagnostics; default: one line each to stderr. */
  readonly log?: Log;
};

/** Where a session sends its lines; a line comes without its newline. */
export type SessionTransport = { send(line: string): void };

/** One client's conversation over a transport of the caller's. */
export type ClientSession = {
  /** Takes one line; the answer, if any, goes to `send`, now or later. Never throws. */
  handle(line: string): void;
  /** Ends the session: signals fire, open calls are answered as stopped, nothing is sent afterwards. */
  close(): void;
};

/** A tool server; `createServer` makes one. */
export type Server = {
  readonly name: string;
  readonly version: string;
  /** Resolves when the tool tables are loaded; rejects when a family's table is no good. Only tools/* wait for it. */
  readonly ready: Promise<void>;
  /** Opens a session on a transport. Revision, ids in flight and subscriptions live in the session. */
  connect(transport: SessionTransport): ClientSession;
  /** Answers one line in a session of the server's own, which drops notifications. Never rejects. */
  handle(line: string): Promise<string | undefined>;
  /** Closes all sessions, then the families. Requests that come later are answered with an error. */
  close(): Promise<void>;
};

const internals = new WeakMap<Server, { core: ServerCore; sessions: Set<Session> }>();

/** Makes a server as `createServer` does, with a compiler of the caller's: one that is not loaded yet serves proven families alone. */
export function makeServer(options: ServerOptions, compiler: Compiler): Server {
  const { name, version, title, families } = options;
  checkOptions(options);
  const sessions = new Set<Session>();
  const surroundings = {
    env: options.env ?? process.env,
    cwd: options.cwd ?? process.cwd(),
    now: options.now ?? Date.now,
    random: options.random ?? randomBytes,
    log: options.log ?? lineLog((line) => void process.stderr.write(`${name}: ${line}\n`)),
  };
  const info = title === undefined ? { name, version } : { name, version, title };
  const notifyAll = (): void => sessions.forEach((session) => session.listChanged());
  const core = new ServerCore(info, { families, proven: options.proven ?? [], surroundings, compiler, pageSize: options.pageSize ?? 100, onListChanged: notifyAll });
  let own: Session | undefined;
  let closing: Promise<void> | undefined;
  const server: Server = {
    name,
    version,
    ready: core.ready,
    connect: (transport) => connect(server, transport),
    handle: (line) => {
      own ??= openSession(server, { notify: () => undefined, heldBytes: () => 0 });
      const reply = own.process(line);
      return new Promise((resolve) => (reply instanceof Answer ? reply.whenSettled(resolve) : resolve(reply)));
    },
    close: () => {
      core.closed = true;
      for (const session of sessions) closeSession(server, session);
      return (closing ??= core.close());
    },
  };
  internals.set(server, { core, sessions });
  return server;
}

function checkOptions({ name, version, families, pageSize }: ServerOptions): void {
  if (typeof name !== 'string' || name === '') throw new TypeError('name must be the name of the server, a text that is not empty');
  if (typeof version !== 'string' || version === '') throw new TypeError('version must be the version of the server, a text that is not empty');
  if (!Array.isArray(families)) throw new TypeError('families must be an array of families');
  if (pageSize !== undefined && !(Number.isSafeInteger(pageSize) && pageSize > 0)) throw new TypeError('pageSize must be a whole number of 1 or more');
}

/** Opens a session below the public surface: its owner takes replies from `process` itself. */
export function openSession(server: Server, host: ConstructorParameters<typeof Session>[1]): Session {
  const { core, sessions } = internalsOf(server);
  const session = new Session(core, host);
  sessions.add(session);
  return session;
}

/** Ends a session: answers what is open and forgets it. */
export function closeSession(server: Server, session: Session): void {
  internalsOf(server).sessions.delete(session);
  session.calls.abortAll();
  session.calls.failAll();
  session.subscriptions.close();
}

/** The diagnostics log of a server. */
export function logOf(server: Server): Log {
  return internalsOf(server).core.log;
}

function internalsOf(server: Server): { core: ServerCore; sessions: Set<Session> } {
  const found = internals.get(server);
  if (found === undefined) throw new TypeError('server must be one that createServer of this copy of toolwire made');
  return found;
}

function connect(server: Server, transport: SessionTransport): ClientSession {
  const log = logOf(server);
  let closed = false;
  const send = (line: string | undefined): void => {
    if (line === undefined || closed) return;
    try {
      transport.send(line);
    } catch (error) {
      log('error', 'the transport failed to send a line', error instanceof Error ? error.message : String(error));
    }
  };
  const session = openSession(server, { notify: send, heldBytes: () => 0 });
  const deliver = (reply: Reply): void => (reply instanceof Answer ? reply.whenSettled(send) : send(reply));
  return {
    handle: (line) => {
      if (!closed) deliver(session.process(line));
    },
    close: () => {
      if (closed) return;
      closeSession(server, session);
      closed = true;
    },
  };
}

/** The most that Web Crypto gives in one call, in bytes. */
const randomQuota = 65_536;

// Web Crypto instead of node:crypto, which costs a start 5 ms: most servers never ask for a random byte.
function randomBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += randomQuota) crypto.getRandomValues(bytes.subarray(at, at + randomQuota));
  return bytes;
}
