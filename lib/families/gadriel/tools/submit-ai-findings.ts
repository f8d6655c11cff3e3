import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';

/** submit_ai_findings: joins what the host's model found with the findings of a scan. */
export function submitAiFindingsTool({ context, loadSessions }: Parts): Tool {
  return defineTool({
    name: 'submit_ai_findings',
    title: 'Submit findings of the model',
    description:
      'Answers the tier2_request of validate_buffer or validate_file: takes what the model found in the scanned file and joins it with the ' +
      'findings of the scan. It can confirm or contest a finding, never remove one or change its severity; what the model alone found is ' +
      'Low and gates nothing. A session lasts 120 seconds and takes one submission. Writes nothing.',
    inputSchema: {
      type: 'object',
      properties: {
        session_id: { type: 'string', description: 'session_id of the tier2_request.' },
        ai_findings: {
          type: 'array', items: { description: 'One finding of the model.' },
          description: 'Objects in the shape that the tier2_request names as schema; at most 50 are taken.',
        },
        mode: { type: 'string', default: 'advisory', description: 'advisory (default), or corroborate_only: add nothing that the model alone found.' },
      },
      required: ['session_id', 'ai_findings'],
      additionalProperties: true,
    },
    outputSchema: {
      type: 'object',
      properties: {
        findings: { type: 'array', items: { type: 'object' }, description: 'All findings of the scan, and what the model added.' },
        tier2_applied: { type: 'boolean' },
        report: {
          type: 'object',
          description: 'corroborated, contested, advisory_added, rejected_count, malformed_skipped: they sum to the number submitted.',
        },
      },
      required: ['findings', 'tier2_applied', 'report'],
    },
    annotations: { title: 'Submit findings of the model', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    effects: 'ordered',
    call: async (submission) => {
      const { submitAiFindings } = await import('../domain/tier2/submit.ts');
      return submitAiFindings(submission, await loadSessions(), context.now());
    },
  });
}
