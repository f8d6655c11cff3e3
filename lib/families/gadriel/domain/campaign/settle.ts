import type { Finding } from '../finding.types.ts';
import { syntaxErrors } from '../fix/syntax-errors.ts';
import { isNotebook, isPython } from '../source-path.ts';
import { isToolFailed, ToolFailed } from '../tool-failed.ts';
import type { Baseline, Campaign, CampaignItem, CampaignParts } from './campaign.types.ts';
import { compareScans } from './compare-scans.ts';
import { markConfig } from './config-mark.ts';
import { readItemFile, type ItemFile } from './item-file.ts';
import type { ItemChange } from './step.ts';

/** What the host did with a proposal: applied it, or says why not. */
export type HostReport = { readonly applied: true; readonly afterHash: string | undefined } | { readonly applied: false; readonly reason: string };

/** What comes of a report: the item's end, or that it is to be proposed once more, with what to tell the runner. */
export type Settled = { readonly change: ItemChange; readonly waiver?: object } | { readonly again: string };

/**
 * Judges what the host did with the proposal in progress, by a re-scan of the file (design of gadriel, section 1.7).
 * Throws ToolFailed, without a change, where `afterHash` is not that of the file, and where `.gadriel.toml` is broken.
 */
export async function settle(campaign: Campaign, item: CampaignItem, report: HostReport, parts: CampaignParts): Promise<Settled> {
  if (!report.applied) return { change: { status: 'waived', reason: report.reason }, waiver: {} };
  const file = readItemFile(campaign.repo_root, item.file);
  if (file === undefined) return { change: { status: 'fixed', reason: 'the file is gone or can not be read' } };
  if (report.afterHash !== undefined && report.afterHash.toLowerCase() !== file.hash) {
    throw new ToolFailed('after_hash is not the SHA-256 of the file as it is now: apply the diff, hash the file and report again');
  }
  // First: a scan that fails for its settings says nothing of the file.
  const config = await markConfig(campaign.repo_root);
  const scan = await scanFile(campaign.repo_root, item.file, file, parts);
  if (scan === undefined) return { change: { status: 'fixed', reason: 'the file can not be scanned any more' } };
  const baseline = item.baseline as Baseline;
  const verdict = compareScans(baseline, scan, file.text, item.severity);
  const seen = { after_hash: file.hash };
  if (verdict.kind === 'regressed') return { change: { ...seen, status: 'regressed', reason: `new in the file: ${verdict.newRules.join(', ')}` } };
  if (verdict.kind === 'still_there') {
    if (item.attempts < campaign.budget.max_attempts) return { again: 'the fix was applied, but a scan still finds the flaw' };
    return { change: { ...seen, status: 'regressed', reason: `still found after ${item.attempts} proposals` } };
  }
  if (baseline.config !== undefined && baseline.config !== config.mark) {
    return { change: { ...seen, status: 'verified_partial', reason: '.gadriel.toml was changed since the fix was proposed, so that a scan looks for other things' } };
  }
  if (baseline.errors !== undefined && syntaxErrors(item.file, file.text) > baseline.errors) {
    return { change: { ...seen, status: 'verified_partial', reason: 'the file is not valid any more (syntax errors), so that a scan sees less of it' } };
  }
  return { change: { ...seen, status: verdict.kind === 'gone' && isProven(item, file) ? 'verified' : 'verified_partial' } };
}

/** The findings of a file in a text; undefined where it can not be scanned. */
export async function scanFile(root: string, name: string, { text }: ItemFile, parts: Pick<CampaignParts, 'rescanFile'>): Promise<readonly Finding[] | undefined> {
  try {
    return await parts.rescanFile(root, name, text);
  } catch (error) {
    if (isToolFailed(error)) return undefined;
    throw error;
  }
}

/** Only these are found in one file for certain; of others a re-scan sees a part. */
const isProven = ({ scan_type, file }: CampaignItem, { text }: ItemFile): boolean =>
  scan_type === 'secrets' || (scan_type === 'sast' && (isPython(file, text) || isNotebook(file)));
