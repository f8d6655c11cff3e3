import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';

const text = { type: 'string' } as const;

/** gage_pair_confirm: puts the key on the list, unconfirmed, where the words come back. */
export function gagePairConfirmTool({ context, loadPairings }: Parts): Tool {
  return defineTool({
    name: 'gage_pair_confirm',
    title: 'Complete pairing',
    description:
      'Completes a pairing where echo is exactly the words of the key: the key goes on the buddy list as unconfirmed. A key knows its own words: ' +
      'gage_pair_start has just shown them to you, so echoing them back proves nothing by itself. Call this only after a person has compared them ' +
      'with the other machine; if nobody has, say so to your user instead. A wrong echo adds nothing and does not say what was right; three spend ' +
      'the pairing. Only a person makes a buddy confirmed, with gage buddies confirm.',
    inputSchema: {
      type: 'object',
      properties: {
        pairing_id: { type: 'string', minLength: 1, maxLength: 100, description: 'As gage_pair_start answered it.' },
        echo: {
          description: 'The eight words as the person read them: one text, or the four pairs.',
          anyOf: [
            { type: 'string', maxLength: 1_000 },
            { type: 'array', items: { type: 'string', maxLength: 200 }, minItems: 4, maxItems: 4 },
          ],
        },
        name: { type: 'string', minLength: 1, maxLength: 200, description: 'What to call them; needed where gage_pair_start got none, else the same.' },
      },
      required: ['pairing_id', 'echo'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        added: { const: true },
        name: text,
        key: { type: 'string', description: 'Signing key in base64.' },
        state: { const: 'unconfirmed' },
        next: { type: 'string', description: 'The command by which a person makes the buddy confirmed.' },
      },
      required: ['added', 'name', 'key', 'state', 'next'],
      additionalProperties: false,
    },
    annotations: { title: 'Complete pairing', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    call: async (given) => {
      const { openHome } = await import('../domain/home/home.ts');
      const home = openHome(context.env);
      return (await loadPairings()).confirm(given, home, context);
    },
  });
}
