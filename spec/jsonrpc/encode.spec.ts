import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeError, encodeNotification, encodeResult, toJson } from '../../lib/jsonrpc/encode.ts';

const circular: { self?: unknown } = {};
circular.self = circular;
let deep: unknown = 0;
for (let i = 0; i < 20_000; i++) deep = [deep];

describe('encoding', () => {
  it('writes a result around JSON text', () => {
    assert.equal(encodeResult(1, '{"a":1}'), '{"jsonrpc":"2.0","id":1,"result":{"a":1}}');
    assert.equal(encodeResult({ digits: '9007199254740993' }, '[]'), '{"jsonrpc":"2.0","id":9007199254740993,"result":[]}');
  });

  it('writes an error with its data', () => {
    const line = encodeError('a"b', -32602, 'no "good"', { issues: [1] });
    assert.equal(line, '{"jsonrpc":"2.0","id":"a\\"b","error":{"code":-32602,"message":"no \\"good\\"","data":{"issues":[1]}}}');
  });

  it('writes the id null where the request has none', () => {
    assert.equal(encodeError(null, -32700, 'm'), '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}');
  });

  it('leaves out error data that has no JSON', () => {
    for (const data of [undefined, circular, { big: 1n }, deep, () => 1, Symbol('s')]) {
      assert.deepEqual(JSON.parse(encodeError(1, -1, 'm', data)), { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'm' } });
    }
  });

  it('keeps error data that is null, false, zero or empty', () => {
    for (const data of [null, false, 0, '']) {
      assert.deepEqual((JSON.parse(encodeError(1, -1, 'm', data)) as { error: unknown }).error, { code: -1, message: 'm', data });
    }
  });

  it('writes a notification with and without params', () => {
    assert.equal(encodeNotification('a/b', undefined), '{"jsonrpc":"2.0","method":"a/b"}');
    assert.equal(encodeNotification('a/b', '{}'), '{"jsonrpc":"2.0","method":"a/b","params":{}}');
  });

  it('writes no newline, whatever is in the strings', () => {
    const nasty = 'a\nb\r\u2028';
    for (const line of [encodeError(nasty, 1, nasty, nasty), encodeNotification(nasty, JSON.stringify(nasty))]) assert.ok(!/[\n\r]/.test(line));
  });

  it('has no JSON for what JSON has not', () => {
    for (const value of [undefined, () => 1, Symbol('s'), 1n, circular, deep]) assert.equal(toJson(value), undefined);
    const hostile = { toJSON: (): never => { throw new Error('hostile'); } };
    assert.equal(toJson(hostile), undefined);
    assert.equal(toJson({ a: undefined, b: NaN }), '{"b":null}');
  });
});
