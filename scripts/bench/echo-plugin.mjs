// The one tool of the benchmark: it gives its text back, synchronously, as a plugin beside the real families.
export const family = {
  name: 'echo',
  apiVersion: 1,
  tools: () => [
    {
      name: 'echo',
      title: 'Echo',
      description: 'Answers with the text that it was given.',
      inputSchema: { type: 'object', properties: { text: { type: 'string', description: 'What to answer.' } }, required: ['text'] },
      annotations: { title: 'Echo', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      call: ({ text }) => text,
    },
  ],
};
