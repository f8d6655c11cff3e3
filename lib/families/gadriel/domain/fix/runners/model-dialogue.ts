import type { Surroundings } from '../../../../../domain/surroundings.types.ts';
import type { RunnerError } from '../fix.types.ts';
import { AnswerError, readFixAnswer, readOpinion } from './answers.ts';
import { excerptOf, type Excerpt } from './excerpt.ts';
import { lostCode } from './lost-code.ts';
import { confirmPrompt, fixPrompt, type Prompt } from './prompts.ts';
import type { RunnerFix, RunnerOpinion, RunnerRequest } from './runner.types.ts';

/** What asking once came to; `cost_usd` is null where the price is not known. */
export type Said = { readonly cost_usd: number | null } & ({ readonly text: string } | { readonly error: RunnerError });

/** Asks a model; `again` are its wrong answer and what is wrong with it, to be said after the prompt. */
export type Ask = (prompt: Prompt, again?: { readonly answer: string; readonly wrong: string }) => Promise<Said>;

/** Asks for a fix. An answer of another form is asked for once more, and then is a failure to parse. */
export async function askForFix(request: RunnerRequest, ask: Ask): Promise<RunnerFix> {
  const keys = keysOf(request.surroundings.env);
  const excerpt = excerptOf(request.text, request.finding, { scan: request.scan, values: keys });
  const read = (answer: string) => readFixAnswer(answer, request.text, excerpt);
  const { value, error, cost_usd } = await askTwice(fixPrompt(request, excerpt), { ask, read, keys, excerpt });
  if (value === undefined) return { kind: 'failed', error: error!, cost_usd };
  const wrong = value.kind === 'fixed' ? lostCode(request.text, value.text, request.finding) : undefined;
  return wrong === undefined ? { ...value, cost_usd } : { kind: 'invalid', wrong, cost_usd };
}

/** Asks for an opinion; without `withSource` no line of the file is told, and the answer is no more than a guess. */
export async function askForOpinion(request: RunnerRequest, ask: Ask, withSource: boolean): Promise<RunnerOpinion> {
  const keys = keysOf(request.surroundings.env);
  const excerpt = withSource ? excerptOf(request.text, request.finding, { scan: request.scan, values: keys }) : undefined;
  const { value, error, cost_usd } = await askTwice(confirmPrompt(request, excerpt), { ask, read: readOpinion, keys, excerpt });
  return value === undefined ? { kind: 'failed', error: error!, cost_usd } : { kind: 'opinion', opinion: value, cost_usd };
}

type Talk<T> = { readonly ask: Ask; readonly read: (answer: string) => T; readonly keys: readonly string[]; readonly excerpt: Excerpt | undefined };

async function askTwice<T>(
  prompt: Prompt, { ask, read, keys, excerpt }: Talk<T>,
): Promise<{ readonly value?: T; readonly error?: RunnerError; readonly cost_usd: number | null }> {
  let cost: number | null = 0;
  let again: { readonly answer: string; readonly wrong: string } | undefined;
  for (;;) {
    const said = await ask(prompt, again);
    cost = addCost(cost, said.cost_usd);
    if ('error' in said) return { error: said.error, cost_usd: cost };
    if (holdsOne(said.text, keys)) return { error: keyToldBack, cost_usd: cost };
    try {
      return { value: read(said.text), cost_usd: cost };
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error;
      if (again !== undefined) {
        return { error: { kind: 'parse', message: `the model's answer is not usable: ${error.message}`, retryable: true }, cost_usd: cost };
      }
      again = { answer: excerpt?.hide(said.text) ?? said.text, wrong: error.message };
    }
  }
}

/** Nothing of such an answer may get into a result, a diff or a campaign's file, and no second one is asked for. */
const keyToldBack: RunnerError = { kind: 'http', message: 'the answer has the key in it that it was asked with', retryable: false };

/** Shorter ones, and numbers, are no keys and stand in any text. */
const shortestKey = 8;

/** What the model's server, or the program that asks it, is let in by. */
function keysOf(env: Surroundings['env']): string[] {
  const named = Object.entries(env).filter(([name]) => /^(?:ANTHROPIC|CLAUDE)_\w*(?:KEY|TOKEN|SECRET|PASSWORD)/.test(name));
  return named.flatMap(([, value]) => (value !== undefined && value.length >= shortestKey && /\D/.test(value) ? [value] : []));
}

/** Whether a text has one of the keys, as it is or in the escapes of JSON. */
function holdsOne(text: string, keys: readonly string[]): boolean {
  const plain = text.replace(/\\u([\da-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))).replace(/\\(.)/g, '$1');
  return keys.some((key) => text.includes(key) || plain.includes(key));
}

/** The sum of two costs; null as soon as one is not known. */
export const addCost = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : Math.round((a + b) * 1e6) / 1e6);
