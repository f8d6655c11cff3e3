import type { RunnerError } from '../fix.types.ts';
import { AnswerError, readFixAnswer, readOpinion } from './answers.ts';
import { excerptOf } from './excerpt.ts';
import { confirmPrompt, fixPrompt, type Prompt } from './prompts.ts';
import type { RunnerFix, RunnerOpinion, RunnerRequest } from './runner.types.ts';

/** What asking once came to; `cost_usd` is null where the price is not known. */
export type Said = { readonly cost_usd: number | null } & ({ readonly text: string } | { readonly error: RunnerError });

/** Asks a model; `again` are its wrong answer and what is wrong with it, to be said after the prompt. */
export type Ask = (prompt: Prompt, again?: { readonly answer: string; readonly wrong: string }) => Promise<Said>;

/** Asks for a fix. An answer of another form is asked for once more, and then is a failure to parse. */
export async function askForFix(request: RunnerRequest, ask: Ask): Promise<RunnerFix> {
  const excerpt = excerptOf(request.text, request.finding);
  const { value, error, cost_usd } = await askTwice(fixPrompt(request, excerpt), ask, (answer) => readFixAnswer(answer, request.text, excerpt));
  return value === undefined ? { kind: 'failed', error: error!, cost_usd } : { ...value, cost_usd };
}

/** Asks for an opinion; without `withSource` no line of the file is told, and the answer is no more than a guess. */
export async function askForOpinion(request: RunnerRequest, ask: Ask, withSource: boolean): Promise<RunnerOpinion> {
  const prompt = confirmPrompt(request, withSource ? excerptOf(request.text, request.finding) : undefined);
  const { value, error, cost_usd } = await askTwice(prompt, ask, readOpinion);
  return value === undefined ? { kind: 'failed', error: error!, cost_usd } : { kind: 'opinion', opinion: value, cost_usd };
}

async function askTwice<T>(
  prompt: Prompt, ask: Ask, read: (answer: string) => T,
): Promise<{ readonly value?: T; readonly error?: RunnerError; readonly cost_usd: number | null }> {
  let cost: number | null = 0;
  let again: { readonly answer: string; readonly wrong: string } | undefined;
  for (;;) {
    const said = await ask(prompt, again);
    cost = addCost(cost, said.cost_usd);
    if ('error' in said) return { error: said.error, cost_usd: cost };
    try {
      return { value: read(said.text), cost_usd: cost };
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error;
      if (again !== undefined) {
        return { error: { kind: 'parse', message: `the model's answer is not usable: ${error.message}`, retryable: true }, cost_usd: cost };
      }
      again = { answer: said.text, wrong: error.message };
    }
  }
}

/** The sum of two costs; null as soon as one is not known. */
export const addCost = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : Math.round((a + b) * 1e6) / 1e6);
