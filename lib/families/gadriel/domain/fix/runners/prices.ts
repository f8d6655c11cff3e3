import type { Surroundings } from '../../../../../domain/surroundings.types.ts';

/** Tokens of one or more answers, as the Messages API counts them. */
export type Usage = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
};

/** No tokens. */
export const noUsage: Usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/** Reads the usage of an answer; what is missing or no number counts as 0. */
export function readUsage(value: unknown): Usage {
  const member = (name: keyof Usage): number => {
    const given = (value as Record<string, unknown> | null | undefined)?.[name];
    return typeof given === 'number' && Number.isFinite(given) && given > 0 ? given : 0;
  };
  return {
    input_tokens: member('input_tokens'), output_tokens: member('output_tokens'),
    cache_creation_input_tokens: member('cache_creation_input_tokens'), cache_read_input_tokens: member('cache_read_input_tokens'),
  };
}

/**
 * What tokens of a model cost in USD, by `GADRIEL_PRICES`: JSON `{model: {in, out, cache_read, cache_write}}`, USD a million
 * tokens. Null where the model has no price there; a cache price that is left out is that of `in`.
 */
export function costOf(usage: Usage, model: string, env: Surroundings['env']): number | null {
  const price = priceOf(env['GADRIEL_PRICES'], model);
  if (price === undefined) return null;
  const total = usage.input_tokens * price.in + usage.output_tokens * price.out
    + usage.cache_creation_input_tokens * price.cacheWrite + usage.cache_read_input_tokens * price.cacheRead;
  return Math.round(total) / 1e6;
}

/** What to tell where a model has no price: then costs are not known, and a budget of dollars holds nothing back. Undefined where it has one. */
export function priceNote(model: string, env: Surroundings['env']): string | undefined {
  if (priceOf(env['GADRIEL_PRICES'], model) !== undefined) return undefined;
  return `GADRIEL_PRICES has no price for ${model}: costs will not be known, and the budget in dollars can not end the campaign`;
}

type Price = { readonly in: number; readonly out: number; readonly cacheRead: number; readonly cacheWrite: number };

function priceOf(text: string | undefined, model: string): Price | undefined {
  let table: unknown;
  try {
    table = JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
  const entry = typeof table === 'object' && table !== null && Object.hasOwn(table, model) ? (table as Record<string, unknown>)[model] : undefined;
  const number = (name: string): number | undefined => {
    const value = (entry as Record<string, unknown> | null | undefined)?.[name];
    return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : undefined;
  };
  const [given, out] = [number('in'), number('out')];
  if (given === undefined || out === undefined) return undefined;
  return { in: given, out, cacheRead: number('cache_read') ?? given, cacheWrite: number('cache_write') ?? given };
}
