import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';

const count = (description: string) => ({ type: 'integer', description }) as const;

/** gage_pull: collects what waits on the relay into the inbox, unread. */
export function gagePullTool({ context }: Parts): Tool {
  return defineTool({
    name: 'gage_pull',
    title: 'Collect from the relay',
    description:
      'Collects what waits on the relay into the inbox and deletes it there; nothing of it is shown or accepted. One call takes at most 100 ' +
      'messages; remaining says how many are left. gage_inbox lists what came, with verdicts.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: {
        pulled: count('New bundles in the inbox.'),
        new_ids: { type: 'array', items: { type: 'string' } },
        duplicates: count('Bundles that had come before.'),
        refused: count('Bundles of blocked keys; they are deleted.'),
        malformed: count('Messages that are no good bundle for this identity.'),
        remaining: count('Messages that still wait on the relay, counted to 1,000.'),
        relay: { type: 'string' },
      },
      required: ['pulled', 'new_ids', 'duplicates', 'refused', 'malformed', 'remaining', 'relay'],
      additionalProperties: false,
    },
    annotations: { title: 'Collect from the relay', readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    // A slow relay must not hold up the calls behind it; each message that came is filed in turn.
    effects: 'own',
    call: async (_args, { signal, exclusive }) => (await import('../domain/send/pull.ts')).pull(context, { signal, inTurn: exclusive }),
  });
}
