import { InvalidParams } from '../../../../domain/invalid-params.ts';
import type { FixProposal } from '../fix/fix.types.ts';
import { ToolFailed } from '../tool-failed.ts';
import { loadCampaign } from './campaign-file.ts';
import { holdLock, isLockOf, releaseLock, withCampaigns } from './campaign-lock.ts';
import type { Campaign, CampaignItem, CampaignParts, CampaignSummary } from './campaign.types.ts';
import { proposeItem, type Proposed } from './propose-next.ts';
import { settle, type HostReport } from './settle.ts';
import { takeSteps, type Cost, type Step } from './step.ts';
import { summarise } from './summary.ts';
import { inTurn } from './turns.ts';

/** What the host says of the proposal in progress; `applied` undefined says nothing of it. */
export type AdvanceRequest = {
  readonly root: string;
  readonly campaignId: string;
  readonly applied: boolean | undefined;
  readonly afterHash: string | undefined;
  readonly reason: string | undefined;
};

/** The answer of campaign_advance: the next fix to apply, or what the campaign came to. Wire words. */
export type Advanced =
  | { readonly campaign_id: string; readonly finding_id: string; readonly status: 'in_progress'; readonly proposed_fix: FixProposal }
  | { readonly status: 'campaign_complete'; readonly campaign_id: string; readonly summary: CampaignSummary };

/**
 * Takes a campaign one step on: judges what the host did with the proposal in progress, then proposes for the next item
 * that a fix can be had for. Calls for one campaign take turns; an ended campaign answers its summary, however often.
 *
 * Throws InvalidParams for `applied: false` without a reason; ToolFailed where there is no such campaign, where it was
 * aborted, where another process holds it, and where `after_hash` is not that of the file.
 */
export async function advanceCampaign(request: AdvanceRequest, parts: CampaignParts): Promise<Advanced> {
  const report = reportOf(request);
  return inTurn(`${request.root}\0${request.campaignId}`, async () => {
    parts.signal.throwIfAborted();
    let campaign = await parts.exclusive(() => openCampaign(request, parts));
    if (campaign.status === 'complete') return summaryAnswer(campaign);
    const current = campaign.items.findIndex(({ status }) => status === 'in_progress');
    if (current !== -1) {
      if (report === undefined) return nextAnswer(campaign, current);
      const settled = await settle(campaign, campaign.items[current] as CampaignItem, report, parts);
      const { step, costs } =
        'again' in settled ? await proposeAgain(campaign, current, settled.again, parts) : { step: { index: current, ...settled }, costs: [] };
      campaign = await save(campaign, [step], parts, costs);
      if (step.change.status === 'in_progress') return nextAnswer(campaign, current);
    }
    return proposeUntilNeeded(campaign, parts);
  });
}

function reportOf({ applied, afterHash, reason }: AdvanceRequest): HostReport | undefined {
  if (applied === undefined) return undefined;
  if (applied) return { applied, afterHash };
  if (reason === undefined || reason.trim() === '') throw new InvalidParams('reason is needed with applied false: say why the fix was not applied');
  return { applied, reason };
}

/** Goes through the items until one has a proposal for the host to apply, or none is left. */
async function proposeUntilNeeded(start: Campaign, parts: CampaignParts): Promise<Advanced> {
  let campaign = start;
  for (let index = 0; index < campaign.items.length; index++) {
    if (campaign.items[index]?.status !== 'pending') continue;
    parts.signal.throwIfAborted();
    if (isSpent(campaign, index)) {
      campaign = await save(campaign, skipRest(campaign), parts, []);
      break;
    }
    parts.progress(index, campaign.items.length, `finding ${index + 1} of ${campaign.items.length}`);
    const { step, costs } = await proposeItem(campaign, index, undefined, parts);
    campaign = await save(campaign, [step], parts, costs);
    if (step.change.status === 'in_progress') return nextAnswer(campaign, index);
  }
  return summaryAnswer(campaign);
}

function summaryAnswer(campaign: Campaign): Advanced {
  return { status: 'campaign_complete', campaign_id: campaign.campaign_id, summary: summarise(campaign) };
}

function proposeAgain(campaign: Campaign, index: number, lastError: string, parts: CampaignParts): Promise<Proposed> | Proposed {
  if (!isSpent(campaign, index)) return proposeItem(campaign, index, lastError, parts);
  return { step: { index, change: { status: 'regressed', reason: `${lastError}, and the budget is spent` } }, costs: [] };
}

/** Loads the campaign, and holds it for this process unless it is complete. */
async function openCampaign({ root, campaignId }: AdvanceRequest, parts: CampaignParts): Promise<Campaign> {
  const found = await loadCampaign(root, campaignId);
  if (found.status === 'complete' && !(await isLockOf(root, campaignId))) return { ...found, repo_root: root };
  return withCampaigns(root, async () => {
    // Once more: another process may have gone on with it, or ended it, meanwhile.
    const campaign = await loadCampaign(root, campaignId);
    if (campaign.status === 'aborted') throw new ToolFailed('the campaign was aborted: another one was started in its place');
    // A process that was killed may have left the lock of a campaign that is complete.
    await (campaign.status === 'active' ? holdLock(root, campaignId, parts.now()) : releaseLock(root, campaignId));
    // A repository may have moved since; what is in the file is no place to go to.
    return { ...campaign, repo_root: root };
  });
}

const isSpent = ({ cost_usd, budget }: Campaign, index: number): boolean => cost_usd >= budget.max_cost_usd || index >= budget.max_items;

const skipRest = ({ items }: Campaign): Step[] =>
  items.flatMap(({ status }, index): Step[] => (status === 'pending' ? [{ index, change: { status: 'skipped_no_agent', reason: 'budget' } }] : []));

const save = (campaign: Campaign, steps: readonly Step[], parts: CampaignParts, costs: readonly Cost[]): Promise<Campaign> =>
  parts.exclusive(() => takeSteps(campaign, steps, parts, costs));

function nextAnswer({ campaign_id, items }: Campaign, index: number): Advanced {
  const { finding_id, proposal, diff } = items[index] as CampaignItem & Required<Pick<CampaignItem, 'proposal' | 'diff'>>;
  const { status, runner_id, finding_id: about, ...rest } = proposal;
  return { campaign_id, finding_id, status: 'in_progress', proposed_fix: { status, runner_id, finding_id: about, diff, ...rest } };
}
