import type { SourceKind } from './languages.ts';
import type { SecretConfidence, SecretSeverity, Span } from './secrets.types.ts';

/** What a detector's check may say about a match: drop it (`false`), or change what is reported. */
export type Verdict = false | { readonly severity?: SecretSeverity; readonly confidence?: SecretConfidence } | undefined;

/** What all detectors share. `rank` settles overlaps: the higher one is the more specific. */
type DetectorBase = {
  /** `CODE-W1-SECRET-NNN`, or the id of a user's own pattern. */
  readonly id: string;
  /** Short kebab-case name, as in `github`. */
  readonly name: string;
  readonly title: string;
  readonly provider?: string;
  /** Lower-case words of which one must occur for the detector to be tried at all. */
  readonly keywords: readonly string[];
  readonly severity: SecretSeverity;
  readonly confidence: SecretConfidence;
  /** Least Shannon entropy of the secret, bits a character. */
  readonly minEntropy: number;
  readonly rank: number;
};

/** A token recognised by its own shape: a sticky pattern tried where a keyword stands. Group 1, when present, is the secret. */
export type PatternDetector = DetectorBase & {
  readonly pattern: RegExp;
  /** How many characters before the keyword the match starts, tried in this order; `[0]` when absent. */
  readonly leads?: readonly number[];
  /** Try the pattern over the whole text once a keyword was seen, since no part of the token is fixed. */
  readonly wholeText?: true;
  /** Characters besides letters, digits and `_` that must not stand before the match. */
  readonly notAfter?: string;
  readonly verify?: (secret: string) => Verdict;
};

/** What a context detector found; keywords before `until` need not be tried again, which keeps wide looks linear. */
export type Found = { readonly spans: readonly Span[]; readonly until?: number };

/** A secret recognised by what stands round it. */
export type ContextDetector = DetectorBase & {
  /** Secrets for the keyword that starts at `at`; must look at a bounded neighbourhood only. */
  readonly find: (source: ScanSource, at: number) => Found;
  readonly verify?: (secret: string) => Verdict;
};

/** One row of the detector table. */
export type SecretDetector = PatternDetector | ContextDetector;

/** The text under scan, as the context detectors see it. */
export type ScanSource = {
  readonly text: string;
  /** Path with forward slashes, as given. */
  readonly path: string;
  readonly kind: SourceKind;
  /** Whether an offset lies in a string literal or a comment; always true outside source code. */
  readonly inLiteral: (offset: number) => boolean;
};
