import { spawn } from 'node:child_process';
import { call, launcher, watchServer, type Message, type ServerProcess } from '../../../support/server-process.ts';

/** How a command line ended. */
export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Where a process runs: its environment, with HOME and PATH alone of ours, and its working folder. */
export type Place = { readonly env: Readonly<Record<string, string>>; readonly cwd: string };

/** Makes standard input count as a terminal, so that what asks a person reads its answers from there. */
const terminal = ['--import', 'data:text/javascript,process.stdin.isTTY=true'];

/** Runs `toolwire gage …` in a process of its own; `answers` are what a person types, a line each. */
export function runGage(words: readonly string[], { env, cwd }: Place, answers?: readonly string[]): Promise<Ran> {
  const child = spawn(process.execPath, [...(answers === undefined ? [] : terminal), ...launcher, 'gage', ...words], { env: withPath(env), cwd, stdio: 'pipe' });
  child.stdin.on('error', () => undefined).end((answers ?? []).map((answer) => `${answer}\n`).join(''));
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

/** A served gage of somebody, and a way to call its tools. */
export type ServedProcess = { readonly server: ServerProcess; call(name: string, args?: object): Promise<Message> };

/** Starts `toolwire gage mcp`; `node` are options of node itself. */
export function serveGage({ env, cwd }: Place, node: readonly string[] = []): ServedProcess {
  const server = watchServer(spawn(process.execPath, [...node, ...launcher, 'gage', 'mcp'], { env: withPath(env), cwd, stdio: 'pipe' }));
  let id = 100;
  return {
    server,
    call: async (name, args = {}) => {
      server.send(call(++id, name, args));
      return (await server.answer(id))['result'] as Message;
    },
  };
}

// Coverage of a child is written where its parent says.
const withPath = (env: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...env,
  ...(process.env['PATH'] !== undefined && { PATH: process.env['PATH'] }),
  ...(process.env['NODE_V8_COVERAGE'] !== undefined && { NODE_V8_COVERAGE: process.env['NODE_V8_COVERAGE'] }),
});
