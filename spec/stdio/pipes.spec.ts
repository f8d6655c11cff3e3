import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { call, modernMeta, request, runServer, serveArgs, startServer } from '../support/server-process.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'toolwire-pipes-'));
after(() => rmSync(folder, { recursive: true }));

const inputOf = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');
const idsOf = (lines: readonly string[]): unknown[] => lines.map((line) => (JSON.parse(line) as { id: unknown }).id);

describe('a pipe', () => {
  it('answers the documented lines one by one and ends with exit code 0', async () => {
    const input = inputOf(request(1, 'initialize', {}), request(2, 'tools/list'), call(3, 'echo', { text: 'hi' }));
    const { code, lines, stdout } = await runServer(serveArgs(['probe']), input);
    assert.equal(code, 0);
    assert.deepEqual(idsOf(lines), [1, 2, 3]);
    assert.equal(JSON.parse(lines[0] as string).result.protocolVersion, '2024-11-05');
    assert.equal(lines[2], '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"hi"}]}}');
    assert.ok(stdout.endsWith('}\n') && !stdout.includes('\r'));
  });

  it('ends with exit code 0 and without a word when nothing comes', async () => {
    const { code, stdout } = await runServer(serveArgs(['direct']), '');
    assert.deepEqual([code, stdout], [0, '']);
  });

  it('reads CRLF, one BOM, bytes that are no UTF-8, and a last line without its newline', async () => {
    const input = Buffer.concat([
      Buffer.from(`\uFEFF${request(1, 'ping')}\r\n\r\n`),
      Buffer.from([0x7b, 0xc3, 0x28, 0x7d, 0x0a]),
      Buffer.from(`${request('é😀', 'ping')}\n${request(3, 'ping')}`),
    ]);
    const { code, lines } = await runServer(serveArgs(['direct']), input);
    assert.equal(code, 0);
    assert.deepEqual(idsOf(lines), [1, null, 'é😀', 3]);
    assert.equal(JSON.parse(lines[1] as string).error.code, -32700);
  });

  it('reads a line that comes byte by byte', async () => {
    const server = startServer(serveArgs(['direct']));
    for (const byte of Buffer.from(`${request('€', 'ping')}\n`)) {
      await new Promise((resolve) => server.child.stdin?.write(Buffer.from([byte]), resolve));
    }
    assert.deepEqual((await server.answer('€'))['result'], {});
    server.end();
    assert.equal((await server.ended).code, 0);
  });

  it('refuses a line over the limit, 64 MiB by default, and serves the next one', async () => {
    const server = startServer(serveArgs(['direct']));
    const piece = Buffer.alloc(2 ** 20, 'x');
    for (let i = 0; i < 65; i++) await new Promise((resolve) => server.child.stdin?.write(piece, resolve));
    assert.equal((await server.line(({ error }) => error?.code === -32600))['id'], null);
    server.child.stdin?.end(`\n${request(1, 'ping')}\n`);
    const { code, lines } = await server.ended;
    assert.deepEqual([code, idsOf(lines)], [0, [null, 1]]);
  });

  it('takes another limit by --max-line-bytes', async () => {
    const input = `${request(1, 'ping')}\n${' '.repeat(200)}\n${request(2, 'ping')}\n`;
    const { lines } = await runServer(serveArgs(['direct'], '--max-line-bytes', '100'), input);
    assert.deepEqual(idsOf(lines), [1, null, 2]);
  });

  it('carries a line of 16 MiB in and out', async () => {
    const text = 'é'.repeat(8 * 2 ** 20);
    const { code, lines } = await runServer(serveArgs(['direct']), `${request(1, 'say', { text })}\n`);
    assert.equal(code, 0);
    assert.equal(JSON.parse(lines[0] as string).result, text);
  });

  it('loses nothing of answers over 64 KiB at the end of input', async () => {
    const sizes = [65_536, 200_000, 1_000_000, 70_000];
    const { code, lines } = await runServer(serveArgs(['probe']), sizes.map((size, id) => `${call(id, 'big', { size })}\n`).join(''));
    assert.equal(code, 0);
    assert.deepEqual(lines.map((line) => JSON.parse(line).result.content[0].text.length), sizes);
  });

  it('loses nothing from a file into a file', async () => {
    const [from, to] = [path.join(folder, 'in.jsonl'), path.join(folder, 'out.jsonl')];
    writeFileSync(from, Array.from({ length: 20 }, (_, id) => `${call(id, 'big', { size: 300_000 + id })}\n`).join(''));
    const [input, output] = [openSync(from, 'r'), openSync(to, 'w')];
    const { code } = await startServer(serveArgs(['probe']), [input, output, 'ignore']).ended;
    closeSync(input);
    closeSync(output);
    assert.equal(code, 0);
    const answers = readFileSync(to, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
    const sizes = answers.map(({ id, result }) => [id, result.content[0].text.length]);
    assert.deepEqual(sizes, Array.from({ length: 20 }, (_, id) => [id, 300_000 + id]));
  });

  it('answers overlapping calls as they are ready, and with --ordered in the order of the requests', async () => {
    const input = inputOf(call('slow', 'slow', { ms: 150 }), call('quick', 'slow', { ms: 1 }), request('ping', 'ping'), call('now', 'echo', { text: 'x' }));
    const [free, ordered] = await Promise.all([runServer(serveArgs(['probe']), input), runServer(serveArgs(['probe'], '--ordered'), input)]);
    assert.deepEqual(idsOf(free.lines), ['ping', 'now', 'quick', 'slow']);
    assert.deepEqual(idsOf(ordered.lines), ['slow', 'quick', 'ping', 'now']);
  });

  it('serves both eras in one process', async () => {
    const input = inputOf(request(1, 'server/discover', { _meta: modernMeta }), request(2, 'initialize', {}), call(3, 'era', {}, modernMeta), call(4, 'era'));
    const { lines } = await runServer(serveArgs(['probe']), input);
    assert.deepEqual(lines.slice(2).map((line) => JSON.parse(line).result.content[0].text), ['modern', 'legacy']);
  });
});
