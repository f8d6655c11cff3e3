import { Buffer } from 'node:buffer';
import type { BucketObject, BucketPage } from './bucket.types.ts';

/** What was asked for: keys that begin with `prefix` and come behind `after`. */
export type ListingQuery = { readonly prefix: string; readonly after: string | undefined };

/**
 * Reads an answer to ListObjectsV2 by its few tags; others' objects are passed over. Undefined for what is none, is not whole, or does
 * not answer the query: counting what was seen of it would overlook messages, and going on behind it might never end.
 */
export function readListing(xml: string, { prefix, after = '' }: ListingQuery): Omit<BucketPage, 'date'> | undefined {
  const [, inner] = /^\s*(?:<\?xml[^>]*\?>\s*)?<ListBucketResult(?:\s[^>]*)?>(.*)<\/ListBucketResult>\s*$/s.exec(xml) ?? [];
  if (inner === undefined) return undefined;
  // Of a proxy's memory of another question, or what is no answer to any.
  const [, given] = /<Prefix>([^<]*)<\/Prefix>/.exec(inner) ?? [];
  const [, truncated] = /<IsTruncated>\s*(true|false)\s*<\/IsTruncated>/.exec(inner) ?? [];
  if (truncated === undefined || (given !== undefined && unescaped(given) !== prefix)) return undefined;
  const objects: BucketObject[] = [];
  let [lastKey, lastOfAll] = [after, ''];
  for (const part of inner.split(/<Contents(?:\s[^>]*)?>/).slice(1)) {
    const [, escaped] = /<Key>([^<]*)<\/Key>/.exec(part) ?? [];
    if (escaped === undefined || !part.includes('</Contents>')) return undefined;
    const key = lastOfAll = unescaped(escaped);
    if (!/^[0-9a-z/]{1,300}$/.test(key)) continue;
    const [, size] = /<Size>(\d{1,15})<\/Size>/.exec(part) ?? [];
    const at = Date.parse(/<LastModified>([^<]{1,40})<\/LastModified>/.exec(part)?.[1] ?? '');
    if (size === undefined || Number.isNaN(at) || !key.startsWith(prefix) || key <= lastKey) return undefined;
    lastKey = key;
    objects.push({ key, bytes: Number(size), at });
  }
  if (truncated === 'false') return { objects, next: undefined };
  // Keys are in the order of their UTF-8, others' too.
  return Buffer.compare(Buffer.from(lastOfAll), Buffer.from(after)) > 0 ? { objects, next: lastOfAll } : undefined;
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A text of XML. Our keys need no escapes, but a server may write them all the same. */
function unescaped(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,4}));/gi, (whole, hex?: string, decimal?: string, name = '') => {
    const code = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : (named[name] ?? whole);
  });
}
