/** Severities, most severe first. */
export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof severities)[number];

/** How sure a finding is, most sure first. */
export const confidences = ['high', 'medium', 'low'] as const;
export type Confidence = (typeof confidences)[number];

/** The score of a confidence word before any learned prior, 0 to 100. */
export const baseScore: Readonly<Record<Confidence, number>> = { high: 90, medium: 65, low: 35 };

/** One step of how a value got to where it does harm. Lines are 1-based. */
export type TraceStep = { readonly line: number; readonly note: string };

/**
 * A finding in its flat form, as the validate tools answer it.
 *
 * Lines and columns are 1-based, columns in UTF-16 code units, `end_column` exclusive. The keys are wire words.
 */
export type Finding = {
  /** `<rule_id>:<first 8 hex digits of the fingerprint>`. */
  readonly finding_id: string;
  readonly rule_id: string;
  readonly title: string;
  readonly message: string;
  readonly severity: Severity;
  readonly confidence: Confidence;
  /** 0 to 100. */
  readonly confidence_score: number;
  /** `CWE-89`. */
  readonly cwe: string;
  /** Relative to the root of the repository where there is one; forward slashes. */
  readonly file: string;
  readonly line: number;
  readonly end_line: number;
  readonly column: number;
  readonly end_column: number;
  readonly remediation: string;
  readonly pillar: 'security';
  readonly scan_type: 'sast' | 'secrets';
  readonly owasp: readonly string[];
  readonly tags: readonly string[];
  readonly source: 'deterministic';
  /** SHA-256, hex; the same for the same code after lines have moved. */
  readonly fingerprint: string;
  readonly trace: readonly TraceStep[];
  readonly waived: boolean;
};
