import type { Finding } from '../finding.types.ts';

/** What a report tells about the waiver of a finding; a `Waiver` of the waiver file fits. */
export type WaiverNote = {
  readonly reason: string;
  /** `false_positive`, `accepted_risk` or `mechanized`. */
  readonly kind?: string | undefined;
  readonly created_by?: string | undefined;
  readonly created_at?: string | undefined;
  readonly expires_at?: string | undefined;
};

/** What a report needs beside the findings. */
export type ReportMeta = {
  /** Absolute path of the repository; only its last part is shown. */
  readonly root: string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number;
  /** The waiver behind a finding with `waived`; leave it out where the waivers are not known. */
  readonly waiverOf?: ((finding: Finding) => WaiverNote | undefined) | undefined;
};

/** The tag of a finding that stands in commits alone. */
export const historyTag = 'git-history';

/** The tag of a finding that a comment in the source silences. */
export const inSourceTag = 'suppressed:insource';
