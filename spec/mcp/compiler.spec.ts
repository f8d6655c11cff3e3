import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compiler } from '../../lib/mcp/compiler.ts';
import { defineTool } from '../../lib/mcp/define.ts';
import type { Family } from '../../lib/mcp/family.types.ts';
import { makeServer } from '../../lib/mcp/server.ts';
import { compileSchema } from '../../lib/schema/validate.ts';

const order: number[] = [];
const family: Family = {
  name: 'late',
  apiVersion: 1,
  directInvocation: true,
  tools: () => [
    defineTool({
      name: 'note', title: 'Note', description: 'Notes a number.',
      inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      annotations: { title: 'Note', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      call: ({ n }) => {
        order.push(n);
        return { n };
      },
    }),
  ],
};

const call = (id: number, args: object): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'note', arguments: args } });
const parsed = async (line: Promise<string | undefined>): Promise<{ id?: unknown; result?: unknown; error?: { code: number } }> => JSON.parse((await line) ?? '{}');

describe('a schema compiler that is loaded late', () => {
  const options = { name: 'late', version: '1', families: [family], proven: [family] };

  it('is loaded once, at the first call, and answers what needs none before', async () => {
    let loads = 0;
    const server = makeServer(options, new Compiler({ load: async () => (loads++, compileSchema) }));
    assert.ok((await parsed(server.handle('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'))).result);
    assert.equal(loads, 0);
    order.length = 0;
    const answers = await Promise.all([call(2, { n: 1 }), call(3, { n: 'x' }), '{"jsonrpc":"2.0","id":4,"method":"note","params":{"n":2}}', call(5, { n: 3 })].map((line) => parsed(server.handle(line))));
    assert.deepEqual(answers.map(({ id, error }) => [id, error?.code]), [[2, undefined], [3, -32602], [4, undefined], [5, undefined]]);
    assert.deepEqual([order, loads], [[1, 2, 3], 1]);
    await server.close();
  });

  it('lets a call be cancelled, and others with its id be refused, while it loads', async () => {
    let loaded: ((compile: typeof compileSchema) => void) | undefined;
    const server = makeServer(options, new Compiler({ load: () => new Promise((resolve) => (loaded = resolve)) }));
    const sent: string[] = [];
    const session = server.connect({ send: (line) => sent.push(line) });
    order.length = 0;
    session.handle(call(1, { n: 1 }));
    session.handle(call(1, { n: 2 }));
    assert.match(sent.join(), /still in flight/);
    session.handle('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    session.handle(call(2, { n: 3 }));
    loaded?.(compileSchema);
    const last = await parsed(server.handle(call(9, { n: 9 })));
    assert.equal(last.id, 9);
    assert.deepEqual(order, [3, 9]);
    session.close();
    await server.close();
  });

  it('answers a call as an internal error where it can not be loaded', async () => {
    const server = makeServer({ ...options, log: () => undefined }, new Compiler({ load: () => Promise.reject(new Error('gone')) }));
    assert.equal((await parsed(server.handle(call(1, { n: 1 })))).error?.code, -32603);
    await server.close();
  });

  it('must be loaded for a family that is not proven', () => {
    const compiler = new Compiler({ load: async () => compileSchema });
    assert.throws(() => makeServer({ ...options, proven: [] }, compiler), /not loaded/);
  });
});
