import assert from 'node:assert/strict';
import crypto, { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { describe, it, mock } from 'node:test';
import { exportIdentity, restoreIdentity } from '../../../../lib/families/gage/domain/identity/export.ts';
import { writeExport } from '../../../../lib/families/gage/domain/identity/export-file.ts';
import { isRefused } from '../../../../lib/families/gage/domain/refused.ts';
import { canonicalJson } from '../../../../lib/text/canonical-json.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
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

/** Puts another function in the place of one of Node's while some work is done, and counts its calls. */
async function instead(module: object, name: string, other: (...args: never[]) => unknown, work: () => Promise<void>): Promise<number> {
  const calls = mock.method(module as Record<string, () => unknown>, name, other as () => unknown).mock;
  syncBuiltinESMExports();
  try {
    await work();
    return calls.callCount();
  } finally {
    calls.restore();
    syncBuiltinESMExports();
  }
}

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

describe('the work that an export asks for', () => {
  const refused = (bytes: Uint8Array, why: RegExp) => () => assert.rejects(restoreIdentity(bytes, vector.passphrase), (error: Error) => isRefused(error) && why.test(error.message));

  for (const n of [2 ** 14, 2 ** 19, 2 ** 20, 2 ** 31, -(2 ** 17), 0, 100_000, '131072']) {
    it(`is not begun when it is ${JSON.stringify(n)}`, async () => {
      assert.equal(await instead(crypto, 'scrypt', () => assert.fail('scrypt runs'), refused(changed({ n }), /passphrase is wrong or the file is damaged/)), 0);
    });
  }

  it('is no wrong passphrase when it can not be done', async () => {
    const fails = (...args: unknown[]): void => (args.at(-1) as (error: Error) => void)(new Error('out of memory'));
    const restoring = refused(bytesOf(vector.file_utf8), /^the key could not be derived from the passphrase, which takes 128 MiB of memory; free some and try again$/);
    assert.equal(await instead(crypto, 'scrypt', fails, restoring), 1);
    assert.equal(await instead(crypto, 'scrypt', fails, () => assert.rejects(exportIdentity(alice, vector.passphrase, randomBytes), isRefused)), 1);
  });

  it('gives no identity when what is sealed is none', async () => {
    const drawn = [file.salt, file.nonce].map((text) => new Uint8Array(Buffer.from(text, 'base64')));
    const sealed = await exportIdentity({ ...alice, handle: 'a/b' }, vector.passphrase, () => drawn.shift() as Uint8Array);
    await refused(sealed, /passphrase is wrong or the file is damaged/)();
  });
});

describe('the file of an export', () => {
  const folder = tempFolder();
  const write = (name: string) => writeExport(folder.at(name), alice, vector.passphrase, randomBytes);

  it('is for its owner alone', async () => {
    await write('a.export');
    assert.equal(statSync(folder.at('a.export')).mode & 0o777, 0o600);
    await assert.rejects(write('a.export'), (error: Error) => isRefused(error) && /it is there already/.test(error.message));
    assert.ok(existsSync(folder.at('a.export')));
  });

  it('does not stay when its folder can not be made durable, and can be made again', async () => {
    const { open } = promises;
    const failing = async (...args: Parameters<typeof open>) => {
      if (args[1] === 'r') throw Object.assign(new Error('EIO'), { code: 'EIO' });
      return open(...args);
    };
    const calls = await instead(promises, 'open', failing as never, () =>
      assert.rejects(write('b.export'), (error: Error) => isRefused(error) && /the file can not be made: the disk reports an error/.test(error.message)));
    assert.equal(calls, 2);
    assert.ok(!existsSync(folder.at('b.export')));
    await write('b.export');
  });

  it('keeps an error that is none of the system', async () => {
    await assert.rejects(writeExport(folder.at('c.export'), alice, vector.passphrase, () => { throw new TypeError('no randomness'); }), TypeError);
    assert.equal(await instead(promises, 'open', () => { throw new TypeError('no file'); }, () => assert.rejects(write('c.export'), TypeError)), 1);
  });
});
