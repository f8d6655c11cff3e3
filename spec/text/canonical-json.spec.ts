import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, CanonicalJsonError, readCanonicalJson } from '../../lib/text/canonical-json.ts';
import { projectRoot } from '../support/project.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const faultOf = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof CanonicalJsonError && error.name === 'CanonicalJsonError');
    return error.fault;
  }
};
const integers = fc.jsonValue({ maxDepth: 5 }).map(function whole(value: unknown): unknown {
  if (typeof value === 'number') return Math.trunc(value) % 2 ** 53 || 0;
  if (Array.isArray(value)) return value.map(whole);
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, whole(each)])) : value;
});

describe('canonical JSON that is read', () => {
  const file = path.join(projectRoot, 'spec', 'fixtures', 'gage', 'canonical-json.json');
  const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: { name: string; bytes_base64: string; canonical: boolean }[] };
  for (const { name, bytes_base64: bytes, canonical } of cases) {
    it(`${canonical ? 'takes' : 'refuses'} ${name.replaceAll('_', ' ')}`, () => {
      assert.equal(faultOf(() => readCanonicalJson(Buffer.from(bytes, 'base64'))) === undefined, canonical);
    });
  }

  const faults: [fault: string | undefined, what: string, bytes: Uint8Array, options?: { maxBytes?: number; maxDepth?: number }][] = [
    ['too_large', 'one byte more than allowed', bytesOf('[12]'), { maxBytes: 3 }],
    [undefined, 'as many bytes as allowed', bytesOf('[12]'), { maxBytes: 4 }],
    ['not_utf8', 'bytes that are no text', Uint8Array.of(0x22, 0xff, 0x22)],
    ['not_json', 'text that is no JSON', bytesOf('{"a":}')],
    ['not_json', 'nothing', new Uint8Array()],
    [undefined, 'eight levels', bytesOf('[[[[[[[[1]]]]]]]]')],
    ['too_deep', 'nine levels', bytesOf('[[[[[[[[[]]]]]]]]]')],
    ['too_deep', 'more levels than the caller allows', bytesOf('{"a":[{}]}'), { maxDepth: 2 }],
    ['too_deep', 'a hundred thousand levels', bytesOf('['.repeat(100_000) + ']'.repeat(100_000))],
    ['not_canonical', 'a number that is no integer', bytesOf('[0.5]')],
    ['not_canonical', 'half of a surrogate pair in a key', bytesOf('{"\\ud800":1}')],
    [undefined, 'an own key that is called __proto__', bytesOf('{"__proto__":{"a":1}}')],
  ];
  for (const [fault, what, bytes, options] of faults) {
    it(`${fault === undefined ? 'takes' : `refuses as ${fault}`} ${what}`, () => assert.equal(faultOf(() => readCanonicalJson(bytes, options)), fault));
  }

  it('gives back every value of integers that was written', () => {
    fc.assert(fc.property(integers, (value) => assert.deepEqual(readCanonicalJson(bytesOf(canonicalJson(value)), { maxDepth: 20 }), JSON.parse(JSON.stringify(value)))));
  });

  it('takes no second spelling: what it reads after a change of one byte is written as the changed bytes', () => {
    fc.assert(fc.property(integers, fc.nat(), fc.integer({ min: 1, max: 255 }), (value, at, change) => {
      const bytes = bytesOf(canonicalJson(value));
      const index = at % bytes.length;
      bytes[index] = (bytes[index] ?? 0) ^ change;
      let read: unknown;
      try {
        read = readCanonicalJson(bytes, { maxDepth: 20 });
      } catch {
        return;
      }
      assert.deepEqual(bytesOf(canonicalJson(read)), bytes);
    }));
  });

  it('never quotes the bytes in its error', () => {
    assert.throws(() => readCanonicalJson(bytesOf('{"sign": "secret"}')), (error: Error) => !error.message.includes('secret'));
  });
});

describe('canonical JSON that is written', () => {
  const refused: [what: string, value: unknown][] = [
    ['undefined', undefined], ['NaN', Number.NaN], ['infinity', Infinity], ['a big integer', 1n], ['a function', () => 1], ['a symbol', Symbol('x')],
    ['a lone surrogate', 'a\ud800'], ['a lone surrogate in a key', { '\udc00': 1 }], ['a date', new Date(0)], ['a map', new Map()], ['a member without value', { a: undefined }],
  ];
  for (const [what, value] of refused) it(`is refused for ${what}`, () => assert.throws(() => canonicalJson(value), TypeError));

  it('has sorted keys without spaces, also in an object without prototype', () => {
    assert.equal(canonicalJson(Object.assign(Object.create(null) as object, { b: [1, -0, true, null], a: 'é\n"' })), '{"a":"é\\n\\"","b":[1,0,true,null]}');
  });

  const vectors = process.env['TOOLWIRE_VECTORS'];
  it('equals the published results of RFC 8785', { skip: vectors === undefined ? 'TOOLWIRE_VECTORS is not set' : false }, () => {
    const folder = path.join(vectors ?? '', 'jcs');
    const names = readdirSync(path.join(folder, 'input'));
    assert.equal(names.length, 6);
    for (const name of names) {
      const input: unknown = JSON.parse(readFileSync(path.join(folder, 'input', name), 'utf8'));
      assert.equal(canonicalJson(input), readFileSync(path.join(folder, 'output', name), 'utf8').trim(), name);
    }
  });
});
