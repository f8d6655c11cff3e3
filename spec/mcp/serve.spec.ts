import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { EventEmitter } from 'node:events';
import { afterEach, describe, it, mock } from 'node:test';
import type { Tool } from '../../lib/mcp/family.types.ts';
import { maxUntaken } from '../../lib/mcp/outbox.ts';
import { serveStdio, type ServeEnd, type ServeOptions } from '../../lib/mcp/serve.ts';
import { createServer } from '../../lib/mcp/create-server.ts';
import type { ServerOptions } from '../../lib/mcp/server.ts';
import { deferred, probeFamily, probeTool, settled } from '../support/in-process.ts';
import { call, cancel, modernMeta, request, type Message } from '../support/server-process.ts';

/** An input that is fed by hand. */
class Input extends EventEmitter {
  paused = false;
  pause(): void {
    this.paused = true;
  }
  resume(): void {
    this.paused = false;
  }
  feed(...lines: string[]): void {
    this.emit('data', Buffer.from(lines.map((line) => `${line}\n`).join('')));
  }
}

/** An output whose reader takes nothing while `stalled`. */
class Output extends EventEmitter {
  readonly writes: string[] = [];
  stalled = false;
  writableLength = 0;
  failure: Error | undefined;
  #waiting: ((error?: Error | null) => void)[] = [];

  write(text: string, done?: (error?: Error | null) => void): boolean {
    if (this.failure !== undefined) throw this.failure;
    if (text !== '') this.writes.push(text);
    if (done !== undefined) this.#waiting.push(done);
    if (this.stalled) this.writableLength += text.length;
    else this.#callBack();
    return !this.stalled;
  }

  /** The reader takes everything. */
  take(): void {
    this.writableLength = 0;
    this.#callBack();
    this.emit('drain');
  }

  #callBack(): void {
    for (const done of this.#waiting.splice(0)) done();
  }

  get lines(): string[] {
    return this.writes.join('').split('\n').slice(0, -1);
  }

  get messages(): Message[] {
    return this.lines.map((line) => JSON.parse(line) as Message);
  }
}

const outputs: Output[] = [];

type Served = { input: Input; output: Output; logs: string[]; end: Promise<ServeEnd>; over(): ServeEnd | undefined; open: Map<string, Pending> };
type Pending = { signal: AbortSignal; resolve(value: unknown): void; reject(error: unknown): void };

function serve(options: ServeOptions = {}, more: readonly Tool[] = []): Served {
  const [input, output, logs, open] = [new Input(), new Output(), [] as string[], new Map<string, Pending>()];
  const run = ({ key }: { key: string }, { signal }: { signal: AbortSignal }): Promise<unknown> => {
    const { promise, resolve, reject } = deferred();
    open.set(key, { signal, resolve, reject });
    return promise;
  };
  const tools = [
    probeTool('none', run), probeTool('ordered', run, { readOnly: false }),
    probeTool('big', ({ size }) => 'b'.repeat(size)), ...more,
  ];
  const log: ServerOptions['log'] = (level, message) => void logs.push(`${level}: ${message}`);
  const server = createServer({ name: 's', version: '1', families: [probeFamily('fam', tools, { listCanChange: true })], log });
  outputs.push(output);
  let over: ServeEnd | undefined;
  const end = serveStdio(server, { input, output, ...options });
  void end.then((value) => {
    over = value;
  });
  return { input, output, logs, end, over: () => over, open };
}

const endOfInput: ServeEnd = { reason: 'end-of-input', exitCode: 0 };

describe('serving on streams', () => {
  afterEach(() => {
    mock.timers.reset();
    // What a case leaves open would keep the process alive: its reader goes away.
    for (const output of outputs.splice(0)) output.emit('error', Object.assign(new Error('the case is over'), { code: 'EPIPE' }));
  });

  it('answers all lines of one chunk in one write, each with a newline', async () => {
    const { input, output } = serve();
    input.feed(request(1, 'ping'), '', '{', request(2, 'ping'));
    assert.equal(output.writes.length, 1);
    assert.deepEqual(output.messages.map(({ id }) => id), [1, null, 2]);
    assert.ok(!output.writes.join('').includes('\r'));
  });

  it('answers a last line without a newline, and ends once when the input ends and closes', async () => {
    const { input, output, end } = serve();
    input.emit('data', Buffer.from(request(1, 'ping')));
    assert.deepEqual(output.writes, []);
    input.emit('end');
    input.emit('close');
    assert.deepEqual(await end, endOfInput);
    assert.deepEqual(output.lines, ['{"jsonrpc":"2.0","id":1,"result":{}}']);
    input.feed(request(2, 'ping'));
    assert.equal(output.lines.length, 1);
  });

  it('answers a line that is no UTF-8 as unparseable, with id null', () => {
    const { input, output } = serve();
    input.emit('data', Buffer.from([0x7b, 0xff, 0x7d, 0x0a]));
    assert.deepEqual(output.messages.map(({ id, error }) => [id, error.code]), [[null, -32700]]);
  });

  it('refuses a line over the limit once, skips to its end, and goes on', () => {
    const { input, output } = serve({ maxLineBytes: 100 });
    input.feed('x'.repeat(101), request(1, 'ping'));
    for (let i = 0; i < 5; i++) input.emit('data', Buffer.from('y'.repeat(60)));
    assert.equal(output.lines.length, 3);
    input.emit('data', Buffer.from(`"}\n${request(2, 'ping')}\n`));
    assert.deepEqual(output.messages.map(({ id, error }) => [id, error?.code]), [[null, -32600], [1, undefined], [null, -32600], [2, undefined]]);
    assert.match(output.messages[0]?.['error'].message, /longer than 100 bytes/);
  });

  it('stops reading, and answering, while more than 16 MiB wait for the reader, and goes on at drain', () => {
    const { input, output } = serve();
    output.stalled = true;
    const size = maxUntaken / 4;
    input.feed(...Array.from({ length: 10 }, (_, id) => call(id, 'big', { size })));
    assert.equal(input.paused, true);
    assert.equal(output.lines.length, 4);
    output.take();
    assert.equal(input.paused, true);
    assert.equal(output.lines.length, 8);
    output.take();
    assert.equal(input.paused, false);
    assert.deepEqual(output.messages.map(({ id }) => id), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('goes on reading while answers are held or calls wait: a cancel must get through', async () => {
    const { input, output, open } = serve({ ordered: true });
    input.feed(call('first', 'ordered', { key: 'first' }), call('second', 'ordered', { key: 'second' }));
    for (let i = 0; i < 50; i++) input.feed(call(i, 'big', { size: 2 ** 20 }));
    assert.equal(input.paused, false);
    assert.deepEqual(output.writes, []);
    input.feed(cancel('first'));
    assert.equal(open.get('first')?.signal.aborted, true);
    open.get('first')?.resolve('late');
    await settled();
    open.get('second')?.resolve('second');
    await settled();
    assert.deepEqual(output.messages.map(({ id }) => id), ['second', ...Array.from({ length: 50 }, (_, id) => id)]);
  });

  it('loses nothing when the input ends while the reader is behind', async () => {
    const { input, output, end, over } = serve();
    output.stalled = true;
    input.feed(...Array.from({ length: 6 }, (_, id) => call(id, 'big', { size: maxUntaken / 2 })));
    input.emit('end');
    for (let i = 0; i < 5; i++) await settled();
    assert.equal(over(), undefined);
    for (let i = 0; i < 3; i++) {
      output.take();
      await settled();
    }
    output.stalled = false;
    output.take();
    assert.deepEqual(await end, endOfInput);
    assert.deepEqual(output.messages.map(({ id }) => id), [0, 1, 2, 3, 4, 5]);
  });

  it('flushes for as long as the reader keeps the output open', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { input, output, end, over } = serve();
    output.stalled = true;
    input.feed(request(1, 'ping'));
    input.emit('end');
    for (let i = 0; i < 10; i++) {
      await settled();
      mock.timers.tick(60_000);
    }
    assert.equal(over(), undefined);
    output.take();
    assert.deepEqual(await end, endOfInput);
  });

  it('waits five seconds for calls after the end of input, then fires their signals, and answers the rest a second later', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { input, output, end, open } = serve();
    for (const key of ['stubborn', 'willing', 'quick']) input.feed(call(key, 'none', { key }));
    input.feed(call('started', 'ordered', { key: 'started' }), call('waiting', 'ordered', { key: 'waiting' }));
    input.emit('end');
    await settled();
    open.get('quick')?.resolve('quick');
    await settled();
    mock.timers.tick(4_999);
    await settled();
    assert.deepEqual(output.messages.map(({ id }) => id), ['quick']);
    assert.equal(open.get('willing')?.signal.aborted, false);
    mock.timers.tick(1);
    await settled();
    assert.equal(open.get('willing')?.signal.aborted, true);
    open.get('willing')?.resolve('just in time');
    await settled();
    mock.timers.tick(1_000);
    assert.deepEqual(await end, endOfInput);
    const answers = Object.fromEntries(output.messages.map((message) => [message['id'], message['error'] ?? message['result'].content[0].text]));
    const stopped = { code: -32603, message: 'stopped before it finished' };
    assert.deepEqual(answers, { quick: 'quick', willing: 'just in time', stubborn: stopped, started: stopped, waiting: stopped });
    assert.ok(!open.has('waiting'));
  });

  for (const drain of [0, 0.5, 60]) {
    it(`waits ${drain} seconds when it is told so`, async () => {
      mock.timers.enable({ apis: ['setTimeout'] });
      const { input, end, open } = serve({ drain });
      input.feed(call(1, 'none', { key: 'a' }));
      input.emit('end');
      await settled();
      if (drain > 0) {
        mock.timers.tick(drain * 1_000 - 1);
        await settled();
        assert.equal(open.get('a')?.signal.aborted, false);
      }
      mock.timers.tick(1);
      await settled();
      assert.equal(open.get('a')?.signal.aborted, true);
      mock.timers.tick(1_000);
      assert.deepEqual(await end, endOfInput);
    });
  }

  it('waits as long as calls take with drain none', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { input, output, end, over, open } = serve({ drain: 'none' });
    input.feed(call(1, 'none', { key: 'a' }));
    input.emit('end');
    for (let i = 0; i < 5; i++) {
      await settled();
      mock.timers.tick(86_400_000);
    }
    assert.equal(over(), undefined);
    open.get('a')?.resolve('at last');
    assert.deepEqual(await end, endOfInput);
    assert.equal(output.messages[0]?.['result'].content[0].text, 'at last');
  });

  it('ends at once when nothing runs', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { input, end } = serve();
    input.emit('end');
    assert.deepEqual(await end, endOfInput);
  });

  it('gives open subscriptions their closing result at the end of input', async () => {
    const { input, output, end } = serve({ ordered: true });
    input.feed(request('s', 'subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: modernMeta }), request(1, 'ping'));
    input.emit('end');
    await end;
    assert.deepEqual(output.messages.map(({ id, method }) => id ?? method), ['notifications/subscriptions/acknowledged', 1, 's']);
    assert.equal(output.messages[2]?.['result'].resultType, 'complete');
    assert.equal(output.messages[2]?.['result']._meta['io.modelcontextprotocol/subscriptionId'], 's');
  });

  for (const code of ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']) {
    it(`stops quietly with exit code 0 when the reader has gone away (${code})`, async () => {
      const { input, output, end, open, logs } = serve();
      input.feed(call(1, 'none', { key: 'a' }));
      output.emit('error', Object.assign(new Error('gone'), { code }));
      assert.deepEqual(await end, { reason: 'output-closed', exitCode: 0 });
      assert.equal(open.get('a')?.signal.aborted, true);
      assert.equal(input.paused, true);
      assert.deepEqual([output.writes, logs], [[], []]);
    });
  }

  it('stops with exit code 1 and one log line when the output fails otherwise, by an event, a callback or a throw', async () => {
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const ways: ((served: Served) => void)[] = [
      ({ output }) => void output.emit('error', full),
      ({ input, output }) => {
        output.write = (_, done) => {
          done?.(full);
          return false;
        };
        input.feed(request(1, 'ping'));
      },
      ({ input, output }) => {
        output.failure = full;
        input.feed(request(1, 'ping'), request(2, 'ping'));
      },
    ];
    for (const way of ways) {
      const served = serve();
      way(served);
      served.output.emit('error', full);
      assert.deepEqual(await served.end, { reason: 'output-failed', exitCode: 1 });
      assert.deepEqual(served.logs, ['error: writing the output failed: no space left']);
    }
  });

  it('ends when all is answered, even if the last flush throws', async () => {
    const { input, output, end } = serve();
    input.feed(request(1, 'ping'));
    output.failure = new Error('too late to matter');
    input.emit('end');
    assert.deepEqual(await end, endOfInput);
    assert.equal(output.lines.length, 1);
  });

  it('takes an error of the input for its end', async () => {
    const { input, output, end, logs } = serve();
    input.emit('data', Buffer.from(request(1, 'ping')));
    input.emit('error', new Error('unplugged'));
    assert.deepEqual(await end, endOfInput);
    assert.equal(output.lines.length, 1);
    assert.deepEqual(logs, ['error: reading the input failed: unplugged']);
  });

  it('tells the trace every line in both directions', async () => {
    const traced: string[] = [];
    const { input, end } = serve({ trace: (direction, line) => void traced.push(`${direction} ${line}`) });
    input.feed(request(1, 'ping'), '{', call(2, 'big', { size: 1 }));
    input.emit('end');
    await end;
    assert.deepEqual(traced.filter((line) => line.startsWith('in')), [`in ${request(1, 'ping')}`, 'in {', `in ${call(2, 'big', { size: 1 })}`]);
    assert.equal(traced.filter((line) => line.startsWith('out')).length, 3);
  });

  it('tells the trace of lines that can not be looked into', async () => {
    const traced: string[] = [];
    const { input, end } = serve({ maxLineBytes: 100, trace: (direction, line) => void traced.push(`${direction} ${line}`) });
    input.emit('data', Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.from(`${'x'.repeat(200)}\n`)]));
    input.emit('end');
    await end;
    assert.deepEqual(traced.filter((line) => line.startsWith('in')), ['in (a line that is not UTF-8)', 'in (a line of more than 100 bytes)']);
  });

  it('leaves out progress while the reader is far behind, so that a flood does not fill memory', async () => {
    const flood = probeTool('flood', async (_, { progress }) => {
      for (let i = 1; i <= 40; i++) {
        progress(i, 40, 'x'.repeat(2 ** 20));
        await settled();
      }
      return 'flooded';
    });
    const { input, output, end } = serve({}, [flood]);
    output.stalled = true;
    input.feed(call(1, 'flood', {}, { progressToken: 'p' }));
    input.emit('end');
    while (!output.lines.some((line) => line.includes('flooded'))) await settled();
    output.take();
    output.stalled = false;
    output.take();
    assert.deepEqual(await end, endOfInput);
    assert.ok(output.lines.length >= 10 && output.lines.length <= 20, `${output.lines.length} lines`);
    assert.equal(output.messages.at(-1)?.['id'], 1);
  });
});
