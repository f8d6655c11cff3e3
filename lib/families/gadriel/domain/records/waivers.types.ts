/** Why a finding is waived. */
export type WaiverKind = 'false_positive' | 'accepted_risk' | 'mechanized';
/** By which way it was decided. */
export type WaiverOrigin = 'human' | 'cli' | 'campaign';

/** A `[[waiver]]` of `.gadriel-waivers.toml` (design of gadriel, section 1.4). */
export type Waiver = {
  readonly rule_id: string;
  /** Relative to the root, forward slashes; absent for the whole repository. */
  readonly path?: string;
  /** 1-based; absent for the whole file. */
  readonly line?: number;
  readonly reason: string;
  readonly kind: WaiverKind;
  readonly created_by: WaiverOrigin;
  /** ISO 8601; empty where somebody wrote the waiver by hand without it. */
  readonly created_at: string;
  /** ISO 8601; from then on it waives nothing. */
  readonly expires_at?: string;
  /** Of the finding, so that the waiver holds when lines move. */
  readonly fingerprint?: string;
  /** Of a waiver without path: it waives that finding alone, wherever it is. */
  readonly finding_id?: string;
};

/** A waiver to append; `created_at` is also the clock that decides whether an older one still holds. */
export type NewWaiver = Waiver;
