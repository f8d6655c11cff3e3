import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { cli } from '../../../../lib/families/gadriel/cli.ts';
import type { CliContext } from '../../../../lib/mcp/family.types.ts';

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
};

/** Runs a verb of the family in this process, `words` with the verb in front, as in `code findings src`. */
export async function runVerb(words: readonly string[], setting: VerbSetting): Promise<VerbRun> {
  const name = Object.keys(cli.verbs).sort((a, b) => b.length - a.length).find((each) => each.split(' ').every((part, index) => words[index] === part));
  assert.ok(name !== undefined, `no verb in ${words.join(' ')}`);
  const verb = cli.verbs[name];
  assert.ok(verb !== undefined);
  const { cwd, env = {}, stdin = '', now = () => 0, signal = new AbortController().signal, isTTY = false, onOutput } = setting;
  let [stdout, stderr] = ['', ''];
  const terminal: CliContext = {
    env, cwd, now, random: (size) => new Uint8Array(size), signal,
    stdin: { isTTY, read: async () => Buffer.from(stdin as string) },
    stdout: {
      isTTY, columns: isTTY ? 100 : undefined,
      write: (text) => {
        stdout += text;
        onOutput?.(text);
      },
    },
    stderr: { isTTY, columns: isTTY ? 100 : undefined, write: (text) => void (stderr += text) },
  };
  const code = await verb.run(words.slice(name.split(' ').length), terminal);
  return { code, stdout, stderr };
}
