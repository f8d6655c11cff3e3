import assert from 'node:assert/strict';
import { afterEach, describe, it, mock } from 'node:test';
import { newestLegacy } from '../../lib/mcp/eras/revisions.ts';
import { maxHeldBytes } from '../../lib/mcp/calls.ts';
import { cancelledGraceMs, maxWaiting } from '../../lib/mcp/schedule.ts';
import { createServer } from '../../lib/mcp/create-server.ts';
import { openSession } from '../../lib/mcp/server.ts';
import type { CallContext } from '../../lib/mcp/family.types.ts';
import { Refusal } from '../../lib/mcp/refusal.ts';
import { deferred, openClient, probeFamily, probeTool, settled, type Client } from '../support/in-process.ts';
import { call, cancel, modernMeta, request } from '../support/server-process.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const textOf = (answer: Record<string, any>): string => answer['result'].content[0].text;

/** A client of one family whose calls are started by name and settled by hand. */
function openByHand(): Client & { started: string[]; open: Map<string, { context: CallContext; settle(value?: unknown): void }> } {
  const started: string[] = [];
  const open = new Map<string, { context: CallContext; settle(value?: unknown): void }>();
  const run = ({ key }: { key: string }, context: CallContext): Promise<unknown> => {
    started.push(key);
    const { promise, resolve } = deferred();
    open.set(key, { context, settle: (value = key) => resolve(value) });
    return promise;
  };
  const tools = [
    probeTool('none', run),
    probeTool('ordered', run, { readOnly: false }),
    probeTool('own', run, { readOnly: false, effects: 'own' }),
    probeTool('quick', () => 'quick', { readOnly: false }),
    probeTool('sync', () => 'sync'),
  ];
  return { ...openClient([probeFamily('fam', tools)]), started, open };
}

describe('running calls', () => {
  afterEach(() => mock.timers.reset());

  it('go out as they are ready, while pings, lists and cancels never wait', async () => {
    const { send, open, lines, ask } = openByHand();
    send(call('a', 'ordered', { key: 'a' }));
    send(call('b', 'ordered', { key: 'b' }));
    send(call('c', 'none', { key: 'c' }));
    assert.deepEqual((await ask(request('p', 'ping')))['result'], {});
    assert.ok((await ask(request('l', 'tools/list')))['result'].tools.length > 0);
    open.get('c')?.settle();
    await settled();
    assert.deepEqual(lines.map((line) => JSON.parse(line).id), ['p', 'l', 'c']);
  });

  it('have the effects of their order within a family, a quick call behind a slow one too', async () => {
    const { send, open, lines } = openByHand();
    send(call(1, 'ordered', { key: '1' }));
    send(call(2, 'quick'));
    assert.deepEqual(lines, []);
    open.get('1')?.settle();
    await settled();
    assert.deepEqual(lines.map((line) => JSON.parse(line).id), [1, 2]);
  });

  it('hold their id while they run and while they wait', async () => {
    const { send, ask, open } = openByHand();
    send(call(1, 'ordered', { key: 'a' }));
    send(call(2, 'ordered', { key: 'b' }));
    for (const id of [1, 2]) assert.equal((await ask(request(id, 'ping')))['error'].code, -32600);
    open.get('a')?.settle();
    await settled();
    assert.deepEqual((await ask(request(1, 'ping')))['result'], {});
  });

  it('fire their signal when they are cancelled, and write nothing more', async () => {
    const { send, open, lines } = openByHand();
    send(call(1, 'none', { key: 'a' }, { progressToken: 't' }));
    const { context, settle } = open.get('a') as never as { context: CallContext; settle(): void };
    const { signal, progress } = context;
    assert.equal(signal.aborted, false);
    send(cancel(1));
    send(cancel(1));
    assert.equal(signal.aborted, true);
    assert.equal(context.signal, signal);
    progress(1);
    settle();
    await settled();
    assert.deepEqual(lines, []);
  });

  it('give a tool that asks for its signal late one that has fired already', async () => {
    const { send, open } = openByHand();
    send(call(1, 'none', { key: 'a' }));
    send(cancel(1));
    assert.equal(open.get('a')?.context.signal.aborted, true);
  });

  it('are never started once they were cancelled while they waited', async () => {
    const { send, open, started, lines } = openByHand();
    for (const key of ['a', 'b', 'c']) send(call(key, 'ordered', { key }));
    send(cancel('b'));
    open.get('a')?.settle();
    await settled();
    assert.deepEqual(started, ['a', 'c']);
    assert.deepEqual(lines.map((line) => JSON.parse(line).id), ['a']);
  });

  it('go on two seconds after a cancel that the tool ignores, with one log line that names it', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { send, started, logs } = openByHand();
    send(call(1, 'ordered', { key: 'stubborn' }));
    send(call(2, 'ordered', { key: 'next' }));
    send(cancel(1));
    assert.deepEqual(started, ['stubborn']);
    mock.timers.tick(cancelledGraceMs);
    await settled();
    assert.deepEqual(started, ['stubborn', 'next']);
    assert.equal(logs.length, 1);
    assert.match(logs[0] ?? '', /^warning: fam\/ordered: was cancelled and has not settled for 2 s/);
  });

  it('let exclusive sections of own calls in between ordered ones', async () => {
    const { send, open, started } = openByHand();
    send(call('o1', 'ordered', { key: 'o1' }));
    send(call('own', 'own', { key: 'own' }));
    assert.deepEqual(started, ['o1', 'own']);
    const section = open.get('own')?.context.exclusive(async () => void started.push('section'));
    send(call('o2', 'ordered', { key: 'o2' }));
    await settled();
    assert.deepEqual(started, ['o1', 'own']);
    open.get('o1')?.settle();
    await section;
    await settled();
    assert.deepEqual(started, ['o1', 'own', 'section', 'o2']);
  });

  it('run the section of an ordered call at once: it has its family already', async () => {
    const { send, open } = openByHand();
    send(call('o', 'ordered', { key: 'o' }));
    const { exclusive } = (open.get('o') as { context: CallContext }).context;
    assert.equal(await exclusive(() => 'inside'), 'inside');
    await assert.rejects(exclusive(() => Promise.reject(new Error('failed inside'))), /failed inside/);
  });

  it('free the family when a cancelled own call never leaves its section', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { send, open, started } = openByHand();
    send(call('own', 'own', { key: 'own' }));
    const section = open.get('own')?.context.exclusive(never);
    section?.catch(() => undefined);
    await settled();
    send(call('o', 'ordered', { key: 'o' }));
    send(cancel('own'));
    mock.timers.tick(cancelledGraceMs);
    await settled();
    assert.deepEqual(started, ['own', 'o']);
  });

  it('take a cancelled own call out of the family while its section waits', async () => {
    const { send, open, started } = openByHand();
    send(call('o1', 'ordered', { key: 'o1' }));
    send(call('own', 'own', { key: 'own' }));
    const section = open.get('own')?.context.exclusive(() => void started.push('section'));
    send(cancel('own'));
    await assert.rejects(section as Promise<unknown>);
    open.get('o1')?.settle();
    await settled();
    assert.ok(!started.includes('section'));
  });

  it('are refused as busy over 10,000 waiting ones, while pings are answered and the waiting ones go on', async () => {
    const { send, ask, open, lines } = openByHand();
    assert.equal(maxWaiting, 10_000);
    send(call('first', 'ordered', { key: 'first' }));
    for (let i = 0; i < maxWaiting; i++) send(call(i, 'quick'));
    const { error } = await ask(call('over', 'quick'));
    assert.equal(error.code, -32603);
    assert.match(error.message, /^busy/);
    assert.deepEqual((await ask(request('p', 'ping')))['result'], {});
    open.get('first')?.settle();
    await settled();
    assert.equal(lines.length, maxWaiting + 3);
    assert.equal(textOf(await ask(call('over', 'quick'))), 'quick');
  });

  it('are refused as busy when waiting ones would take more than 256 MiB', () => {
    const tools = [probeTool('ordered', never, { readOnly: false })];
    const server = createServer({ name: 's', version: '1', families: [probeFamily('fam', tools)] });
    const session = openSession(server, { notify: () => undefined, heldBytes: () => 0 });
    const invocation = { name: 'ordered', args: {}, revision: newestLegacy, progressToken: undefined, logLevel: undefined, style: { direct: false, tail: '' } };
    const invoke = (id: number, bytes: number) => session.calls.invoke({ ...invocation, id, bytes });
    assert.equal(maxHeldBytes, 256 * 1024 * 1024);
    for (const [id, size] of [0, 128, 127].entries()) assert.notEqual(typeof invoke(id, size * 2 ** 20), 'string');
    assert.match(String(invoke(3, 2 * 2 ** 20)), /busy/);
    session.calls.cancel(1);
    assert.notEqual(typeof invoke(4, 2 * 2 ** 20), 'string');
  });

  it('are refused as busy when answers held for --ordered take more than 256 MiB', () => {
    const tools = [probeTool('sync', () => 'sync'), probeTool('later', never)];
    let heldBytes = maxHeldBytes - 1_000;
    const server = createServer({ name: 's', version: '1', families: [probeFamily('fam', tools)] });
    const session = openSession(server, { notify: () => undefined, heldBytes: () => heldBytes });
    assert.match(String(session.process(call(1, 'sync'))), /"text":"sync"/);
    heldBytes = maxHeldBytes + 1;
    for (const name of ['sync', 'later']) assert.match(String(session.process(call(2, name))), /-32603.*busy/, name);
    assert.match(String(session.process(request(3, 'ping'))), /"result":\{\}/);
  });

  it('number 64 at most; the next one starts when one settles', async () => {
    const { send, open, started } = openByHand();
    for (let i = 0; i < 66; i++) send(call(i, 'none', { key: String(i) }));
    assert.equal(started.length, 64);
    open.get('5')?.settle();
    await settled();
    assert.deepEqual(started.slice(64), ['64']);
  });
});

describe('names that no family lists', () => {
  const hidden = probeTool('hidden', (args, { era }) => ({ args, era }));
  const finder = probeFamily('finder', [probeTool('listed', () => 'listed')], {
    unknownTool: async (name, args, context) => {
      if (name === 'hidden') return hidden;
      if (name === 'shut') return new Refusal(`shut for ${JSON.stringify(args)} in ${context.cwd}`, { data: { error: 'Shut' } });
      if (name === 'broken') throw new Error('looking failed');
      if (name === 'bad') return { ...hidden, title: '' };
      return name === 'stalls' ? never() : undefined;
    },
  });
  const open = (): Client => openClient([probeFamily('other', []), finder], { cwd: '/somewhere' });

  it('may be tools that a family knows all the same: they are validated and run', async () => {
    assert.deepEqual((await open().ask(call(1, 'hidden', { a: 1 })))['result'].structuredContent, { args: { a: 1 }, era: 'legacy' });
    const { result } = await open().ask(call(1, 'hidden', {}, modernMeta));
    assert.deepEqual([result.structuredContent.era, result.resultType], ['modern', 'complete']);
  });

  it('may be refused by a family', async () => {
    const { result } = await open().ask(call(1, 'shut', { a: 1 }));
    assert.deepEqual(result, { content: [{ type: 'text', text: 'shut for {"a":1} in /somewhere' }], structuredContent: { error: 'Shut' }, isError: true });
  });

  it('are unknown where no family knows them, in the words of the era', async () => {
    assert.deepEqual((await open().ask(call(1, 'nobody')))['error'], { code: -32601, message: 'Unknown tool: nobody', data: { name: 'nobody' } });
    assert.equal((await open().ask(call(1, 'nobody', {}, modernMeta)))['error'].code, -32602);
    const long = 'n'.repeat(1_000);
    assert.deepEqual((await open().ask(call(1, long)))['error'].data, { name: long.slice(0, 128) });
  });

  it('are an internal error where looking them up fails, or finds no tool of the contract', async () => {
    const client = open();
    for (const name of ['broken', 'bad']) {
      assert.deepEqual((await client.ask(call(name, name)))['error'], { code: -32603, message: 'Internal error' });
    }
    assert.match(client.logs.join('\n'), /looking failed/);
  });

  it('are in flight while they are looked up, and can be cancelled', async () => {
    const client = open();
    client.send(call(1, 'stalls'));
    assert.equal((await client.ask(request(1, 'ping')))['error'].code, -32600);
    client.send(cancel(1));
    assert.deepEqual((await client.ask(request(1, 'ping')))['result'], {});
  });

  it('are not run when they were cancelled while they were looked up', async () => {
    const client = open();
    client.send(call(1, 'hidden'));
    client.send(cancel(1));
    await settled();
    assert.deepEqual(client.lines, []);
  });
});

describe('an exclusive section', () => {
  it('may be entered again from inside: the call holds the queue already', async () => {
    const nested = probeTool(
      'nested',
      async (_args, { exclusive }) => exclusive(async () => `outer ${await exclusive(() => exclusive(() => 'inner'))}`),
      { readOnly: false, effects: 'own' },
    );
    const after = probeTool('after', () => 'after', { readOnly: false });
    const { ask } = openClient([probeFamily('fam', [nested, after])]);
    const [first, second] = await Promise.all([ask(call('a', 'nested')), ask(call('b', 'after'))]);
    assert.equal(textOf(first), 'outer inner');
    assert.equal(textOf(second), 'after');
  });

  it('keeps the queue until the sections inside it are over, awaited or not', async () => {
    const order: string[] = [];
    const inner = deferred();
    const leak = probeTool(
      'leak',
      (_args, { exclusive }) =>
        exclusive(() => {
          void exclusive(async () => {
            await inner.promise;
            order.push('inner ends');
          });
          return 'outer';
        }),
      { readOnly: false, effects: 'own' },
    );
    const after = probeTool('after', () => void order.push('after'), { readOnly: false });
    const { ask, send } = openClient([probeFamily('fam', [leak, after])]);
    const first = ask(call('a', 'leak'));
    send(call('b', 'after'));
    await settled();
    assert.deepEqual(order, []);
    inner.resolve(undefined);
    await first;
    await settled();
    assert.deepEqual(order, ['inner ends', 'after']);
  });

  it('waits for another of the same call that was asked for beside it', async () => {
    const order: string[] = [];
    const section = (name: string) => async (): Promise<void> => {
      order.push(`${name} begins`);
      await settled();
      order.push(`${name} ends`);
    };
    const twice = probeTool('twice', (_args, { exclusive }) => Promise.all([exclusive(section('one')), exclusive(section('two'))]), {
      readOnly: false,
      effects: 'own',
    });
    const { ask } = openClient([probeFamily('fam', [twice])]);
    await ask(call('a', 'twice'));
    assert.deepEqual(order, ['one begins', 'one ends', 'two begins', 'two ends']);
  });
});
