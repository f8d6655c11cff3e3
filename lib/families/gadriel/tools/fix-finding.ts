import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';

/** fix_finding: a diff that fixes a finding, or without a runner a verdict on it. */
export function fixFindingTool({ context, loadRescans }: Parts): Tool {
  return defineTool({
    name: 'fix_finding',
    title: 'Propose a fix',
    description:
      'Proposes a fix of one finding of the last scan as a unified diff and a rationale; apply it yourself with git apply at the root of the ' +
      'repository. With runner_id (rules: offline templates; claude, claude-cli: a model, which sees source by consent only) the answer is a ' +
      'FixProposal; without it a verdict with confirmation, explanation and a fix where there is one, which is logged. Every diff has been ' +
      'applied in memory and scanned again. Never writes source code.',
    inputSchema: {
      type: 'object',
      properties: {
        finding_id: { type: 'string', minLength: 1, maxLength: 300, description: 'Id of a finding, or of a rule: then its first finding in the order of risk.' },
        repo_root: { type: 'string', minLength: 1, description: 'The repository; that of the working folder of the server when left out.' },
        runner_id: { type: ['string', 'null'], minLength: 1, maxLength: 64, description: 'rules, claude or claude-cli; leave it out for a verdict.' },
      },
      required: ['finding_id'],
      additionalProperties: true,
    },
    annotations: { title: 'Propose a fix', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    effects: 'own',
    call: async ({ finding_id, repo_root, runner_id }, call) => {
      const { toolRoot } = await import('../domain/records/repo-root.ts');
      const root = await toolRoot(repo_root, context.cwd);
      const { signal, progress, exclusive } = call;
      const surroundings = { ...context, signal, progress, exclusive };
      const { proposeFix, usualParts } = await import('../domain/fix/propose.ts');
      const parts = { ...usualParts, rescan: (await loadRescans()).rescanFile };
      if (runner_id !== undefined && runner_id !== null) return proposeFix({ root, findingId: finding_id, runnerId: runner_id }, surroundings, parts);
      return (await import('../domain/fix/verdict.ts')).confirmFinding({ root, findingId: finding_id }, surroundings, parts);
    },
  });
}
