/** How bad a leaked secret of this kind is. */
export type SecretSeverity = 'critical' | 'high' | 'medium' | 'low';

/** How sure the scanner is that the text is a secret. */
export type SecretConfidence = 'high' | 'medium' | 'low';

/** A half-open range of UTF-16 offsets. */
export type Span = { readonly start: number; readonly end: number };

/** A string literal or a comment of a source file, quotes and comment marks included. */
export type LiteralSpan = Span & { readonly kind: 'string' | 'comment' };

/** A found secret; it never carries the secret itself. */
export type SecretHit = {
  readonly detectorId: string;
  readonly title: string;
  /** UTF-16 offsets of the secret itself, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** 1-based; columns in UTF-16 code units, endColumn exclusive. */
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly severity: SecretSeverity;
  readonly confidence: SecretConfidence;
  readonly provider?: string;
  /** The first characters (four, fewer of a short secret) and the length. */
  readonly preview: string;
  /** Equal for equal secrets within one process; not reversible (HMAC under a random key). */
  readonly sameAs: string;
};
