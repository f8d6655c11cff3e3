import { scanSecrets, type ScanOptions } from '../../../secrets/scan.ts';
import type { SecretHit } from '../../../secrets/secrets.types.ts';
import { createAnalyser } from './analysis/analyser.ts';
import type { Analyser, RawFinding } from './analysis/model.types.ts';
import type { Draft } from './make-finding.ts';
import { sinkMatchers } from './repository/own-sinks.ts';
import { findOwnSecrets } from './repository/own-secrets.ts';
import { plainSettings, type ScanSettings } from './repository/settings.types.ts';
import { ruleSets } from './rules/index.ts';

/** What is looked for: the built-in rules as `.gadriel.toml` changes them. Made once for many texts. */
export type ScanRules = {
  readonly settings: ScanSettings;
  /** The engine; made at its first use, as many scans see no Python. */
  analyser(): Analyser;
  /** Leaves out what a rule that is off has found. */
  wanted(findings: readonly RawFinding[]): readonly RawFinding[];
  secretsIn(text: string, options: ScanOptions): readonly SecretHit[];
  /** Drafts with the severities that the settings give their rules, without those of rules that are off. */
  adjust(drafts: readonly Draft[]): readonly Draft[];
};

/** Prepares what is looked for. */
export function createRules(settings: ScanSettings): ScanRules {
  const off = new Set(settings.off);
  const severities = new Map(Object.entries(settings.severity));
  let analyser: Analyser | undefined;
  const makeAnalyser = (): Analyser => createAnalyser({
    matchers: [...ruleSets.flatMap((set) => set.matchers), ...sinkMatchers(settings.sinks)],
    extra: { sources: settings.sources.map(({ name, note }) => ({ name, note, level: 2, flags: [] })), sanitizers: settings.sanitizers, sinks: settings.sinks.map(({ name }) => name) },
  });
  return {
    settings,
    analyser: () => (analyser ??= makeAnalyser()),
    wanted: (findings) => (off.size === 0 ? findings : findings.filter(({ ruleId }) => !off.has(ruleId))),
    secretsIn: (text, options) => {
      const hits = scanSecrets(text, options);
      return settings.secrets.length === 0 ? hits : findOwnSecrets(text, settings.secrets, hits);
    },
    adjust: (drafts) => {
      if (off.size === 0 && severities.size === 0) return drafts;
      return drafts.filter(({ ruleId }) => !off.has(ruleId)).map((draft) => ({ ...draft, severity: severities.get(draft.ruleId) ?? draft.severity }));
    },
  };
}

let plain: ScanRules | undefined;

/** The built-in rules as they are. */
export function plainRules(): ScanRules {
  return (plain ??= createRules(plainSettings));
}
