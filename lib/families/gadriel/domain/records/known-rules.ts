import type { Finding } from '../finding.types.ts';
import { ruleHelpOf } from '../report/rule-help.ts';
import { findingsAbout } from './lookup.ts';
import { ruleIdSpellings } from './rule-ids.ts';

/** The full id of a rule of this program, of whatever kind, also by its short id; undefined for others. */
export const knownRule = (id: string): string | undefined => ruleHelpOf(id)?.id;

/** Whether an id says anything: a finding, a rule that found something (another program's too), or a rule of this program. */
export const isKnownId = (id: string, findings: readonly Finding[]): boolean => findingsAbout(findings, id).length > 0 || knownRule(id) !== undefined;

/** Those ids that are no rule: neither one of this program nor of any of the findings. */
export function unknownRules(ids: readonly string[], findings: readonly Finding[]): string[] {
  const found = new Set(findings.map(({ rule_id }) => rule_id));
  return ids.filter((id) => knownRule(id) === undefined && !ruleIdSpellings(id).some((spelling) => found.has(spelling)));
}
