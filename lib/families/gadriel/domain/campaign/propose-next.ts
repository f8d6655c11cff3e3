import type { FixProposal, FixRequest } from '../fix/fix.types.ts';
import { standsInText } from '../fix/locate.ts';
import type { Finding } from '../finding.types.ts';
import { ruleById } from '../rules/index.ts';
import { isToolFailed } from '../tool-failed.ts';
import type { Campaign, CampaignItem, CampaignParts, ItemStatus } from './campaign.types.ts';
import { syntaxErrors } from '../fix/syntax-errors.ts';
import { baselineOf, locateFinding } from './compare-scans.ts';
import { markConfig, type ConfigMark } from './config-mark.ts';
import { readItemFile, type ItemFile } from './item-file.ts';
import { scanFile } from './settle.ts';
import { money, type Cost, type ItemChange, type Step } from './step.ts';

/** What one look at an item came to: its step, and what each run of the runner cost. */
export type Proposed = { readonly step: Step; readonly costs: readonly Cost[] };

/** How many times a runner may fail at one item: no usable answer, a refusal, a diff that does not do. */
const maxFailures = 2;
/** How long a waiver holds that no one has decided on: long enough to go on, too short to hide a flaw for good. */
const undecidedDays = 30;

/**
 * Gets a proposal for an item: the step is either `in_progress` with a diff for the host, or an end. `lastError` tells
 * the runner why an applied proposal did not do. Writes nothing; an abort throws and leaves the item as it was.
 * Throws ToolFailed where `.gadriel.toml` is broken.
 */
export async function proposeItem(campaign: Campaign, index: number, lastError: string | undefined, parts: CampaignParts): Promise<Proposed> {
  const item = campaign.items[index] as CampaignItem;
  const root = campaign.repo_root;
  const config = await markConfig(root);
  const file = readItemFile(root, item.file);
  const scan = file === undefined ? undefined : await scanFile(root, item.file, file, parts);
  const current = scan === undefined ? undefined : locateFinding(item, scan, fingerprintsOfOthers(campaign, index));
  if (current?.waived === true && lastError === undefined) {
    return { step: { index, change: { status: 'waived', reason: 'waived since the campaign started' } }, costs: [] };
  }

  const place = current === undefined ? {} : { line: current.line, fingerprint: current.fingerprint };
  const request: FixRequest = {
    root, runnerId: campaign.runner_id, findingId: current?.finding_id ?? item.finding_id,
    // Lines move while a campaign goes on, so the runner gets the finding as it stands now.
    ...(current !== undefined && { findings: [current] }),
  };
  const costs: Cost[] = [];
  for (let failures = item.failures, outages = 0, error = lastError; ; ) {
    const proposal = await runProposal({ ...request, ...(error !== undefined && { lastError: error }) }, parts);
    costs.push({ usd: proposal.cost_usd });
    const cost_usd = money(item.cost_usd + costs.reduce((sum, { usd }) => sum + (usd ?? 0), 0));
    const scene = { item, file, scan, current, failures, outages, config, isSameConfig: (campaign.config ?? config.mark) === config.mark };
    const step = stepOf(proposal, scene);
    if (step !== undefined) {
      const { change, waiver } = lastError === undefined ? step : afterFailedFix(step);
      return { step: { index, change: { ...place, ...change, cost_usd }, ...(waiver !== undefined && { waiver }) }, costs };
    }
    if (isOutage(proposal)) outages++;
    else {
      failures++;
      error = reasonOf(proposal);
    }
  }
}

/** A newer scan may know the finding no more, and a bug may be met at one item: neither must stop the campaign. */
async function runProposal(request: FixRequest, parts: CampaignParts): Promise<FixProposal> {
  const { runnerId: runner_id, findingId: finding_id } = request;
  const none = { runner_id, finding_id, diff: null, iterations_used: 0, tool_calls: [], cost_usd: 0 } as const;
  try {
    return await parts.proposeFix(request, parts);
  } catch (error) {
    if (isToolFailed(error)) return { ...none, status: 'stale', rationale: error.message };
    if (parts.signal.aborted) throw error;
    parts.log('error', 'a fix could not be proposed', error instanceof Error ? (error.stack ?? error.message) : String(error));
    return { ...none, status: 'no_agent', rationale: 'The program met an error of its own at this finding; standard error tells.' };
  }
}

/** A fix was applied and did not do: whatever keeps the runner from a second one, the flaw is still there. */
function afterFailedFix(step: Pick<Step, 'change' | 'waiver'>): { readonly change: ItemChange; readonly waiver?: Step['waiver'] } {
  const { status, reason = '' } = step.change;
  if (status === 'in_progress') return step;
  return { change: { status: 'regressed', reason: `still found after the fix, and no other was proposed: ${reason}` } };
}

/** Whether the runner could not be reached or would not serve anyone: that says nothing of the item. */
const isOutage = ({ status, error }: FixProposal): boolean => status === 'runner_failed' && (error?.kind === 'http' || error?.kind === 'timeout');

const isOwnRule = (ruleId: string): boolean => ruleById(ruleId) !== undefined || /^CODE-W1-SECRET-\d{3}$/.test(ruleId);

type Scene = {
  readonly item: CampaignItem;
  readonly file: ItemFile | undefined;
  readonly scan: readonly Finding[] | undefined;
  readonly current: Finding | undefined;
  readonly failures: number;
  readonly outages: number;
  readonly config: ConfigMark;
  readonly isSameConfig: boolean;
};

/** The step that a runner's answer leads to; undefined where it has failed once and is asked again. */
function stepOf(proposal: FixProposal, scene: Scene): Pick<Step, 'change' | 'waiver'> | undefined {
  const { item, file, scan, current, failures, outages, config } = scene;
  const reason = reasonOf(proposal);
  const { diff, ...rest } = proposal;
  switch (proposal.status) {
    case 'proposed':
      if (diff === null || file === undefined) return { change: { status: 'skipped_no_agent', reason: 'the file can not be read' } };
      return {
        change: {
          status: 'in_progress', attempts: item.attempts + 1, failures, diff, before_hash: file.hash,
          proposal: { ...rest, finding_id: item.finding_id }, baseline: { ...baselineOf(scan ?? [], current, file.text), config: config.mark, errors: syntaxErrors(item.file, file.text) },
        },
      };
    case 'runner_failed':
    case 'invalid_diff':
      if (isOutage(proposal)) {
        // Like a runner that is not set up. No waiver: a wrong key would wave all findings through the gate.
        const isWorthIt = proposal.error?.retryable === true && outages === 0;
        return isWorthIt ? undefined : { change: { status: 'skipped_no_agent', failures, reason } };
      }
      if (failures + 1 < maxFailures) return undefined;
      return { change: { status: 'waived', failures: failures + 1, reason }, waiver: { days: undecidedDays } };
    case 'stale':
      // Of a foreign rule the silence of a scan would say nothing.
      if (scan === undefined || current !== undefined || !isOwnRule(item.rule_id)) return { change: { status: 'skipped_no_agent', reason } };
      return { change: whyUnseen(scene) };
    default:
      // Also a runner that declines: it says that it has no safe fix, not that the finding may be waived.
      return { change: { status: 'skipped_no_agent', reason } };
  }
}

/** The end of an item that a scan does not show any more: its code has changed, or the scan is another one. */
function whyUnseen({ item, file, config, isSameConfig }: Scene): ItemChange {
  if (config.off.has(item.rule_id)) return { status: 'skipped_no_agent', reason: '.gadriel.toml switches the rule off, so that no scan shows the finding' };
  if (!isSameConfig) return { status: 'skipped_no_agent', reason: '.gadriel.toml was changed since the campaign started, so that a scan looks for other things' };
  // Found by another profile, say.
  if (file !== undefined && standsInText(item, file.text)) return { status: 'skipped_no_agent', reason: 'its line is as it was, but a scan does not show the finding any more' };
  return { status: 'fixed', reason: 'gone before a fix was proposed' };
}

const reasonOf = ({ status, rationale, error }: FixProposal): string => [status, error?.message ?? rationale].filter((part) => part !== '').join(': ');

/** What other items stand for in the file. One that was mended stands for nothing: an equal line may have got its fingerprint. */
function fingerprintsOfOthers({ items }: Campaign, index: number): ReadonlySet<string> {
  const mended: readonly ItemStatus[] = ['fixed', 'verified', 'verified_partial'];
  return new Set(items.flatMap(({ fingerprint, status }, other) => (other === index || mended.includes(status) ? [] : [fingerprint])));
}
