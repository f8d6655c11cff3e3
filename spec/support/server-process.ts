import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from './project.ts';

/** How a server process ended, and all that it wrote. */
export type Ended = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly lines: readonly string[];
};

/** A spawned server: what it is sent and what it has written. */
export type ServerProcess = {
  readonly child: ChildProcess;
  /** Writes lines, each with its newline, in one write. */
  send(...lines: readonly (string | object)[]): void;
  /** Closes its input. */
  end(): void;
  /** The first line for which `wanted` holds, now or later; rejects when the process ends without it. */
  line(wanted: (message: Message, line: string) => boolean): Promise<Message>;
  /** The answer to a request. */
  answer(id: string | number): Promise<Message>;
  /** Resolves when stderr holds the text; rejects when the process ends without it. */
  stderrHas(text: string): Promise<void>;
  stderr(): string;
  lines(): readonly string[];
  readonly ended: Promise<Ended>;
};

/** A parsed line of the server. */
export type Message = Record<string, any>;

/** The launcher of the served program: node's arguments before those of the command. */
export const launcher: readonly string[] = [path.join(path.dirname(fileURLToPath(import.meta.url)), 'launch.js')];

const pluginFile = (name: string): string => path.join('spec', 'support', `${name}-family.mjs`);

/** Arguments that serve the named plugin families of spec/support alone. */
export const serveArgs = (names: readonly string[], ...more: readonly string[]): string[] => [
  'mcp',
  ...names,
  ...names.flatMap((name) => ['--plugin', pluginFile(name)]),
  ...more,
];

/** Starts the program with arguments; its working folder is the project's root. */
export function startServer(args: readonly string[], stdio: StdioOptions = 'pipe', command: readonly string[] = launcher): ServerProcess {
  const child = spawn(process.execPath, [...command, ...args], { cwd: projectRoot, stdio });
  return watchServer(child);
}

/** Follows a child process that speaks the protocol. */
export function watchServer(child: ChildProcess): ServerProcess {
  let stdout = '';
  let stderr = '';
  let over = false;
  let whole: string[] = [];
  let rest = '';
  const waiters = new Set<() => boolean>();
  const wake = (): void => waiters.forEach((settled) => settled() && waiters.delete(settled));
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    whole = whole.concat(parts);
    wake();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    wake();
  });
  child.stdin?.on('error', () => undefined);
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => {
      over = true;
      wake();
      resolve({ code, signal, stdout, stderr, lines: whole });
    });
  });
  const until = <T>(what: string, find: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const settled = (): boolean => {
        const found = find();
        if (found !== undefined) resolve(found);
        else if (over) reject(new Error(`the server ended without ${what}; stderr: ${stderr.slice(-2_000)}`));
        return found !== undefined || over;
      };
      if (!settled()) waiters.add(settled);
    });
  let seen = 0;
  const parsed: Message[] = [];
  const line: ServerProcess['line'] = (wanted) =>
    until('the awaited line', () => {
      for (; seen < whole.length; seen++) parsed.push(JSON.parse(whole[seen] as string) as Message);
      return parsed.find((message, index) => wanted(message, whole[index] as string));
    });
  return {
    child,
    send: (...lines) => void child.stdin?.write(lines.map((each) => `${typeof each === 'string' ? each : JSON.stringify(each)}\n`).join('')),
    end: () => void child.stdin?.end(),
    line,
    answer: (id) => line((message) => message['id'] === id),
    stderrHas: (text) => until(`${JSON.stringify(text)} on stderr`, () => (stderr.includes(text) ? true : undefined)).then(() => undefined),
    stderr: () => stderr,
    lines: () => whole,
    ended,
  };
}

/** Runs the program on a whole input and waits for its end. */
export function runServer(args: readonly string[], input: string | Uint8Array): Promise<Ended> {
  const server = startServer(args);
  server.child.stdin?.end(input);
  return server.ended;
}

/** A request line. */
export const request = (id: string | number, method: string, params?: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) });

/** A tools/call line. */
export const call = (id: string | number, name: string, args: object = {}, meta?: object): string =>
  request(id, 'tools/call', { name, arguments: args, ...(meta && { _meta: meta }) });

/** A cancel line. */
export const cancel = (requestId: string | number): string =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

/** The `_meta` of a request of the modern era. */
export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
} as const;
