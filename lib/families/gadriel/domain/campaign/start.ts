import type { Finding } from '../finding.types.ts';
import { appendAudit } from '../records/audit-log.ts';
import { readFindings } from '../records/findings-file.ts';
import { judge } from '../records/judge.ts';
import { effectiveRisk } from '../records/lookup.ts';
import type { Surroundings } from '../surroundings.types.ts';
import { isToolFailed, ToolFailed } from '../tool-failed.ts';
import { freeCampaignId, loadCampaign, writeCampaign } from './campaign-file.ts';
import { holderOf, releaseLock, takeLock, withCampaigns } from './campaign-lock.ts';
import type { Campaign, CampaignFilter, CampaignItem } from './campaign.types.ts';
import { applyFilter, parseFilter } from './filter.ts';
import { orderFindings } from './order.ts';

/** What to work on and how. `runnerId` absent or empty: `claude` where a key is set, else the offline `rules`. */
export type StartRequest = { readonly root: string; readonly filter: CampaignFilter; readonly runnerId: string | undefined; readonly force: boolean };

/** The answer of start_remediation_campaign; the keys are wire words. */
export type Started = { readonly campaign_id: string; readonly total: number; readonly first_batch: readonly string[] };

const previewed = 5;
const budget = { max_cost_usd: 5, max_items: 200, max_attempts: 2 } as const;

/**
 * Starts a campaign over the findings of the last scan and takes the repository's campaign lock. Without a finding that
 * fits, the campaign is complete at once and the lock left free.
 *
 * Throws InvalidParams for a filter word that is not known, and ToolFailed while another campaign holds the repository,
 * unless `force` says to end that one, its process is gone, or it is a day old.
 */
export async function startCampaign({ root, filter, runnerId, force }: StartRequest, surroundings: Surroundings): Promise<Started> {
  const restricted = parseFilter(filter);
  const found = applyFilter(await judge(root, await readFindings(root), surroundings), restricted);
  const items = orderFindings(found).map(itemOf);
  const now = surroundings.now();
  const at = new Date(now).toISOString();
  return withCampaigns(root, async () => {
    const holder = force ? undefined : await holderOf(root, now);
    if (holder !== undefined && (await isActive(root, holder.campaignId))) {
      throw new ToolFailed(`a campaign holds the repository: ${holder.words}; finish it with campaign_advance, or start with force`);
    }
    const campaign: Campaign = {
      schema: 1,
      campaign_id: await freeCampaignId(root, now),
      repo_root: root,
      runner_id: runnerId || (surroundings.env['ANTHROPIC_API_KEY'] ? 'claude' : 'rules'),
      filter: restricted,
      status: items.length === 0 ? 'complete' : 'active',
      created_at: at, updated_at: at, cost_usd: 0, cost_unknown: 0, budget, items,
    };
    const { campaign_id, runner_id } = campaign;
    // The file first: a lock always names a campaign that can be finished.
    await writeCampaign(root, campaign);
    const displaced = await takeLock(root, campaign_id, now);
    if (displaced !== undefined && (await abort(root, displaced, at))) {
      surroundings.log('warning', `${displaced} was not finished and is ended: ${campaign_id} took its place`);
    }
    await appendAudit(root, [{ ts: at, event: 'campaign_started', agent_runner: runner_id, campaign_id, notes: `${items.length} finding(s)` }]);
    if (items.length === 0) await releaseLock(root, campaign_id);
    return { campaign_id, total: items.length, first_batch: items.slice(0, previewed).map(({ finding_id }) => finding_id) };
  });
}

function itemOf(finding: Finding): CampaignItem {
  const { finding_id, rule_id, file, line, scan_type, severity, confidence, pillar, fingerprint } = finding;
  return {
    finding_id, rule_id, file, line, scan_type, severity, confidence, pillar, fingerprint,
    risk: Math.round(effectiveRisk(finding) * 100) / 100, status: 'pending', attempts: 0, failures: 0, cost_usd: 0,
  };
}

/** Whether there is work left in the campaign that a lock names: a process that was killed may have left the lock of a finished one. */
const isActive = async (root: string, id: string): Promise<boolean> => (await tryLoad(root, id))?.status !== 'complete';

/** Ends a campaign whose lock was taken over, so that it can not go on beside the new one; says whether there was work left in it. */
async function abort(root: string, id: string, at: string): Promise<boolean> {
  const campaign = await tryLoad(root, id);
  if (campaign?.status !== 'active') return false;
  await writeCampaign(root, { ...campaign, status: 'aborted', updated_at: at });
  return true;
}

async function tryLoad(root: string, id: string): Promise<Campaign | undefined> {
  try {
    return await loadCampaign(root, id);
  } catch (error) {
    if (isToolFailed(error)) return undefined;
    throw error;
  }
}
