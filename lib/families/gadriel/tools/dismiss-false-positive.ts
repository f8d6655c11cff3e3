import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';

/** dismiss_false_positive: a finding is no real issue, from now on. */
export function dismissFalsePositiveTool({ context }: Parts): Tool {
  return defineTool({
    name: 'dismiss_false_positive',
    title: 'Dismiss a false positive',
    description:
      'Registers the decision that a finding is no real issue: appends a waiver to .gadriel-waivers.toml and an event to ' +
      '.security/audit-log.jsonl, and lowers the learned confidence in the rule. Never touches source code, calls no model.',
    inputSchema: {
      type: 'object',
      properties: {
        finding_id: { type: 'string', minLength: 1, maxLength: 300, description: 'Id of a finding, or of a rule: then its first finding in the order of risk that is not waived.' },
        reason: { type: 'string', minLength: 1, maxLength: 4_000, description: 'Why it is no real issue, or why the risk is accepted.' },
        repo_root: { type: 'string', minLength: 1, description: 'The repository; that of the working folder of the server when left out.' },
      },
      required: ['finding_id', 'reason'],
      additionalProperties: true,
    },
    outputSchema: {
      type: 'object',
      properties: { logged: { type: 'boolean' }, audit_log_path: { type: 'string', description: 'Absolute path of the log.' } },
      required: ['logged', 'audit_log_path'],
    },
    annotations: { title: 'Dismiss a false positive', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    effects: 'ordered',
    call: async ({ finding_id, reason, repo_root }) => {
      const { dismissFalsePositive } = await import('../domain/records/dismiss.ts');
      const { toolRoot } = await import('../domain/records/repo-root.ts');
      return dismissFalsePositive({ finding_id, reason, root: await toolRoot(repo_root, context.cwd), by: 'tool' }, context);
    },
  });
}
