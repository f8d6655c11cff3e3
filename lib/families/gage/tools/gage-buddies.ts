import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';

const text = { type: 'string' } as const;

/** gage_buddies: who is on the list. */
export function gageBuddiesTool({ context }: Parts): Tool {
  return defineTool({
    name: 'gage_buddies',
    title: 'Buddy list',
    description:
      'Lists the buddies by name with what each counts as: confirmed (a person compared the words of this very key), unconfirmed (on the list, ' +
      'nobody compared them), blocked. unread counts the bundles of each that wait in the inbox. Reads only; a person changes the list with gage buddies.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: {
        buddies: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: text,
              token: text,
              key: { type: 'string', description: 'Signing key in base64.' },
              label: text,
              state: { enum: ['confirmed', 'unconfirmed', 'blocked'] },
              confirmed_at: { type: ['string', 'null'] },
              added_at: text,
              unread: { type: 'integer', minimum: 0 },
            },
            required: ['name', 'token', 'key', 'label', 'state', 'confirmed_at', 'added_at', 'unread'],
            additionalProperties: false,
          },
        },
        total: { type: 'integer', minimum: 0 },
      },
      required: ['buddies', 'total'],
      additionalProperties: false,
    },
    annotations: { title: 'Buddy list', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    call: async () => {
      const { openHome } = await import('../domain/home/home.ts');
      const { showBuddies } = await import('../domain/inbox/show-buddies.ts');
      return showBuddies(openHome(context.env), context);
    },
  });
}
