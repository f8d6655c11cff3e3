import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ErrorCode, isRpcError, RpcError } from '../../lib/jsonrpc/errors.ts';

describe('RpcError', () => {
  it('carries code, message, data and cause, and its name on the prototype', () => {
    const cause = new Error('below');
    const error = new RpcError(ErrorCode.invalidParams, 'no', { a: 1 }, { cause });
    assert.deepEqual([error.code, error.message, error.data, error.cause, error.name], [-32602, 'no', { a: 1 }, cause, 'RpcError']);
    assert.ok(error instanceof Error && !Object.hasOwn(error, 'name'));
  });

  it('is known by its brand, not by its class', () => {
    assert.ok(isRpcError(new RpcError(1, 'm')));
    assert.ok(isRpcError({ [Symbol.for('toolwire.RpcError')]: true }));
    for (const other of [null, undefined, 'RpcError', new Error('m'), { code: 1, message: 'm' }]) assert.ok(!isRpcError(other));
  });
});
