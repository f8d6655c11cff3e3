/**
 * What differs between the protocol's revisions in what a tool server sends.
 * `modern` is the stateless era that begins with 2026-07-28.
 */
export type Revision = {
  readonly version: string;
  readonly modern: boolean;
  /** tools/list carries annotations (2025-03-26 on). */
  readonly annotations: boolean;
  /** Results carry structuredContent; tools carry title, outputSchema and _meta; serverInfo has a title (2025-06-18 on). */
  readonly structured: boolean;
  /** Tools carry icons (2025-11-25 on). */
  readonly icons: boolean;
  /** JSON-RPC batches are served (2025-03-26 alone). */
  readonly batches: boolean;
};

const revision = (version: string, rank: number): Revision => ({
  version,
  modern: rank >= 5,
  annotations: rank >= 2,
  structured: rank >= 3,
  icons: rank >= 4,
  batches: rank === 2,
});

/** Revisions opened by `initialize`, oldest first. */
export const legacyRevisions: readonly Revision[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'].map((version, index) =>
  revision(version, index + 1),
);

/** The revision that a request claims in its `_meta`. */
export const modernRevision: Revision = revision('2026-07-28', 5);

/** Served to an `initialize` that names no revision: the documented one-line examples send `params: {}`. */
export const oldestLegacy: Revision = legacyRevisions[0] as Revision;

/** Offered to an unknown revision, and assumed for requests before `initialize`. */
export const newestLegacy: Revision = legacyRevisions[legacyRevisions.length - 1] as Revision;
