import type { Finding } from '../finding.types.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';

/**
 * How a request for a fix ended. `no_agent`: the runner is unknown or not set up; `consent_required`: it may not see source;
 * `stale`: the code is no longer what was scanned; `not_fixable`: no template, or a file that no diff can be made for;
 * `declined`: the runner sees no safe fix; `invalid_diff`: what it proposed did not pass the checks.
 */
export type FixStatus =
  | 'proposed' | 'no_agent' | 'consent_required' | 'runner_failed' | 'invalid_diff' | 'declined' | 'stale' | 'not_fixable';

/** Why a runner failed, and whether asking again later may help. The message holds no key and no source. */
export type RunnerError = { readonly kind: 'timeout' | 'http' | 'parse' | 'refusal'; readonly message: string; readonly retryable: boolean };

/** The answer of fix_finding with a runner. The keys are wire words. */
export type FixProposal = {
  readonly status: FixStatus;
  readonly runner_id: string;
  readonly finding_id: string;
  /** A unified diff that `git apply` takes at the root of the repository; null unless `proposed`. */
  readonly diff: string | null;
  readonly rationale: string;
  readonly iterations_used: number;
  /** Runners get no tools. */
  readonly tool_calls: readonly never[];
  /** What it cost; null when the price of the model is not known. */
  readonly cost_usd: number | null;
  readonly error?: RunnerError;
  /** SHA-256 of the file's bytes before and with the diff; with `proposed` only. */
  readonly before_hash?: string;
  readonly after_hash?: string;
  /** How many findings a bare rule id stood for, when more than one. */
  readonly ambiguous?: number;
};

/** What to fix, and by whom. */
export type FixRequest = {
  /** Absolute path of the repository, as `repoRootOf` gives it. */
  readonly root: string;
  /** A finding id, or a bare rule id: its first finding. */
  readonly findingId: string;
  /** `rules`, `claude` or `claude-cli`; another one is answered `no_agent`. */
  readonly runnerId: string;
  /** Where to look the id up; findings.json when absent. */
  readonly findings?: readonly Finding[];
  /** Why an earlier proposal did not do, told to the runner. */
  readonly lastError?: string;
};

/** Surroundings of one request: it can be cancelled, and tells how far it is. */
export type FixSurroundings = Surroundings & {
  readonly signal: AbortSignal;
  progress(done: number, total?: number, message?: string): void;
};
