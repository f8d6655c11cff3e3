import { safeText } from '../../../../text/safe-text.ts';
import type { Finding } from '../finding.types.ts';
import { modelOf } from '../fix/runners/claude-runner.ts';
import { priceNote } from '../fix/runners/prices.ts';
import { appendAudit } from '../records/audit-log.ts';
import { readFindings } from '../records/findings-file.ts';
import { judge } from '../records/judge.ts';
import { effectiveRisk } from '../records/lookup.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { ToolFailed } from '../tool-failed.ts';
import { campaignIds, freeCampaignId, removeCampaign, tryLoad, writeCampaign } from './campaign-file.ts';
import { holderOf, releaseLock, takeLock, withCampaigns } from './campaign-lock.ts';
import { isItemPath } from './campaign-schema.ts';
import type { Campaign, CampaignFilter, CampaignItem } from './campaign.types.ts';
import { applyFilter, parseFilter } from './filter.ts';
import { markConfig } from './config-mark.ts';
import { orderFindings } from './order.ts';

/** What to work on and how. `runnerId` absent or empty: `claude` where a key is set, else the offline `rules`. */
export type StartRequest = {
  readonly root: string;
  readonly filter: CampaignFilter;
  readonly runnerId: string | undefined;
  readonly force: boolean;
  /** Refuse while any campaign is unfinished, its process gone or not: of a command's it always is. */
  readonly keepUnfinished?: boolean;
};

/** The answer of start_remediation_campaign; the keys are wire words. */
export type Started = {
  readonly campaign_id: string;
  readonly total: number;
  readonly first_batch: readonly string[];
  /** Which campaign was ended for this one, and where the costs of the runner will not be known. */
  readonly note?: string;
};

const previewed = 5;
const budget = { max_cost_usd: 5, max_items: 200, max_attempts: 2 } as const;

/**
 * Starts a campaign over the findings of the last scan and takes the repository's campaign lock. Without a finding that
 * fits, the campaign is complete at once and the lock left free.
 *
 * Throws InvalidParams for a filter word that is not known, and ToolFailed while another campaign holds the repository,
 * unless `force` says to end that one, its process is gone, or it is a day old; then every other unfinished one is ended.
 */
export async function startCampaign({ root, filter, runnerId, force, keepUnfinished = false }: StartRequest, surroundings: Surroundings): Promise<Started> {
  const restricted = parseFilter(filter);
  const fitting = applyFilter(await judge(root, await readFindings(root), surroundings), restricted);
  const found = fitting.filter(({ file }) => isItemPath(file));
  if (found.length < fitting.length) surroundings.log('warning', `${fitting.length - found.length} finding(s) are left out: they name no file inside the repository`);
  const items = orderFindings(found).map(itemOf);
  const { mark: config } = await markConfig(root);
  const now = surroundings.now();
  const at = new Date(now).toISOString();
  return withCampaigns(root, async () => {
    const open = keepUnfinished && !force ? await unfinished(root) : undefined;
    if (open !== undefined) throw new ToolFailed(`${open} is not finished: go on with gadriel code campaign advance ${open}, or end it with --force`);
    const holder = force ? undefined : await holderOf(root, now);
    // A process that was killed may have left the lock of a finished campaign.
    if (holder !== undefined && !isOver((await tryLoad(root, holder.campaignId))?.status)) {
      throw new ToolFailed(`a campaign holds the repository: ${holder.words}; finish it with campaign_advance, or start with force`);
    }
    const campaign: Campaign = {
      schema: 1,
      campaign_id: await freeCampaignId(root, now),
      repo_root: root,
      runner_id: runnerId || (surroundings.env['ANTHROPIC_API_KEY'] ? 'claude' : 'rules'),
      filter: restricted,
      config,
      status: items.length === 0 ? 'complete' : 'active',
      created_at: at, updated_at: at, cost_usd: 0, cost_unknown: 0, budget, items,
    };
    const ended = await establish(root, campaign);
    const prices = campaign.runner_id === 'claude' ? priceNote(safeText(modelOf(surroundings.env), 80), surroundings.env) : undefined;
    const notes = [...ended.map((id) => `${id} was not finished and is ended: ${campaign.campaign_id} took its place`), ...(prices === undefined ? [] : [prices])];
    for (const each of notes) surroundings.log('warning', each);
    const note = notes.length === 0 ? undefined : notes.join('; ');
    const first_batch = items.slice(0, previewed).map(({ finding_id }) => finding_id);
    return { campaign_id: campaign.campaign_id, total: items.length, first_batch, ...(note !== undefined && { note }) };
  });
}

async function unfinished(root: string): Promise<string | undefined> {
  for (const id of await campaignIds(root)) if ((await tryLoad(root, id))?.status === 'active') return id;
  return undefined;
}

const isOver = (status: Campaign['status'] | undefined): boolean => status === 'complete' || status === 'aborted';

function itemOf(finding: Finding): CampaignItem {
  const { finding_id, rule_id, file, line, scan_type, severity, confidence, pillar, fingerprint } = finding;
  return {
    finding_id, rule_id, file, line, scan_type, severity, confidence, pillar, fingerprint,
    risk: Math.round(effectiveRisk(finding) * 100) / 100, status: 'pending', attempts: 0, failures: 0, cost_usd: 0,
  };
}

/**
 * Writes a campaign, tells the log, takes the lock and ends every other campaign that was left unfinished, as there is one at a
 * time; answers which. One without work takes no other's place. What fails is undone, so that no campaign is left that nobody has started.
 */
async function establish(root: string, campaign: Campaign): Promise<readonly string[]> {
  const { campaign_id, runner_id, items, created_at: at } = campaign;
  let told = false;
  try {
    // The file first: a lock always names a campaign that can be finished.
    await writeCampaign(root, campaign);
    await appendAudit(root, [{ ts: at, event: 'campaign_started', agent_runner: runner_id, campaign_id, notes: `${items.length} finding(s)` }]);
    told = true;
    if (items.length === 0) return [];
    await takeLock(root, campaign_id, Date.parse(at));
    const ended: string[] = [];
    for (const other of await campaignIds(root)) if (other !== campaign_id && (await abort(root, other, at))) ended.push(other);
    return ended;
  } catch (error) {
    await undo(root, campaign, told).catch(() => undefined);
    throw error;
  }
}

/** What the log tells of stays, as aborted. */
async function undo(root: string, campaign: Campaign, told: boolean): Promise<void> {
  await releaseLock(root, campaign.campaign_id);
  if (told) await writeCampaign(root, { ...campaign, status: 'aborted' });
  else await removeCampaign(root, campaign.campaign_id);
}

/** Ends a campaign, so that it can not go on beside the new one; says whether there was work left in it. */
async function abort(root: string, id: string, at: string): Promise<boolean> {
  const campaign = await tryLoad(root, id);
  if (campaign?.status !== 'active') return false;
  await writeCampaign(root, { ...campaign, status: 'aborted', updated_at: at });
  return true;
}
