import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { syncFolder, writeFileAtomic } from '../../lib/store/atomic-write.ts';

const onPosix = process.platform !== 'win32';
let folder = '';
let file = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'toolwire-write-'));
  file = path.join(folder, 'file');
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const modeOf = (name: string): number => fs.statSync(path.join(folder, name)).mode & 0o7777;
const text = (name: string): string => fs.readFileSync(path.join(folder, name), 'utf8');

/** The methods of all file handles, to make them fail. */
async function handleMethods(): Promise<FileHandle> {
  const handle = await open(folder, 'r');
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

test('text and bytes are written whole, and no temp file stays', async () => {
  await writeFileAtomic(file, 'grüße\n');
  assert.equal(text('file'), 'grüße\n');
  await writeFileAtomic(file, Uint8Array.of(0, 255, 10));
  assert.deepEqual(fs.readFileSync(file), Buffer.of(0, 255, 10));
  assert.deepEqual(fs.readdirSync(folder), ['file']);
});

test('a relative path is written in the working folder’s terms', async () => {
  await writeFileAtomic(path.relative(process.cwd(), file), 'x');
  assert.equal(text('file'), 'x');
});

test('a new file gets the mode asked for, a replaced one keeps its own', { skip: !onPosix }, async () => {
  await writeFileAtomic(file, 'secret', { mode: 0o600 });
  assert.equal(modeOf('file'), 0o600);
  fs.chmodSync(file, 0o764);
  await writeFileAtomic(file, 'new', { mode: 0o600 });
  assert.equal(modeOf('file'), 0o764);
});

for (const step of ['writeFile', 'chmod', 'sync'] as const) {
  test(`when ${step} fails the old bytes stay and the temp file goes`, async (t) => {
    fs.writeFileSync(file, 'old');
    t.mock.method(await handleMethods(), step, () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })));
    await assert.rejects(writeFileAtomic(file, 'new'), { code: 'ENOSPC' });
    assert.equal(text('file'), 'old');
    assert.deepEqual(fs.readdirSync(folder), ['file']);
  });
}

test('the bytes are synced before the rename shows them, and the folder after it', async (t) => {
  const seen: string[] = [];
  const methods = await handleMethods();
  const sync = methods.sync;
  t.mock.method(methods, 'sync', async function (this: FileHandle) {
    seen.push(`${(await this.stat()).isFile() ? 'file' : 'folder'} ${fs.existsSync(file)}`);
    return sync.call(this);
  });
  await writeFileAtomic(file, 'x');
  assert.deepEqual(seen, ['file false', 'folder true']);
});

test('a folder that cannot be synced is no error, one that fails is', async (t) => {
  const methods = await handleMethods();
  for (const [code, fails] of [['EINVAL', false], ['EPERM', false], ['EIO', true]] as const) {
    t.mock.method(methods, 'sync', () => Promise.reject(Object.assign(new Error(code), { code })));
    if (fails) await assert.rejects(syncFolder(folder), { code });
    else await syncFolder(folder);
    t.mock.restoreAll();
  }
});

test('writing through links replaces the file at their end, and the links stay', { skip: !onPosix }, async () => {
  fs.mkdirSync(path.join(folder, 'deep/er'), { recursive: true });
  fs.writeFileSync(path.join(folder, 'deep/target'), 'old');
  fs.symlinkSync('deep/er', path.join(folder, 'short'));
  // Relative to the real folder the link is in: `short/..` is `deep`.
  fs.symlinkSync('../target', path.join(folder, 'deep/er/link'));
  fs.symlinkSync(path.join(folder, 'short/link'), file);
  await writeFileAtomic(file, 'new');
  assert.equal(text('deep/target'), 'new');
  assert.ok(fs.lstatSync(file).isSymbolicLink() && fs.lstatSync(path.join(folder, 'deep/er/link')).isSymbolicLink());
});

test('writing through a link to nothing makes its target', { skip: !onPosix }, async () => {
  fs.symlinkSync('target', file);
  await writeFileAtomic(file, 'new');
  assert.equal(text('target'), 'new');
});

test('links in a circle, folders and pipes are refused and stay what they are', { skip: !onPosix }, async () => {
  fs.symlinkSync('file', file);
  await assert.rejects(writeFileAtomic(file, 'x'), { code: 'ELOOP' });
  await assert.rejects(writeFileAtomic(folder, 'x'), { code: 'EINVAL' });
  execFileSync('mkfifo', [path.join(folder, 'pipe')]);
  await assert.rejects(writeFileAtomic(path.join(folder, 'pipe'), 'x'), { code: 'EINVAL' });
  await assert.rejects(writeFileAtomic(path.join(folder, 'none/file'), 'x'), { code: 'ENOENT' });
  assert.deepEqual(fs.readdirSync(folder).sort(), ['file', 'pipe']);
});

test('a name too long arrives as the file system’s error', async () => {
  await assert.rejects(writeFileAtomic(path.join(folder, 'x'.repeat(300)), 'x'), { code: 'ENAMETOOLONG' });
});

test('temps of dead writers go at the next write, those of living and unknown ones stay', { skip: !onPosix }, async (t) => {
  const methods = await handleMethods();
  const seen: string[] = [];
  const write = methods.writeFile;
  t.mock.method(methods, 'writeFile', function (this: FileHandle, ...args: Parameters<FileHandle['writeFile']>) {
    seen.push(...fs.readdirSync(folder));
    return write.apply(this, args);
  });
  const other = fs.mkdtempSync(path.join(os.tmpdir(), 'toolwire-own-'));
  await writeFileAtomic(path.join(folder, 'probe'), 'x');
  const [, machine, pid, start] = /^\.toolwire-(\w+)-(\d+)-(\d+)-\w+\.tmp$/.exec(seen.find((name) => name.startsWith('.')) ?? '') ?? [];
  assert.equal(pid, String(process.pid));
  const rest = '0123456789ab.tmp';
  const cases: [name: string, stays: boolean, old?: boolean][] = [
    [`.toolwire-${machine}-2147483646-5-${rest}`, false],
    [`.toolwire-${machine}-${pid}-${start}-${rest}`, true],
    // Without /proc a start time is 0 and a reused pid looks alive.
    [`.toolwire-${machine}-${pid}-${Number(start) + 1}-${rest}`, start === '0'],
    [`.toolwire-${machine}-${pid}-0-${rest}`, true],
    [`.toolwire-00000000-1-5-${rest}`, true],
    [`.toolwire-00000000-2-5-${rest}`, false, true],
    ['.toolwire-mine.tmp', true, true],
  ];
  for (const [name, , old] of cases) {
    fs.writeFileSync(path.join(other, name), '');
    if (old === true) fs.utimesSync(path.join(other, name), 1_000, 1_000);
  }
  await writeFileAtomic(path.join(other, 'file'), 'x');
  const expected = ['file', ...cases.filter(([, stays]) => stays).map(([name]) => name)].sort();
  assert.deepEqual(fs.readdirSync(other).sort(), expected);
  fs.rmSync(other, { recursive: true });
});

test('readers see old or new bytes whole while a file is written again and again', async () => {
  const bodies = ['a', 'b'].map((letter) => letter.repeat(50_000));
  await writeFileAtomic(file, bodies[0] ?? '');
  let writing = true;
  const writer = (async () => {
    for (let round = 1; round <= 30; round += 1) await writeFileAtomic(file, bodies[round % 2] ?? '');
    writing = false;
  })();
  while (writing) {
    assert.ok(bodies.includes(await fs.promises.readFile(file, 'utf8')));
  }
  await writer;
});
