import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';

/** gage_push: sends a built bundle through the relay, sealed for one buddy. */
export function gagePushTool({ context }: Parts): Tool {
  return defineTool({
    name: 'gage_push',
    title: 'Send a bundle off this machine',
    description:
      'Sends a bundle that gage_send built to a buddy: this is the moment at which it leaves the machine. The whole bundle, with its items, ' +
      'names, subject, and your handle and keys, is sealed for the key of that buddy and goes to the relay of config.json; the relay learns the ' +
      "recipient's mailbox, the size, the time and this machine's address, and cannot read it. It can not be taken back. Ask the user, then set " +
      'confirm to true. The bundle is verified first: signed by this identity, unchanged, and addressed to that buddy.',
    inputSchema: {
      type: 'object',
      properties: {
        to: { type: 'string', description: 'Name or whole token of the buddy that it is addressed to.' },
        dir: { type: 'string', description: 'The folder of the bundle: dir of the answer of gage_send.' },
        confirm: { type: 'boolean', description: 'true once the user agreed that it leaves this machine; else nothing is sent.' },
      },
      required: ['to', 'dir'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        pushed: { const: true },
        id: { type: 'string' },
        to_name: { type: 'string' },
        relay: { type: 'string' },
        message_id: { type: 'string', description: 'SHA-256 of the sealed message.' },
        sealed_bytes: { type: 'integer' },
        warnings: { type: 'array', items: { type: 'string' } },
      },
      required: ['pushed', 'id', 'to_name', 'relay', 'message_id', 'sealed_bytes', 'warnings'],
      additionalProperties: false,
    },
    annotations: { title: 'Send a bundle off this machine', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    // A slow relay must not hold up the calls behind it; the bundle is read in turn, as a call before may be what writes it.
    effects: 'own',
    call: async ({ to, dir, confirm = false }, { signal, exclusive }) => (await import('../domain/send/push.ts')).push({ to, dir, confirm }, context, { signal, inTurn: exclusive }),
  });
}
