import type { PySpan } from '../../../syntax/python.types.ts';
import type { RawFinding } from './analysis/model.types.ts';
import { cweFamilyOf } from './cwe-families.ts';
import { confidences, severities } from './finding.types.ts';
import { ruleById } from './rules/index.ts';

/**
 * Leaves out fixed passwords that hold a secret already found: its detector says more of it. Secrets come in order and do
 * not overlap.
 */
export function leaveSecrets(findings: readonly RawFinding[], secrets: readonly PySpan[]): RawFinding[] {
  const holdsSecret = (start: number, end: number): boolean => {
    let low = 0;
    let high = secrets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((secrets[middle] as PySpan).start < start) low = middle + 1;
      else high = middle;
    }
    const first = secrets[low];
    return first !== undefined && first.end <= end;
  };
  return findings.filter((finding) => finding.cwe !== 'CWE-259' || !holdsSecret(finding.start, finding.end));
}

/**
 * Leaves one finding for each sink call and CWE family: the more severe, then the one of which more is sure, then the
 * rule of the narrower kind (the higher number). The ids of the others go to its tags.
 */
export function mergeFindings(findings: readonly RawFinding[]): RawFinding[] {
  const groups = new Map<string, RawFinding[]>();
  for (const finding of findings) {
    const key = `${finding.start}:${cweFamilyOf(cweOf(finding))}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return [...groups.values()].map((group) => {
    const [first, ...others] = group.sort(compare) as [RawFinding, ...RawFinding[]];
    if (others.length === 0) return first;
    return { ...first, tags: [...first.tags, ...others.map((other) => other.ruleId)] };
  });
}

const cweOf = (finding: RawFinding): string => finding.cwe ?? ruleById(finding.ruleId)?.cwe ?? '';

function compare(a: RawFinding, b: RawFinding): number {
  return severityRank(a) - severityRank(b) || confidenceRank(a) - confidenceRank(b) || numberOf(b) - numberOf(a);
}

const severityRank = (finding: RawFinding): number => severities.indexOf(finding.severity ?? ruleById(finding.ruleId)?.severity ?? 'info');
const confidenceRank = (finding: RawFinding): number => confidences.indexOf(finding.confidence ?? ruleById(finding.ruleId)?.confidence ?? 'low');
const numberOf = (finding: RawFinding): number => Number(finding.ruleId.slice(-3));
