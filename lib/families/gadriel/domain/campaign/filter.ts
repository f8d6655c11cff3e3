import { safeText } from '../../../../text/safe-text.ts';
import { confidences, pillars, scanTypes, severities, type Finding } from '../finding.types.ts';
import { InvalidParams } from '../../../../domain/invalid-params.ts';
import { lookupFinding } from '../records/lookup.ts';
import { ruleIdSpellings } from '../records/rule-ids.ts';
import { historyTag } from '../repository/history.ts';
import type { CampaignFilter } from './campaign.types.ts';

const words = { severity: severities, pillar: pillars, scan_type: scanTypes, confidence_tier: confidences } as const;
const lists = ['severity', 'pillar', 'scan_type', 'rule_id', 'confidence_tier', 'finding_ids'] as const;

/** The lists of a filter that restrict it, out of all arguments of a call. Throws InvalidParams for a word that it does not know. */
export function parseFilter(given: CampaignFilter): CampaignFilter {
  for (const [key, known] of Object.entries(words) as [keyof typeof words, readonly string[]][]) {
    const unknown = given[key]?.find((word) => !known.includes(word));
    if (unknown !== undefined) throw new InvalidParams(`${key} has the unknown word ${JSON.stringify(safeText(unknown, 80))}: use ${known.join(', ')}`);
  }
  return Object.fromEntries(lists.flatMap((key) => ((given[key]?.length ?? 0) > 0 ? [[key, given[key]]] : [])));
}

/**
 * The findings that a filter admits, that are not waived, and that a fix can reach: a secret in git's history stands in no
 * file. An entry of finding_ids is an exact id, or a rule id for its first finding; rules may go by their short ids.
 */
export function applyFilter(findings: readonly Finding[], filter: CampaignFilter): Finding[] {
  const open = findings.filter(({ waived, tags }) => !waived && !tags.includes(historyTag));
  const admits = (list: readonly string[] | undefined): ((word: string) => boolean) => {
    const admitted = list === undefined ? undefined : new Set(list);
    return (word) => admitted === undefined || admitted.has(word);
  };
  const [severity, pillar, scanType] = [admits(filter.severity), admits(filter.pillar), admits(filter.scan_type)];
  const [rule, confidence] = [admits(filter.rule_id?.flatMap(ruleIdSpellings)), admits(filter.confidence_tier)];
  const named = filter.finding_ids === undefined ? undefined : findNamed(open, filter.finding_ids);
  return open.filter(
    (finding) =>
      severity(finding.severity) && pillar(finding.pillar) && scanType(finding.scan_type) && rule(finding.rule_id) && confidence(finding.confidence) &&
      (named === undefined || named.has(finding)),
  );
}

/** Each look-up goes through the findings of one rule alone: there may be as many ids as findings. */
function findNamed(findings: readonly Finding[], ids: readonly string[]): ReadonlySet<Finding> {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    for (const id of new Set([finding.finding_id, finding.rule_id])) {
      const group = groups.get(id);
      if (group === undefined) groups.set(id, [finding]);
      else group.push(finding);
    }
  }
  return new Set([...new Set(ids)].flatMap((id) => lookupFinding(ruleIdSpellings(id).flatMap((spelling) => groups.get(spelling) ?? []), id)?.finding ?? []));
}
