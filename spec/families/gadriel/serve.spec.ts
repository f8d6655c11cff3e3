import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { call, cancel, launcher, request, runServer, startServer } from '../../support/server-process.ts';
import { githubToken } from './support/sample-secrets.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const args = ['gadriel', 'mcp'];
const block = 'def f(a, b):\n    y = subprocess.run(["ls", a], check=True)\n    z = {"a": b, "c": f"{a}-{y}"}\n    return cursor.execute("select 1 where a = %s", (z,))\n\n';
const bigPython = (bytes: number): string => `import subprocess\n${block.repeat(bytes / block.length - 1)}`;

describe('a served gadriel', () => {
  const temp = tempFolder();
  const big = temp.write('big.py', bigPython(5 * 1024 * 1024));
  const flaw = temp.write('flaw.py', 'import sys\neval(sys.argv[1])\n');

  it('names itself, lists its tools and scans, through a pipe', async () => {
    const lines = [request(1, 'initialize', {}), request(2, 'tools/list', {}), call(3, 'validate_file', { file_path: flaw }), request(4, 'validate_file', { file_path: flaw })];
    const { code, stderr, lines: answers } = await runServer(args, `${lines.join('\n')}\n`);
    const byId = new Map(answers.map((line) => JSON.parse(line)).map((message) => [message.id, message.result]));
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.equal(byId.get(1).serverInfo.name, 'gadriel');
    assert.ok(byId.get(2).tools.some(({ name }: { name: string }) => name === 'campaign_advance'));
    // The revision that `{}` gets has no structuredContent: the text is all there is.
    assert.deepEqual(Object.keys(byId.get(3)), ['content']);
    assert.equal(byId.get(4).findings[0].rule_id, 'CODE-W1-L3-002');
    assert.deepEqual(JSON.parse(byId.get(3).content[0].text), byId.get(4));
  });

  it('answers pings while it scans the largest file', async (test) => {
    const server = startServer(args);
    test.after(() => server.end());
    server.send(call('scan', 'validate_file', { file_path: big }));
    let over = false;
    const scan = server.answer('scan').finally(() => (over = true));
    const waits: number[] = [];
    for (let id = 1; !over; id++) {
      const asked = performance.now();
      server.send(request(id, 'ping'));
      await server.answer(id);
      waits.push(performance.now() - asked);
      // The next one comes when the loop of this process has been round, so that the pings are spread over the scan.
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.equal((await scan)['result'].structuredContent.count, 0);
    server.end();
    assert.equal((await server.ended).code, 0);
    assert.ok(waits.length >= 10, `only ${waits.length} pings were answered during the scan`);
    // Measured: at most 15 ms on an idle machine, where the bar is 50 ms. The bound leaves room for a busy one.
    const late = waits.filter((wait) => wait > 250);
    assert.ok(late.length <= waits.length / 50, `pings took ${late.map(Math.round).join(', ')} ms`);
  });

  it('ends a scan that is cancelled, goes on with others and ends with its input', async (test) => {
    const server = startServer(args);
    test.after(() => server.end());
    const content = 'eval(input())\n'.repeat(370_000);
    const started = performance.now();
    for (const id of ['a', 'b']) server.send(call(id, 'validate_buffer', { content, file_path: 'a.py' }));
    server.send(request(1, 'ping'));
    await server.answer(1);
    server.send(cancel('a'), cancel('b'), call(2, 'validate_file', { file_path: flaw }));
    assert.equal((await server.answer(2))['result'].structuredContent.count, 1);
    server.end();
    const { code, lines } = await server.ended;
    assert.equal(code, 0);
    // Whatever a cancelled call is answered with, it is no report.
    for (const line of lines) assert.ok(!line.includes('"truncated"'), line.slice(0, 200));
    assert.ok(performance.now() - started < 20_000);
  });

  it('keeps secrets out of stdout and stderr', async () => {
    const token = githubToken(9);
    const lines = [
      call(1, 'validate_buffer', { content: `t = "${token}"\n`, file_path: 'a.py' }), call(2, 'validate_buffer', { content: `t: ${token}`, file_path: 7 }),
      request(3, 'validate_buffer', { content: `t: ${token}`, file_path: 'a.yml' }), call(4, 'validate_file', { file_path: `/nowhere/${token}` }),
    ];
    const { stdout, stderr, lines: answers } = await runServer(args, `${lines.join('\n')}\n`);
    assert.equal(answers.length, 4);
    assert.ok(!`${stdout}${stderr}`.includes(token));
  });

  const posix = process.platform !== 'win32';
  it('answers at once for a FIFO without a writer and for a device without end', { skip: !posix }, async () => {
    assert.equal(spawnSync('mkfifo', [temp.at('pipe.py')]).status, 0);
    const { code, lines } = await runServer(args, `${call(1, 'validate_file', { file_path: temp.at('pipe.py') })}\n${call(2, 'validate_file', { file_path: '/dev/zero' })}\n`);
    assert.equal(code, 0);
    assert.deepEqual(lines.map((line) => JSON.parse(line)).sort((a, b) => a.id - b.id).map(({ result }) => result.structuredContent.reason), [
      'the path is a FIFO, not a regular file', 'the path is a device, not a regular file',
    ]);
  });

  it('scans relative to its working folder', () => {
    const { status, stdout } = spawnSync(process.execPath, [...launcher, ...args], { cwd: temp.root, input: `${call(1, 'validate_file', { file_path: 'flaw.py' })}\n`, encoding: 'utf8' });
    assert.equal(status, 0);
    assert.equal(JSON.parse(stdout).result.structuredContent.findings[0].file, 'flaw.py');
  });
});
