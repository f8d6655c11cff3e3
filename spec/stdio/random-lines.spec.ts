import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runServer, serveArgs } from '../support/server-process.ts';

/** What a line must get: the text of the answer's id and its error code (0 for a result), or nothing at all. */
type Expected = { readonly id: string; readonly code: number } | undefined;

const isObject = (value: unknown): value is Record<string, any> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text of the last top-level `id` of a line, found by an independent rule: JSON.parse with its source, one token at a time. */
function idText(line: string): string {
  const tokens = line.match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g) ?? [];
  let depth = 0;
  let found = '';
  tokens.forEach((token, index) => {
    if ('{['.includes(token)) depth++;
    if ('}]'.includes(token)) depth--;
    const isKey = depth === 1 && token.startsWith('"') && tokens[index + 1] === ':';
    if (isKey && JSON.parse(token) === 'id') found = tokens[index + 2] ?? '';
  });
  return found;
}

/** The message matrix for a server of the `direct` family without initialize, written once more and plainly. */
function expect(line: string): Expected {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return /^[ \t\r]*$/.test(line) ? undefined : { id: 'null', code: -32700 };
  }
  if (!isObject(value)) return { id: 'null', code: -32600 };
  const own = (key: string): boolean => Object.hasOwn(value as object, key);
  if (!own('method') && (own('result') || own('error'))) return undefined;
  if (!own('id')) return undefined;
  const text = idText(line);
  if (typeof value['id'] !== 'string' && !/^-?\d+$/.test(text)) return { id: 'null', code: -32600 };
  const id = typeof value['id'] === 'string' ? JSON.stringify(value['id']) : text;
  return { id, code: codeOf(value) };
}

function codeOf({ jsonrpc, method, params, ...rest }: Record<string, any>): number {
  if (jsonrpc !== '2.0' || typeof method !== 'string') return -32600;
  if (!['initialize', 'ping', 'tools/list', 'tools/call', 'server/discover', 'say', 'nothing'].includes(method)) return -32601;
  const given = Object.hasOwn(rest, 'params') || params !== undefined;
  if (given && !isObject(params)) return -32602;
  const meta = params?._meta;
  if (meta !== undefined && !isObject(meta)) return -32602;
  if (method === 'server/discover') return -32602;
  if (method === 'nothing') return Object.keys(params ?? {}).every((key) => key === '_meta') ? -32603 : -32602;
  if (method === 'say') {
    const { _meta, text, ...more } = params ?? {};
    // Without a text the tool returns undefined, which has no JSON.
    if (Object.keys(more).length > 0 || (text !== undefined && typeof text !== 'string')) return -32602;
    return text === undefined ? -32603 : 0;
  }
  if (method === 'tools/list') return params?.cursor === undefined ? 0 : -32602;
  if (method !== 'tools/call') return 0;
  const { name, arguments: args } = params ?? {};
  if (typeof name !== 'string' || (args !== undefined && !isObject(args))) return -32602;
  if (name !== 'say') return -32601;
  const { text, ...more } = args ?? {};
  if (Object.keys(more).length > 0 || (text !== undefined && typeof text !== 'string')) return -32602;
  return text === undefined ? -32603 : 0;
}

const text = fc.string({ unit: 'binary', maxLength: 12 });
const junk = fc.jsonValue({ maxDepth: 2 });
const id = fc
  .oneof(fc.integer(), fc.bigInt(), fc.constantFrom(0, 1, 1.5, null, true, '', 'a', -1), text)
  .map((each) => (typeof each === 'bigint' ? String(each) : JSON.stringify(each)));
const method = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('ping', 'tools/list', 'tools/call', 'say', 'nothing', 'server/discover') },
  { weight: 1, arbitrary: fc.constantFrom('resources/list', '__proto__', 'subscriptions/listen', 'notifications/initialized') },
  { weight: 1, arbitrary: text },
);
const tool = fc.oneof(fc.constantFrom('say', 'say', 'nobody', '__proto__'), junk);
const params = fc.oneof(
  fc.constant({}),
  fc.record({ name: tool, arguments: fc.oneof(fc.record({ text }), junk) }, { requiredKeys: [] }),
  fc.record({ cursor: junk, _meta: junk }, { requiredKeys: [] }),
  fc.record({ text: junk, _meta: fc.constant({ progressToken: 1 }) }, { requiredKeys: [] }),
  junk,
);
const otherKey = fc.constantFrom('result', 'error', 'jsonrpc', 'method', '__proto__', 'x');
const member = fc.oneof(
  { weight: 6, arbitrary: id.map((each) => `"id":${each}`) },
  { weight: 6, arbitrary: fc.constant('"jsonrpc":"2.0"') },
  { weight: 6, arbitrary: method.map((each) => `"method":${JSON.stringify(each)}`) },
  { weight: 4, arbitrary: params.map((each) => `"params":${JSON.stringify(each)}`) },
  { weight: 1, arbitrary: fc.tuple(otherKey, junk).map(([key, value]) => `"${key}":${JSON.stringify(value)}`) },
);

/** Requests that are whole, in the shapes of clients. */
const request = fc
  .tuple(id, method, params)
  .map(([i, m, p]) => `{"jsonrpc":"2.0","id":${i},"method":${JSON.stringify(m)},"params":${JSON.stringify(p)}}`);
/** Objects of known members in any order, with gaps, repetitions and white space. */
const shuffled = fc
  .tuple(fc.array(member, { maxLength: 6 }), fc.constantFrom(',', ' ,\t', ', \r'))
  .map(([members, comma]) => `{${members.join(comma)}}`);
/** Whole lines with a piece cut out, put in or doubled. */
const splinter = fc.oneof(text, fc.constantFrom('', '"', '}', '{', ',', '0', '.0', 'e1', '-', '\\', ' '));
const mutated = fc
  .tuple(fc.oneof(request, shuffled), fc.nat(200), fc.nat(20), splinter)
  .map(([whole, at, length, piece]) => whole.slice(0, at) + piece + whole.slice(at + length));
const line = fc
  .oneof(
    { weight: 4, arbitrary: request },
    { weight: 4, arbitrary: shuffled },
    { weight: 6, arbitrary: mutated },
    { weight: 1, arbitrary: junk.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: text },
  )
  .map((each) => each.replaceAll('\n', ' '))
  // Whether JSON.parse sees the last of two equal ids as 1 or as 1.0 is not told by any client: left to the code.
  .filter((each) => !/"id".*"id"/.test(each));

const perRun = 2_500;

describe('10,000 random and mutated lines', () => {
  it('get exactly one right answer each where one is due, and nothing else is on stdout', async () => {
    const property = fc.asyncProperty(fc.array(line, { minLength: perRun, maxLength: perRun, size: 'max' }), async (lines) => {
      // A lone half of a surrogate pair becomes U+FFFD on its way, so the bytes are what is judged.
      const input = Buffer.from(lines.map((each) => `${each}\n`).join(''));
      const sent = input.toString('utf8').split('\n').slice(0, -1);
      const { code, lines: answers } = await runServer(serveArgs(['direct'], '--ordered'), input);
      assert.equal(code, 0);
      let next = 0;
      for (const each of sent) {
        const expected = expect(each);
        if (expected === undefined) continue;
        const answer = answers[next++] ?? 'no answer';
        const about = `${each}\ngot ${answer}`;
        assert.ok(answer.startsWith(`{"jsonrpc":"2.0","id":${expected.id},"`), about);
        assert.equal((JSON.parse(answer) as { error?: { code: number } }).error?.code ?? 0, expected.code, about);
      }
      assert.equal(answers.length, next);
    });
    await fc.assert(property, { numRuns: 10_000 / perRun, endOnFailure: true });
  });
});
