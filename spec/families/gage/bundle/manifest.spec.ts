import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildBundle } from '../../../../lib/families/gage/domain/bundle/build.ts';
import { bundleIdOf, limits, readManifest, signedBytesOf } from '../../../../lib/families/gage/domain/bundle/manifest.ts';
import { isManifestSigned, parseSignature, signatureFile } from '../../../../lib/families/gage/domain/bundle/signature.ts';
import { isRefused } from '../../../../lib/families/gage/domain/refused.ts';
import { canonicalJson } from '../../../../lib/text/canonical-json.ts';
import { testIdentity, toHex } from '../crypto/vectors.ts';
import { buildSample, buildVector, bundleVectors, vectorSurroundings } from './sample.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a bundle of the vectors', () => {
  for (const [name, vector] of Object.entries(bundleVectors)) {
    it(`is built byte for byte: ${name}`, () => {
      const built = buildVector(vector);
      assert.equal(Buffer.from(built.manifest).toString(), vector.manifest_utf8);
      assert.equal(toHex(signedBytesOf(built.manifest)), vector.pae_hex);
      assert.equal(built.id, vector.id);
      assert.equal(bundleIdOf(built.manifest), vector.id);
      assert.equal(Buffer.from(built.signature).toString(), vector.manifest_sig_file);
    });

    it(`is read and verified: ${name}`, () => {
      const manifest = bytesOf(vector.manifest_utf8);
      assert.deepEqual(readManifest(manifest), { manifest: JSON.parse(vector.manifest_utf8) });
      assert.ok(isManifestSigned(manifest, testIdentity('alice').signKey, bytesOf(vector.manifest_sig_file)));
      assert.ok(!isManifestSigned(manifest, testIdentity('bob').signKey, bytesOf(vector.manifest_sig_file)));
      assert.ok(!isManifestSigned(bytesOf(`${vector.manifest_utf8} `), testIdentity('alice').signKey, bytesOf(vector.manifest_sig_file)));
    });
  }
});

const good = JSON.parse(bundleVectors['two_items']?.manifest_utf8 ?? '') as { from: object; items: { name: string }[] } & Record<string, unknown>;
const [item] = good.items;
const withName = (name: unknown): object => ({ items: [{ ...item, name }] });
/** JSON of so many bytes, of a version that ends the reading after the limit was looked at: no manifest of version 1 gets so long. */
const manifestOfBytes = (bytes: number): string => `{"pad":"${'x'.repeat(bytes - '{"pad":"","v":2}'.length)}","v":2}`;
const key31 = Buffer.alloc(31).toString('base64');

describe('a manifest is malformed', () => {
  const cases: [reason: string, at: string, what: string, change: object][] = [
    ['unknown_key', '', 'with a key that nobody knows', { x: 1 }],
    ['unknown_key', '', 'with __proto__ as a key', JSON.parse('{"__proto__":{}}') as object],
    ['unknown_key', 'from', 'with a key that nobody knows in from', { from: { ...good.from, x: 1 } }],
    ['unknown_key', 'items[0]', 'with a key that nobody knows in an item', { items: [{ ...item, path: 'x' }] }],
    ['missing_key', 'from.box', 'without a key of from', { from: { handle: 'a', key: (good.from as { key: string }).key } }],
    ['wrong_type', 'subject', 'with a number for a subject', { subject: 1 }],
    ['wrong_type', 'from', 'with a list for from', { from: [] }],
    ['wrong_type', 'from', 'with null for from', { from: null }],
    ['wrong_type', 'items', 'with an object for items', { items: {} }],
    ['wrong_type', 'items[0]', 'with a text for an item', { items: ['x'] }],
    ['wrong_type', 'items[0].bytes', 'with a text for a size', { items: [{ ...item, bytes: '1' }] }],
    ['wrong_type', 'items[0].bytes', 'with a size below zero', { items: [{ ...item, bytes: -1 }] }],
    ['limit', 'items[0].bytes', 'with an item over 8 MiB', { items: [{ ...item, bytes: limits.itemBytes + 1 }] }],
    ['limit', 'items', 'with items over 16 MiB together', { items: [1, 2, 3].map((n) => ({ ...item, bytes: 6 * 1024 * 1024, name: String(n) })) }],
    ['limit', 'items', 'with 257 items', { items: Array.from({ length: 257 }, (_, n) => ({ ...item, bytes: 1, name: String(n) })) }],
    ['double_name', 'items[1].name', 'with two names that differ by case and form alone', { items: [{ ...item, name: 'Ａ.md' }, { ...item, name: 'a.md' }] }],
    ['bad_key', 'to', 'with a key of 31 bytes', { to: key31 }],
    ['bad_key', 'from.key', 'with a key that is no base64', { from: { ...good.from, key: '?' } }],
    ['bad_name', 'from.handle', 'with a handle that none may have', { from: { ...good.from, handle: 'a\u202eb' } }],
    ['bad_name', 'agent', 'with an agent that none may be called', { agent: 'a\nb' }],
    ['bad_value', 'items[0].kind', 'with a kind that nobody knows', { items: [{ ...item, kind: 'order' }] }],
    ['bad_value', 'items[0].sha256', 'with a hash in capitals', { items: [{ ...item, sha256: 'A'.repeat(64) }] }],
    ['bad_value', 'created_at', 'with a date that no calendar has', { created_at: '2026-02-30T00:00:00Z' }],
    ['bad_value', 'expires_at', 'with a time of another form', { expires_at: 'tomorrow' }],
    ['bad_value', 'nonce', 'with a short nonce', { nonce: 'ab' }],
    ['bad_value', 'reply_to', 'with a short id', { reply_to: 'ab' }],
    ['bad_value', 'type', 'with a type in capitals', { type: 'Note' }],
    ['bad_value', 'type', 'with a type of 33 letters', { type: 'a'.repeat(33) }],
    ['bad_value', 'subject', 'with a subject of 201 bytes', { subject: 'a'.repeat(201) }],
    ['bad_value', 'subject', 'with a subject in form NFD', { subject: 'e\u0301' }],
    ['bad_value', 'subject', 'with a subject of marks alone', { subject: '\u0301' }],
    ...['', '/etc/passwd', 'a/../b', '..', './a', 'a//b', 'a/', 'a\\b', 'C:x', 'a\nb', 'a\u200bb', 'a\u202eb', 'a\ufe0fb', 'a\ue000', '\u0301', 'e\u0301', 'a'.repeat(256), '../../.ssh/authorized_keys', 'a\u2800b']
      .map((name): [string, string, string, object] => ['bad_name', 'items[0].name', `with the item name ${JSON.stringify(name.slice(0, 30))}`, withName(name)]),
  ];
  for (const [reason, at, what, change] of cases) {
    it(what, () => {
      const merged = Object.assign(Object.create(null) as object, good, change);
      if (Object.hasOwn(change, '__proto__')) Object.defineProperty(merged, '__proto__', { value: {}, enumerable: true });
      assert.deepEqual(readManifest(bytesOf(canonicalJson(merged))), { fault: 'malformed', reason, at });
    });
  }

  for (const key of ['created_at', 'from', 'items', 'nonce', 'subject', 'to', 'type']) {
    it(`without ${key}`, () => {
      const { [key]: _, ...rest } = good;
      assert.deepEqual(readManifest(bytesOf(canonicalJson(rest))), { fault: 'malformed', reason: 'missing_key', at: key });
    });
  }

  const forms: [reason: string, what: string, text: string][] = [
    ['not_json', 'that is no JSON', 'manifest'],
    ['not_canonical', 'with a line feed at the end', `${bundleVectors['minimal']?.manifest_utf8}\n`],
    ['not_object', 'that is a list', '[]'],
    ['not_object', 'that is null', 'null'],
    ['not_object', 'that is a number', '1'],
    ['no_version', 'without a version', '{}'],
    ['no_version', 'with a text as version', '{"v":"1"}'],
    ['too_deep', 'of nine levels', `{"a":${'['.repeat(8)}${']'.repeat(8)},"v":2}`],
    ['too_large', 'of 256 KiB and a byte', manifestOfBytes(256 * 1024 + 1)],
  ];
  for (const [reason, what, text] of forms) it(what, () => assert.deepEqual(readManifest(bytesOf(text)), { fault: 'malformed', reason }));
});

describe('a manifest is read', () => {
  it('up to v alone where that is another version', () => {
    for (const text of ['{"v":2}', '{"items":"whatever","v":0}', '{"v":-1}', manifestOfBytes(256 * 1024)]) {
      assert.deepEqual(readManifest(bytesOf(text)), { fault: 'unsupported_version', reason: 'version' });
    }
  });

  const cases: [what: string, change: object][] = [
    ['with an empty subject', { subject: '' }],
    ['with a subject that tries to turn the line round, which is shown as an escape', { subject: 'abc\u202efdp.exe\u2066' }],
    ['with 256 items', { items: Array.from({ length: 256 }, (_, n) => ({ ...item, bytes: 1, name: String(n) })) }],
    ['with two items of 8 MiB', { items: ['a', 'b'].map((name) => ({ ...item, bytes: limits.itemBytes, name })) }],
    ['with an item name of 255 bytes', withName('a'.repeat(255))],
    ['with an item name that only looks dangerous', withName('..a/b..c/.hidden/...')],
    ['with an empty item', { items: [{ ...item, bytes: 0 }] }],
    ['with agent and model', { agent: 'vendor/agent', model: 'm:1' }],
  ];
  for (const [what, change] of cases) it(what, () => assert.ok('manifest' in readManifest(bytesOf(canonicalJson({ ...good, ...change })))));
});

describe('building a bundle', () => {
  const refused: [text: RegExp, what: string, draft: Parameters<typeof buildSample>[0]][] = [
    [/the subject holds control or invisible characters/, 'an invisible character in the subject', { subject: 'a\u202eb' }],
    [/the subject holds control or invisible/, 'half of a surrogate pair', { subject: 'a\ud800' }],
    [/the subject is longer than 200 bytes/, 'a long subject', { subject: 'a'.repeat(201) }],
    [/the type must be/, 'a bad type', { type: 'A' }],
    [/the name of the agent may hold/, 'a bad agent', { agent: 'a\nb' }],
    [/the name of the model is empty/, 'an empty model', { model: '' }],
    [/the id that it replies to has not 64/, 'a short id', { replyTo: 'ab' }],
    [/the name of item 1 is not a plain path/, 'a name that leads out', { items: [{ name: '../../.ssh/authorized_keys', kind: 'file', bytes: new Uint8Array() }] }],
    [/the name of item 1 holds a backslash or a colon/, 'a drive', { items: [{ name: 'C:x', kind: 'file', bytes: new Uint8Array() }] }],
    [/items\[1\]\.name has the name of an item before it/, 'two names that are one', { items: ['a', 'A'].map((name) => ({ name, kind: 'file', bytes: new Uint8Array() })) }],
    [/items is over a limit, 256 items, 8 MiB each, 16 MiB together/, '257 items', { items: Array.from({ length: 257 }, (_, n) => ({ name: String(n), kind: 'file', bytes: new Uint8Array() })) }],
    [/items\[0\]\.bytes is over a limit/, 'an item of 8 MiB and a byte', { items: [{ name: 'a', kind: 'file', bytes: new Uint8Array(limits.itemBytes + 1) }] }],
    [/is not in the form/, 'a key of another length', { to: new Uint8Array(31) }],
  ];
  for (const [text, what, draft] of refused) {
    it(`is refused for ${what}, and says what to do`, () => {
      assert.throws(() => buildSample(draft), (error: Error) => isRefused(error) && text.test(error.message) && error.message.startsWith('nothing was built: '));
    });
  }

  it('takes the clock, the nonce and the type `note` from outside', () => {
    const { content } = buildBundle({ to: testIdentity('bob').signKey, subject: '', items: [] }, testIdentity('alice'), vectorSurroundings);
    assert.deepEqual([content.created_at, content.nonce, content.type, content.from.handle], ['2026-01-02T03:04:05Z', '000102030405060708090a0b0c0d0e0f', 'note', 'alice']);
    assert.ok(!('expires_at' in content || 'reply_to' in content || 'agent' in content));
  });
});

describe('a signature file', () => {
  const file = bytesOf(bundleVectors['minimal']?.manifest_sig_file ?? '');
  it('has 88 characters and a line feed', () => {
    assert.deepEqual(signatureFile(parseSignature(file) ?? new Uint8Array()), file);
  });
  const text = Buffer.from(file).toString().trimEnd();
  for (const [what, changed] of Object.entries({
    'no line feed': text, 'a carriage return': `${text}\r`, 'two line feeds': `${text}\n\n`, 'a space for the line feed': `${text} `, nothing: '',
    'another alphabet': `${text.replaceAll('+', '-')}\n`, '63 bytes': `${Buffer.alloc(63).toString('base64')}\n`, 'spare bits': `${text.slice(0, 85)}x==\n`,
  })) {
    it(`is none with ${what}`, () => assert.equal(parseSignature(bytesOf(changed)), undefined));
  }
});
