import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';

const words = (description: string) => ({ type: 'array', items: { type: 'string' }, description }) as const;

/** start_remediation_campaign: makes a worklist of findings and takes the repository's campaign lock. */
export function startRemediationCampaignTool({ context }: Parts): Tool {
  return defineTool({
    name: 'start_remediation_campaign',
    title: 'Start a remediation campaign',
    description:
      'Makes an ordered worklist of the findings of the last scan and starts working it off: call campaign_advance again and again for one fix ' +
      'after the other. Lists restrict the worklist: a finding must be in each list that is given. One campaign a repository. Writes ' +
      'its state under .security/campaigns, never source code; calls no model.',
    inputSchema: {
      type: 'object',
      properties: {
        severity: words('critical, high, medium, low, info'),
        pillar: words('security, compliance, safety, operational, finops, coherence, teamwork, bias'),
        scan_type: words('sast, secrets, config, ai, sca, container, api'),
        rule_id: words('Ids of rules, such as CODE-W1-L3-002, or L3-002 for short.'),
        confidence_tier: words('high, medium, low'),
        finding_ids: words('Exact ids of findings; a rule id stands for its first finding that is not waived.'),
        repo_root: { type: 'string', description: 'Path of the repository; default is that of the working folder.' },
        runner_id: { type: 'string', description: 'rules (offline), claude or claude-cli; default is claude where ANTHROPIC_API_KEY is set, else rules.' },
        force: { type: 'boolean', default: false, description: 'End the campaign that holds the repository.' },
      },
      additionalProperties: true,
    },
    outputSchema: {
      type: 'object',
      properties: {
        campaign_id: { type: 'string' },
        total: { type: 'integer', description: 'Findings on the worklist.' },
        first_batch: { type: 'array', items: { type: 'string' }, description: 'Ids of the first five.' },
        note: { type: 'string', description: 'Where costs will not be known.' },
      },
      required: ['campaign_id', 'total', 'first_batch'],
    },
    annotations: { title: 'Start a remediation campaign', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    effects: 'own',
    call: async ({ repo_root, runner_id, force, ...filter }, { exclusive }) => {
      const { startCampaign } = await import('../domain/campaign/start.ts');
      const { toolRoot } = await import('../domain/records/repo-root.ts');
      const root = await toolRoot(repo_root, context.cwd);
      return exclusive(() => startCampaign({ root, filter, runnerId: runner_id, force }, context));
    },
  });
}
