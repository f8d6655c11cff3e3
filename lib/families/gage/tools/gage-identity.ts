import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';

const text = { type: 'string' } as const;

/** gage_identity: who this home is. */
export function gageIdentityTool({ context }: Parts): Tool {
  return defineTool({
    name: 'gage_identity',
    title: 'Own identity',
    description:
      'Shows the own identity: handle, public token (give it to a person who wants to pair), both public keys, and the four word pairs that ' +
      'a person reads out so that the other side can compare them. Reads the key file, writes nothing, shows no private key.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: {
        handle: text,
        token: { type: 'string', description: 'Signing key and box key in base64, 89 characters.' },
        sign_key: text,
        box_key: text,
        word_pairs: { type: 'array', items: text, minItems: 4, maxItems: 4 },
        words: { type: 'string', description: 'The word pairs as one text.' },
        label: { type: 'string', description: 'A short name of the signing key for lists; it proves nothing.' },
      },
      required: ['handle', 'token', 'sign_key', 'box_key', 'word_pairs', 'words', 'label'],
      additionalProperties: false,
    },
    annotations: { title: 'Own identity', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    call: async () => {
      const { openHome } = await import('../domain/home/home.ts');
      const { ownIdentity } = await import('../domain/home/own-identity.ts');
      return ownIdentity(openHome(context.env));
    },
  });
}
