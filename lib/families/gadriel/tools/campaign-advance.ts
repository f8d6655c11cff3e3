import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';

/** campaign_advance: judges what the host did with a proposed fix, and proposes the next one. */
export function campaignAdvanceTool({ context, loadRescans }: Parts): Tool {
  return defineTool({
    name: 'campaign_advance',
    title: 'Advance a remediation campaign',
    description:
      'Takes a campaign one step on and answers the next fix as a unified diff, or the summary when all is done. Apply the diff yourself, then call ' +
      'again with applied true: the file is scanned again to verify it. With applied false and a reason the finding is waived. Without applied ' +
      'the fix in progress is answered once more. Writes campaign state, waivers and the audit log, never source code; may call the ' +
      'model of its runner.',
    inputSchema: {
      type: 'object',
      properties: {
        campaign_id: { type: 'string', description: 'As start_remediation_campaign answered it.' },
        repo_root: { type: 'string', description: 'Path of the repository; default is that of the working folder.' },
        applied: { type: ['boolean', 'null'], description: 'Whether the proposed diff was applied; leave it out in the first call.' },
        after_hash: { type: ['string', 'null'], description: 'SHA-256 (hex) of the file after the diff was applied; checked when given.' },
        reason: { type: ['string', 'null'], description: 'Why the diff was not applied; needed with applied false.' },
      },
      required: ['campaign_id'],
      additionalProperties: true,
    },
    outputSchema: {
      type: 'object',
      properties: {
        campaign_id: { type: 'string' },
        status: { type: 'string', description: 'in_progress or campaign_complete.' },
        finding_id: { type: 'string', description: 'What the proposed fix is for.' },
        proposed_fix: { type: 'object', description: 'status, diff, rationale and what it took; while in progress.' },
        summary: { type: 'object', description: 'total, cost_usd, by_status, regressed; when complete.' },
      },
      required: ['campaign_id', 'status'],
    },
    annotations: { title: 'Advance a remediation campaign', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    effects: 'own',
    call: async ({ campaign_id, repo_root, applied, after_hash, reason }, call) => {
      const { advance } = await import('../domain/campaign/run.ts');
      const { exclusive, signal, progress } = call;
      const request = { campaignId: campaign_id, repoRoot: repo_root, applied: applied ?? undefined, afterHash: after_hash ?? undefined, reason: reason ?? undefined };
      return advance(request, { ...context, exclusive, signal, progress }, await loadRescans());
    },
  });
}
