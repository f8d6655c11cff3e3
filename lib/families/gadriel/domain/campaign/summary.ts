import { itemStatuses, type Campaign, type CampaignSummary, type ItemStatus } from './campaign.types.ts';

/** What a campaign comes to, counted from its items. */
export function summarise({ items, cost_usd, cost_unknown }: Campaign): CampaignSummary {
  const countOf = (status: ItemStatus): number => items.filter((item) => item.status === status).length;
  const counts = itemStatuses.map((status) => [status, countOf(status)] as const).filter(([, count]) => count > 0);
  const partial = countOf('verified_partial');
  return {
    total: items.length,
    cost_usd,
    ...(cost_unknown > 0 && { cost_unknown }),
    by_status: Object.fromEntries(counts),
    regressed: items.filter(({ status }) => status === 'regressed').map(({ finding_id }) => finding_id),
    ...(partial > 0 && {
      verified_partial_note: `${partial} item(s) marked verified_partial: a re-scan of one file proves only secrets and Python code; check these by a full scan`,
    }),
  };
}
