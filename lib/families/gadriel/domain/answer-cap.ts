import { severities, type Finding } from './finding.types.ts';

/** Most JSON that the findings of one answer may take, in UTF-16 code units: a model has to read it. */
const maxAnswerLength = 100 * 1024;

/** Findings that fit one answer; `truncated` says how many are left out. */
export type Capped = { readonly findings: readonly Finding[]; readonly truncated?: number };

/** Leaves out the least severe findings where all of them would be too much for one answer. Order is kept. */
export function capFindings(findings: readonly Finding[]): Capped {
  const sizes = findings.map((finding) => JSON.stringify(finding).length + 1);
  if (sizes.reduce((sum, size) => sum + size, 0) <= maxAnswerLength) return { findings };
  const bySeverity = findings
    .map((finding, index) => ({ index, rank: severities.indexOf(finding.severity) * 1_000 - finding.confidence_score }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index);
  const kept = new Set<number>();
  let room = maxAnswerLength;
  for (const { index } of bySeverity) {
    room -= sizes[index] as number;
    if (room < 0) break;
    kept.add(index);
  }
  return { findings: findings.filter((_, index) => kept.has(index)), truncated: findings.length - kept.size };
}
