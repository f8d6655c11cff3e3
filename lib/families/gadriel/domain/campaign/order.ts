import type { Finding } from '../finding.types.ts';
import { comparePlace, effectiveRisk } from '../records/lookup.ts';

/**
 * The order in which findings are worked on: by effective risk, then those that an attack path leads to, shorter paths
 * first, then by path and line. After that each file is moved up whole to the place of its first finding.
 */
export function orderFindings(findings: readonly Finding[]): Finding[] {
  const sorted = [...findings].sort((a, b) => effectiveRisk(b) - effectiveRisk(a) || pathLength(a) - pathLength(b) || comparePlace(a, b));
  const byFile = new Map<string, Finding[]>();
  for (const finding of sorted) {
    const group = byFile.get(finding.file);
    if (group === undefined) byFile.set(finding.file, [finding]);
    else group.push(finding);
  }
  return [...byFile.values()].flat();
}

/** No path at all comes behind the longest one. Not Infinity, of which two have no difference. */
const pathLength = ({ attack_path_length: length }: Finding): number => length ?? Number.MAX_SAFE_INTEGER;
