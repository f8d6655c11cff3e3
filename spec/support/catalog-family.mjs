// Two tools that use every optional field of tools/list, and nothing else.
import { text, tool } from './plain-tool.mjs';

export const family = {
  name: 'catalog',
  apiVersion: 1,
  tools: () => [
    tool('first', ({ text: said }) => ({ said }), {
      properties: { text },
      outputSchema: { type: 'object', properties: { said: text } },
      icons: [{ src: 'data:image/png;base64,AAAA', mimeType: 'image/png' }],
      meta: { 'example.org/rank': 1 },
    }),
    tool('second', () => 'second', { readOnly: false }),
  ],
};
