import type { CliContext, CliPrompt } from '../mcp/family.types.ts';
import { exitCodeOfSignal } from '../terminal/exit-codes.ts';
import type { Output } from './output.ts';
import type { Prompt } from '../terminal/prompt.ts';
import { readStdin } from './stdin.ts';

/**
 * The process as a command sees it. Text goes to the real stdout through the output, so that a plugin's console.log
 * stays out of it. The first SIGINT or SIGTERM fires `signal`, a second one ends the process.
 */
export function processTerminal(output: Output): CliContext {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (ending.signal.aborted) process.exit(exitCodeOfSignal(name));
      process.exitCode = exitCodeOfSignal(name);
      ending.abort();
    });
  }
  return {
    env: process.env,
    // Asked for by who needs it: a hook in a removed folder must not fail.
    get cwd() {
      return workingFolder();
    },
    now: Date.now,
    random: (size) => crypto.getRandomValues(new Uint8Array(size)),
    stdin: { isTTY: process.stdin.isTTY === true, read: (limit) => readStdin(limit, ending.signal) },
    prompt: processPrompt,
    stdout: { isTTY: process.stdout.isTTY === true, columns: process.stdout.columns, write: (text) => output.write(text), failed: output.failed },
    stderr: { isTTY: process.stderr.isTTY === true, columns: process.stderr.columns, write: (text) => void process.stderr.write(text) },
    signal: ending.signal,
  };
}

/** Loaded when a question is asked: a server never does. */
const loadPrompt = async (): Promise<Prompt> => (await import('../terminal/prompt.ts')).createPrompt({ input: process.stdin, output: process.stderr });
const processPrompt: CliPrompt = {
  get present() {
    return process.stdin.isTTY === true;
  },
  askLine: async (question, options) => (await loadPrompt()).askLine(question, options),
  askYesNo: async (question, options) => (await loadPrompt()).askYesNo(question, options),
};

function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new Error('the working folder was removed; go to one that exists', { cause });
  }
}
