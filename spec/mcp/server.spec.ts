import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createServer } from '../../lib/mcp/create-server.ts';
import { openSession } from '../../lib/mcp/server.ts';
import type { FamilyContext, Tool } from '../../lib/mcp/family.types.ts';
import { deferred, openClient, probeFamily, probeTool, settled } from '../support/in-process.ts';
import { call, cancel, modernMeta, request, type Message } from '../support/server-process.ts';

const echo = probeTool('echo', (args) => args);
const plain = { name: 'spec', version: '1' };

describe('a server whose tools load later', () => {
  it('answers at once what needs no tools, and tools/* when they are there', async () => {
    const tools = deferred<readonly Tool[]>();
    const client = openClient([probeFamily('late', () => tools.promise, { directInvocation: true })]);
    client.send(request('list', 'tools/list'));
    client.send(call('call', 'echo', { a: 1 }));
    client.send(request('echo', 'echo', { a: 2 }));
    client.send(request('bad', 'tools/list', { cursor: 7 }));
    client.send(request('nothing', 'nothing/here'));
    assert.equal((await client.ask(request('init', 'initialize', {})))['result'].protocolVersion, '2024-11-05');
    assert.deepEqual((await client.ask(request('p', 'ping')))['result'], {});
    assert.equal(client.lines.length, 2);
    assert.equal((await client.ask(request('list', 'ping')))['error'].code, -32600);
    tools.resolve([echo]);
    await client.server.ready;
    await settled();
    const answers = Object.fromEntries(client.lines.slice(3).map((line) => [JSON.parse(line).id, JSON.parse(line)]));
    assert.equal(answers['list'].result.tools[0].name, 'echo');
    assert.equal(answers['call'].result.content[0].text, '{"a":1}');
    assert.deepEqual(answers['echo'].result, { a: 2 });
    assert.equal(answers['bad'].error.code, -32602);
    assert.equal(answers['nothing'].error.code, -32601);
  });

  it('lets a request be cancelled that waits for them, and runs calls in their order', async () => {
    const tools = deferred<readonly Tool[]>();
    const seen: string[] = [];
    const step = probeTool('step', async ({ key }) => {
      seen.push(key);
      return key;
    }, { readOnly: false });
    const client = openClient([probeFamily('late', () => tools.promise)]);
    for (const key of ['a', 'b', 'c']) client.send(call(key, 'step', { key }));
    client.send(cancel('b'));
    tools.resolve([step]);
    await client.message((message) => message['id'] === 'c');
    assert.deepEqual(seen, ['a', 'c']);
    assert.deepEqual(client.lines.map((line) => JSON.parse(line).id), ['a', 'c']);
  });

  it('tells by `ready`, and answers tools/* with an internal error, when they can not be loaded', async () => {
    for (const tools of [() => Promise.reject(new Error('no table')), async () => [echo, echo]]) {
      const client = openClient([probeFamily('late', tools)]);
      await assert.rejects(client.server.ready, /no table|registered twice/);
      assert.deepEqual((await client.ask(request(1, 'tools/list')))['error'], { code: -32603, message: 'Internal error' });
      assert.equal((await client.ask(call(2, 'echo')))['error'].code, -32603);
      assert.deepEqual((await client.ask(request(3, 'ping')))['result'], {});
      assert.match(client.logs.join('\n'), /no table|registered twice/);
    }
  });

  it('refuses calls as busy when 10,000 wait for the tables', async () => {
    const client = openClient([probeFamily('late', () => new Promise<never>(() => undefined))]);
    for (let i = 0; i < 10_000; i++) client.send(call(i, 'echo'));
    assert.deepEqual(client.lines, []);
    const answer = client.ask(call('over', 'echo'));
    assert.match(client.lines[0] ?? 'no answer', /"id":"over","error":\{"code":-32603,"message":"busy/);
    await answer;
    assert.deepEqual((await client.ask(request('p', 'ping')))['result'], {});
  });

  it('answers a request that waits for them as stopped when the session closes', async () => {
    const client = openClient([probeFamily('late', () => new Promise<never>(() => undefined))]);
    client.send(request(1, 'tools/list'));
    client.session.close();
    assert.deepEqual(client.lines.map((line) => JSON.parse(line).error.message), ['stopped before it finished']);
  });
});

describe('a session', () => {
  it('has its own revision and its own ids in flight', async () => {
    const server = createServer({ ...plain, families: [probeFamily('fam', [probeTool('never', () => new Promise(() => undefined)), echo])] });
    const a: string[] = [];
    const b: string[] = [];
    const first = server.connect({ send: (line) => void a.push(line) });
    const second = server.connect({ send: (line) => void b.push(line) });
    first.handle(request(1, 'initialize', { protocolVersion: '2024-11-05' }));
    first.handle(call(2, 'never'));
    for (const session of [first, second]) session.handle(call(3, 'echo', { a: 1 }));
    second.handle(request(2, 'ping'));
    assert.equal('structuredContent' in JSON.parse(a[1] as string).result, false);
    assert.equal('structuredContent' in JSON.parse(b[0] as string).result, true);
    assert.deepEqual(JSON.parse(b[1] as string).result, {});
  });

  it('answers open calls as stopped when it is closed, fires their signals, and is silent afterwards', async () => {
    const open = deferred<string>();
    let signal: AbortSignal | undefined;
    const tool = probeTool('slow', (_, context) => {
      signal = context.signal;
      return open.promise;
    });
    const ordered = probeTool('ordered', () => open.promise, { readOnly: false });
    const client = openClient([probeFamily('fam', [tool, ordered])]);
    client.send(call(1, 'slow'));
    client.send(call(2, 'ordered'));
    client.send(call(3, 'ordered'));
    client.session.close();
    client.session.close();
    assert.equal(signal?.aborted, true);
    const answers = client.lines.map((line) => JSON.parse(line));
    assert.deepEqual(answers.map(({ id }) => id).sort(), [1, 2, 3]);
    for (const { error } of answers) assert.deepEqual(error, { code: -32603, message: 'stopped before it finished' });
    open.resolve('late');
    client.send(request(4, 'ping'));
    await settled();
    assert.equal(client.lines.length, 3);
  });

  it('goes on when its transport throws', () => {
    const logs: string[] = [];
    const server = createServer({ ...plain, families: [], log: (level, message, data) => void logs.push(`${level} ${message} ${String(data)}`) });
    for (const thrown of [new Error('gone'), 'gone']) {
      const session = server.connect({ send: () => { throw thrown; } });
      session.handle(request(1, 'ping'));
    }
    assert.equal(logs.length, 2);
    assert.match(logs.join('\n'), /error the transport failed to send a line gone\n.* gone$/);
  });

  it('belongs to a server that createServer made', () => {
    assert.throws(() => openSession({} as never, { notify: () => undefined, heldBytes: () => 0 }), /must be one that createServer of this copy/);
  });
});

describe('server.handle', () => {
  const tools = [echo, probeTool('later', async () => 'later'), probeTool('never', () => new Promise(() => undefined))];
  const server = createServer({ ...plain, families: [probeFamily('fam', tools)], log: () => undefined });

  it('resolves with the answer, now or later, and with nothing where there is none', async () => {
    assert.equal(await server.handle(request(1, 'ping')), '{"jsonrpc":"2.0","id":1,"result":{}}');
    assert.match(String(await server.handle(call(2, 'later'))), /"text":"later"/);
    for (const line of ['', '{}', '{"result":1}']) assert.equal(await server.handle(line), undefined);
  });

  it('resolves with nothing for a cancelled call', async () => {
    const answer = server.handle(call(3, 'never'));
    await server.handle(cancel(3));
    assert.equal(await answer, undefined);
  });

  it('never throws, whatever it is handed', async () => {
    for (const line of [undefined, null, 7, {}, [], 'x', '{', '\u0000', Symbol('line'), 7n]) await assert.doesNotReject(server.handle(line as never));
  });

  it('keeps the revision that was negotiated by an earlier line', async () => {
    await server.handle(request(1, 'initialize', { protocolVersion: '2025-03-26' }));
    assert.equal(await server.handle(`[${request(2, 'ping')}]`), '[{"jsonrpc":"2.0","id":2,"result":{}}]');
  });
});

describe('closing a server', () => {
  it('closes every session and every family, also behind one that fails to', async () => {
    const closed: string[] = [];
    const client = openClient([
      probeFamily('one', [probeTool('never', () => new Promise(() => undefined))], { close: () => { throw new Error('stuck'); } }),
      probeFamily('two', [], { close: async () => void closed.push('two') }),
      probeFamily('three', []),
      probeFamily('four', [], { close: () => Promise.reject('text') }),
    ]);
    client.send(call(1, 'never'));
    await client.server.close();
    assert.deepEqual(closed, ['two']);
    assert.equal(JSON.parse(client.lines[0] as string).error.message, 'stopped before it finished');
    assert.match(client.logs.join('\n'), /family one failed to close stuck\n.*family four failed to close text/);
  });

  it('answers open subscriptions with their closing result', async () => {
    const client = openClient([probeFamily('fam', [], { listCanChange: true })]);
    client.send(request('s', 'subscriptions/listen', { notifications: {}, _meta: modernMeta }));
    await client.server.close();
    const { id, result } = JSON.parse(client.lines.at(-1) as string) as Message;
    assert.equal(id, 's');
    assert.equal(result.resultType, 'complete');
    assert.deepEqual(result._meta, { 'io.modelcontextprotocol/serverInfo': { name: 'spec', version: '1' }, 'io.modelcontextprotocol/subscriptionId': 's' });
  });
});

describe('what a family gets', () => {
  it('is what the server was made with: environment, folder, clock, randomness, log', () => {
    let got!: FamilyContext;
    const logs: string[] = [];
    createServer({
      ...plain,
      families: [probeFamily('fam', (context) => { got = context; return []; })],
      env: { A: 'b' }, cwd: '/folder', now: () => 42, random: (size) => new Uint8Array(size).fill(7), log: (...line) => void logs.push(line.join(' ')),
    });
    assert.deepEqual([got.env, got.cwd, got.now(), [...got.random(2)]], [{ A: 'b' }, '/folder', 42, [7, 7]]);
    got.log('info', 'said', 'more');
    assert.deepEqual(logs, ['info fam: said more']);
  });

  it('is that of the process by default', () => {
    let got!: FamilyContext;
    createServer({ ...plain, families: [probeFamily('fam', (context) => { got = context; return []; })] });
    assert.equal(got.env, process.env);
    assert.equal(got.cwd, process.cwd());
    assert.ok(Math.abs(got.now() - Date.now()) < 60_000);
    const [one, two] = [got.random(16), got.random(16)];
    assert.ok(one instanceof Uint8Array && one.length === 16 && !Buffer.from(one).equals(Buffer.from(two)));
  });
});

describe('what initialize and discover say', () => {
  it('have the title from 2025-06-18 on, and the instructions of all families that give some', async () => {
    const instructions = { a: 'Use a.', b: '', c: 'Use c.' };
    const families = Object.entries(instructions).map(([name, text]) => probeFamily(name, [], { instructions: text }));
    const client = openClient(families, { title: 'Spec server' });
    const ask = async (protocolVersion: string) => (await client.ask(request(protocolVersion, 'initialize', { protocolVersion })))['result'];
    for (const version of ['2024-11-05', '2025-03-26']) assert.deepEqual((await ask(version)).serverInfo, { name: 'spec', version: '1' });
    const titled = { name: 'spec', title: 'Spec server', version: '1' };
    for (const version of ['2025-06-18', '2025-11-25']) assert.deepEqual((await ask(version)).serverInfo, titled);
    assert.equal((await ask('2025-06-18')).instructions, 'Use a.\n\nUse c.');
    const { result } = await client.ask(request('d', 'server/discover', { _meta: modernMeta }));
    assert.equal(result.instructions, 'Use a.\n\nUse c.');
    assert.deepEqual(result._meta['io.modelcontextprotocol/serverInfo'], titled);
  });
});

describe('createServer', () => {
  const good = { name: 'n', version: '1', families: [] };
  const bad: readonly (readonly [string, object, RegExp])[] = [
    ['a name that is no text', { ...good, name: 5 }, /^TypeError: name must be/],
    ['an empty version', { ...good, version: '' }, /^TypeError: version must be/],
    ['no families', { name: 'n', version: '1' }, /^TypeError: families must be/],
    ['a page size of nothing', { ...good, pageSize: 0 }, /^TypeError: pageSize must be/],
    ['a page size in parts', { ...good, pageSize: 1.5 }, /^TypeError: pageSize must be/],
  ];
  for (const [title, options, message] of bad) {
    it(`refuses ${title}, naming the option`, () => {
      assert.throws(() => createServer(options as never), (error) => message.test(String(error)));
    });
  }

  it('answers requests with an error once it is closed, and starts nothing', async () => {
    let calls = 0;
    const server = createServer({ ...good, families: [probeFamily('fam', [probeTool('count', () => String(++calls))])] });
    await server.close();
    const answer = JSON.parse((await server.handle(call(1, 'count'))) ?? '') as { error: { code: number; message: string } };
    assert.deepEqual(answer.error, { code: -32603, message: 'the server is closed' });
    assert.equal(calls, 0);
  });
});

describe('close', () => {
  it('closes each family once, however often it is called', async () => {
    let closed = 0;
    const server = createServer({ name: 'n', version: '1', families: [probeFamily('fam', [], { close: () => void closed++ })] });
    await Promise.all([server.close(), server.close()]);
    await server.close();
    assert.equal(closed, 1);
  });
});
