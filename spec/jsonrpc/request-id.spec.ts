import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeId, idKey, readId, type RequestId } from '../../lib/jsonrpc/request-id.ts';

/** Reads the id of a line, as the core does. */
function idOf(line: string): RequestId | undefined {
  return readId((JSON.parse(line) as { id?: unknown }).id, line, ['id']);
}

/** Places in which an id may stand. */
const places: Record<string, (id: string) => string> = {
  'at the start': (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`,
  'at the start, alone': (id) => `{"jsonrpc":"2.0","id":${id}}`,
  'first of all': (id) => `{"id":${id},"jsonrpc":"2.0","method":"ping"}`,
  'in the middle': (id) => `{"jsonrpc":"2.0","method":"ping","id":${id},"params":{}}`,
  'at the end': (id) => `{"jsonrpc":"2.0","method":"ping","id":${id}}`,
  'at the end, with a decoy before': (id) => `{"jsonrpc":"2.0","method":"a,\\"id\\":1","params":{"id":1},"id":${id}}`,
  'with white space': (id) => `{ "jsonrpc" : "2.0" , "id" : ${id} }`,
  'under an escaped key': (id) => `{"jsonrpc":"2.0","\\u0069d":${id}}`,
  'last of repeated keys': (id) => `{"method":"ping","id":12345,"jsonrpc":"2.0","id":${id}}`,
};

const kept = ['0', '1', '-1', '7', '42', '-0', '9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '1'.repeat(400)];
const refused = [
  '1.0', '0.0', '-0.0', '1.5', '1e0', '1E2', '1e+2', '1e-2', '0e0', '10e-1', '1e400', '-1e400', '9007199254740993.0', '1e5000',
  'true', 'false', 'null', '[1]', '{"id":1}',
];

describe('a request id', () => {
  for (const [place, lineOf] of Object.entries(places)) {
    it(`keeps its digits ${place}`, () => {
      for (const digits of kept) {
        const id = idOf(lineOf(digits));
        assert.ok(id !== undefined, `${digits} was refused`);
        assert.equal(encodeId(id), digits);
      }
    });

    it(`is refused ${place} when it has a point or an exponent, or another type`, () => {
      for (const text of refused) assert.equal(idOf(lineOf(text)), undefined, text);
    });

    it(`may be any string ${place}`, () => {
      for (const text of ['', '1', '1.0', 'id', '"', '\\', '😀', '\ud800', '__proto__', 'null']) {
        const id = idOf(lineOf(JSON.stringify(text)));
        assert.equal(id, text);
        assert.equal(encodeId(text), JSON.stringify(text));
      }
    });
  }

  it('is refused when it is not there', () => assert.equal(readId(undefined, '{}', ['id']), undefined));

  it('keeps the sign of a zero that is the last of repeated keys', () => {
    assert.deepEqual(idOf('{"jsonrpc":"2.0","id":0,"method":"ping","id":-0}'), { digits: '-0' });
    assert.deepEqual(idOf('{"id":-0,"jsonrpc":"2.0","method":"ping","id":0}'), 0);
  });

  it('is not taken from a nested object that ends the line', () => {
    assert.equal(idOf('{"id":5.0,"params":{"a":1,"id":5}}'), undefined);
    assert.equal(idOf('{"id":5.0,"z":"\\",\\"id\\":5}"}'), undefined);
  });

  it('is read at its own place where a path of keys leads to it', () => {
    const line = '{"requestId":1,"params":{"requestId":9007199254740993,"other":{"requestId":2}}}';
    const { params } = JSON.parse(line) as { params: { requestId: number } };
    assert.deepEqual(readId(params.requestId, line, ['params', 'requestId']), { digits: '9007199254740993' });
  });

  it('meets another one exactly when type and digits are the same', () => {
    const texts = ['1', '"1"', '-0', '0', '"-0"', '9007199254740992', '9007199254740993', '"9007199254740993"', '"\\"9007199254740993"', '""'];
    const keys = texts.map((text) => idKey(idOf(`{"id":${text}}`) as RequestId));
    assert.equal(new Set(keys).size, texts.length);
    for (const text of texts) assert.ok(keys.includes(idKey(idOf(`{"x":[], "id": ${text} }`) as RequestId)));
  });

  it('comes back as it was sent, whatever integer or string it is and wherever it stands', () => {
    const text = fc.oneof(fc.bigInt().map(String), fc.integer().map(String), fc.string({ unit: 'binary' }).map((each) => JSON.stringify(each)));
    const property = fc.property(text, fc.constantFrom(...Object.values(places)), (id, lineOf) => {
      assert.equal(encodeId(idOf(lineOf(id)) as RequestId), id);
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});
