import assert from 'node:assert/strict';
import { after } from 'node:test';
import { gadriel } from '../../../../lib/families/gadriel/index.ts';
import { createServer } from '../../../../lib/mcp/create-server.ts';
import type { Server } from '../../../../lib/mcp/server.ts';

/** A parsed answer line; specs look into what they expect to be there. */
export type Reply = { readonly id: unknown; readonly result?: any; readonly error?: any };

/** A server of this family alone, in this process; closed after the specs around. */
export function served(cwd: string = process.cwd(), env: Readonly<Record<string, string>> = {}): { readonly server: Server; ask(method: string, params?: unknown): Promise<Reply>; call(name: string, args: unknown): Promise<Reply> } {
  const server = createServer({ name: 'gadriel', version: '0.0.0', families: [gadriel()], cwd, env });
  after(() => server.close());
  let id = 0;
  const ask = async (method: string, params?: unknown): Promise<Reply> => {
    const line = await server.handle(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, ...(params !== undefined && { params }) }));
    assert.ok(line !== undefined);
    const reply = JSON.parse(line) as Reply;
    assert.equal(reply.id, id);
    return reply;
  };
  return { server, ask, call: (name, args) => ask('tools/call', { name, arguments: args }) };
}
