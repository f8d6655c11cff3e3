import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RpcError } from '../../lib/jsonrpc/errors.ts';
import { content, defineFamily, defineTool, isContent } from '../../lib/mcp/define.ts';
import { isRefusal, Refusal } from '../../lib/mcp/refusal.ts';
import { openClient, probeFamily, probeTool } from '../support/in-process.ts';
import { call, request } from '../support/server-process.ts';

class DomainError extends Error {}

const fails = (error: unknown) => () => {
  throw error;
};

/** Families whose hooks turn domain errors and bad arguments into their own outcomes. */
const hooked = probeFamily(
  'hooked',
  [
    probeTool('as_error', fails(new DomainError('rpc'))),
    probeTool('as_refusal', fails(new DomainError('refusal'))),
    probeTool('unmapped', fails(new DomainError('nothing'))),
    probeTool('nonsense', fails(new DomainError('nonsense'))),
    probeTool('hook_throws', fails(new DomainError('throw'))),
    probeTool('later', async () => fails(new DomainError('refusal'))()),
    probeTool('own_refusal', fails(new Refusal('its own', { reason: 'own' }))),
    probeTool('typed', (args) => args, { inputSchema: { type: 'object', properties: { n: { type: 'integer' }, mode: { type: 'string' } } } }),
  ],
  {
    directInvocation: true,
    outcomeOf: (error, { tool, arguments: args }) => {
      if (!(error instanceof DomainError)) return undefined;
      const shown = `${error.message} of ${tool.name} ${JSON.stringify(args)}`;
      if (error.message === 'rpc') return new RpcError(-32001, shown);
      if (error.message === 'refusal') return new Refusal(shown);
      if (error.message === 'throw') throw new Error('the hook itself fails');
      return error.message === 'nonsense' ? ('nonsense' as never) : undefined;
    },
    prepareArguments: (tool, args) => {
      if (tool.name !== 'typed') return args;
      const { N, ...rest } = args as Record<string, unknown>;
      if (N === 'refuse') throw new Refusal('not prepared');
      if (N === 'fail') throw new Error('preparing failed');
      return N === undefined ? rest : { ...rest, n: N };
    },
    invalidArguments: (issues, { tool, arguments: args }) => {
      const { mode } = args as { mode?: unknown };
      if (mode === 'rest') return new RpcError(-32010, `400 for ${tool.name}`, { fields: issues.map((issue) => issue.path) });
      return mode === 'refuse' ? new Refusal('bad request', { reason: 'bad' }) : undefined;
    },
  },
);

const refusedWith = (text: string): object => ({ result: { content: [{ type: 'text', text }], isError: true } });

const rows: [title: string, line: string, expected: object][] = [
  ['an RpcError', call(1, 'as_error', { a: 1 }), { error: { code: -32001, message: 'rpc of as_error {"a":1}' } }],
  ['a Refusal', call(1, 'as_refusal'), refusedWith('refusal of as_refusal {}')],
  ['a Refusal, of a tool that answers later', call(1, 'later'), refusedWith('refusal of later {}')],
  ['an internal error where the family has no word for it', call(1, 'unmapped'), { error: { code: -32603, message: 'Internal error' } }],
  ['an internal error where its word is nonsense', call(1, 'nonsense'), { error: { code: -32603, message: 'Internal error' } }],
  ['an internal error where the mapping fails', call(1, 'hook_throws'), { error: { code: -32603, message: 'Internal error' } }],
  ['the refusal of the tool itself, unmapped', call(1, 'own_refusal'), refusedWith('its own')],
  ['that of prepared arguments, validated then', call(1, 'typed', { N: 3 }), { result: { content: [{ type: 'text', text: '{"n":3}' }], structuredContent: { n: 3 } } }],
  ['a refusal while preparing', call(1, 'typed', { N: 'refuse' }), refusedWith('not prepared')],
  ['an internal error where preparing fails', call(1, 'typed', { N: 'fail' }), { error: { code: -32603, message: 'Internal error' } }],
  [
    'the error that the family makes of bad arguments', call(1, 'typed', { n: 'x', mode: 'rest' }),
    { error: { code: -32010, message: '400 for typed', data: { fields: ['/n'] } } },
  ],
  ['the refusal that the family makes of bad arguments', call(1, 'typed', { n: 'x', mode: 'refuse' }), refusedWith('bad request')],
  [
    'that refusal as an error, when the tool was invoked directly', request(1, 'typed', { n: 'x', mode: 'refuse' }),
    { error: { code: -32603, message: 'bad request', data: { kind: 'Refusal', tool: 'typed', reason: 'bad' } } },
  ],
];

describe('the outcome of a call', () => {
  for (const [title, line, expected] of rows) {
    it(`is ${title}`, async () => assert.deepEqual(await openClient([hooked]).ask(line), { jsonrpc: '2.0', id: 1, ...expected }));
  }

  it('is -32602 with its issues for bad arguments that the family leaves alone', async () => {
    const { error } = await openClient([hooked]).ask(call(1, 'typed', { n: 1.5 }));
    assert.equal(error.code, -32602);
    assert.equal(error.data.issues.length, 1);
    assert.deepEqual([error.data.issues[0].path, error.data.issues[0].keyword], ['/n', 'type']);
    assert.match(error.message, /^Invalid arguments for typed: \/n must be /);
  });

  it('keeps the details of an unexpected error to the log', async () => {
    const secret = new Error('at /srv/secret.js');
    const client = openClient([probeFamily('fam', [probeTool('fail', fails(secret)), probeTool('text', fails('thrown text'))])]);
    for (const name of ['fail', 'text']) await client.ask(call(name, name));
    assert.ok(!client.lines.join().includes('secret'));
    assert.match(client.logs.join('\n'), /fam\/fail: failed unexpectedly Error: at \/srv\/secret\.js\n +at /);
    assert.match(client.logs.join('\n'), /fam\/text: failed unexpectedly thrown text/);
  });

  it('is an internal error where a thenable of the tool rejects or the result has a hostile toJSON', async () => {
    const thenable = { then: (_: unknown, reject: (error: unknown) => void) => reject(new Error('late')) };
    const hostile = { toJSON: fails(new Error('hostile')) };
    const client = openClient([probeFamily('fam', [probeTool('thenable', () => thenable), probeTool('hostile', () => hostile)])]);
    for (const name of ['thenable', 'hostile']) assert.equal((await client.ask(call(name, name)))['error'].code, -32603);
  });

  it('leaves structured content out where blocks come without it, and refuses to serialise what has no JSON', async () => {
    const bad = content([{ type: 'text', text: 'x' }], { big: 1n });
    const good = content([{ type: 'text', text: 'x' }]);
    const client = openClient([probeFamily('fam', [probeTool('bad', () => bad), probeTool('good', () => good)])]);
    assert.equal((await client.ask(call(1, 'bad')))['error'].code, -32603);
    assert.deepEqual((await client.ask(call(2, 'good')))['result'], { content: [{ type: 'text', text: 'x' }] });
  });

  it('is an internal error where the parts of a result throw when they are looked at', async () => {
    const hostile = Object.defineProperty({}, Symbol.for('toolwire.content'), { value: true });
    Object.defineProperty(hostile, 'blocks', { get: fails(new Error('hostile')) });
    const client = openClient([probeFamily('fam', [probeTool('hostile', () => hostile)])]);
    assert.match((await client.ask(call(1, 'hostile')))['error'].message, /can not be serialised/);
  });

  it('drops the data of a refusal that has no JSON', async () => {
    const client = openClient([probeFamily('fam', [probeTool('no', fails(new Refusal('no', { data: { big: 1n } })))])]);
    assert.deepEqual((await client.ask(call(1, 'no')))['result'], { content: [{ type: 'text', text: 'no' }], isError: true });
  });

  it('checks blocks and their structured content against outputSchema too', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
    const blocks = [{ type: 'text', text: 'x' }] as const;
    const tool = (name: string, value: unknown) => probeTool(name, () => value, { outputSchema });
    const tools = [tool('good', content(blocks, { n: 1 })), tool('bare', content(blocks)), tool('bad', content(blocks, { n: 'x' })), tool('text', 'text')];
    const client = openClient([probeFamily('fam', tools)]);
    const codes = [];
    for (const name of ['good', 'bare', 'bad', 'text']) codes.push((await client.ask(call(name, name)))['error']?.code);
    assert.deepEqual(codes, [undefined, -32603, -32603, -32603]);
    assert.match(client.logs.join('\n'), /fam\/bad: its result does not conform to outputSchema: .*\/n/);
  });
});

describe('the words of a family', () => {
  it('are what they were given: defineFamily and defineTool add nothing', () => {
    const tool = probeTool('t', () => 1);
    const family = probeFamily('f', [tool]);
    assert.equal(defineTool(tool as never), tool);
    assert.equal(defineFamily(family), family);
  });

  it('brand content and refusals so that a second copy of the library knows them', () => {
    assert.ok(isContent(content([])) && isContent({ [Symbol.for('toolwire.content')]: true } as object));
    assert.ok(!isContent({ blocks: [], structured: undefined }));
    assert.deepEqual(Object.keys(content([])), ['blocks', 'structured']);
    assert.ok(isRefusal(new Refusal('no')) && isRefusal({ [Symbol.for('toolwire.Refusal')]: true }));
    for (const other of [null, 'no', new Error('no')]) assert.ok(!isRefusal(other));
  });

  it('give a refusal its reason, data and cause, and its name on the prototype', () => {
    const cause = new Error('below');
    const refusal = new Refusal('no', { reason: 'r', data: { a: 1 }, cause });
    assert.deepEqual([refusal.message, refusal.reason, refusal.data, refusal.cause, refusal.name], ['no', 'r', { a: 1 }, cause, 'Refusal']);
    const plain = new Refusal('no');
    assert.deepEqual([plain.reason, plain.data, Object.hasOwn(plain, 'cause'), Object.hasOwn(plain, 'name')], ['no', undefined, false, false]);
  });
});

describe('what a plain-JS tool puts into structuredContent and blocks', () => {
  const made = (blocks: unknown, structured?: unknown): unknown => content(blocks as [], structured as Record<string, unknown>);
  const text = [{ type: 'text', text: 'x' }];
  const cases: readonly (readonly [string, () => unknown])[] = [
    ['structuredContent that is a text', () => made(text, 'text')],
    ['structuredContent that is a list', () => made(text, [1])],
    ['blocks that are no list', () => made('text')],
    ['a block that is null', () => made([null])],
    ['a block without a type', () => made([{ text: 'x' }])],
  ];
  for (const [title, run] of cases) {
    it(`is refused when it is ${title}`, async () => {
      const { ask } = openClient([probeFamily('fam', [probeTool('odd', run)])]);
      const { error } = await ask(call(1, 'odd'));
      assert.equal(error?.code, -32603);
    });
  }

  it('leaves out data of a refusal that is no object', async () => {
    const { ask } = openClient([probeFamily('fam', [probeTool('odd', fails(new Refusal('no', { data: 5 as never })))])]);
    const { result } = await ask(call(1, 'odd'));
    assert.deepEqual(result, { content: [{ type: 'text', text: 'no' }], isError: true });
  });
});
