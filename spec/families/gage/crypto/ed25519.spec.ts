import assert from 'node:assert/strict';
import { verify } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isSigningKey, signBytes, signingKeyOf, signingKeyProblem, verifyStrict } from '../../../../lib/families/gage/domain/crypto/ed25519.ts';
import { publicKey } from '../../../../lib/families/gage/domain/crypto/raw-keys.ts';
import { pae } from '../../../../lib/families/gage/domain/crypto/pae.ts';
import { fixture, hex, publicVectors, testIdentity, toHex, withPublicVectors } from './vectors.ts';

/** RFC 8032, section 7.1, tests 1 to 3. */
const rfc8032: [seed: string, key: string, message: string, signature: string][] = [
  ['9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', '', 'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b'],
  ['4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', '72', '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00'],
  ['c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7', 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025', 'af82', '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a'],
];

describe('Ed25519', () => {
  it('signs as RFC 8032 does', () => {
    for (const [seed, key, message, signature] of rfc8032) {
      assert.equal(toHex(signingKeyOf(hex(seed))), key);
      assert.equal(toHex(signBytes(hex(seed), hex(message))), signature);
      assert.ok(verifyStrict(hex(key), hex(message), hex(signature)));
    }
  });

  it('takes no signature or message with a changed bit, and no signature of another length', () => {
    const { signSeed, signKey } = testIdentity('alice');
    const message = Buffer.from('a message');
    const signature = signBytes(signSeed, message);
    fc.assert(fc.property(fc.nat({ max: 511 }), (bit) => {
      const changed = Uint8Array.from(signature);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.ok(!verifyStrict(signKey, message, changed));
    }));
    assert.ok(!verifyStrict(signKey, Buffer.from('A message'), signature));
    for (const length of [0, 63, 65]) assert.ok(!verifyStrict(signKey, message, new Uint8Array(Buffer.concat([signature, signature]).subarray(0, length))));
  });

  it('takes no key that has "signed" everything', () => {
    const identity = hex(`01${'00'.repeat(31)}`);
    assert.ok(!verifyStrict(identity, Buffer.from('whatever'), new Uint8Array(Buffer.concat([identity, new Uint8Array(32)]))));
  });

  // One signature for each point of small order as R, numbers 5, 27, 48, 115, 463, 471, 479 and 487 of C2SP CCTV ed25519, whose messages are this and a number.
  const mixed = '10eb7c3acfb2bed3e0d6ab89bf5a3d6afddd1176ce4812e38d9fd485058fdb1f';
  const other = '6718d0a3d58deaeaefa655eae3f119071deaa2cfebfd0ca28b670f879d657086';
  const smallOrder: [point: string, key: string, s: string, message: number][] = [
    ['00'.repeat(32), mixed, '9472a69cd9a701a50d130ed52189e2455b23767db52cacb8716fb896ffeeac09', 3],
    [`${'00'.repeat(31)}80`, mixed, '050abffcd4d8ccbb4b8d6bf6649f5aa99e8de5cc182a7409633856ff53f49e0c', 10],
    [`01${'00'.repeat(31)}`, mixed, 'edfd6f478b59eab2545cf8f3d48c6574d2b4e8abd948148da5c62479113b8d0f', 13],
    [`ec${'ff'.repeat(30)}7f`, mixed, '1509e3a68b74a8fd2b4e271b7c584a0e3cb857b6c3473e8fdf3436a2a2d0cc04', 31],
    ['26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', other, '7c047ff30db9b92cac61791c64666eb0f6f11dd840d7d05b927c85f50533600e', 2],
    ['26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85', other, '27d64d53fa7d8a7a56ab4dcfce52e6411ff5c5466029d30aa4159afad83f2409', 15],
    ['c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', other, 'b6cdec95505f3fc3a3c58d45a591399c735e98c0cadaba2b61ee8b93f54d4105', 8],
    ['c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa', other, '8fb5bb6032e801fdce885ff4f83560b6f56e66d3d9ad3a33eb9280190b2c670a', 41],
  ];
  for (const [point, key, s, number] of smallOrder) {
    it(`takes no signature with an R of small order that plain verification takes, and no such key: ${point.slice(0, 4)}…${point.slice(-2)}`, () => {
      const [message, signature] = [Buffer.from(`ed25519vectors ${number}`), hex(point + s)];
      assert.ok(isSigningKey(hex(key)) && verify(null, message, publicKey('ed25519', hex(key)), signature));
      assert.ok(!verifyStrict(hex(key), message, signature));
      assert.equal(signingKeyProblem(hex(point)), 'low-order');
    });
  }

  const keys: [problem: string | undefined, what: string, key: string][] = [
    [undefined, 'a key that was made from a seed', rfc8032[0]?.[1] ?? ''],
    ['length', '31 bytes', '00'.repeat(31)],
    ['length', '33 bytes', '00'.repeat(33)],
    ['low-order', 'y = 1 with the sign bit', `01${'00'.repeat(30)}80`],
    ['low-order', 'a point of order eight', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
    ['low-order', 'its other one', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85'],
    ['non-canonical', 'y = p', `ed${'ff'.repeat(30)}7f`],
    ['non-canonical', 'y = 2^255 - 1', `${'ff'.repeat(32)}`],
    ['not-a-point', 'y = 2', `02${'00'.repeat(31)}`],
  ];
  for (const [problem, what, key] of keys) {
    it(`${problem === undefined ? 'takes' : `refuses as ${problem}`} the key ${what}`, () => {
      assert.equal(signingKeyProblem(hex(key)), problem);
      assert.equal(isSigningKey(hex(key)), problem === undefined);
    });
  }

  it('agrees with all 151 vectors of Wycheproof', withPublicVectors, () => {
    type Test = { tcId: number; msg: string; sig: string; result: string };
    const { testGroups } = publicVectors('wycheproof/ed25519_test.json') as { testGroups: { publicKey: { pk: string }; tests: Test[] }[] };
    const tests = testGroups.flatMap(({ publicKey, tests: each }) => each.map((test) => ({ ...test, key: publicKey.pk })));
    assert.equal(tests.length, 151);
    for (const { tcId, key, msg, sig, result } of tests) assert.equal(verifyStrict(hex(key), hex(msg), hex(sig)), result === 'valid', String(tcId));
  });

  it('accepts exactly what a strict verifier accepts of the 914 edge cases of CCTV', withPublicVectors, () => {
    const cases = publicVectors('cctv/ed25519vectors.json') as { number: number; key: string; sig: string; msg: string }[];
    const expected = publicVectors('cctv/node20-strict-expectations.json') as { total: number; strict_accept: number[] };
    assert.equal(cases.length, expected.total);
    assert.deepEqual(cases.filter(({ key, sig, msg }) => verifyStrict(hex(key), Buffer.from(msg), hex(sig))).map(({ number }) => number), expected.strict_accept);
  });

  it('accepts case 3 alone of ed25519-speccheck', withPublicVectors, () => {
    const cases = publicVectors('speccheck/cases.json') as { message: string; pub_key: string; signature: string }[];
    const accepted = cases.flatMap((each, index) => (verifyStrict(hex(each.pub_key), hex(each.message), hex(each.signature)) ? [index] : []));
    assert.deepEqual([cases.length, accepted], [12, [3]]);
  });
});

describe('the pre-authentication encoding', () => {
  const { dsse_example: { type, body, pae: expected } } = fixture('manifest.json') as { dsse_example: { type: string; body: string; pae: string } };

  it('is that of DSSE', () => assert.equal(Buffer.from(pae(type, Buffer.from(body))).toString(), expected));

  it('counts bytes, not characters', () => assert.equal(Buffer.from(pae('é', Buffer.from('ü✓'))).toString(), 'DSSEv1 2 é 5 ü✓'));

  it('keeps a signature of one use from counting for another', () => {
    const vector = fixture('relay-auth.json') as { pae_type: string; message_utf8: string; pae_hex: string; sig_base64: string };
    const { signKey, signSeed } = testIdentity('bob');
    const [body, signature] = [Buffer.from(vector.message_utf8), Buffer.from(vector.sig_base64, 'base64')];
    assert.equal(toHex(pae(vector.pae_type, body)), vector.pae_hex);
    assert.equal(toHex(signBytes(signSeed, pae(vector.pae_type, body))), toHex(signature));
    assert.ok(verifyStrict(signKey, pae(vector.pae_type, body), signature));
    assert.ok(!verifyStrict(signKey, pae('application/vnd.gage.manifest.v1+json', body), signature));
  });
});
