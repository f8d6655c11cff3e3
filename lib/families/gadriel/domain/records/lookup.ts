import type { Confidence, Finding, Severity } from '../finding.types.ts';
import { ruleIdSpellings } from './rule-ids.ts';

/** A finding that was asked for; `ambiguous` is the number of findings that could as well be meant, when it is more than one. */
export type Lookup = { readonly finding: Finding; readonly ambiguous?: number };

/**
 * Finds a finding by its exact id, else by a rule id, short ones too: then the first in the order of risk, path and line
 * of those that are not waived, of the waived ones only where nothing else is left. Undefined where nothing fits.
 *
 * Whether a finding is waived is what it says itself: give judged ones (judge.ts).
 */
export function lookupFinding(findings: readonly Finding[], id: string): Lookup | undefined {
  const about = findingsAbout(findings, id);
  const [exact] = about;
  if (exact === undefined || ruleIdSpellings(id).includes(exact.finding_id)) return exact && { finding: exact };
  const open = about.filter(({ waived }) => !waived);
  const meant = open.length > 0 ? open : about;
  const finding = meant.reduce((best, other) => (compareRisk(other, best) < 0 ? other : best));
  return { finding, ...(meant.length > 1 && { ambiguous: meant.length }) };
}

/** All findings that an id can mean: the one with exactly it, else those of the rule; the first spelling that says something counts. */
export function findingsAbout(findings: readonly Finding[], id: string): readonly Finding[] {
  const spellings = ruleIdSpellings(id);
  for (const by of ['finding_id', 'rule_id'] as const) {
    for (const spelling of spellings) {
      const found = findings.filter((finding) => finding[by] === spelling);
      if (found.length > 0) return by === 'finding_id' ? found.slice(0, 1) : found;
    }
  }
  return [];
}

/** How much a finding weighs in an order of work: severity times confidence, 0.2 to 10 (design of gadriel, section 1.7). */
export const effectiveRisk = (finding: Pick<Finding, 'severity' | 'confidence'>): number => weight[finding.severity] * sureness[finding.confidence];

const weight: Readonly<Record<Severity, number>> = { critical: 10, high: 7, medium: 4, low: 1.5, info: 0.5 };
const sureness: Readonly<Record<Confidence, number>> = { high: 1, medium: 0.7, low: 0.4 };

const compareRisk = (a: Finding, b: Finding): number => effectiveRisk(b) - effectiveRisk(a) || comparePlace(a, b);

/** The order of findings in a file of them: path, line, rule, then column and id, by code units. */
export function comparePlace(a: Finding, b: Finding): number {
  return (
    compareText(a.file, b.file) || a.line - b.line || compareText(a.rule_id, b.rule_id) || a.column - b.column || compareText(a.finding_id, b.finding_id)
  );
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
