import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { content } from '../../lib/mcp/define.ts';
import { openClient, probeFamily, probeTool, settled } from '../support/in-process.ts';
import { call, request } from '../support/server-process.ts';

const branded = (brand: string, more: object): Error => Object.assign(new Error('branded'), { [Symbol.for(`toolwire.${brand}`)]: true }, more);
const throws = (error: unknown) => () => {
  throw error;
};
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const onlyOnce = (): object => {
  let asked = 0;
  return { toJSON: () => (asked++ === 0 ? { sum: 1 } : throws(new Error('asked again'))()) };
};

const thenable = (then: (resolve: (value: string) => void, reject: (error: Error) => void) => void): object => ({ then });
const unreadable = (name: string, of: object = {}): object => Object.defineProperty(of, name, { get: throws(new Error('no')) });

/** What a tool of a plain-JavaScript plugin may do, with the error code that its call gets; 0 for a result. */
const deeds: [title: string, run: () => unknown, code: number][] = [
  ['returns a revoked proxy', revoked, -32603],
  ['returns a promise of a revoked proxy', () => new Promise((resolve) => setImmediate(() => resolve([revoked()]))), -32603],
  ['returns an object whose `then` can not be read', () => unreadable('then'), -32603],
  ['returns a thenable whose `then` throws', () => ({ then: throws(new Error('no')) }), -32603],
  ['returns a thenable that settles later and whose `then` returns nothing', () => thenable((resolve) => void setImmediate(() => resolve('later'))), 0],
  [
    'returns a thenable that settles twice',
    () =>
      thenable((resolve, reject) => {
        resolve('once');
        reject(new Error('twice'));
      }),
    0,
  ],
  ['returns an object that can be serialised only once', onlyOnce, 0],
  ['returns blocks that are no array', () => content('text' as never), -32603],
  ['returns an object with members named as those of content()', () => ({ blocks: 1, structured: { sum: 'x' } }), 0],
  ['throws null', throws(null), -32603],
  ['throws a revoked proxy', () => throws(revoked())(), -32603],
  ['throws an error whose stack can not be read', throws(unreadable('stack', new Error('x'))), -32603],
  ['throws an error object without a code', throws(branded('RpcError', {})), -32603],
  ['throws an error object with a text for a code', throws(branded('RpcError', { code: 'EBAD' })), -32603],
  ['throws an error object with NaN for a code', throws(branded('RpcError', { code: NaN })), -32603],
  ['throws an error object without a message', throws(branded('RpcError', { code: -32001, message: undefined })), -32001],
  ['throws a refusal without a message', throws(branded('Refusal', { message: undefined })), 0],
];

describe('a tool that breaks the rules', () => {
  for (const [title, run, code] of deeds) {
    it(`and ${title} gets one answer that is JSON, called at once or after a wait, and the next call is served`, async () => {
      for (const readOnly of [true, false]) {
        const slow = probeTool('slow', () => new Promise((resolve) => setImmediate(() => resolve('slow'))), { readOnly });
        const client = openClient([probeFamily('fam', [slow, probeTool('bad', run, { readOnly })], { directInvocation: true })]);
        client.send(call('first', 'slow'));
        client.send(call('bad', 'bad'));
        client.send(request('direct', 'bad'));
        await client.ask(call('last', 'slow'));
        await settled();
        const answers = new Map(client.lines.map((line) => [JSON.parse(line).id as string, JSON.parse(line)]));
        assert.equal(client.lines.length, 4, client.lines.join('\n'));
        assert.equal(answers.get('bad')?.error?.code ?? 0, code);
        assert.ok(answers.has('direct'));
      }
    });
  }

  it('and names members as those of content() is judged by its outputSchema as a whole', async () => {
    const outputSchema = { type: 'object', properties: { blocks: { type: 'integer' }, structured: { type: 'integer' } } } as const;
    const client = openClient([probeFamily('fam', [probeTool('own', () => ({ blocks: 1, structured: 2 }), { outputSchema })])]);
    assert.deepEqual((await client.ask(call(1, 'own')))['result']?.structuredContent, { blocks: 1, structured: 2 });
  });
});
