import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { NoAnswerError } from '../../lib/terminal/prompt.ts';
import type { Cli, CliContext } from '../../lib/mcp/family.types.ts';

/** What a verb did: its exit code and what it wrote. */
export type VerbRun = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** What a verb finds around it; the defaults are an empty environment, no input and no terminal. */
export type VerbSetting = {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  readonly now?: () => number;
  readonly signal?: AbortSignal;
  readonly isTTY?: boolean;
  /** Gets what is written as it is written. */
  readonly onOutput?: (text: string) => void;
  readonly random?: (size: number) => Uint8Array;
  /** What the person at the terminal answers, one after the other, to what they are asked; without it there is no terminal to ask on. */
  readonly answers?: readonly Answer[];
};

/** An answer, or what a person does with a question. */
export type Answer = string | ((question: string) => string | Promise<string>);

/** Runs a verb of a family's command line in this process, `words` with the verb in front, as in `code findings src`. */
export async function runVerbOf(cli: Cli, words: readonly string[], setting: VerbSetting): Promise<VerbRun> {
  const name = Object.keys(cli.verbs).sort((a, b) => b.length - a.length).find((each) => each.split(' ').every((part, index) => words[index] === part));
  assert.ok(name !== undefined, `no verb in ${words.join(' ')}`);
  const verb = cli.verbs[name];
  assert.ok(verb !== undefined);
  const { cwd, env = {}, stdin = '', now = () => 0, signal = new AbortController().signal, isTTY = false, onOutput, random = (size: number) => new Uint8Array(size), answers } = setting;
  let [stdout, stderr] = ['', ''];
  const terminal: CliContext = {
    env, cwd, now, random, signal,
    stdin: { isTTY, read: async () => Buffer.from(stdin as string) },
    stdout: {
      isTTY, columns: isTTY ? 100 : undefined,
      write: (text) => {
        stdout += text;
        onOutput?.(text);
      },
    },
    prompt: promptOf(answers),
    stderr: { isTTY, columns: isTTY ? 100 : undefined, write: (text) => void (stderr += text) },
  };
  const code = await verb.run(words.slice(name.split(' ').length), terminal);
  return { code, stdout, stderr };
}

/** A terminal at which somebody gives these answers; asked for more than there are, their input has ended. */
function promptOf(answers: readonly Answer[] | undefined): CliContext['prompt'] {
  const left = [...(answers ?? [])];
  const askLine = async (question: string, { flag }: { readonly flag: string }): Promise<string> => {
    if (answers === undefined) throw new NoAnswerError('no-terminal', `stdin is no terminal to ask on; use ${flag}`);
    const answer = left.shift();
    if (answer === undefined) throw new NoAnswerError('ended', 'the input ended before an answer');
    return typeof answer === 'string' ? answer : await answer(question);
  };
  return { present: answers !== undefined, askLine, askYesNo: async (question, options) => /^y(?:es)?$/i.test(await askLine(question, options)) };
}

/** No terminal to ask on. */
export const noPrompt = promptOf(undefined);
