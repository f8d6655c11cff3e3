/** The shape of a SAST rule: what people read about it, apart from the matcher that finds it. */
import type { Confidence, Matcher, Severity } from '../analysis/model.types.ts';

/** One rule of the catalogue. `bad` is found by this rule, `good` gives no finding at all; a spec runs both. */
export type Rule = {
  /** `CODE-W1-L3-017`: pillar, scan type, number. */
  readonly id: string;
  /** `CWE-78`. */
  readonly cwe: string;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly title: string;
  /** Says what flows where: `{what}` is the kind of value, `{sink}` the call; never a value out of the code. */
  readonly message: string;
  /** One sentence. */
  readonly remediation: string;
  /** OWASP Top 10 2021 (`A03:2021`) and, for AI rules, the LLM list (`LLM01`). */
  readonly owasp: readonly string[];
  readonly pillar: 'security';
  readonly scanType: 'sast';
  readonly tags: readonly string[];
  /** Two or three sentences for `code rules ID`. */
  readonly why: string;
  readonly bad: string;
  readonly good: string;
};

/** The rules of one topic with the matchers that report them. */
export type RuleSet = { readonly rules: readonly Rule[]; readonly matchers: readonly Matcher[] };
