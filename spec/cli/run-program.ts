import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

/** The program over the unbundled modules. */
export const launcher: string = fileURLToPath(new URL('./launch.js', import.meta.url));

/** How a run ended. */
export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs the program with these words; `input` is its whole standard input, `null` leaves that closed. */
export function runProgram(words: readonly string[], { input = '', env = {}, cwd }: { input?: string; env?: Record<string, string>; cwd?: string } = {}): Promise<Ended> {
  const child = spawn(process.execPath, [launcher, ...words], { cwd, env: { ...process.env, NO_COLOR: '1', ...env }, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // A program that ends without reading closes its end first.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** A folder that goes away with the test, holding these files. */
export function makeFolder(t: TestContext, files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolwire-cli-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

/** The text of a plugin: family `NAME` with tools `NAME_echo`, `NAME_object`, `NAME_fail`, `NAME_refuse` and `NAME_wait`; `extra` is code of the module. */
export function pluginText(name: string, extra = ''): string {
  return `${extra}
const annotations = { title: 'T', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const tool = (name, properties, call, more = annotations) => ({ name: '${name}_' + name, title: 'Tool ' + name, description: 'D.', inputSchema: { type: 'object', properties }, annotations: more, call });
const text = { text: { type: 'string', description: 'T.' } };
export const family = {
  name: '${name}',
  apiVersion: 1,
  tools: () => [
    tool('echo', text, ({ text }) => text),
    tool('object', text, (args) => args),
    tool('fail', {}, () => { throw new Error('secret detail'); }, { ...annotations, readOnlyHint: false }),
    tool('refuse', {}, () => { throw Object.assign(new Error('I will not'), { [Symbol.for('toolwire.Refusal')]: true }); }, { ...annotations, readOnlyHint: false, destructiveHint: true, openWorldHint: true }),
    tool('wait', {}, (_args, { signal, progress }) => new Promise((resolve) => { progress(1, 2, 'half'); process.stderr.write('waiting\\n'); signal.addEventListener('abort', () => resolve('aborted')); })),
  ],
};
`;
}
