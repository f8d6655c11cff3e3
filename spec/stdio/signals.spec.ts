import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { call, request, serveArgs, startServer, type ServerProcess } from '../support/server-process.ts';

const skip = process.platform === 'win32';

async function openRunning(...lines: string[]): Promise<ServerProcess> {
  const server = startServer(serveArgs(['probe']));
  server.send(...lines, request('ready', 'ping'));
  await server.answer('ready');
  return server;
}

describe('a signal', { skip }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`${signal} ends an idle server at once, with exit code 0`, async () => {
      const server = await openRunning();
      server.child.kill(signal);
      const { code, signal: killed } = await server.ended;
      assert.deepEqual([code, killed], [0, null]);
    });
  }

  it('gives running calls a second, and answers every one that is open', async () => {
    const server = await openRunning(call(1, 'slow', { ms: 300 }), call(2, 'never'), call(3, 'never_ordered'), call(4, 'step'));
    const started = performance.now();
    server.child.kill('SIGTERM');
    const { code, lines } = await server.ended;
    const took = performance.now() - started;
    assert.equal(code, 0);
    assert.equal(lines.length, 5);
    const answers = new Map(lines.map((line) => [JSON.parse(line).id as unknown, JSON.parse(line)]));
    assert.equal(answers.get(1).result.content[0].text, 'slow');
    for (const id of [2, 3, 4]) assert.equal(answers.get(id).error.message, 'stopped before it finished');
    assert.ok(took < 5_000, `took ${took} ms`);
  });

  it('flushes for a second at most when the reader does not read', async () => {
    const server = await openRunning();
    server.child.stdout?.pause();
    // Much more than the pipe holds, less than what would pause reading: the tool that prints is the last to run.
    const big = Array.from({ length: 4 }, (_, id) => call(id, 'big', { size: 2_000_000 }));
    server.send(...big, call('last', 'print', { text: 'all is answered' }));
    await server.stderrHas('all is answered');
    const started = performance.now();
    server.child.kill('SIGTERM');
    const code = await new Promise((resolve) => server.child.on('exit', resolve));
    assert.equal(code, 0);
    assert.ok(performance.now() - started < 5_000);
    server.child.stdout?.destroy();
  });

  const second: [first: NodeJS.Signals, second: NodeJS.Signals, code: number][] = [
    ['SIGTERM', 'SIGTERM', 143],
    ['SIGINT', 'SIGINT', 130],
    ['SIGTERM', 'SIGINT', 130],
  ];
  for (const [one, two, code] of second) {
    it(`ends at once by ${two} after ${one}, with exit code ${code}`, async () => {
      const server = await openRunning(call(1, 'never'));
      server.child.kill(one);
      await server.stderrHas(`ending on ${one}`);
      server.child.kill(two);
      assert.equal((await server.ended).code, code);
    });
  }
});
