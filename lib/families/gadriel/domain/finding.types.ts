/** Severities, most severe first. */
export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof severities)[number];

/** How sure a finding is, most sure first. */
export const confidences = ['high', 'medium', 'low'] as const;
export type Confidence = (typeof confidences)[number];

/** The score of a confidence word before any learned prior, 0 to 100. */
export const baseScore: Readonly<Record<Confidence, number>> = { high: 90, medium: 65, low: 35 };

/** What a finding endangers. */
export const pillars = ['security', 'compliance', 'safety', 'operational', 'finops', 'coherence', 'teamwork', 'bias'] as const;
export type Pillar = (typeof pillars)[number];

/** Which kind of scan found it. This program makes the first four; findings.json of another program may hold the others. */
export const scanTypes = ['sast', 'secrets', 'config', 'ai', 'sca', 'container', 'api'] as const;
export type ScanType = (typeof scanTypes)[number];

/** Who found it: rules alone, a model alone (never at a gate), or rules whose finding a model confirmed. */
export const findingSources = ['deterministic', 'ai', 'fused'] as const;
export type FindingSource = (typeof findingSources)[number];

/** One step of how a value got to where it does harm. Lines are 1-based; `file` only where it is not the finding's own. */
export type TraceStep = { readonly line: number; readonly note: string; readonly file?: string };

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
  readonly pillar: Pillar;
  readonly scan_type: ScanType;
  readonly owasp: readonly string[];
  readonly tags: readonly string[];
  readonly source: FindingSource;
  /** SHA-256, hex; the same for the same code after lines have moved. */
  readonly fingerprint: string;
  readonly trace: readonly TraceStep[];
  readonly waived: boolean;
  /** A model said that it is no real risk; changes neither severity nor gate. */
  readonly contested?: boolean;
  /** Why it was contested, in the model's words. */
  readonly contest_rationale?: string;
  /** The severity that a model claimed for what it found alone. */
  readonly ai_severity?: Severity;
  /** Steps of the attack path that leads here; absent where none is known. */
  readonly attack_path_length?: number;
};
