import { defineTool } from '../../../mcp/define.ts';
import type { Tool } from '../../../mcp/family.types.ts';
import type { Parts } from '../parts.types.ts';

// No limits here: what is over one is refused by the domain, with the same words as at the command line.
const paths = (description: string) => ({ type: 'array', items: { type: 'string' }, description }) as const;
const text = (description: string) => ({ type: 'string', description }) as const;

/** gage_send: builds a signed bundle and puts it into the outbox, a folder, or the recipient's folder on this machine. */
export function gageSendTool({ context }: Parts): Tool {
  return defineTool({
    name: 'gage_send',
    title: 'Build a signed bundle',
    description:
      'Builds a bundle of files, prompts, decisions and memories, signed by this identity, for one buddy. Nothing leaves this machine: the bundle ' +
      'goes to the outbox, to the folder out, or to the local route of that buddy; gage_push sends it. Files must lie in a send root (the working ' +
      'folder, or send_roots of config.json). Everything is searched for secrets first, which cannot be switched off; what is compressed or encoded ' +
      'is not seen, so look at what you send.',
    inputSchema: {
      type: 'object',
      properties: {
        to: text('Name or whole token of a buddy.'),
        subject: text('One line, at most 200 bytes.'),
        type: text('What kind of bundle, such as review-request: at most 32 of a-z, 0-9 and -; default note.'),
        files: paths('Paths of files; a bundle has at most 256 items.'),
        prompts: paths('Paths of files with text that is meant to steer a model.'),
        decisions: paths('Paths of files with decisions.'),
        memories: paths('Paths of files with memories of an agent.'),
        dirs: paths('Folders of which every file is sent, but dot-names, links and names of keys.'),
        out: text('A new or empty folder to write the bundle to, instead of the outbox.'),
        reply_to: text('Id of the bundle that this one answers, 64 digits.'),
        agent: text('Label of the agent that made it, at most 64 bytes.'),
        model: text('Label of the model that made it, at most 64 bytes.'),
        expires_in_days: { type: 'integer', minimum: 1, maximum: 365, description: 'The receiver is shown nothing of it after so many days.' },
      },
      required: ['to'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        dir: { type: 'string', description: 'The folder of the bundle, for gage_push.' },
        delivered: { enum: ['local', 'directory'] },
        to_name: { type: 'string' },
        to_key: { type: 'string' },
        items: { type: 'array', items: { type: 'object' } },
        total_bytes: { type: 'integer' },
        warnings: { type: 'array', items: { type: 'string' } },
        next: { type: 'string' },
      },
      required: ['id', 'dir', 'delivered', 'to_name', 'to_key', 'items', 'total_bytes', 'warnings', 'next'],
      additionalProperties: false,
    },
    annotations: { title: 'Build a signed bundle', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    call: async ({ reply_to: replyTo, expires_in_days: expiresInDays, ...request }) =>
      (await import('../domain/send/send.ts')).send({ ...request, replyTo, expiresInDays }, context, { namesFrom: 'root' }),
  });
}
