import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readBundleFolder, writeBundleFolder } from '../../../../lib/families/gage/domain/bundle/folder.ts';
import { pack } from '../../../../lib/families/gage/domain/bundle/package.ts';
import { signatureFile } from '../../../../lib/families/gage/domain/bundle/signature.ts';
import { toBase64 } from '../../../../lib/families/gage/domain/crypto/base64.ts';
import type { Identity } from '../../../../lib/families/gage/domain/identity/identity.types.ts';
import { inspectBundle } from '../../../../lib/families/gage/domain/verdict/inspect.ts';
import { projectRoot } from '../../../support/project.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { identityVectors } from '../crypto/vectors.ts';
import { alice, bundleOf, writeRaw, type Item } from '../verdict/kit.ts';
import { buildSample, buildVector, bundleVectors } from './sample.ts';

const script = path.join(projectRoot, 'scripts', 'verify_bundle.py');
const has = (command: string, ...words: string[]): boolean => spawnSync(command, words).status === 0;
const skip = !has('python3', '--version') || !has('openssl', 'version') ? 'python3 or openssl is not installed' : false;

type Result = { problems: string[]; not_checked: string[]; id?: string; label?: string; word_pairs?: string[]; mailbox?: string };

function verify(...bundles: string[]): { status: number | null; results: Result[] } {
  const { status, stdout, stderr } = spawnSync('python3', [script, ...bundles], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return { status, results: stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as Result) };
}

/** Changes a byte, and the size not. */
function flip(file: string): void {
  const bytes = readFileSync(file);
  bytes[0] = (bytes[0] as number) ^ 1;
  writeFileSync(file, bytes);
}

const item = (name: string, bytes = 'x'): Item => ({ name, bytes });
const keyOf = (who: Identity): { box: string; key: string } => ({ box: toBase64(who.boxKey), key: toBase64(who.signKey) });
const handled = (handle: unknown, more: object = {}): object => ({ from: { ...keyOf(alice), handle, ...more } });
const box = (bytes: Uint8Array): object => handled('alice', { box: toBase64(bytes) });
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

/** Manifests by the rule that they try, each signed as it is; the two verifiers have to agree on every one. */
const manifests: Readonly<Record<string, { readonly items?: readonly Item[]; readonly manifest?: object }>> = {
  ...Object.fromEntries([
    '../x', '/x', 'a\\b', 'C:x', 'a/./b', 'a//b', 'a/', '', 'é'.repeat(127) + 'x', 'é'.repeat(128), 'a\u202eb', 'a\u0000b', 'a\u{e0041}', 'a\ufe0f', 'a\u200db', 'e\u0301', ' ', '\u0301', '\u0301x', 'x/\u0301',
    'a\ufdd0', 'a\u{1ffff}', 'a\u{3fff0}', 'a\u2800', 'a\u3164', 'a" 9 bytes --- ', '~/.ssh', 'a\ue000', 'a\u00ad', 'a\u034f', 'a\ufff0', 'a\u{e0fff}', 'a\u17b4',
  ].map((name) => [`name ${JSON.stringify(name)}`, { items: [item(name)] }])),
  ...Object.fromEntries([
    '', ' a', 'a ', 'a/b', 'a\nb', 'аlice', 'алиса', 'a'.repeat(64), 'a'.repeat(65), '\u0301', 'ａｌｉｃｅ', 'al\u200bice', 'a\ufe0f', 'a"b', 'a\u00a0b', 'e\u0301', '٣', '²', '你好', 'a_b-c.d', '...', 'Ⅷ', '\u3164', 7, null,
  ].map((handle) => [`handle ${JSON.stringify(handle)}`, { manifest: handled(handle) }])),
  ...Object.fromEntries([
    '2026-02-30T00:00:00Z', '2024-02-29T00:00:00Z', '2026-06-30T23:59:60Z', '0000-01-01T00:00:00Z', '0000-02-29T00:00:00Z', '9999-12-31T23:59:59Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00+00:00',
    '2026-01-01T24:00:00Z', '2026-1-01T00:00:00Z', '2026-01-01t00:00:00Z', '2026-01-01T00:00:00Z\n', ' 2026-01-01T00:00:00Z', '٢026-01-01T00:00:00Z', '2026-00-01T00:00:00Z', '2026-13-01T00:00:00Z', 5,
  ].flatMap((time) => [[`created ${JSON.stringify(time)}`, { manifest: { created_at: time } }], [`expires ${JSON.stringify(time)}`, { manifest: { expires_at: time } }]])),
  ...Object.fromEntries(['a'.repeat(32), 'a'.repeat(33), 'Note', 'a\n', '', '1a', 'a-1', true].map((type) => [`type ${JSON.stringify(type)}`, { manifest: { type } }])),
  ...Object.fromEntries(['claude/x:1', 'a"b', '', ' a', 'a'.repeat(65), 1].flatMap((label) => [[`agent ${label}`, { manifest: { agent: label } }], [`model ${label}`, { manifest: { model: label } }]])),
  ...Object.fromEntries(['é'.repeat(100), 'é'.repeat(100) + 'x', 'e\u0301', '\u0301', '', 'a\u202eb', 'a\ufe0f\ufdd0', 'a/b\\c:d', 0].map((subject) => [`subject ${JSON.stringify(subject)}`, { manifest: { subject } }])),
  ...Object.fromEntries(['A'.repeat(64), 'a'.repeat(63), 'a'.repeat(64), ''].map((id) => [`reply_to ${id}`, { manifest: { reply_to: id } }])),
  ...Object.fromEntries(['0'.repeat(31), '0'.repeat(32), 'F'.repeat(32)].map((nonce) => [`nonce ${nonce}`, { manifest: { nonce } }])),
  ...Object.fromEntries([
    ['0', new Uint8Array(32)], ['1', Uint8Array.of(1, ...new Uint8Array(31))], ['order 8', Buffer.from('e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800', 'hex')],
    ['order 8 too', Buffer.from('5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157', 'hex')], ['p - 1', Buffer.from(`ec${'ff'.repeat(30)}7f`, 'hex')], ['p', Buffer.from(`ed${'ff'.repeat(30)}7f`, 'hex')],
    ['high bit', alice.boxKey.map((byte, index) => (index === 31 ? byte | 0x80 : byte))], ['31 bytes', new Uint8Array(31).fill(9)], ['33 bytes', new Uint8Array(33).fill(9)], ['9', Uint8Array.of(9, ...new Uint8Array(31))],
  ].map(([name, bytes]) => [`box ${name as string}`, { manifest: box(bytes as Uint8Array) }])),
  'two names of one fold': { items: [item('A.txt', 'a'), item('a.TXT', 'b')] },
  'two names of one compatibility form': { items: [item('ﬁ', 'a'), item('FI', 'b')] },
  'names with a sharp s': { items: [item('ß', 'a'), item('ẞ', 'b')] },
  'names with a dot': { items: [item('İ', 'a'), item('i̇', 'b')] },
  '256 items': { items: Array.from({ length: 256 }, (_each, index) => item(`n${index}`)) },
  '257 items': { items: Array.from({ length: 257 }, (_each, index) => item(`n${index}`)) },
  'an item of 8 MiB and a byte': { items: [item('n', 'x'.repeat(2 ** 23 + 1))] },
  '16 MiB': { items: [item('n', 'x'.repeat(2 ** 23)), item('m', 'x'.repeat(2 ** 23))] },
  '16 MiB and a byte': { items: [item('n', 'x'.repeat(2 ** 23)), item('m', 'x'.repeat(2 ** 23)), item('o')] },
  'a kind of its own': { items: [{ name: 'n', bytes: 'x', kind: 'order' }] },
  'nothing in it': { items: [] },
  'an item that is empty': { items: [item('n', '')] },
  'bytes below zero': { manifest: { items: [{ bytes: -1, kind: 'file', name: 'n', sha256: '0'.repeat(64) }] } },
  'bytes as text': { manifest: { items: [{ bytes: '1', kind: 'file', name: 'n', sha256: '0'.repeat(64) }] } },
  'bytes as a truth': { manifest: { items: [{ bytes: true, kind: 'file', name: 'n', sha256: '0'.repeat(64) }] } },
  'a digest in capitals': { manifest: { items: [{ bytes: 1, kind: 'file', name: 'n', sha256: 'A'.repeat(64) }] } },
  'an item with another key': { manifest: { items: [{ bytes: 1, kind: 'file', name: 'n', path: 'x', sha256: '0'.repeat(64) }] } },
  'items that are no list': { manifest: { items: {} } },
  'an item that is no object': { manifest: { items: [1] } },
  'from that is a text': { manifest: { from: 'alice' } },
  'from with another key': { manifest: handled('alice', { more: 1 }) },
  'from without a box key': { manifest: { from: { handle: 'alice', key: toBase64(alice.signKey) } } },
  'another key': { manifest: { extra: 1 } },
  'a key out of ASCII': { manifest: { 'é\u{1f600}': 1, '\uffee': 2 } },
  'no subject': { manifest: { subject: undefined } },
  'no nonce': { manifest: { nonce: undefined } },
  'to that is no key': { manifest: { to: 'bob' } },
  'to that is empty': { manifest: { to: null } },
  'version 2': { manifest: { v: 2 } },
  'version 0': { manifest: { v: 0 } },
  'a version as text': { manifest: { v: '1' } },
  'a version that is true': { manifest: { v: true } },
  'no version': { manifest: { v: undefined } },
  'a big version': { manifest: { v: Number.MAX_SAFE_INTEGER } },
  'version 2, nested': { manifest: { v: 2, more: nested(8) } },
  'nested in the place of a subject': { manifest: { subject: nested(7) } },
};

describe('the second verifier', { skip }, () => {
  const temp = tempFolder();

  it('agrees with every bundle of the vectors, as a folder and as a package', async () => {
    const [alice, bob] = ['alice', 'bob'].map((handle) => identityVectors.identities.find((each) => each.handle === handle));
    const [paths, expected]: [string[], object[]] = [[], []];
    for (const [name, vector] of Object.entries(bundleVectors)) {
      const built = buildVector(vector);
      await writeBundleFolder(temp.at(name), built);
      paths.push(temp.at(name), temp.write(`${name}.pkg`, pack(built)));
      const result = { problems: [], id: vector.id, label: alice?.label, word_pairs: alice?.word_pairs, mailbox: bob?.mailbox };
      expected.push(result, result);
    }
    const { status, results } = verify(...paths);
    assert.deepEqual(results.map(({ problems, id, label, word_pairs, mailbox }) => ({ problems, id, label, word_pairs, mailbox })), expected);
    assert.equal(status, 0);
  });

  it('agrees on what is not right', async () => {
    const sample = buildSample();
    const changes: [problem: RegExp, change: (dir: string) => void][] = [
      [/signature is not of this key/, (dir) => writeFileSync(path.join(dir, 'manifest.sig'), signatureFile(Uint8Array.from({ length: 64 }, (_, index) => (index < 63 ? 7 : 0))))],
      [/bad R or S/, (dir) => writeFileSync(path.join(dir, 'manifest.sig'), signatureFile(new Uint8Array(64)))],
      [/bad R or S/, (dir) => writeFileSync(path.join(dir, 'manifest.sig'), signatureFile(new Uint8Array(64).fill(0xff)))],
      [/strict base64/, (dir) => writeFileSync(path.join(dir, 'manifest.sig'), signatureFile(new Uint8Array(63)))],
      [/line feed/, (dir) => writeFileSync(path.join(dir, 'manifest.sig'), readFileSync(path.join(dir, 'manifest.sig')).subarray(0, 88))],
      [/item 1 has other bytes/, (dir) => flip(path.join(dir, 'items', '0001'))],
      [/items\/0001 is no regular file of its size/, (dir) => appendFileSync(path.join(dir, 'items', '0001'), 'x')],
      [/items\/0001 is no regular file/, (dir) => (rmSync(path.join(dir, 'items', '0001')), symlinkSync('0000', path.join(dir, 'items', '0001')))],
      [/items is no real folder/, (dir) => (renameSync(path.join(dir, 'items'), `${dir}-items`), symlinkSync(`${dir}-items`, path.join(dir, 'items')))],
      [/manifest\.sig is no regular file/, (dir) => (rmSync(path.join(dir, 'manifest.sig')), mkdirSync(path.join(dir, 'manifest.sig')))],
      [/entries/, (dir) => mkdirSync(path.join(dir, 'items', 'more'))],
      [/entries/, (dir) => mkdirSync(path.join(dir, 'more'))],
      [/entries/, (dir) => rmSync(path.join(dir, 'items', '0000'))],
      [/entries/, (dir) => writeFileSync(path.join(dir, 'items', '0002'), '')],
      [/not canonical/, (dir) => appendFileSync(path.join(dir, 'manifest.json'), '\n')],
      [/version 1/, (dir) => writeFileSync(path.join(dir, 'manifest.json'), '{"v":2}')],
      [/manifest\.json/, (dir) => rmSync(path.join(dir, 'manifest.json'))],
    ];
    const paths: string[] = [];
    // However the link's name ends: behind a slash the system itself goes where it leads.
    await writeBundleFolder(temp.at('real'), sample);
    symlinkSync(temp.at('real'), temp.at('linked'));
    symlinkSync(temp.write('real.pkg', pack(sample)), temp.at('linked.pkg'));
    const links = ['', '/', '//', '/.', '/./'].map((end) => `${temp.at('linked')}${end}`);
    const good = ['', '/', '/.'].map((end) => `${temp.at('real')}${end}`);
    for (const [index, [, change]] of changes.entries()) {
      const dir = temp.at(`bad-${index}`);
      await writeBundleFolder(dir, sample);
      change(dir);
      paths.push(dir);
    }
    paths.push(temp.write('cut.pkg', pack(sample).subarray(0, -1)), temp.write('long.pkg', Buffer.concat([pack(sample), Buffer.alloc(1)])), temp.write('other', 'GAGEPKG2'), ...links, temp.at('linked.pkg'), ...good);
    const expected = [
      ...changes.map(([problem]) => problem), /package is cut/, /behind its end/, /neither a folder nor a package/,
      ...links.map(() => /linked is no real folder/), /neither a folder nor a file/, ...good.map(() => /^$/),
    ];
    const { status, results } = verify(...paths);
    assert.equal(status, 1);
    assert.equal(results.length, expected.length);
    for (const [index, problem] of expected.entries()) assert.match(results[index]?.problems.join() ?? '', problem);
  });

  it('finds something wrong with exactly those manifests that gage refuses', () => {
    const names = Object.keys(manifests);
    const paths = names.map((_name, index) => temp.at(`made-${index}`));
    const verdicts = names.map((name, index) => {
      const made = bundleOf(manifests[name]);
      const { fault, intact } = inspectBundle(readBundleFolder(writeRaw(paths[index] as string, made)));
      return [name, fault === undefined && intact];
    });
    const { results } = verify(...paths);
    assert.deepEqual(results.map(({ problems }, index) => [names[index], problems.length === 0]), verdicts);
    // Neither side may pass by refusing everything.
    assert.deepEqual([true, false].map((good) => verdicts.filter(([, is]) => is === good).length > 25), [true, true]);
  });

  it('says what it did not check', () => {
    const { results } = verify(writeRaw(temp.at('plain'), bundleOf()));
    assert.deepEqual(results[0]?.problems, []);
    assert.match(results[0]?.not_checked.join('; ') ?? '', /^the reader's side: to, list, blocks, expiry, acceptance; letters that are newer than Unicode \d+/);
  });

  it('has fewer than 200 lines, and says how it is used', () => {
    assert.ok(readFileSync(script, 'utf8').split('\n').length <= 200);
    const { status, stderr } = spawnSync('python3', [script], { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /usage: verify_bundle\.py/);
  });
});
