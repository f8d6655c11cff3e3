import type { Finding } from '../finding.types.ts';
import type { Draft } from '../make-finding.ts';

/** A file to scan; `hash` is SHA-256 (hex) of the bytes that the scan was planned with. */
export type PlannedFile = { readonly path: string; readonly hash: string };

/** Python modules that are analysed together, each seeing the names of those it imports. */
export type UnitRequest = { readonly modules: readonly PlannedFile[] };

/** What one worker is asked to scan. */
export type BatchRequest = {
  readonly root: string;
  /** A ScanSettings as JSON: equal texts are prepared once in a worker. */
  readonly settings: string;
  /** Paths of the repository's Python files, a line each: what imports can lead to. */
  readonly index: string;
  readonly units: readonly UnitRequest[];
  /** Files that are no Python modules of the index: each stands alone. */
  readonly files: readonly PlannedFile[];
  /** Texts that stand for what is on disk, by path. */
  readonly texts: Readonly<Record<string, string>>;
  /** Why such a text is none that Python takes: it is searched for secrets alone. */
  readonly undecoded?: Readonly<Record<string, string>> | undefined;
};

/** What came of one file: its findings, or why it could not be scanned; `hash` of the bytes that were read. */
export type FileScan = {
  readonly path: string;
  readonly hash: string;
  readonly findings: readonly Finding[];
  readonly incomplete?: string;
  readonly failed?: string;
  /** It is no text that Python takes, so it was searched for secrets alone. */
  readonly undecoded?: true;
};

/** Findings that a unit's calls brought about in a module outside of it. */
export type ForeignDrafts = { readonly path: string; readonly drafts: readonly Draft[] };

/** What imports were asked for: from files of a folder, by dotted name, the path of the module, or '' where there was none. */
export type Lookups = readonly (readonly [folder: string, names: readonly (readonly [name: string, path: string])[]])[];

/** What came of a unit; `opened` are the modules outside of it that it has looked into. */
export type UnitOutcome = {
  readonly files: readonly FileScan[];
  readonly foreign: readonly ForeignDrafts[];
  readonly opened: readonly PlannedFile[];
  readonly lookups: Lookups;
};

/** What comes back: units and files in the order of the request. */
export type BatchOutcome = { readonly units: readonly UnitOutcome[]; readonly files: readonly FileScan[] };

/** Texts of git's history to search for secrets; `key` (hex) makes the marks of equal secrets equal in all workers of one scan. */
export type BlobRequest = {
  readonly settings: string;
  readonly key: string;
  readonly blobs: readonly { readonly path: string; readonly bytes: Uint8Array }[];
};

/** The secrets of each text, in the order of the request; `mark` tells equal secrets apart from others, not what they are. */
export type BlobOutcome = { readonly blobs: readonly (readonly { readonly finding: Finding; readonly mark: string }[])[] };
