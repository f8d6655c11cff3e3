import type { Finding } from '../../finding.types.ts';
import type { RunnerError } from '../fix.types.ts';
import type { Surroundings } from '../../../../../domain/surroundings.types.ts';

/** What a runner is asked: about one finding at its fresh place in a text. */
export type RunnerRequest = {
  readonly finding: Finding;
  /** The file without its byte order mark. */
  readonly text: string;
  /** All that is found in the text, the finding included: its secrets are not for others. */
  readonly scan?: readonly Finding[];
  /** Counts from 1. */
  readonly attempt: number;
  /** Why the attempt before did not do. */
  readonly lastError?: string;
  /** How likely findings of the rule are real here, 0 to 1. */
  readonly prior: number;
  readonly surroundings: Pick<Surroundings, 'env' | 'random'> & { readonly signal: AbortSignal };
};

/** What an answer cost, in USD; null when that is not known. */
export type Cost = { readonly cost_usd: number | null };

/** A runner's answer to "fix it": the whole new text, or why there is none. */
export type RunnerFix = Cost &
  (
    | { readonly kind: 'fixed'; readonly text: string; readonly rationale: string }
    | { readonly kind: 'declined'; readonly rationale: string }
    | { readonly kind: 'not_fixable'; readonly rationale: string }
    | { readonly kind: 'invalid'; readonly wrong: string }
    | { readonly kind: 'failed'; readonly error: RunnerError }
  );

/** Whether a finding is real, in wire words. */
export const confirmations = ['real_risk', 'false_positive', 'uncertain'] as const;
export type Confirmation = (typeof confirmations)[number];

/** How much work a fix is. */
export const efforts = ['low', 'medium', 'high'] as const;
export type Effort = (typeof efforts)[number];

/** What a runner thinks of a finding. `confirmation_rationale` has at most 280 characters. */
export type Opinion = {
  readonly confirmation: Confirmation;
  readonly confirmation_rationale: string;
  readonly explanation: string;
  readonly effort: Effort;
  readonly additional_actions: readonly string[];
};

/** A runner's answer to "is it real?". */
export type RunnerOpinion = Cost & ({ readonly kind: 'opinion'; readonly opinion: Opinion } | { readonly kind: 'failed'; readonly error: RunnerError });

/** Who makes fixes. It gets no tools and writes nothing. */
export type Runner = {
  readonly id: string;
  /** How often a fix that did not pass the checks is asked for again, the first time included. */
  readonly maxAttempts: number;
  /** Why it can't be used here; undefined where it can. */
  unavailable(env: Surroundings['env']): string | undefined;
  /** Whether it may see source; one that keeps all to itself always may. */
  maySeeSource(env: Surroundings['env']): boolean;
  propose(request: RunnerRequest): Promise<RunnerFix>;
  confirm(request: RunnerRequest): Promise<RunnerOpinion>;
};
