import { maskSecrets } from '../../../../secrets/mask-secrets.ts';
import { appendAudit, type AuditEvent } from '../records/audit-log.ts';
import { openPriors } from '../records/priors.ts';
import { appendWaiver, loadWaivers } from '../records/waivers.ts';
import { ToolFailed } from '../tool-failed.ts';
import { safeText } from '../../../../text/safe-text.ts';
import { writeCampaign } from './campaign-file.ts';
import { isHeldFor, releaseLock, withCampaigns } from './campaign-lock.ts';
import type { Campaign, CampaignItem, CampaignParts, ItemStatus } from './campaign.types.ts';

/** How an item changes in a step; `waiver` also writes a mechanized waiver, with an end where `days` says so. */
export type ItemChange = Partial<Omit<CampaignItem, 'status'>> & { readonly status: ItemStatus };
export type Step = { readonly index: number; readonly change: ItemChange; readonly waiver?: { readonly days?: number } };

const maxReason = 500;
const dayMs = 24 * 60 * 60 * 1_000;

/** What one run of a runner cost; null where that is not known. */
export type Cost = { readonly usd: number | null };

/**
 * Carries out steps and writes the campaign with them: waivers first, then the audit log, then the campaign's file. So
 * a process killed in between repeats the step; waivers are not doubled by that, and the log misses nothing. What was
 * verified teaches the priors once the campaign is written.
 * Throws ToolFailed where the campaign was taken over meanwhile; then nothing is written.
 */
export async function takeSteps(campaign: Campaign, steps: readonly Step[], parts: CampaignParts, costs: readonly Cost[]): Promise<Campaign> {
  const { repo_root: root, campaign_id, runner_id } = campaign;
  return withCampaigns(root, async () => {
    if (!(await isHeldFor(root, campaign_id))) throw new ToolFailed('the campaign was taken over by another process meanwhile');
    const at = new Date(parts.now()).toISOString();
    const items = [...campaign.items];
    const events: AuditEvent[] = [];
    const verified: CampaignItem[] = [];
    for (const { index, change, waiver } of steps) {
      const item = { ...(items[index] as CampaignItem), ...tidy(change) };
      items[index] = isEnd(item.status) ? ended(item) : item;
      const about = aboutItem(item, campaign, at);
      const written = waiver !== undefined && (await waive(root, item, at, waiver.days)) === 'added';
      if (written) events.push({ ...about, event: 'waiver_written', notes: item.reason ?? null });
      events.push(statusEvent(about, item));
      if (item.status === 'verified') verified.push(item);
    }
    const done = items.every(({ status }) => isEnd(status));
    const next: Campaign = { ...campaign, ...addCosts(campaign, costs), items, status: done ? 'complete' : campaign.status, updated_at: at };
    if (done) events.push({ ts: at, event: 'campaign_complete', agent_runner: runner_id, campaign_id, cost_usd: next.cost_usd });
    await appendAudit(root, events);
    await writeCampaign(root, next);
    if (done) await releaseLock(root, campaign_id);
    // Last, for a step that fails is taken again, and may end otherwise then.
    for (const { finding_id, rule_id, pillar } of verified) {
      await openPriors(root, parts.env, parts.log).update(rule_id, pillar, { alpha: 1 }, `verified ${campaign_id} ${finding_id}`);
    }
    return next;
  });
}

function addCosts({ cost_usd, cost_unknown }: Campaign, costs: readonly Cost[]): Pick<Campaign, 'cost_usd' | 'cost_unknown'> {
  const known = costs.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
  return { cost_usd: money(cost_usd + known), cost_unknown: cost_unknown + costs.filter(({ usd }) => usd === null).length };
}

type About = Omit<AuditEvent, 'event'>;

const aboutItem = ({ finding_id, rule_id, file, line }: CampaignItem, { runner_id, campaign_id }: Campaign, ts: string): About => ({
  ts, finding_id, rule_id, path: file, line, agent_runner: runner_id, campaign_id,
});

function statusEvent(about: About, { status, reason, before_hash, after_hash, cost_usd }: CampaignItem): AuditEvent {
  const notes = reason === undefined ? status : `${status}: ${reason}`;
  return { ...about, event: 'item_status', notes, ...(before_hash !== undefined && { before_hash }), ...(after_hash !== undefined && { after_hash }), cost_usd };
}

/** Whether an item is through. */
export const isEnd = (status: ItemStatus): boolean => status !== 'pending' && status !== 'in_progress';

/** To a millionth of a dollar, so that sums of small costs read well. */
export const money = (usd: number): number => Math.round(usd * 1e6) / 1e6;

/** A step that is repeated would make a waiver that ends a little later: where one holds already, another says nothing. */
async function waive(root: string, item: CampaignItem, at: string, days: number | undefined): Promise<'added' | 'present'> {
  const ends = days === undefined ? undefined : Date.parse(at) + days * dayMs;
  if (ends !== undefined && (await loadWaivers(root, Date.parse(at))).match(item) !== undefined) return 'present';
  return appendWaiver(root, {
    rule_id: item.rule_id, path: item.file, line: item.line, reason: item.reason ?? '', kind: 'mechanized', created_by: 'campaign', created_at: at,
    fingerprint: item.fingerprint, finding_id: item.finding_id,
    ...(ends !== undefined && { expires_at: new Date(ends).toISOString() }),
  });
}

/** Reasons come from hosts and models: they may quote what they read. */
function tidy(change: ItemChange): ItemChange {
  return change.reason === undefined ? change : { ...change, reason: safeText(maskSecrets(change.reason), maxReason) };
}

/** An item that is through needs nothing to go on with. A diff that takes a secret out of a file, or stands near one, quotes it. */
function ended(item: CampaignItem): CampaignItem {
  const { proposal: _proposal, baseline: _baseline, diff, ...rest } = item;
  const keeps = diff !== undefined && item.scan_type !== 'secrets' && maskSecrets(diff) === diff;
  return { ...rest, ...(keeps && { diff }) };
}
