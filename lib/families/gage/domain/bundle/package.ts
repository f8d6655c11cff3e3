import type { BundleBytes } from './bundle.types.ts';
import { limits, readManifest } from './manifest.ts';
import { parseSignature, signatureFile } from './signature.ts';

const MAGIC = Buffer.from('GAGEPKG1');
const SIGNATURE = 64;

/**
 * A bundle as one run of bytes: "GAGEPKG1", u32 length and manifest, 64 bytes of signature, u32 count, for each item u64 length and
 * bytes; numbers big endian. Throws TypeError where a part is missing, or the signature file is none.
 */
export function pack({ manifest, signature: file, items }: BundleBytes): Uint8Array {
  const signature = file === undefined ? undefined : parseSignature(file);
  if (manifest === undefined || signature === undefined) throw new TypeError('a bundle without manifest or signature can not be packed');
  const parts: Uint8Array[] = [MAGIC, u32(manifest.length), manifest, signature, u32(items.length)];
  for (const item of items) {
    if (item === undefined) throw new TypeError('a bundle with a missing item can not be packed');
    parts.push(u64(item.length), item);
  }
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * The parts of a package; undefined for bytes that are none or go over a limit. Each length is held against the limits and what
 * is left before anything is cut out. The parts share the memory of `bytes`.
 */
export function unpack(bytes: Uint8Array): BundleBytes | undefined {
  const reader = new Reader(bytes);
  if (!MAGIC.equals(reader.take(MAGIC.length) ?? MAGIC.subarray(1))) return undefined;
  const manifest = reader.take(reader.number(4, limits.manifestBytes));
  const signature = reader.take(SIGNATURE);
  const count = reader.number(4, limits.items);
  if (manifest === undefined || signature === undefined || count === undefined) return undefined;
  const items: Uint8Array[] = [];
  let total = 0;
  while (items.length < count) {
    const item = reader.take(reader.number(8, limits.itemBytes));
    if (item === undefined || (total += item.length) > limits.totalBytes) return undefined;
    items.push(item);
  }
  return reader.left === 0 ? { manifest, signature: signatureFile(signature), ...matched(manifest, items) } : undefined;
}

/** One place for each item of the manifest, as with a folder; more or fewer items are faults. */
function matched(manifest: Uint8Array, items: readonly Uint8Array[]): Pick<BundleBytes, 'items' | 'faults'> {
  const read = readManifest(manifest);
  if (!('manifest' in read)) return { items: [], faults: [] };
  const expected = read.manifest.items.length;
  return {
    items: Array.from({ length: expected }, (_, index) => items[index]),
    faults: items.length > expected ? [{ reason: 'extra_member' }] : items.length < expected ? [{ reason: 'missing_item' }] : [],
  };
}

/** Cuts bytes off the front; a length that is undefined or more than what is left gives undefined. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(length: number | undefined): Uint8Array | undefined {
    if (length === undefined || length > this.left) return undefined;
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** A big-endian number of 4 or 8 bytes, if it is at most `max`. */
  number(size: 4 | 8, max: number): number | undefined {
    const bytes = this.take(size);
    if (bytes === undefined) return undefined;
    // Exact up to 2^53, and far above `max` beyond it.
    const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
    return value <= max ? value : undefined;
  }
}

function u32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u64(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
