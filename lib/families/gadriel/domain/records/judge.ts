import type { Finding } from '../finding.types.ts';
import type { Surroundings } from '../surroundings.types.ts';
import { applyPriors, openPriors } from './priors.ts';
import { loadWaivers } from './waivers.ts';

/**
 * Findings of a scan as this repository has them: what its waivers cover is marked as waived, and confidence is what the
 * learned priors make of it. Nothing is left out. Throws ToolFailed where the file of waivers is broken.
 */
export async function judge(root: string, findings: readonly Finding[], { env, now, log }: Pick<Surroundings, 'env' | 'now' | 'log'>): Promise<Finding[]> {
  if (findings.length === 0) return [];
  const waivers = await loadWaivers(root, now());
  const marked = findings.map((finding) => (finding.waived || waivers.match(finding) === undefined ? finding : { ...finding, waived: true }));
  return applyPriors(marked, openPriors(root, env, log));
}
