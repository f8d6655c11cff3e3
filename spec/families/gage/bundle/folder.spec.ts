import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openFolder, readEntry } from '../../../../lib/families/gage/domain/bundle/entries.ts';
import { readBundleFolder, writeBundleFolder } from '../../../../lib/families/gage/domain/bundle/folder.ts';
import { limits } from '../../../../lib/families/gage/domain/bundle/limits.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { killedWriters } from '../identity/killed-writer.ts';
import { buildSample } from './sample.ts';

const sample = buildSample();
const { manifest, signature, items } = sample;
const whole = { manifest, signature, items, faults: [] };
const [one, two] = items;
const worker = (name: string): string => fileURLToPath(import.meta.resolve(name));

describe('a bundle folder that was written', () => {
  const temp = tempFolder();

  it('is read as it was, and only its owner can open it', async () => {
    const dir = temp.at('written');
    await writeBundleFolder(dir, sample);
    assert.deepEqual(readBundleFolder(dir), whole);
    assert.deepEqual(readdirSync(dir, { recursive: true }).map(String).sort(), ['items', 'items/0000', 'items/0001', 'manifest.json', 'manifest.sig']);
    assert.deepEqual(['', 'items', 'manifest.json', 'items/0000'].map((name) => statSync(path.join(dir, name)).mode & 0o777), [0o700, 0o700, 0o600, 0o600]);
    assert.deepEqual(readdirSync(temp.root), ['written']);
  });

  it('has no folder for items when there are none', async () => {
    const empty = buildSample({ items: [] });
    await writeBundleFolder(temp.at('empty'), empty);
    assert.deepEqual(readdirSync(temp.at('empty')).sort(), ['manifest.json', 'manifest.sig']);
    assert.deepEqual(readBundleFolder(temp.at('empty')), { manifest: empty.manifest, signature: empty.signature, items: [], faults: [] });
  });

  it('takes the place of an empty folder, and of nothing else', async () => {
    await writeBundleFolder(temp.folder('room'), sample);
    assert.deepEqual(readBundleFolder(temp.at('room')), whole);
    temp.write('full/note', 'keep me');
    temp.write('file', 'keep me');
    for (const name of ['full', 'file']) await assert.rejects(writeBundleFolder(temp.at(name), sample), /ENOTEMPTY|EEXIST|ENOTDIR/);
    assert.deepEqual(readdirSync(temp.at('full')), ['note']);
    assert.deepEqual(readdirSync(temp.root).filter((name) => name.startsWith('.tmp')), []);
  });

  it('is not written with a missing part', async () => {
    for (const change of [{ manifest: undefined }, { signature: undefined }, { items: [one, undefined] }]) {
      await assert.rejects(writeBundleFolder(temp.at('part'), { ...whole, ...change }), TypeError);
    }
    assert.ok(!existsSync(temp.at('part')));
  });

  it('takes away what killed writers left a day ago, and nothing else', async () => {
    const [old, fresh, other] = ['.tmp-0123456789abcdef01234567', '.tmp-fedcba9876543210fedcba98', '.tmp-mine'].map((name) => temp.folder(`sweep/${name}`));
    for (const folder of [old, other]) utimesSync(folder ?? '', new Date(0), new Date(0));
    await writeBundleFolder(temp.at('sweep/bundle'), sample);
    assert.deepEqual([old, fresh, other].map((folder) => existsSync(folder ?? '')), [false, true, true]);
  });

  it('is whole or not there, whenever its writer is killed', () => {
    const found = killedWriters(temp, 'bundle', 4).map((folder) => {
      const names = readdirSync(folder).filter((name) => !name.startsWith('.tmp-'));
      for (const name of names) {
        const read = readBundleFolder(path.join(folder, name));
        assert.deepEqual([read.faults, read.items.map((bytes) => bytes?.length)], [[], [20_000, 20_000, 20_000]]);
      }
      return names.join();
    });
    // Killed in its last step, after the rename, the second one is there; killed before, it is not.
    assert.ok(found.length >= 6, found.join(' | '));
    assert.deepEqual(found, ['0,1', ...found.slice(1).map(() => '0')]);
  });
});

/** What was done to a good bundle folder, and what is then read. */
type Case = { what: string; change(dir: string): void; expected: Partial<typeof whole> | object };
const at = (...names: string[]) => (dir: string): string => path.join(dir, ...names);
const fault = (reason: string, name?: string): object => ({ faults: [name === undefined ? { reason } : { reason, name }] });
const unreadable = { manifest: undefined, signature: undefined, items: [] };
const replace = (file: string, make: (file: string) => void): void => {
  rmSync(file, { recursive: true });
  make(file);
};
const pipe = (file: string): void => void execFileSync('mkfifo', [file]);

const cases: Case[] = [
  { what: 'a removed item', change: (dir) => rmSync(at('items', '0000')(dir)), expected: { items: [undefined, two], ...fault('missing_item', 'items/0000') } },
  { what: 'a removed folder of items', change: (dir) => rmSync(at('items')(dir), { recursive: true }), expected: { items: [undefined, undefined], ...fault('missing_item', 'items') } },
  { what: 'an item too many', change: (dir) => writeFileSync(at('items', '0002')(dir), ''), expected: fault('extra_member', 'items/0002') },
  { what: 'a file that is none of its own', change: (dir) => writeFileSync(at('README')(dir), ''), expected: fault('extra_member', 'README') },
  { what: 'a hidden folder', change: (dir) => mkdirSync(at('.git')(dir)), expected: fault('extra_member', '.git') },
  { what: 'a longer item', change: (dir) => appendFileSync(at('items', '0001')(dir), 'x'), expected: { items: [one, undefined], ...fault('item_size', 'items/0001') } },
  { what: 'a shorter item', change: (dir) => truncateSync(at('items', '0001')(dir), 1), expected: { items: [one, undefined], ...fault('item_size', 'items/0001') } },
  { what: 'an item that is a link to a file of the same bytes', change: (dir) => replace(at('items', '0000')(dir), (file) => symlinkSync('0001', file)), expected: { items: [undefined, two], ...fault('not_regular', 'items/0000') } },
  { what: 'an item that is a pipe', change: (dir) => replace(at('items', '0000')(dir), pipe), expected: { items: [undefined, two], ...fault('not_regular', 'items/0000') } },
  { what: 'an item that is a folder', change: (dir) => replace(at('items', '0000')(dir), mkdirSync), expected: { items: [undefined, two], ...fault('not_regular', 'items/0000') } },
  { what: 'a folder of items that is a link', change: (dir) => { renameSync(at('items')(dir), at('..', 'elsewhere')(dir)); symlinkSync('../elsewhere', at('items')(dir)); }, expected: { items: [undefined, undefined], ...fault('not_regular', 'items') } },
  { what: 'a folder of items that is a file', change: (dir) => replace(at('items')(dir), (file) => writeFileSync(file, '')), expected: { items: [undefined, undefined], ...fault('not_regular', 'items') } },
  { what: 'an item with a second name elsewhere, which changes nothing', change: (dir) => linkSync(at('items', '0000')(dir), at('..', 'second-name')(dir)), expected: {} },
  { what: 'no signature', change: (dir) => rmSync(at('manifest.sig')(dir)), expected: { signature: undefined } },
  { what: 'a signature of other bytes, as they are', change: (dir) => writeFileSync(at('manifest.sig')(dir), 'x'), expected: { signature: Buffer.from('x') } },
  { what: 'a signature that is far too long', change: (dir) => writeFileSync(at('manifest.sig')(dir), 'x'.repeat(5000)), expected: { signature: Buffer.alloc(0) } },
  { what: 'a signature that is a link', change: (dir) => replace(at('manifest.sig')(dir), (file) => symlinkSync('manifest.json', file)), expected: { signature: Buffer.alloc(0), ...fault('not_regular', 'manifest.sig') } },
  { what: 'no manifest', change: (dir) => rmSync(at('manifest.json')(dir)), expected: { ...unreadable, ...fault('missing_manifest', 'manifest.json') } },
  { what: 'a manifest that is a pipe', change: (dir) => replace(at('manifest.json')(dir), pipe), expected: { ...unreadable, ...fault('not_regular', 'manifest.json') } },
  { what: 'a manifest of 256 KiB', change: (dir) => writeFileSync(at('manifest.json')(dir), 'x'.repeat(limits.manifestBytes)), expected: { manifest: Buffer.from('x'.repeat(limits.manifestBytes)), signature: undefined, items: [] } },
  { what: 'a manifest over 256 KiB', change: (dir) => writeFileSync(at('manifest.json')(dir), 'x'.repeat(limits.manifestBytes + 1)), expected: { ...unreadable, ...fault('too_large', 'manifest.json') } },
  { what: 'a manifest that can not be read, and nothing else then', change: (dir) => writeFileSync(at('manifest.json')(dir), '{"v":2}'), expected: { manifest: Buffer.from('{"v":2}'), signature: undefined, items: [] } },
];

describe('a bundle folder is read with', () => {
  const temp = tempFolder();
  for (const [index, { what, change, expected }] of cases.entries()) {
    it(what, async () => {
      const dir = path.join(temp.folder(`case-${index}`), 'bundle');
      await writeBundleFolder(dir, sample);
      change(dir);
      const read = readBundleFolder(dir);
      const plain = ({ manifest: m, signature: s, items: i, faults }: ReturnType<typeof readBundleFolder>): unknown =>
        ({ manifest: m && Buffer.from(m), signature: s && Buffer.from(s), items: i.map((bytes) => bytes && Buffer.from(bytes)), faults });
      assert.deepEqual(plain(read), plain({ ...whole, ...expected } as ReturnType<typeof readBundleFolder>));
    });
  }

  it('an entry that is closed to us', { skip: process.getuid?.() === 0 ? 'root may read everything' : false }, async () => {
    const dir = temp.at('closed');
    await writeBundleFolder(dir, sample);
    chmodSync(path.join(dir, 'items', '0000'), 0);
    assert.deepEqual(readBundleFolder(dir).faults, [{ reason: 'unreadable', name: 'items/0000' }]);
  });

  it('a thousand files too many, of which some are named', async () => {
    const dir = temp.at('crowded');
    await writeBundleFolder(dir, sample);
    for (let index = 0; index < 1_000; index += 1) writeFileSync(path.join(dir, `x${index}`), '');
    const { faults } = readBundleFolder(dir);
    assert.deepEqual([faults.length, new Set(faults.map(({ reason }) => reason)).size], [16, 1]);
  });

  it('nothing in it where it is a link, a file or not there', async () => {
    await writeBundleFolder(temp.at('real'), sample);
    symlinkSync('real', temp.at('link'));
    temp.write('file', '');
    const faults = ['link', 'file', 'none', 'file/below'].map((name) => readBundleFolder(temp.at(name)).faults[0]?.reason);
    assert.deepEqual(faults, ['not_regular', 'not_regular', 'missing_manifest', 'not_regular']);
  });

  it('nothing of the secret that a racing link points at, and without an end to the waiting', async () => {
    const root = temp.folder('race');
    await writeBundleFolder(path.join(root, 'bundle'), sample);
    const child = spawn(process.execPath, [worker('./swap-worker.js'), root], { stdio: ['ignore', 'pipe', 'inherit'] });
    const gone = once(child, 'exit');
    await once(child.stdout, 'data');
    const seen = new Set<string>();
    const isEnough = (): boolean => seen.has('whole') && [...seen].some((faults) => faults.includes('not_regular'));
    const latest = performance.now() + 20_000;
    try {
      for (let reads = 0; (reads < 2_000 || !isEnough()) && performance.now() < latest; reads += 1) {
        const read = readBundleFolder(path.join(root, 'bundle'));
        for (const bytes of read.items) assert.ok(bytes === undefined || /^item (one|two)\n$/.test(Buffer.from(bytes).toString()), 'bytes from elsewhere');
        seen.add(read.faults.map(({ reason }) => reason).join() || 'whole');
      }
    } finally {
      child.kill('SIGKILL');
      await gone;
    }
    assert.ok(isEnough(), [...seen].join(' | '));
  });
});

describe('an entry', () => {
  const temp = tempFolder();

  it('that grows or shrinks while it is read has another size', () => {
    const file = temp.write('growing', '12345');
    const act = (work: () => void) => (): boolean => {
      work();
      return true;
    };
    assert.equal(readEntry(file, act(() => appendFileSync(file, '6'))), 'size');
    assert.equal(readEntry(file, act(() => truncateSync(file, 2))), 'size');
    assert.deepEqual(Buffer.from(readEntry(file, (size) => size === 2) as Uint8Array).toString(), '12');
  });

  it('that is a device is not opened', () => assert.equal(readEntry('/dev/null', () => true), 'not_regular'));

  it('whose trouble is not its own is an error', () => {
    assert.throws(() => readEntry(temp.at('x'.repeat(300)), () => true), /ENAMETOOLONG/);
  });

  it('is reached by path where the system shows no descriptors', () => {
    temp.write('plain/a', 'x');
    const folder = openFolder(temp.at('plain'), temp.at('no-descriptors'));
    assert.ok(typeof folder !== 'string');
    assert.equal(folder.at('a'), temp.at('plain/a'));
    assert.deepEqual(folder.others(new Set(), 5), ['a']);
    folder.close();
  });
});
