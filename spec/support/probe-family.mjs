// Tools that do what a server must survive: they throw, stall, flood, return what has no JSON, and count their order.
import { content, count, number, pause, refusal, rpcError, text, tool } from './plain-tool.mjs';

console.log('the probe family is being imported');

const circular = {};
circular.self = circular;

function nested(levels) {
  let value = {};
  for (let i = 0; i < levels; i++) value = { deeper: value };
  return value;
}

const values = {
  undefined: () => undefined,
  null: () => null,
  bigint: () => ({ big: 10n }),
  circular: () => circular,
  function: () => () => 1,
  number: () => 7,
  boolean: () => false,
  array: () => [1, 'two', null],
  object: () => ({ one: 1, gone: undefined }),
  empty: () => '',
  deep: () => nested(20_000),
  shallow: () => nested(3),
  lookalike: () => ({ blocks: [{ type: 'text', text: 'not made by content()' }] }),
};

const kind = { type: 'string', enum: Object.keys(values), description: 'Which value.' };
const sumSchema = { type: 'object', properties: { sum: { type: 'number', description: 'The sum.' } }, required: ['sum'], additionalProperties: false };
const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };

function makeTools() {
  let steps = 0;
  return [
    tool('echo', ({ text: said }) => said, { properties: { text }, required: ['text'] }),
    tool('add', ({ a, b }) => ({ sum: a + b }), { properties: { a: number, b: number }, required: ['a', 'b'], outputSchema: sumSchema }),
    tool('greet', ({ name }) => `hello ${name}`, { properties: { name: { ...text, default: 'world' } } }),
    tool('any', (args) => ({ keys: Object.keys(args), polluted: {}.polluted ?? null }), { open: true }),
    tool('value', ({ kind: which }) => values[which](), { properties: { kind }, required: ['kind'] }),
    tool('later', async ({ kind: which }) => values[which](), { properties: { kind }, required: ['kind'] }),
    tool('bad_output', () => ({ sum: 'three' }), { outputSchema: sumSchema }),
    tool('fail', () => {
      throw new TypeError('the inner detail at /srv/inner.js');
    }),
    tool('fail_later', async () => {
      throw new TypeError('the inner detail at /srv/inner.js');
    }),
    tool('throw_text', () => {
      throw 'not even an error';
    }),
    tool('refuse', () => {
      throw refusal('the gate is shut', { reason: 'shut', data: { error: 'Shut', until: 'noon' } });
    }),
    tool('refuse_plainly', () => {
      throw refusal('no');
    }),
    tool('rpc_error', () => {
      throw rpcError(-32050, 'out of cheese', { left: 0 });
    }),
    tool('blocks', ({ structured }) => content([{ type: 'text', text: 'first' }, image], structured ? { two: 2 } : undefined), {
      properties: { structured: { type: 'boolean', description: 'Whether to add structured content.' } },
    }),
    tool('bad_blocks', () => content('no array')),
    tool('slow', async ({ ms, text: said = 'slow' }, { signal }) => pause(ms, signal).then(() => said), { properties: { ms: count, text }, required: ['ms'] }),
    tool('stubborn', ({ ms }) => pause(ms).then(() => 'stubborn'), { properties: { ms: count }, required: ['ms'] }),
    tool('never', () => new Promise(() => undefined)),
    tool('never_ordered', () => new Promise(() => undefined), { readOnly: false }),
    tool(
      'step',
      async ({ ms = 0 }) => {
        const before = steps;
        if (ms > 0) await pause(ms);
        steps = before + 1;
        return { before };
      },
      { properties: { ms: count }, readOnly: false },
    ),
    tool('step_now', () => ({ before: steps++ }), { readOnly: false }),
    tool('peek', () => ({ steps })),
    tool('own', async ({ ms = 0 }, { exclusive, signal }) => {
      await pause(ms, signal);
      return exclusive(async () => ({ before: steps++ }));
    }, { properties: { ms: count }, readOnly: false, effects: 'own' }),
    tool('progress', ({ values: done, total, message }, { progress }) => {
      for (const value of done) progress(value, total, message);
      return 'done';
    }, { properties: { values: { type: 'array', items: number, description: 'What is done.' }, total: number, message: text }, required: ['values'] }),
    tool('report', async (_, { progress, signal }) => {
      progress(1, 2, 'waiting');
      await pause(60_000, signal);
    }),
    tool('late_progress', (_, { progress }) => {
      setImmediate(() => progress(1));
      return 'done before its progress';
    }),
    tool('flood', async ({ notes }, { progress }) => {
      for (let i = 1; i <= notes; i++) {
        progress(i, notes, 'x'.repeat(200));
        if (i % 100 === 0) console.log('flood', i);
        if (i % 10_000 === 0) await pause(0);
      }
      return 'flooded';
    }, { properties: { notes: count }, required: ['notes'] }),
    tool('print', ({ text: said }) => {
      console.log(said);
      process.stdout.write(`${said}\n`);
      console.error(said);
      return 'printed';
    }, { properties: { text }, required: ['text'] }),
    tool('log', ({ level, message }, { log }) => {
      log(level, message, { extra: 1 });
      return 'logged';
    }, { properties: { level: text, message: text }, required: ['level', 'message'] }),
    tool('era', (_, { era }) => era),
    tool('timer_throw', () => {
      setTimeout(() => {
        throw new Error('thrown in a timer');
      }, 0);
      return 'armed';
    }),
    tool('stray_rejection', () => {
      void Promise.reject(new Error('rejected and awaited by nobody'));
      return 'armed';
    }),
    tool('stray_text', () => {
      void Promise.reject('rejected with a text');
      return 'armed';
    }),
    tool('big', ({ size }) => 'b'.repeat(size), { properties: { size: count }, required: ['size'] }),
    tool('memory', () => ({ rss: process.memoryUsage.rss() })),
  ];
}

export const family = { name: 'probe', apiVersion: 1, instructions: 'Probe the server with these.', tools: makeTools };
