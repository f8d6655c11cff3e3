import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer, defineFamily, defineTool, Refusal, RpcError, type Server } from '../../lib/index.ts';
import { connect, play } from '../../lib/testing.ts';

const annotations = { title: 'T', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const text = { type: 'object', properties: { text: { type: 'string', description: 'T.' } } } as const;

function makeServer(aborted: string[] = []): Server {
  const define = (name: string, call: Parameters<typeof defineTool<typeof text>>[0]['call']) =>
    defineTool({ name, title: 'T', description: 'D.', annotations, inputSchema: text, call });
  const tools = [
    define('echo', (args) => args.text ?? ''),
    define('refuse', () => {
      throw new Refusal('no');
    }),
    define('error', () => {
      throw new RpcError(-32001, 'not now', { again: true });
    }),
    define('wait', (_args, { signal, progress }) => {
      progress(1, 2);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(aborted.push('aborted') && 'aborted')));
    }),
    define('never', () => new Promise(() => undefined)),
    define('later', async (args) => {
      await new Promise((resolve) => setImmediate(resolve));
      return args.text ?? '';
    }),
  ];
  return createServer({ name: 'test', version: '1.0.0', families: [defineFamily({ name: 'test', apiVersion: 1, tools: () => tools })], log: () => undefined });
}

test('a client in the same process gets results, errors and notifications', async () => {
  const client = connect(makeServer());
  assert.deepEqual(await client.request('ping'), {});
  assert.deepEqual(await client.call('echo', { text: 'hi' }), { content: [{ type: 'text', text: 'hi' }] });
  assert.deepEqual(await client.call('refuse'), { content: [{ type: 'text', text: 'no' }], isError: true });
  await assert.rejects(client.call('error'), (error: unknown) => error instanceof RpcError && error.code === -32001 && error.message === 'not now' && (error.data as { again: boolean }).again);
  await assert.rejects(client.request('nonsense'), { code: -32601 });
  client.notify('notifications/initialized');
  const both = await Promise.all([client.call('later', { text: 'a' }), client.call('echo', { text: 'b' })]);
  assert.deepEqual(both.map(({ content }) => content[0]?.text), ['a', 'b']);
  client.close();
});

test('a request is cancelled by its signal and rejects with the reason', async () => {
  const aborted: string[] = [];
  const client = connect(makeServer(aborted));
  const cancel = new AbortController();
  const waiting = client.request('tools/call', { name: 'wait', arguments: {}, _meta: { progressToken: 7 } }, { signal: cancel.signal });
  cancel.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
  assert.deepEqual(aborted, ['aborted']);
  assert.deepEqual(client.notifications, [{ method: 'notifications/progress', params: { progressToken: 7, progress: 1, total: 2 } }]);
  await assert.rejects(client.call('never', {}, { signal: AbortSignal.abort(new Error('before')) }), /before/);
  const answered = new AbortController();
  await client.call('echo', {}, { signal: answered.signal });
  answered.abort();
  client.close();
});

test('closing a client ends its open requests', async () => {
  const client = connect(makeServer());
  const open = client.call('never');
  client.close();
  await assert.rejects(open, /stopped before it finished/);
  const late = client.request('ping');
  client.close();
  await assert.rejects(late, /the session is closed/);
});

const ping = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
const pong = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{}}`;
const call = (id: number, name: string): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":{"text":"x"}}}`;
const said = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"x"}]}}`;

test('a transcript that is kept has no mismatches', async () => {
  const transcript = `#! mcp\n# a note\n\n> ${ping(1)}\r\n< ${pong(1)}\n>\n>${call(2, 'later')}\n> ${ping(3)}\n< ${said(2)}\n<${pong(3)}\n`;
  assert.deepEqual(await play(transcript, makeServer()), []);
  const unordered = `> ${call(2, 'later')}\n> ${ping(3)}\n< ${pong(3)}\n< ${said(2)}\n`;
  assert.deepEqual(await play(unordered, makeServer(), { ordered: false }), []);
});

test('calls that are open at the end are aborted, then answered as stopped', async () => {
  const stopped = '{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"stopped before it finished"}}';
  const transcript = `> ${call(1, 'wait')}\n> ${call(2, 'never')}\n< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"aborted"}]}}\n< ${stopped}\n`;
  assert.deepEqual(await play(transcript, makeServer(), { drain: 0 }), []);
});

test('a mismatch names the line, what was expected and what came', async () => {
  const missing = { expected: pong(9), got: undefined };
  const unexpected = { expected: undefined, got: pong(2) };
  const cases: [string, object[]][] = [
    [`> ${ping(1)}\n< ${pong(2)}`, [{ line: 2, expected: pong(2), got: pong(1) }]],
    [`> ${ping(1)}\n< ${pong(9)}\n< ${pong(1)}`, [{ line: 2, ...missing }]],
    [`> ${ping(1)}\n< ${pong(1)}\n< ${pong(9)}`, [{ line: 3, ...missing }]],
    [`> ${ping(1)}\n> ${ping(2)}\n> ${ping(3)}\n< ${pong(1)}\n< ${pong(3)}`, [{ line: 5, ...unexpected }]],
    [`> ${ping(1)}\n< ${pong(1)}\n> ${ping(2)}`, [{ line: 2, ...unexpected }]],
    [`> ${ping(2)}`, [{ line: 0, ...unexpected }]],
  ];
  for (const [transcript, expected] of cases) {
    const found = await play(transcript, makeServer());
    assert.deepEqual(found.map(({ message, ...rest }) => rest), expected, transcript);
    assert.match(found[0]?.message ?? '', /^line \d: expected .+\n +but got /);
  }
  await assert.rejects(play('ping', makeServer()), /transcript line 1 starts with none of #, > and </);
});
