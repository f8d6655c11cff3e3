import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compiler } from '../../lib/mcp/compiler.ts';
import { buildTable, checkFamily, makeRow, type FamilyEntry } from '../../lib/mcp/dispatch-table.ts';
import { createServer } from '../../lib/mcp/create-server.ts';
import { compileSchema } from '../../lib/schema/validate.ts';
import { probeFamily, probeTool } from '../support/in-process.ts';

const good = probeTool('good', () => 'x');
const entryOf = (name: string): FamilyEntry => ({ family: probeFamily(name, []), context: undefined as never });
const compiler = new Compiler({ compile: compileSchema });
const rowOf = (change: object) => makeRow({ ...good, ...change } as never, entryOf('fam'), compiler);

const badTools: [title: string, change: object, message: RegExp][] = [
  ['no name', { name: undefined }, /^family fam: tool undefined: its name must match/],
  ['a name of another type', { name: 7 }, /family fam: tool 7: its name must match/],
  ['an empty name', { name: '' }, /its name must match \^\[a-zA-Z0-9_-\]\{1,64\}\$/],
  ['a name with a space', { name: 'a b' }, /tool "a b": its name must match/],
  ['a name with a newline at the end', { name: 'a\n' }, /its name must match/],
  ['a name of 65 characters', { name: 'n'.repeat(65) }, /its name must match/],
  ['no title', { title: undefined }, /tool "good": title must be a text/],
  ['an empty title', { title: '' }, /title must be a text that is not empty/],
  ['no description', { description: undefined }, /description must be a text/],
  ['no call', { call: undefined }, /call must be a function/],
  ['no annotations', { annotations: undefined }, /annotations\.readOnlyHint must be true or false/],
  ...['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'].map((hint): [string, object, RegExp] => [
    `no ${hint}`, { annotations: { ...good.annotations, [hint]: undefined } }, new RegExp(`annotations\\.${hint} must be true or false`),
  ]),
  ['unknown effects', { effects: 'some' }, /effects must be none, ordered or own/],
  ['no inputSchema', { inputSchema: undefined }, /inputSchema must be a JSON Schema with type "object" at its root/],
  ['an inputSchema of another type', { inputSchema: { type: 'array' } }, /inputSchema must be a JSON Schema with type "object"/],
  ['an inputSchema that is true', { inputSchema: true }, /inputSchema must be a JSON Schema with type "object"/],
  ['a keyword that the validator does not support', { inputSchema: { type: 'object', $dynamicRef: '#x' } }, /family fam: tool "good": inputSchema: .*\$dynamicRef/],
  ['an outputSchema of another type', { outputSchema: { type: 'string' } }, /outputSchema must be a JSON Schema with type "object"/],
  ['a bad outputSchema', { outputSchema: { type: 'object', properties: 7 } }, /tool "good": outputSchema: /],
];

const badFamilies: [title: string, value: unknown, message: RegExp][] = [
  ['null', null, /a family must be an object/],
  ['a function', () => undefined, /a family must be an object/],
  ['no name', { apiVersion: 1, tools: () => [] }, /the name of a family must match/],
  ['a name with capitals', { name: 'Fam', apiVersion: 1, tools: () => [] }, /must match .*, got "Fam"/],
  ['a name that begins with a digit', { name: '1fam', apiVersion: 1, tools: () => [] }, /must match/],
  ['another apiVersion', { name: 'fam', apiVersion: 2, tools: () => [] }, /family fam: apiVersion must be 1, got 2/],
  ['no apiVersion', { name: 'fam', tools: () => [] }, /family fam: apiVersion must be 1/],
  ['tools that are no function', { name: 'fam', apiVersion: 1, tools: [] }, /family fam: tools must be a function/],
];

describe('the dispatch table', () => {
  for (const [title, change, message] of badTools) {
    it(`refuses a tool with ${title}, naming family and tool`, () => assert.throws(() => rowOf(change), { name: 'TypeError', message }));
  }

  it('refuses a tool that is nothing', () => {
    assert.throws(() => makeRow(undefined as never, entryOf('fam'), compiler), { name: 'TypeError', message: /^family fam: tool undefined/ });
  });

  it('keeps the reason of a bad schema as the cause', () => {
    assert.throws(() => rowOf({ inputSchema: { type: 'object', nonsense: 1 } }), (error: Error) => error.cause instanceof Error);
  });

  it('takes a name of 64 characters of all kinds', () => {
    const name = 'aZ09_-'.padEnd(64, 'n');
    assert.equal(rowOf({ name }).tool.name, name);
  });

  it('gives read-only tools no effects and all others ordered ones, unless they say otherwise', () => {
    const writing = { ...good.annotations, readOnlyHint: false };
    assert.equal(rowOf({}).effects, 'none');
    assert.equal(rowOf({ annotations: writing }).effects, 'ordered');
    assert.equal(rowOf({ annotations: writing, effects: 'own' }).effects, 'own');
    assert.equal(rowOf({ effects: 'ordered' }).effects, 'ordered');
  });

  it('keeps the tools in the order of registration', () => {
    const table = buildTable([
      { entry: entryOf('one'), tools: [probeTool('z', () => 1), probeTool('a', () => 1)] },
      { entry: entryOf('two'), tools: [probeTool('m', () => 1)] },
    ], compiler);
    assert.deepEqual([...table.rows.keys()], ['z', 'a', 'm']);
  });

  it('refuses a name that two families use, naming both', () => {
    const families = [{ entry: entryOf('one'), tools: [good] }, { entry: entryOf('two'), tools: [good] }];
    assert.throws(() => buildTable(families, compiler), { name: 'TypeError', message: /"good" is registered twice: by family one and family two/ });
  });

  it('refuses a name that one family uses twice', () => {
    assert.throws(() => buildTable([{ entry: entryOf('one'), tools: [good, good] }], compiler), /by family one and family one/);
  });

  it('refuses tools that are no array', () => {
    assert.throws(() => buildTable([{ entry: entryOf('one'), tools: { good } as never }], compiler), /family one: tools\(\) must return an array of tools/);
  });

  for (const [title, value, message] of badFamilies) {
    it(`refuses a family that is ${title}`, () => assert.throws(() => checkFamily(value), { name: 'TypeError', message }));
  }

  it('is built when the server is made, so a bad family fails there', () => {
    const make = (...families: unknown[]) => createServer({ name: 's', version: '1', families: families as never });
    assert.throws(() => make({ name: 'fam' }), /apiVersion must be 1/);
    assert.throws(() => make(probeFamily('one', [good]), probeFamily('two', [good])), /registered twice: by family one and family two/);
    assert.throws(() => make(probeFamily('one', []), probeFamily('one', [])), /family one is registered twice/);
  });
});
