// A program with tools of its own: `node embed.js` is an MCP server on stdin and stdout.
import { createServer, defineFamily, defineTool, serveStdio } from 'toolwire';

const greet = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Greets somebody by name.',
  inputSchema: { type: 'object', properties: { name: { type: 'string', description: 'Whom to greet.' } }, required: ['name'] },
  annotations: { title: 'Greet', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  call: ({ name }) => `Hello, ${name}!`,
});
const server = createServer({ name: 'greeter', version: '1.0.0', families: [defineFamily({ name: 'greeter', apiVersion: 1, tools: () => [greet] })] });
await serveStdio(server);
