import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { exportIdentity, restoreIdentity } from '../../../../lib/families/gage/domain/identity/export.ts';
import { isRefused } from '../../../../lib/families/gage/domain/refused.ts';
import { canonicalJson } from '../../../../lib/text/canonical-json.ts';
import { fixture, testIdentity } from '../crypto/vectors.ts';

const vector = fixture('export.json') as { passphrase: string; file_utf8: string };
const alice = testIdentity('alice');
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const file = JSON.parse(vector.file_utf8) as { ct: string; nonce: string; salt: string };
const changed = (change: object): Uint8Array => bytesOf(`${canonicalJson({ ...file, ...change })}\n`);
const flipped = (base64: string): string => {
  const bytes = Buffer.from(base64, 'base64');
  bytes[3] = (bytes[3] ?? 0) ^ 1;
  return bytes.toString('base64');
};

describe('an export', () => {
  it('is the file of the vector, byte for byte', async () => {
    const drawn = [file.salt, file.nonce].map((text) => new Uint8Array(Buffer.from(text, 'base64')));
    const exported = await exportIdentity(alice, vector.passphrase, (size) => {
      const bytes = drawn.shift();
      assert.equal(bytes?.length, size);
      return bytes as Uint8Array;
    });
    assert.equal(Buffer.from(exported).toString(), vector.file_utf8);
  });

  it('gives the identity back', async () => assert.deepEqual(await restoreIdentity(bytesOf(vector.file_utf8), vector.passphrase), alice));

  it('takes a passphrase in every Unicode form of its characters', async () => {
    const exported = await exportIdentity(alice, 'Größe der ﬁsche', randomBytes);
    assert.equal((await restoreIdentity(exported, 'Gro\u0308ße der fische')).token, alice.token);
    assert.ok(!Buffer.from(exported).toString().includes('alice'));
  });

  it('is refused for a passphrase of fewer than twelve characters', async () => {
    await assert.rejects(exportIdentity(alice, '👍'.repeat(11), randomBytes), (error: Error) => isRefused(error) && /12 characters/.test(error.message));
  });
});

describe('an export is refused with one and the same text', () => {
  const cases: [what: string, bytes: Uint8Array, passphrase?: string][] = [
    ['for a wrong passphrase', bytesOf(vector.file_utf8), 'another passphrase'],
    ['for a changed bit of the text', changed({ ct: flipped(file.ct) })],
    ['for another salt', changed({ salt: flipped(file.salt) })],
    ['for another nonce', changed({ nonce: flipped(file.nonce) })],
    ['for a text that is shorter than its tag', changed({ ct: 'AAAA' })],
    ['for less work', changed({ n: 2 ** 14 })],
    ['for more work than anybody should do', changed({ n: 2 ** 19 })],
    ['for work that is no power of two', changed({ n: 100_000 })],
    ['for another cipher', changed({ cipher: 'aes-256-gcm' })],
    ['for another r', changed({ r: 16 })],
    ['for a salt of another length', changed({ salt: 'AAAA' })],
    ['for a nonce that is a number', changed({ nonce: 1 })],
    ['for a text that is no base64', changed({ ct: '*' })],
    ['for a key too many', changed({ x: 1 })],
    ['without the line feed', bytesOf(vector.file_utf8.trimEnd())],
    ['in another order', bytesOf(`${JSON.stringify({ v: 1, ...file })}\n`)],
    ['for another JSON value', bytesOf('[]\n')],
    ['for null', bytesOf('null\n')],
    ['for far too many bytes', new Uint8Array(5000).fill(10)],
    ['for nothing', new Uint8Array()],
  ];
  for (const [what, bytes, passphrase = vector.passphrase] of cases) {
    it(what, async () => {
      await assert.rejects(restoreIdentity(bytes, passphrase), (error: Error) => {
        assert.ok(isRefused(error));
        assert.equal(error.message, 'the export can not be opened: the passphrase is wrong or the file is damaged; try again, or take another copy');
        return true;
      });
    });
  }
});
