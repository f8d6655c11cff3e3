import type { Confidence, Finding, Severity } from '../finding.types.ts';

/** A finding that was asked for; `ambiguous` is the number of findings of its rule when the rule alone was named and it is more than one. */
export type Lookup = { readonly finding: Finding; readonly ambiguous?: number };

/**
 * Finds a finding by its exact id, else by a bare rule id: then the first in the order of risk, path and line.
 * Undefined where nothing fits.
 */
export function lookupFinding(findings: readonly Finding[], id: string): Lookup | undefined {
  const exact = findings.find((finding) => finding.finding_id === id);
  if (exact !== undefined) return { finding: exact };
  const [first, ...others] = findings.filter((finding) => finding.rule_id === id).sort(compareRisk);
  if (first === undefined) return undefined;
  return { finding: first, ...(others.length > 0 && { ambiguous: others.length + 1 }) };
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
