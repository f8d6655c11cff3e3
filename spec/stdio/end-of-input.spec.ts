import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { call, modernMeta, request, runServer, serveArgs, startServer, type Message } from '../support/server-process.ts';

const inputOf = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');
const listen = request('s', 'subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: modernMeta });
const subscriptionId = 'io.modelcontextprotocol/subscriptionId';
const stopped = { code: -32603, message: 'stopped before it finished' };

describe('the end of input', () => {
  it('is a half-close: running and waiting calls are answered before the process ends', async () => {
    const input = inputOf(call(1, 'slow', { ms: 100 }), call(2, 'step', { ms: 50 }), call(3, 'step', { ms: 1 }), call(4, 'own', { ms: 20 }));
    const { code, lines } = await runServer(serveArgs(['probe'], '--ordered'), input);
    assert.equal(code, 0);
    assert.deepEqual(lines.map((line) => JSON.parse(line).result.content[0].text), ['slow', '{"before":0}', '{"before":1}', '{"before":2}']);
  });

  it('gives calls the seconds of --drain, then stops those that do not settle and those that never started', async () => {
    const input = inputOf(call(1, 'never'), call(2, 'never_ordered'), call(3, 'step'), call(4, 'slow', { ms: 60_000 }), request(5, 'ping'));
    const started = performance.now();
    const { code, lines } = await runServer(serveArgs(['probe'], '--drain', '0.2'), input);
    const took = performance.now() - started;
    assert.equal(code, 0);
    const answers = new Map(lines.map((line) => [JSON.parse(line).id as number, JSON.parse(line)]));
    assert.equal(answers.size, 5);
    for (const id of [1, 2, 3]) assert.deepEqual(answers.get(id).error, stopped);
    // This one watches its signal and fails of it, before the second for settling is over.
    assert.equal(answers.get(4).error.code, -32603);
    assert.deepEqual(answers.get(5).result, {});
    assert.ok(took >= 1_200 && took < 5_000, `took ${took} ms`);
  });

  it('waits for as long as calls take with --drain none', async () => {
    const { code, lines } = await runServer(serveArgs(['probe'], '--drain', 'none'), inputOf(call(1, 'slow', { ms: 300 })));
    assert.equal(code, 0);
    assert.equal(JSON.parse(lines[0] as string).result.content[0].text, 'slow');
  });

  it('does not come while the input is open: an idle process, or one whose call waits on nothing, stays alive', async () => {
    const server = startServer(serveArgs(['probe'], '--drain', '0'));
    server.send(call(1, 'never'), request(2, 'ping'));
    await server.answer(2);
    // A second round trip: the event loop has been idle in between and nothing but the server itself holds it.
    server.send(call(3, 'slow', { ms: 100 }));
    await server.answer(3);
    assert.equal(server.child.exitCode, null);
    server.end();
    assert.deepEqual((await server.answer(1))['error'], stopped);
    assert.equal((await server.ended).code, 0);
  });

  it('closes open subscriptions with a result', async () => {
    const { code, lines } = await runServer(serveArgs(['changing']), inputOf(listen));
    assert.equal(code, 0);
    const [acknowledged, closed] = lines.map((line) => JSON.parse(line));
    assert.equal(acknowledged.method, 'notifications/subscriptions/acknowledged');
    assert.deepEqual([closed.id, closed.result.resultType, closed.result._meta[subscriptionId]], ['s', 'complete', 's']);
  });
});

describe('a list that changes while the program serves', () => {
  it('is told to the legacy client and to the subscription', async () => {
    const server = startServer(serveArgs(['changing']));
    server.send(request(1, 'initialize', { protocolVersion: '2025-11-25' }), listen, call(2, 'grow'));
    const told = ({ method }: Message): boolean => method === 'notifications/tools/list_changed';
    await server.line((message) => told(message) && message['params'] === undefined);
    await server.line((message) => told(message) && message['params']?._meta[subscriptionId] === 's');
    server.send(request(3, 'tools/list'), call(4, 'touch'), call(5, 'extra'));
    assert.ok((await server.answer(3))['result'].tools.some((tool: { name: string }) => tool.name === 'extra'));
    assert.equal((await server.answer(5))['result'].content[0].text, 'extra');
    server.end();
    const { code, lines } = await server.ended;
    assert.equal(code, 0);
    assert.equal(lines.filter((line) => line.includes('list_changed')).length, 2);
  });
});
