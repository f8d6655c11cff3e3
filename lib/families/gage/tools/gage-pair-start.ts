import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';

const text = { type: 'string' } as const;

/** gage_pair_start: begins to add a key, adds nothing. */
export function gagePairStartTool({ context, loadPairings }: Parts): Tool {
  return defineTool({
    name: 'gage_pair_start',
    title: 'Begin pairing',
    description:
      'Begins to add the key of a token to the buddy list and answers a pairing_id and the four word pairs of that key; nothing is added yet. ' +
      'Show the words to your user: a person has to compare them with the other machine, over a channel that neither machine controls, before ' +
      'gage_pair_confirm. The pairing lives in memory for 15 minutes, in this session alone.',
    inputSchema: {
      type: 'object',
      properties: {
        key: { type: 'string', description: 'The token of the other person, 89 characters, as gage whoami prints it there.' },
        name: { type: 'string', description: 'What to call them on your list; it can be given at gage_pair_confirm too.' },
      },
      required: ['key'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        pairing_id: text,
        word_pairs: { type: 'array', items: text, minItems: 4, maxItems: 4 },
        words: text,
        name: { type: ['string', 'null'] },
        key: { type: 'string', description: 'Signing key in base64.' },
        expires_in_s: { type: 'integer' },
        added: { const: false },
        note: { type: 'string', description: 'Who has to compare what before it goes on.' },
      },
      required: ['pairing_id', 'word_pairs', 'words', 'name', 'key', 'expires_in_s', 'added', 'note'],
      additionalProperties: false,
    },
    annotations: { title: 'Begin pairing', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    call: async (given) => {
      const { openHome } = await import('../domain/home/home.ts');
      const home = openHome(context.env);
      return (await loadPairings()).start(given, home, context);
    },
  });
}
