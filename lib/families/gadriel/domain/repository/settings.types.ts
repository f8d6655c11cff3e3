import type { ClearKind } from '../analysis/model.types.ts';
import type { Severity } from '../finding.types.ts';

/** A secret pattern of the user's own; `id` is a whole rule id. */
export type OwnSecret = { readonly id: string; readonly title: string; readonly pattern: string; readonly severity: Severity };

/** A call that the user says is dangerous when a stranger's value gets into its argument (number from 0, or keyword). */
export type OwnSink = { readonly name: string; readonly rule: string; readonly argument: number | string };

/** What `.gadriel.toml` changes about what is found. Plain data: it goes to workers, and into the key of the cache. */
export type ScanSettings = {
  readonly profile: 'default' | 'audit';
  /** Rule ids that are not reported. */
  readonly off: readonly string[];
  /** Severities by rule id in place of the rule's own. */
  readonly severity: Readonly<Record<string, Severity>>;
  readonly secrets: readonly OwnSecret[];
  /** Qualified names whose results a stranger controls. */
  readonly sources: readonly { readonly name: string; readonly note: string }[];
  readonly sinks: readonly OwnSink[];
  readonly sanitizers: readonly { readonly name: string; readonly clears: readonly ClearKind[] }[];
};

/** The settings of a repository that has none. */
export const plainSettings: ScanSettings = { profile: 'default', off: [], severity: {}, secrets: [], sources: [], sinks: [], sanitizers: [] };
