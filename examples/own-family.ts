// A family as a plugin: `toolwire mcp --plugin own-family.js` serves it beside the built-in ones.
import { defineFamily, defineTool, Refusal, type Family } from 'toolwire';

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false } as const;

const notes: { readonly at: string; readonly text: string }[] = [];

/** Notes that last as long as the server: one tool that changes something, one that reads. */
export const family: Family = defineFamily({
  name: 'notes',
  apiVersion: 1,
  title: 'Notes of a session',
  instructions: 'Keep short notes with add_note; read them with list_notes.',
  // The clock comes in with the context, so that a spec can stop it.
  tools: ({ now }) => [
    defineTool({
      name: 'add_note',
      title: 'Add a note',
      description: 'Keeps one note until the server ends. At most 100.',
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string', minLength: 1, maxLength: 500, description: 'The note.' } },
        required: ['text'],
        additionalProperties: false,
      },
      annotations: { title: 'Add a note', ...adds },
      call: ({ text }) => {
        // "It ran and says no" is a Refusal; a broken call would be an RpcError.
        if (notes.length >= 100) throw new Refusal('there is no room for another note');
        notes.push({ at: new Date(now()).toISOString(), text });
        return { count: notes.length };
      },
    }),
    defineTool({
      name: 'list_notes',
      title: 'List notes',
      description: 'All notes so far, oldest first.',
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
      annotations: { title: 'List notes', ...reads },
      call: () => ({ notes: [...notes] }),
    }),
  ],
});
