import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { messageIdOf, seal, unseal } from '../../../../lib/families/gage/domain/crypto/seal.ts';
import { boxKeyOf, isBoxKey, sharedSecret } from '../../../../lib/families/gage/domain/crypto/x25519.ts';
import { fixture, hex, publicVectors, testIdentity, toHex, withPublicVectors } from './vectors.ts';

type SealVector = {
  ephemeral_private_hex: string; ephemeral_public_hex: string; shared_secret_hex: string; sealed_hex: string; message_id: string;
  negative: { name: string; sealed_hex: string }[];
};
const vector = fixture('seal.json') as SealVector;
const { vectors: { minimal } } = fixture('manifest.json') as { vectors: { minimal: { package_hex: string } } };
const bob = testIdentity('bob');

describe('sealing', () => {
  it('makes the bytes of the vector, step by step', () => {
    const ephemeral = hex(vector.ephemeral_private_hex);
    assert.equal(toHex(boxKeyOf(ephemeral)), vector.ephemeral_public_hex);
    assert.equal(toHex(sharedSecret(ephemeral, bob.boxKey)), vector.shared_secret_hex);
    const sealed = seal(hex(minimal.package_hex), bob.boxKey, () => ephemeral);
    assert.equal(toHex(sealed), vector.sealed_hex);
    assert.equal(messageIdOf(sealed), vector.message_id);
  });

  it('is opened by its recipient and by nobody else', () => {
    assert.equal(toHex(unseal(hex(vector.sealed_hex), bob)), minimal.package_hex);
    assert.equal(unseal(hex(vector.sealed_hex), testIdentity('mallory')), undefined);
  });

  for (const { name, sealed_hex: sealed } of vector.negative) {
    it(`is not opened when changed: ${name.replaceAll('_', ' ')}`, () => assert.equal(unseal(hex(sealed), bob), undefined));
  }

  it('opens what it sealed, of any length, and no bit of it may change', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(), (plain, at) => {
      const sealed = seal(plain, bob.boxKey, randomBytes);
      assert.equal(sealed.length, plain.length + 56);
      assert.deepEqual(unseal(sealed, bob), plain);
      const index = at % sealed.length;
      sealed[index] = (sealed[index] ?? 0) ^ (1 << (at % 8));
      assert.equal(unseal(sealed, bob), undefined);
    }));
  });

  it('takes no time over bytes that are too short or of another kind', () => {
    for (const bytes of [new Uint8Array(), hex(vector.sealed_hex).subarray(0, 55), new Uint8Array(200)]) assert.equal(unseal(bytes, bob), undefined);
  });

  it('is refused for a box key of small order', () => assert.throws(() => seal(new Uint8Array(1), new Uint8Array(32), randomBytes), TypeError));
});

describe('a box key', () => {
  const cases: [ok: boolean, what: string, key: string][] = [
    [true, 'of an identity', toHex(bob.boxKey) ?? ''],
    [false, 'of 31 bytes', '09'.repeat(31)],
    [false, 'with the high bit set', `09${'00'.repeat(30)}80`],
    [false, 'u = p', `ed${'ff'.repeat(30)}7f`],
    [false, 'u = p + 2, another spelling of 2', `ef${'ff'.repeat(30)}7f`],
    [true, 'u = 2', `02${'00'.repeat(31)}`],
    [false, 'u = 0, of small order', '00'.repeat(32)],
    [false, 'u = p - 1, of small order', `ec${'ff'.repeat(30)}7f`],
    [true, 'u = 9, the base point', `09${'00'.repeat(31)}`],
  ];
  for (const [ok, what, key] of cases) it(`is ${ok ? 'one' : 'none'}: ${what}`, () => assert.equal(isBoxKey(hex(key)), ok));
});

type Group<T> = { testGroups: ({ tests: T[] } & Record<string, number>)[] };

describe('the parts of sealing agree with Wycheproof', () => {
  it('X25519: 518 vectors, a zero secret is none', withPublicVectors, () => {
    type Test = { tcId: number; public: string; private: string; shared: string; result: string };
    const tests = (publicVectors('wycheproof/x25519_test.json') as Group<Test>).testGroups.flatMap((group) => group.tests);
    assert.equal(tests.length, 518);
    for (const test of tests) {
      const expected = /^0*$/.test(test.shared) ? undefined : test.shared;
      assert.equal(toHex(sharedSecret(hex(test.private), hex(test.public))), expected, String(test.tcId));
    }
  });

  it('ChaCha20-Poly1305: 325 vectors', withPublicVectors, () => {
    type Test = { tcId: number; key: string; iv: string; aad: string; msg: string; ct: string; tag: string; result: string };
    const tests = (publicVectors('wycheproof/chacha20_poly1305_test.json') as Group<Test>).testGroups.flatMap((group) => group.tests);
    assert.equal(tests.length, 325);
    for (const test of tests) {
      const open = (): string => {
        const decipher = createDecipheriv('chacha20-poly1305', hex(test.key), hex(test.iv), { authTagLength: 16 });
        decipher.setAAD(hex(test.aad), { plaintextLength: test.ct.length / 2 });
        decipher.setAuthTag(hex(test.tag));
        return Buffer.concat([decipher.update(hex(test.ct)), decipher.final()]).toString('hex');
      };
      if (test.result !== 'valid') {
        assert.throws(open, () => true, String(test.tcId));
        continue;
      }
      assert.equal(open(), test.msg, String(test.tcId));
      const cipher = createCipheriv('chacha20-poly1305', hex(test.key), hex(test.iv), { authTagLength: 16 });
      cipher.setAAD(hex(test.aad), { plaintextLength: test.msg.length / 2 });
      assert.equal(Buffer.concat([cipher.update(hex(test.msg)), cipher.final(), cipher.getAuthTag()]).toString('hex'), test.ct + test.tag, String(test.tcId));
    }
  });

  it('HKDF-SHA-256: 86 vectors', withPublicVectors, () => {
    type Test = { tcId: number; ikm: string; salt: string; info: string; size: number; okm: string; result: string };
    const tests = (publicVectors('wycheproof/hkdf_sha256_test.json') as Group<Test>).testGroups.flatMap((group) => group.tests);
    assert.equal(tests.length, 86);
    for (const { tcId, ikm, salt, info, size, okm, result } of tests) {
      const derive = (): string => Buffer.from(hkdfSync('sha256', hex(ikm), hex(salt), hex(info), size)).toString('hex');
      if (result === 'valid') assert.equal(derive(), okm, String(tcId));
      else assert.throws(derive, () => true, String(tcId));
    }
  });
});
