import assert from 'node:assert/strict';
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { appendJsonLines, readJsonLines } from '../../lib/store/jsonl.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'toolwire-jsonl-'));
  file = path.join(folder, 'log.jsonl');
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

type Read = { values: unknown[]; numbers: number[]; skipped: number; lines: readonly number[] };
async function read(): Promise<Read> {
  const reader = readJsonLines(file);
  const values: unknown[] = [];
  const numbers: number[] = [];
  for await (const { value, line } of reader) {
    values.push(value);
    numbers.push(line);
  }
  return { values, numbers, skipped: reader.skipped.count, lines: reader.skipped.lines };
}

test('values come back in order, one line each, whatever they hold', async () => {
  await appendJsonLines(file, [{ a: 'x\ny\u2028\ud800' }, null]);
  await appendJsonLines(file, []);
  await appendJsonLines(file, [[1, 2], 'text', false]);
  assert.equal(fs.readFileSync(file, 'utf8').split('\n').length, 6);
  assert.deepEqual(await read(), { values: [{ a: 'x\ny\u2028\ud800' }, null, [1, 2], 'text', false], numbers: [1, 2, 3, 4, 5], skipped: 0, lines: [] });
});

test('a missing file is an empty log, and appending nothing makes none', async () => {
  await appendJsonLines(file, []);
  assert.equal(fs.existsSync(file), false);
  assert.deepEqual((await read()).values, []);
});

test('a log that cannot be read is an error', async () => {
  fs.mkdirSync(file);
  await assert.rejects(read(), { code: 'EISDIR' });
});

test('a value without JSON is refused before anything is written', async () => {
  await assert.rejects(appendJsonLines(file, [1, undefined]), /no line of JSON can hold a undefined/);
  await assert.rejects(appendJsonLines(file, [() => 1]), TypeError);
  assert.equal(fs.existsSync(file), false);
});

test('a new log gets the mode asked for', { skip: process.platform === 'win32' }, async () => {
  await appendJsonLines(file, [1], { mode: 0o600 });
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
});

const contents: [title: string, text: string | Buffer, values: unknown[], lines: number[]][] = [
  ['a torn last line is skipped and counted', '{"a":1}\n{"b":', [{ a: 1 }], [2]],
  ['a last number without its line end may be torn and is skipped', '1\n12', [1], [2]],
  ['a last object without its line end is whole', '1\n{"b":2}', [1, { b: 2 }], []],
  ['a broken line in the middle is skipped alone', '1\n{oops}\n3\n', [1, 3], [2]],
  ['a line that is no UTF-8 is skipped', Buffer.from('1\n"\xff"\n3\n', 'latin1'), [1, 3], [2]],
  ['blank lines are nothing, CRLF and a byte order mark do no harm', '\ufeff1\r\n\r\n  \n4\n', [1, 4], []],
  ['a byte order mark elsewhere is no JSON', '1\n\ufeff2\n', [1], [2]],
  ['an empty file is an empty log', '', [], []],
];
for (const [title, text, values, lines] of contents) {
  test(title, async () => {
    fs.writeFileSync(file, text);
    const found = await read();
    assert.deepEqual([found.values, found.lines, found.skipped], [values, lines, lines.length]);
  });
}

test('a torn last line is ended before the next write, so that it spoils only itself', async () => {
  fs.writeFileSync(file, '{"a":1}\n{"b":');
  await appendJsonLines(file, [3]);
  assert.equal(fs.readFileSync(file, 'utf8'), '{"a":1}\n{"b":\n3\n');
  assert.deepEqual((await read()).values, [{ a: 1 }, 3]);
});

test('lines longer than a chunk are read, those over 16 MiB are skipped', async () => {
  const long = 'x'.repeat(700_000);
  fs.writeFileSync(file, `${JSON.stringify(long)}\n"${'y'.repeat(16 * 1024 * 1024)}"\n3\n`);
  const found = await read();
  assert.deepEqual([found.values.length, found.values[0] === long, found.values[1], found.lines], [2, true, 3, [2]]);
});

test('all bad lines are counted, the first hundred are named', async () => {
  fs.writeFileSync(file, '{\n'.repeat(250));
  const found = await read();
  assert.deepEqual([found.skipped, found.lines.length, found.lines[99]], [250, 100, 100]);
});

/** Lets writes get `limit` bytes down, a few at a time, then fail as on a full disk. */
async function fillDisk(t: { mock: typeof import('node:test').mock }, limit: number, meanwhile: () => void): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.close();
  const methods = Object.getPrototypeOf(handle) as FileHandle;
  const write = methods.write as (bytes: Buffer, offset: number, length?: number) => Promise<{ bytesWritten: number }>;
  let left = limit;
  t.mock.method(methods, 'write', async function (this: FileHandle, bytes: Buffer, offset: number) {
    if (left <= 0) {
      meanwhile();
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    }
    left -= 4;
    return write.call(this, bytes, offset, Math.min(4, bytes.length - offset));
  });
}

test('on a full disk the log is cut back to its old bytes', async (t) => {
  fs.writeFileSync(file, '1\n2');
  await fillDisk(t, 8, () => undefined);
  await assert.rejects(appendJsonLines(file, ['a long enough line']), { code: 'ENOSPC' });
  assert.equal(fs.readFileSync(file, 'utf8'), '1\n2');
});

test('short writes are continued', async (t) => {
  await fillDisk(t, 1_000, () => undefined);
  await appendJsonLines(file, ['a long enough line']);
  assert.equal(fs.readFileSync(file, 'utf8'), '"a long enough line"\n');
});

test('a full disk cuts nothing that another wrote meanwhile', async (t) => {
  fs.writeFileSync(file, '1\n');
  await fillDisk(t, 4, () => fs.appendFileSync(file, '\n"theirs"\n'));
  await assert.rejects(appendJsonLines(file, ['a long enough line']), { code: 'ENOSPC' });
  assert.ok(fs.readFileSync(file, 'utf8').endsWith('"theirs"\n'));
});

test('whatever place a crash cuts a log at, only the torn line is lost, also after more is written', async () => {
  const value = fc.oneof(fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' }), { maxKeys: 3 }), fc.array(fc.integer(), { maxLength: 3 }));
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 5 }), fc.double({ min: 0, max: 1, noNaN: true }), async (values, where) => {
      fs.rmSync(file, { force: true });
      await appendJsonLines(file, values);
      const bytes = fs.readFileSync(file);
      const cut = Math.floor(where * bytes.length);
      fs.truncateSync(file, cut);
      await appendJsonLines(file, ['more']);
      const head = bytes.subarray(0, cut);
      const whole = head.filter((byte) => byte === 0x0a).length;
      // The line cut exactly before its line end is whole too.
      const ended = cut < bytes.length && bytes[cut] === 0x0a ? 1 : 0;
      const expected = JSON.parse(JSON.stringify(values.slice(0, whole + ended))) as unknown[];
      assert.deepEqual((await read()).values, [...expected, 'more']);
    }),
    { numRuns: 60 },
  );
});
