import assert from 'node:assert/strict';
import { after } from 'node:test';
import { createServer } from '../../lib/mcp/create-server.ts';
import type { Family } from '../../lib/mcp/family.types.ts';
import type { Server } from '../../lib/mcp/server.ts';

/** A parsed answer line; specs look into what they expect to be there. */
export type Reply = { readonly id: unknown; readonly result?: any; readonly error?: any };

/** A server in this process and a way to ask it. */
export type Served = { readonly server: Server; ask(method: string, params?: unknown): Promise<Reply>; call(name: string, args: unknown): Promise<Reply> };

/** A server of one family alone; closed after the specs around. */
export function servedFamily(family: Family, cwd: string, env: Readonly<Record<string, string>> = {}): Served {
  const server = createServer({ name: family.name, version: '0.0.0', families: [family], cwd, env });
  after(() => server.close());
  let asked = 0;
  const ask = async (method: string, params?: unknown): Promise<Reply> => {
    const id = ++asked;
    const line = await server.handle(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) }));
    assert.ok(line !== undefined);
    const reply = JSON.parse(line) as Reply;
    assert.equal(reply.id, id);
    return reply;
  };
  return { server, ask, call: (name, args) => ask('tools/call', { name, arguments: args }) };
}
