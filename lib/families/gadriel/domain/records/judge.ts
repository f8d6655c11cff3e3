import type { Finding } from '../finding.types.ts';
import { inSourceTag } from '../report/report.types.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { isToolFailed } from '../tool-failed.ts';
import { foreignSuppressedTag } from './ocsf-extras.ts';
import { applyPriors, openPriors } from './priors.ts';
import { loadWaivers, type Waivers } from './waivers.ts';

/**
 * Findings of a scan as this repository has them: what its waivers cover today is marked as waived and nothing else is,
 * and confidence is what the learned priors make of it. Nothing is left out. Throws ToolFailed where the file of waivers is broken;
 * `lenient`: the log is told so then, and nothing is waived.
 */
export async function judge(
  root: string, findings: readonly Finding[], { env, now, log }: Pick<Surroundings, 'env' | 'now' | 'log'>, { lenient = false }: { readonly lenient?: boolean } = {},
): Promise<Finding[]> {
  if (findings.length === 0) return [];
  const waivers = await loadWaivers(root, now()).catch((error: unknown): Waivers => {
    if (!lenient || !isToolFailed(error)) throw error;
    log('warning', `${error.message}; nothing is waived`);
    return { match: () => undefined };
  });
  return applyPriors(markWaived(findings, waivers), openPriors(root, env, log));
}

/**
 * Findings with `waived` as it is by these waivers. What the findings say themselves is of an earlier day: a waiver ends, or
 * is taken back. Only who silenced it in the source, or in another program, is asked by a scan of it alone.
 */
export function markWaived(findings: readonly Finding[], waivers: Waivers): Finding[] {
  return findings.map((finding) => {
    const waived = finding.tags.includes(inSourceTag) || finding.tags.includes(foreignSuppressedTag) || waivers.match(finding) !== undefined;
    return finding.waived === waived ? finding : { ...finding, waived };
  });
}
