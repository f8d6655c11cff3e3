import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describe as typeName, isObject, readMessage } from '../../lib/jsonrpc/message.ts';

/** The kind of message a line holds, with the id (null where it could not be read) of an invalid one. */
function kindOf(line: string): string {
  const message = readMessage(JSON.parse(line), line);
  if (message.kind === 'invalid') return `invalid ${JSON.stringify(message.id)} ${message.code}`;
  if (message.kind === 'notification') return message.fault === undefined ? 'notification' : `notification: ${message.fault}`;
  return message.kind;
}

// Each row breaks several rules at once; the first one in the order of the matrix wins.
const rows: [line: string, kind: string][] = [
  ['[]', 'invalid null -32600'],
  ['[{"jsonrpc":"2.0","id":1,"method":"m"}]', 'invalid null -32600'],
  ['null', 'invalid null -32600'],
  ['0', 'invalid null -32600'],
  ['"{}"', 'invalid null -32600'],
  ['{"id":true,"result":1}', 'response'],
  ['{"id":1,"error":null,"params":[]}', 'response'],
  ['{"result":null}', 'response'],
  ['{"method":null,"result":1}', 'notification: jsonrpc is not "2.0"'],
  ['{"jsonrpc":"2.0","method":null,"result":1,"id":1}', 'invalid 1 -32600'],
  ['{}', 'notification: jsonrpc is not "2.0"'],
  ['{"jsonrpc":2,"method":7,"params":[]}', 'notification: jsonrpc is not "2.0"'],
  ['{"jsonrpc":"2.0","method":7,"params":[]}', 'notification: method is not a string'],
  ['{"jsonrpc":"2.0","method":"m","params":[]}', 'notification: params is not an object'],
  ['{"jsonrpc":"2.0","method":"m","params":null}', 'notification: params is not an object'],
  ['{"jsonrpc":"2.0","method":"m"}', 'notification'],
  ['{"id":null,"method":7}', 'invalid null -32600'],
  ['{"id":1.5}', 'invalid null -32600'],
  ['{"id":1,"method":7}', 'invalid 1 -32600'],
  ['{"jsonrpc":"2.1","id":"a","method":"m"}', 'invalid "a" -32600'],
  ['{"jsonrpc":"2.0","id":2}', 'invalid 2 -32600'],
  ['{"jsonrpc":"2.0","id":2,"method":"m","params":7}', 'request'],
  ['{"jsonrpc":"2.0","id":2,"method":"m","result":7}', 'request'],
];

describe('reading a message', () => {
  for (const [line, kind] of rows) it(`takes ${line} for: ${kind}`, () => assert.equal(kindOf(line), kind));

  it('hands the params of a request on as they came', () => {
    const line = '{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}';
    assert.deepEqual(readMessage(JSON.parse(line), line), { kind: 'request', id: 1, method: 'm', params: [1] });
  });

  it('says in one sentence what was wrong', () => {
    const message = readMessage([], '[]');
    assert.match(message.kind === 'invalid' ? message.message : '', /^Invalid request: .*not an array$/);
  });

  it('knows objects from arrays and null', () => {
    assert.deepEqual([{}, [], null, 'x', undefined].map(isObject), [true, false, false, false, false]);
  });

  it('names the types of JSON for a sentence', () => {
    const values = [null, [], {}, undefined, 'x', 1, true];
    assert.deepEqual(values.map(typeName), ['null', 'an array', 'an object', 'nothing', 'a string', 'a number', 'a boolean']);
  });
});
