import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { limits } from '../../../../lib/families/gage/domain/bundle/limits.ts';
import { pack, unpack } from '../../../../lib/families/gage/domain/bundle/package.ts';
import { hex, toHex } from '../crypto/vectors.ts';
import { buildSample, buildVector, bundleVectors } from './sample.ts';

const parts = ({ manifest, signature, items }: ReturnType<typeof buildSample>) => ({ manifest, signature, items, faults: [] });
const u32 = (value: number): Buffer => Buffer.from(value.toString(16).padStart(8, '0'), 'hex');
const u64 = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(16, '0'), 'hex');

describe('a package', () => {
  for (const [name, vector] of Object.entries(bundleVectors)) {
    it(`is that of the vector: ${name}`, () => {
      const built = buildVector(vector);
      const packed = pack(built);
      assert.deepEqual([packed.length, createHash('sha256').update(packed).digest('hex')], [vector.package_bytes, vector.package_sha256]);
      if (vector.package_hex !== undefined) assert.equal(toHex(packed), vector.package_hex);
      assert.deepEqual(unpack(packed), parts(built));
    });
  }

  it('gives back the items of any bundle', () => {
    fc.assert(fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 12 }), (items) => {
      const built = buildSample({ items: items.map((bytes, index) => ({ name: String(index), kind: 'file', bytes })) });
      assert.deepEqual(unpack(pack(built)), parts(built));
    }), { numRuns: 40 });
  });

  it('has one form: what can be read after any change is written as the changed bytes', () => {
    const packed = pack(buildSample());
    fc.assert(fc.property(fc.nat({ max: packed.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Uint8Array.from(packed);
      changed[at] = (changed[at] ?? 0) ^ change;
      const read = unpack(changed);
      // Of a manifest that can not be read, the items are not looked at.
      if (read !== undefined && read.items.length === 2 && read.faults.length === 0) assert.deepEqual(pack(read), changed);
    }), { numRuns: 1_000 });
  });

  it('is none when cut anywhere or with a byte more', () => {
    const packed = pack(buildSample());
    for (let length = 0; length < packed.length; length += 1) assert.equal(unpack(packed.subarray(0, length)), undefined);
    assert.equal(unpack(Buffer.concat([packed, Buffer.alloc(1)])), undefined);
  });

  it('is never more than a failure to read, whatever the bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
      unpack(bytes);
      unpack(Buffer.concat([Buffer.from('GAGEPKG1'), bytes]));
    }), { numRuns: 500 });
  });

  const { manifest, signature: file } = buildSample();
  const signature = Buffer.from(Buffer.from(file).toString(), 'base64');
  const head = [Buffer.from('GAGEPKG1'), u32(manifest.length), manifest, signature];
  const tooLong: [what: string, bytes: Uint8Array][] = [
    ['a manifest over 256 KiB', Buffer.concat([Buffer.from('GAGEPKG1'), u32(limits.manifestBytes + 1), Buffer.alloc(limits.manifestBytes + 100)])],
    ['a length that would be negative', Buffer.concat([Buffer.from('GAGEPKG1'), hex('ffffffff'), Buffer.alloc(100)])],
    ['257 items', Buffer.concat([...head, u32(257), Buffer.alloc(257 * 8)])],
    ['an item over 8 MiB', Buffer.concat([...head, u32(1), u64(BigInt(limits.itemBytes + 1)), Buffer.alloc(limits.itemBytes + 1)])],
    ['an item of 2^64 - 1 bytes', Buffer.concat([...head, u32(1), u64(2n ** 64n - 1n), Buffer.alloc(10)])],
    ['items over 16 MiB together', Buffer.concat([...head, u32(3), ...[1, 2, 3].flatMap(() => [u64(BigInt(6 * 1024 * 1024)), Buffer.alloc(6 * 1024 * 1024)])])],
  ];
  for (const [what, bytes] of tooLong) it(`is none with ${what}`, () => assert.equal(unpack(bytes), undefined));

  it('with fewer or more items than the manifest has faults, and a place for each item of the manifest', () => {
    const built = buildSample();
    const [one = new Uint8Array()] = built.items;
    assert.deepEqual(unpack(pack({ ...parts(built), items: [one] })), { ...parts(built), items: [one, undefined], faults: [{ reason: 'missing_item' }] });
    assert.deepEqual(unpack(pack({ ...parts(built), items: [...built.items, one] })), { ...parts(built), faults: [{ reason: 'extra_member' }] });
  });

  it('is read with a manifest of 256 KiB', () => {
    const bytes = new Uint8Array(limits.manifestBytes);
    assert.deepEqual(unpack(pack({ ...parts(buildSample()), manifest: bytes }))?.manifest, bytes);
  });

  it('of what is no manifest has no items', () => {
    const read = unpack(pack({ ...parts(buildSample()), manifest: randomBytes(20) }));
    assert.deepEqual([read?.items, read?.faults], [[], []]);
  });

  it('is not made of a bundle with a missing part', () => {
    const built = parts(buildSample());
    for (const change of [{ manifest: undefined }, { signature: undefined }, { signature: new Uint8Array(3) }, { items: [undefined] }]) {
      assert.throws(() => pack({ ...built, ...change }), TypeError);
    }
  });
});
