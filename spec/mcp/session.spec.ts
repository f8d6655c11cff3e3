import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logLevels } from '../../lib/mcp/eras/modern-claim.ts';
import { createServer } from '../../lib/mcp/create-server.ts';
import { maxBatchMembers } from '../../lib/mcp/batch.ts';
import { openClient, probeFamily, probeTool, settled } from '../support/in-process.ts';
import { call, cancel, modernMeta, request } from '../support/server-process.ts';

const key = (name: string): string => `io.modelcontextprotocol/${name}`;
const echo = probeTool('echo', (args) => args);
const family = probeFamily('fam', [echo, probeTool('never', () => new Promise(() => undefined))]);

// The whole matrix is in spec/transcripts; here is what needs more than lines.
describe('the message matrix', () => {
  it('writes one log line for what is no valid notification, and none for a valid one or a response', () => {
    const lines: [string, boolean][] = [
      ['{"jsonrpc":"2.0","method":"notifications/initialized"}', false],
      ['{"jsonrpc":"2.0","method":"notifications/unheard-of","params":{}}', false],
      ['{"jsonrpc":"2.0","id":1,"result":{}}', false],
      ['{"method":"ping"}', true],
      ['{"jsonrpc":"2.0","method":7}', true],
      ['{"jsonrpc":"2.0","method":"ping","params":[]}', true],
      ['{}', true],
    ];
    for (const [line, logged] of lines) {
      const client = openClient([family]);
      client.send(line);
      assert.deepEqual([client.lines.length, client.logs.length], [0, logged ? 1 : 0], line);
    }
  });

  it('never echoes a stack, nor a path of the server', async () => {
    const failing = probeTool('fail', () => {
      throw new Error('x');
    });
    const client = openClient([probeFamily('fam', [failing])]);
    await client.ask(call(1, 'fail'));
    client.send('{');
    await client.ask(request(2, 'tools/list', { cursor: 'x' }));
    for (const line of client.lines) assert.ok(!line.includes(process.cwd()) && !/\bat .*\.[jt]s/.test(line), line);
  });

  it('answers an unexpected fault of its own with an internal error', async () => {
    const hostile = probeFamily('fam', [echo]);
    const client = openClient([hostile]);
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const { error } = await client.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${deep}}}`);
    assert.equal(error.code, -32603);
    assert.deepEqual((await client.ask(request(2, 'ping')))['result'], {});
  });
});

describe('batches', () => {
  const pings = (count: number): string => `[${Array.from({ length: count }, (_, index) => request(index, 'ping')).join(',')}]`;
  const open = async () => {
    const client = openClient([family]);
    await client.ask(request('init', 'initialize', { protocolVersion: '2025-03-26' }));
    client.lines.length = 0;
    return client;
  };

  it('have 1,000 members at most', async () => {
    const client = await open();
    client.send(pings(maxBatchMembers));
    client.send(pings(maxBatchMembers + 1));
    assert.equal(maxBatchMembers, 1_000);
    assert.equal(JSON.parse(client.lines[0] as string).length, 1_000);
    assert.equal(client.lines.length, 2);
    assert.deepEqual(JSON.parse(client.lines[1] as string).error.code, -32600);
    assert.equal(JSON.parse(client.lines[1] as string).id, null);
  });

  it('wait for their last member, and are one line', async () => {
    const client = await open();
    client.send(`[${call(1, 'never')},${call(2, 'never')},${request(3, 'ping')}]`);
    client.send(cancel(1));
    await settled();
    assert.deepEqual(client.lines, []);
    client.send(cancel(2));
    assert.deepEqual(client.lines, ['[{"jsonrpc":"2.0","id":3,"result":{}}]']);
  });

  it('find the ids of their members in time linear in the line', async () => {
    const client = await open();
    const pad = `[${'0,'.repeat(2 ** 19)}0]`;
    const members = Array.from({ length: 999 }, (_, index) => `{"jsonrpc":"2.0","id":${9_007_199_254_740_993n + BigInt(index)},"method":"ping"}`);
    const started = performance.now();
    client.send(`[${pad},${members.join(',')}]`);
    const took = performance.now() - started;
    assert.ok(client.lines[0]?.endsWith('"id":9007199254741991,"result":{}}]'));
    // A walk from the start of the line for each of them would cross a gigabyte, one character at a time.
    assert.ok(took < 2_000, `took ${took} ms`);
  });
});

describe('the modern claim', () => {
  const rows: [title: string, meta: unknown, code: number | undefined][] = [
    ['whole', modernMeta, undefined],
    ['with a client that says who it is', { ...modernMeta, [key('clientInfo')]: { name: 'c', version: '1' } }, undefined],
    ['with unknown keys beside it', { ...modernMeta, 'example.org/x': 1, [key('unheardOf')]: 1 }, undefined],
    ['without capabilities', { [key('protocolVersion')]: '2026-07-28' }, -32602],
    ['with a version that is no string', { ...modernMeta, [key('protocolVersion')]: 7 }, -32602],
    ['with an unknown version', { ...modernMeta, [key('protocolVersion')]: '2027-01-01' }, -32022],
    ['with a legacy version', { ...modernMeta, [key('protocolVersion')]: '2025-06-18' }, -32022],
    ['with an unknown version and no capabilities', { [key('protocolVersion')]: '2027-01-01' }, -32602],
    ['with an unknown log level', { ...modernMeta, [key('logLevel')]: 'verbose' }, -32602],
    ['of capabilities alone', { [key('clientCapabilities')]: {} }, -32602],
    ['of a client alone', { [key('clientInfo')]: {} }, -32602],
    ['of a log level alone', { [key('logLevel')]: 'info' }, -32602],
  ];
  for (const [title, meta, code] of rows) {
    it(`${title} gets ${code ?? 'an answer'}, for a list and for a call`, async () => {
      const client = openClient([family]);
      for (const method of ['tools/list', 'tools/call']) {
        const answer = await client.ask(request(method, method, { name: 'echo', _meta: meta }));
        assert.equal(answer['error']?.code, code);
        if (code === undefined) assert.equal(answer['result'].resultType, 'complete');
      }
    });
  }

  it('cuts a requested version that is endless', async () => {
    const endless = { ...modernMeta, [key('protocolVersion')]: '9'.repeat(10_000) };
    const { error } = await openClient([family]).ask(request(1, 'tools/list', { _meta: endless }));
    assert.deepEqual(error.data.supported, ['2026-07-28']);
    assert.ok(error.data.requested.length < 200);
  });

  it('belongs to a request, not to the session', async () => {
    const client = openClient([family]);
    await client.ask(request(1, 'initialize', { protocolVersion: '2025-03-26' }));
    const modern = (await client.ask(call(2, 'echo', { a: 1 }, modernMeta)))['result'];
    const legacy = (await client.ask(call(3, 'echo', { a: 1 })))['result'];
    assert.deepEqual([Object.keys(modern).sort(), Object.keys(legacy)], [['_meta', 'content', 'resultType', 'structuredContent'], ['content']]);
  });
});

describe('the log of a call', () => {
  const loud = probeTool('loud', (_, { log }) => {
    for (const level of logLevels) log(level, `at ${level}`);
    log('emergency', 'with data', { n: 1 });
    log('emergency', 'with data that has no JSON', 1n);
    return 'said';
  });
  const late = probeTool('late', (_, { log }) => {
    setImmediate(() => log('emergency', 'too late'));
    return 'said';
  });

  it('goes to stderr in the legacy era, with the names of family and tool', async () => {
    const client = openClient([probeFamily('fam', [loud])]);
    await client.ask(call(1, 'loud'));
    assert.equal(client.lines.length, 1);
    assert.equal(client.logs.length, logLevels.length + 2);
    assert.equal(client.logs[0], 'debug: fam/loud: at debug');
  });

  for (const [index, level] of logLevels.entries()) {
    it(`goes to the modern client from ${level} on, when that was asked for`, async () => {
      const client = openClient([probeFamily('fam', [loud])]);
      await client.ask(call(1, 'loud', {}, { ...modernMeta, [key('logLevel')]: level }));
      const sent = client.lines.slice(0, -1).map((line) => JSON.parse(line));
      const expected = logLevels.slice(index).map((each) => ({ level: each, data: `at ${each}` }));
      assert.deepEqual(sent.slice(0, -2).map(({ params }) => params), expected);
      assert.deepEqual(sent.at(-2).params, { level: 'emergency', data: { message: 'with data', data: { n: 1 } } });
      assert.equal(sent.at(-1).params.level, 'emergency');
      assert.ok(sent.every(({ method }) => method === 'notifications/message'));
      assert.deepEqual(client.logs, []);
    });
  }

  it('goes nowhere after the answer', async () => {
    const client = openClient([probeFamily('fam', [late])]);
    await client.ask(call(1, 'late', {}, { ...modernMeta, [key('logLevel')]: 'debug' }));
    await settled();
    assert.equal(client.lines.length, 1);
  });
});

describe('the progress of a call', () => {
  const values: [title: string, steps: [unknown, unknown?, unknown?][], sent: object[]][] = [
    ['grows, or is dropped', [[1], [1], [0], [2]], [{ progress: 1 }, { progress: 2 }]],
    ['is a number', [[NaN], [Infinity], ['3'], [1]], [{ progress: 1 }]],
    ['may have a total and a message', [[1, 2, 'half'], [2, 2]], [{ progress: 1, total: 2, message: 'half' }, { progress: 2, total: 2 }]],
    ['leaves out a total that is no number', [[1, NaN], [2, '3']], [{ progress: 1 }, { progress: 2 }]],
  ];
  for (const [title, steps, sent] of values) {
    it(title, async () => {
      const tool = probeTool('steps', (_, { progress }) => {
        for (const step of steps) (progress as (...step: unknown[]) => void)(...step);
        return 'done';
      });
      const client = openClient([probeFamily('fam', [tool])]);
      await client.ask(call(1, 'steps', {}, { progressToken: 'p' }));
      assert.deepEqual(client.lines.slice(0, -1).map((line) => JSON.parse(line).params), sent.map((each) => ({ progressToken: 'p', ...each })));
    });
  }

  it('has no message in 2024-11-05, which knows none', async () => {
    const tool = probeTool('steps', (_, { progress }) => progress(1, 2, 'half') ?? 'done');
    const client = openClient([probeFamily('fam', [tool])]);
    await client.ask(request(0, 'initialize', {}));
    await client.ask(call(1, 'steps', {}, { progressToken: 'p' }));
    assert.deepEqual(JSON.parse(client.lines[1] as string).params, { progressToken: 'p', progress: 1, total: 2 });
  });

  it('costs nothing where no token was sent', async () => {
    const client = openClient([probeFamily('fam', [probeTool('steps', (_, { progress }) => progress(1) ?? 'done')])]);
    await client.ask(call(1, 'steps'));
    assert.equal(client.lines.length, 1);
  });
});

describe('direct invocation', () => {
  it('finds only the tools of families that allow it', async () => {
    const server = createServer({
      name: 's', version: '1',
      families: [
        probeFamily('open', [probeTool('direct', () => 'd')], { directInvocation: true }),
        probeFamily('shut', [probeTool('indirect', () => 'i')]),
      ],
    });
    assert.equal(await server.handle(request(1, 'direct')), '{"jsonrpc":"2.0","id":1,"result":"d"}');
    assert.match(String(await server.handle(request(2, 'indirect'))), /-32601/);
  });
});
