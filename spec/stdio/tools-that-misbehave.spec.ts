import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { call, cancel, request, serveArgs, startServer } from '../support/server-process.ts';

const textOf = (answer: Record<string, any>): string => answer['result'].content[0].text;

describe('a tool', () => {
  it('that never settles keeps nobody else waiting, and can be cancelled', async () => {
    const server = startServer(serveArgs(['probe'], '--drain', '0'));
    server.send(call(1, 'never'), call(2, 'echo', { text: 'x' }), cancel(1), request(1, 'ping'));
    assert.equal(textOf(await server.answer(2)), 'x');
    assert.deepEqual((await server.answer(1))['result'], {});
    server.end();
    const { code, lines } = await server.ended;
    assert.deepEqual([code, lines.length], [0, 2]);
  });

  it('that ignores its cancel holds up its family for two seconds, then one line on stderr says so', async () => {
    const server = startServer(serveArgs(['probe'], '--drain', '0'));
    server.send(call(1, 'never_ordered'), call(2, 'step'), cancel(1));
    const started = performance.now();
    assert.equal(textOf(await server.answer(2)), '{"before":0}');
    const took = performance.now() - started;
    assert.ok(took > 1_500 && took < 6_000, `took ${took} ms`);
    await server.stderrHas('probe/never_ordered: was cancelled and has not settled for 2 s');
    server.end();
    assert.equal((await server.ended).code, 0);
  });

  it('that throws in a timer, or leaves a rejected promise behind, is one line on stderr, and the session goes on', async () => {
    const server = startServer(serveArgs(['probe']));
    server.send(call(1, 'timer_throw'), call(2, 'stray_rejection'), call('text', 'stray_text'));
    await server.stderrHas('thrown in a timer');
    await server.stderrHas('rejected and awaited by nobody');
    await server.stderrHas('rejected with a text');
    server.send(call(3, 'echo', { text: 'still here' }));
    assert.equal(textOf(await server.answer(3)), 'still here');
    server.end();
    const { code, stderr } = await server.ended;
    assert.equal(code, 0);
    const told = stderr.match(/(?:uncaught exception|unhandled rejection); the session goes on/g);
    assert.deepEqual(told?.map((line) => line.slice(0, 8)).sort(), ['uncaught', 'unhandle', 'unhandle']);
  });

  it('that floods with progress and console.log is answered, and so is everyone else', async () => {
    const server = startServer(serveArgs(['probe']));
    server.send(call(1, 'flood', { notes: 50_000 }, { progressToken: 'p' }), request(2, 'ping'));
    assert.deepEqual((await server.answer(2))['result'], {});
    assert.equal(textOf(await server.answer(1)), 'flooded');
    server.end();
    const { code, lines, stdout } = await server.ended;
    assert.equal(code, 0);
    assert.ok(!stdout.includes('flood 100'));
    const notifications = lines.map((line) => JSON.parse(line)).filter(({ method }) => method === 'notifications/progress');
    const progress = notifications.map(({ params }) => params.progress as number);
    assert.ok(progress.every((value, index) => index === 0 || value > (progress[index - 1] as number)));
  });

  it('that floods a reader who does not read fills no memory', async () => {
    const server = startServer(serveArgs(['probe']));
    server.child.stdout?.pause();
    // 100 MB of progress; what does not fit is dropped.
    server.send(call(1, 'flood', { notes: 400_000 }, { progressToken: 'p' }));
    await server.stderrHas('flood 400000');
    server.send(call(2, 'memory'));
    server.child.stdout?.resume();
    const { rss } = (await server.answer(2))['result'].structuredContent as { rss: number };
    assert.ok(rss < 250 * 2 ** 20, `${rss / 2 ** 20} MiB`);
    assert.equal(textOf(await server.answer(1)), 'flooded');
    server.end();
    const { code, lines } = await server.ended;
    assert.equal(code, 0);
    assert.ok(lines.length < 200_000, `${lines.length} lines came`);
  });

  it('that prints does so on stderr, and so does a plugin while it is imported', async () => {
    const server = startServer(serveArgs(['probe']));
    server.send(call(1, 'print', { text: 'printed by a tool' }));
    await server.answer(1);
    server.end();
    const { stdout, stderr } = await server.ended;
    assert.equal(stdout, '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"printed"}]}}\n');
    assert.deepEqual(stderr.split('\n'), ['the probe family is being imported', 'printed by a tool', 'printed by a tool', 'printed by a tool', '']);
  });

  it('that fails tells its stack to stderr alone', async () => {
    const server = startServer(serveArgs(['probe']));
    server.send(call(1, 'fail'), call(2, 'fail_later'));
    await server.answer(2);
    server.end();
    const { stdout, stderr } = await server.ended;
    assert.ok(!stdout.includes('inner'));
    assert.equal(stderr.split('\n').filter((line) => line.includes('the inner detail')).length, 2);
  });
});
