import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { Client, type Progress, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { projectRoot } from '../support/project.ts';
import { launcher, serveArgs } from '../support/server-process.ts';

type Connected = { client: Client; transport: StdioClientTransport };

const open: Client[] = [];

/** The official client, connected over its own stdio transport. Its environment is ours, so that the server's coverage counts. */
async function connect(mode: VersionNegotiationMode, family: string, onToolsChanged?: () => void): Promise<Connected> {
  const env = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const args = [...launcher, ...serveArgs([family])];
  const transport = new StdioClientTransport({ command: process.execPath, args, cwd: projectRoot, env, stderr: 'ignore' });
  const client = new Client(
    { name: 'spec', version: '1' },
    { versionNegotiation: { mode }, ...(onToolsChanged && { listChanged: { tools: { autoRefresh: false, onChanged: onToolsChanged } } }) },
  );
  open.push(client);
  await client.connect(transport);
  return { client, transport };
}

const eras: { era: 'legacy' | 'modern'; mode: VersionNegotiationMode; version: string }[] = [
  { era: 'legacy', mode: 'legacy', version: '2025-11-25' },
  { era: 'modern', mode: 'auto', version: '2026-07-28' },
];

describe('the client of the official SDK', () => {
  afterEach(async () => {
    for (const client of open.splice(0)) await client.close();
  });

  for (const { era, mode, version } of eras) {
    describe(`in the ${era} era`, () => {
      it('connects, lists the tools and calls them', async () => {
        const { client } = await connect(mode, 'probe');
        assert.equal(client.getProtocolEra(), era);
        assert.equal(client.getNegotiatedProtocolVersion(), version);
        assert.equal(client.getServerVersion()?.name, 'toolwire');
        assert.equal(client.getInstructions(), 'Probe the server with these.');
        const { tools } = await client.listTools();
        assert.ok(tools.length > 20 && tools.every((tool) => tool.annotations?.readOnlyHint !== undefined));
        assert.deepEqual((await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).structuredContent, { sum: 3 });
        assert.deepEqual((await client.callTool({ name: 'era' })).content, [{ type: 'text', text: era }]);
        const refused = await client.callTool({ name: 'refuse' });
        assert.deepEqual([refused.isError, refused.structuredContent], [true, { error: 'Shut', until: 'noon' }]);
      });

      it('gets the errors of the protocol', async () => {
        const { client } = await connect(mode, 'probe');
        await assert.rejects(client.callTool({ name: 'add', arguments: { a: 'x' } }), { code: -32602, message: /Invalid arguments for add/ });
        await assert.rejects(client.callTool({ name: 'no_such_tool' }), { code: era === 'modern' ? -32602 : -32601 });
        await assert.rejects(client.callTool({ name: 'fail' }), { code: -32603 });
        await assert.rejects(client.callTool({ name: 'rpc_error' }), { code: -32050 });
      });

      it('sees progress and can cancel', async () => {
        const { client } = await connect(mode, 'probe');
        const aborter = new AbortController();
        const seen: Progress[] = [];
        const onprogress = (progress: Progress): void => {
          seen.push(progress);
          aborter.abort('seen enough');
        };
        await assert.rejects(client.callTool({ name: 'report' }, { onprogress, signal: aborter.signal }), /seen enough/);
        assert.deepEqual(seen, [{ progress: 1, total: 2, message: 'waiting' }]);
        const { content } = await client.callTool({ name: 'echo', arguments: { text: 'still here' } });
        assert.deepEqual(content, [{ type: 'text', text: 'still here' }]);
      });

      it('is told that the list of tools has changed', async () => {
        let told!: () => void;
        const changed = new Promise<void>((resolve) => {
          told = resolve;
        });
        const { client } = await connect(mode, 'changing', () => told());
        await client.callTool({ name: 'grow' });
        await changed;
        const { tools } = await client.listTools();
        assert.ok(tools.some(({ name }) => name === 'extra'));
      });
    });
  }

  it('listens for changes in the modern era, until it closes the subscription or the server goes down in good order', async () => {
    const { client, transport } = await connect('auto', 'changing');
    const first = await client.listen({ toolsListChanged: true, promptsListChanged: true });
    assert.deepEqual(first.honoredFilter, { toolsListChanged: true });
    await first.close();
    assert.equal(await first.closed, 'local');
    const second = await client.listen({ toolsListChanged: true });
    process.kill(transport.pid as number, 'SIGTERM');
    assert.equal(await second.closed, 'graceful');
  });

  it('falls back to nothing: a pinned modern version is served, an unknown one is refused', async () => {
    const { client } = await connect({ pin: '2026-07-28' }, 'probe');
    assert.equal(client.getProtocolEra(), 'modern');
    await assert.rejects(connect({ pin: '2099-01-01' }, 'probe'));
  });
});
