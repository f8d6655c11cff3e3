import { createServer } from '../../lib/mcp/create-server.ts';
import type { ClientSession, Server, ServerOptions } from '../../lib/mcp/server.ts';
import type { CallContext, Family, Tool } from '../../lib/mcp/family.types.ts';
import type { Message } from './server-process.ts';

/** A promise with its handles outside. */
export type Deferred<T = unknown> = { readonly promise: Promise<T>; resolve(value: T): void; reject(error: unknown): void };

/** Makes a promise that the caller settles. */
export function deferred<T = unknown>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

type ToolParts = Partial<Tool> & { readOnly?: boolean };

/** A tool that takes anything, or what `more` says; read-only unless `more` says otherwise. */
export function probeTool(name: string, call: (args: any, context: CallContext) => unknown, more: ToolParts = {}): Tool {
  const { readOnly = true, ...rest } = more;
  return {
    name,
    title: `Tool ${name}`,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: {} },
    annotations: { title: `Tool ${name}`, readOnlyHint: readOnly, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    call,
    ...rest,
  };
}

/** A family of tools. */
export function probeFamily(name: string, tools: readonly Tool[] | Family['tools'], more: Partial<Family> = {}): Family {
  return { name, apiVersion: 1, tools: typeof tools === 'function' ? tools : () => tools, ...more };
}

/** A client in the same process: all lines and log lines so far, and a way to wait for one. */
export type Client = {
  readonly server: Server;
  readonly session: ClientSession;
  readonly lines: string[];
  readonly logs: string[];
  send(line: string): void;
  /** Sends a line and resolves with the answer to its id. */
  ask(line: string): Promise<Message>;
  /** The first message, so far or later, for which `wanted` holds. */
  message(wanted: (message: Message, index: number) => boolean): Promise<Message>;
};

/** Connects to a new server of these families. */
export function openClient(families: readonly Family[], options: Partial<ServerOptions> = {}): Client {
  const lines: string[] = [];
  const logs: string[] = [];
  const waiters = new Set<() => void>();
  const log: ServerOptions['log'] = (level, message, data) => {
    logs.push(`${level}: ${message}${data === undefined ? '' : ` ${String(data)}`}`);
  };
  const server = createServer({ name: 'spec', version: '1', families, log, ...options });
  const session = server.connect({
    send: (line) => {
      lines.push(line);
      waiters.forEach((wake) => wake());
    },
  });
  const message: Client['message'] = (wanted) =>
    new Promise((resolve) => {
      let seen = 0;
      const wake = (): void => {
        for (; seen < lines.length; seen++) {
          const each = JSON.parse(lines[seen] as string) as Message;
          if (!wanted(each, seen)) continue;
          waiters.delete(wake);
          return resolve(each);
        }
      };
      waiters.add(wake);
      wake();
    });
  return {
    server,
    session,
    lines,
    logs,
    send: (line) => session.handle(line),
    ask: (line) => {
      const { id } = JSON.parse(line) as { id: unknown };
      const before = lines.length;
      session.handle(line);
      return message((each, index) => index >= before && each['id'] === id);
    },
    message,
  };
}

/** Lets everything run that is ready to run now: promise reactions and what setImmediate planned. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
