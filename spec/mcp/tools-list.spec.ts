import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openClient, probeFamily, probeTool } from '../support/in-process.ts';
import { modernMeta, request, type Message } from '../support/server-process.ts';

const many = (count: number) => probeFamily('many', Array.from({ length: count }, (_, index) => probeTool(`tool_${index}`, () => index)));
const namesOf = (answer: Message): string[] => (answer['result'].tools as { name: string }[]).map((tool) => tool.name);

async function walk(count: number, pageSize?: number, meta?: object): Promise<{ pages: string[][]; cursors: string[] }> {
  const client = openClient([many(count)], pageSize === undefined ? {} : { pageSize });
  const pages: string[][] = [];
  const cursors: string[] = [];
  for (let cursor: string | undefined, id = 0; id === 0 || cursor !== undefined; id++) {
    const answer = await client.ask(request(id, 'tools/list', { ...(cursor !== undefined && { cursor }), ...(meta && { _meta: meta }) }));
    pages.push(namesOf(answer));
    cursor = answer['result'].nextCursor;
    if (cursor !== undefined) cursors.push(cursor);
  }
  return { pages, cursors };
}

const sizes: [count: number, pageSize: number | undefined, pages: number[]][] = [
  [0, undefined, [0]],
  [1, undefined, [1]],
  [100, undefined, [100]],
  [101, undefined, [100, 1]],
  [250, undefined, [100, 100, 50]],
  [6, 2, [2, 2, 2]],
  [7, 3, [3, 3, 1]],
];

describe('tools/list', () => {
  for (const [count, pageSize, expected] of sizes) {
    it(`shows ${count} tools in pages of ${pageSize ?? 'the default 100'} as ${expected.join(' + ')}, each once and in order`, async () => {
      for (const meta of [undefined, modernMeta]) {
        const { pages } = await walk(count, pageSize, meta);
        assert.deepEqual(pages.map((page) => page.length), expected);
        assert.deepEqual(pages.flat(), Array.from({ length: count }, (_, index) => `tool_${index}`));
      }
    });
  }

  it('takes only cursors that it gave out', async () => {
    const { cursors } = await walk(9, 3);
    assert.equal(cursors.length, 2);
    const client = openClient([many(9)], { pageSize: 3 });
    const encode = (text: string) => Buffer.from(text).toString('base64url');
    const offsets = ['0', '1', '4', '9', '12', '03', '3 ', '-3', '3e0', '9999999999'].map((offset) => encode(`tools:${offset}`));
    const forged = ['', 'x', '!', 'tools:3', ...offsets, `${cursors[0]}=`, `${cursors[0]}\n`, ` ${cursors[0]}`, cursors.join('')];
    for (const [id, cursor] of forged.entries()) {
      const answer = await client.ask(request(id, 'tools/list', { cursor }));
      assert.equal(answer['error']?.code, -32602, JSON.stringify(cursor));
    }
    for (const [id, cursor] of cursors.entries()) {
      assert.equal(namesOf(await client.ask(request(`good${id}`, 'tools/list', { cursor }))).length, 3);
    }
  });

  it('gives every tool a title and all hints, with the title of the annotations going before that of the tool', async () => {
    const own = probeTool('own', () => 1);
    const bare = probeTool('bare', () => 1, { annotations: { ...own.annotations, title: undefined as never } });
    const client = openClient([probeFamily('fam', [{ ...own, annotations: { ...own.annotations, title: 'Said there' } }, bare])]);
    const [first, second] = (await client.ask(request(1, 'tools/list')))['result'].tools;
    assert.deepEqual(first.annotations, { title: 'Said there', readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: false });
    assert.equal(second.annotations.title, 'Tool bare');
  });

  it('says the modern client that a list that depends on credentials is private, and one that changes is never fresh', async () => {
    const list = async (more: object) => {
      const client = openClient([probeFamily('fam', [], more), probeFamily('other', [])]);
      const { result } = await client.ask(request(1, 'tools/list', { _meta: modernMeta }));
      return [result.ttlMs, result.cacheScope];
    };
    assert.deepEqual(await list({}), [300_000, 'public']);
    assert.deepEqual(await list({ listScope: 'private' }), [300_000, 'private']);
    assert.deepEqual(await list({ listCanChange: true }), [0, 'public']);
  });
});
