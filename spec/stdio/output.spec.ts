import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { call, request, serveArgs, startServer } from '../support/server-process.ts';

/** Waits until `value` has been the same for a while, and is not what it was at first. */
async function steady(value: () => number): Promise<number> {
  for (let last = value(), same = 0; ; ) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    same = value() === last ? same + 1 : 0;
    last = value();
    if (same === 12) return last;
  }
}

describe('the output', () => {
  it('may lose its reader: the process stops quietly with exit code 0', async () => {
    const server = startServer(serveArgs(['direct']));
    server.send(request(1, 'ping'));
    await server.answer(1);
    server.child.stdout?.destroy();
    server.send(...Array.from({ length: 50 }, (_, id) => request(id, 'ping')));
    const { code, signal, stderr } = await server.ended;
    assert.deepEqual([code, signal, stderr], [0, null, '']);
  });

  it('may lose its reader while a call runs: that is aborted, and nobody waits for it', async () => {
    const server = startServer(serveArgs(['probe'], '--drain', 'none'));
    server.send(call(1, 'never'), request(2, 'ping'));
    await server.answer(2);
    server.child.stdout?.destroy();
    server.send(call(3, 'echo', { text: 'x' }));
    const { code, stderr } = await server.ended;
    assert.deepEqual([code, stderr], [0, 'the probe family is being imported\n']);
  });

  it('may be a full disk: one line on stderr, exit code 1', { skip: !existsSync('/dev/full') }, async () => {
    const full = openSync('/dev/full', 'w');
    const server = startServer(serveArgs(['direct']), ['pipe', full, 'pipe']);
    closeSync(full);
    server.send(request(1, 'ping'), request(2, 'ping'));
    const { code, stderr } = await server.ended;
    assert.equal(code, 1);
    assert.match(stderr, /^[^\n]*writing the output failed[^\n]*\n$/);
  });

  it('is served on when stderr is full or has lost its reader', { skip: !existsSync('/dev/full') }, async () => {
    const full = openSync('/dev/full', 'w');
    for (const stderr of [full, 'pipe'] as const) {
      const server = startServer(serveArgs(['probe']), ['pipe', 'pipe', stderr]);
      server.child.stderr?.destroy();
      for (const id of [1, 2, 3]) {
        server.send(call(id, 'print', { text: 'to stderr' }), call(`fail${id}`, 'fail'));
        assert.equal((await server.answer(id))['result'].content[0].text, 'printed');
      }
      server.end();
      assert.equal((await server.ended).code, 0);
    }
    closeSync(full);
  });

  it('may have a reader that never reads: reading pauses, memory stays bounded, and everything arrives once it reads', async () => {
    const server = startServer(serveArgs(['probe']));
    const { child } = server;
    const count = 400;
    server.send(request('ready', 'ping'));
    await server.answer('ready');
    child.stdout?.pause();
    // 400 MB of answers to 40 MB of requests.
    for (let id = 0; id < count; id++) child.stdin?.write(`${call(id, 'big', { size: 1_000_000 }).slice(0, -1)}${' '.repeat(100_000)}}\n`);
    const unread = await steady(() => child.stdin?.writableLength ?? 0);
    assert.ok(unread > 10_000_000, `the server has read on: ${unread} bytes are left`);
    if (existsSync(`/proc/${child.pid}/status`)) {
      const rss = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
      assert.ok(rss < 250, `${rss} MiB`);
    }
    let bytes = 0;
    child.stdout?.removeAllListeners('data').on('data', (text: string) => void (bytes += text.length));
    child.stdout?.resume();
    server.end();
    assert.equal((await server.ended).code, 0);
    assert.ok(bytes > count * 1_000_000, `${bytes} bytes came`);
  });
});
