import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { builtIns } from '../../lib/cli/families.ts';
import { lintToolSchema } from '../../lib/schema/lint.ts';
import { createServer } from '../../lib/mcp/create-server.ts';
import { request } from '../support/server-process.ts';

type Listed = { name: string; title: string; inputSchema: object; annotations: Record<string, unknown> };

const server = createServer({ name: 's', version: '1', families: await Promise.all(builtIns.map((each) => each.load())) });
const list = JSON.parse(String(await server.handle(request(1, 'tools/list')))) as { result: { tools: Listed[]; nextCursor?: string } };
await server.close();

describe('the built-in tools', () => {
  it('are there, and fit on one page', () => {
    assert.ok(list.result.tools.length > 0);
    assert.equal(list.result.nextCursor, undefined);
  });

  for (const { name, title, inputSchema, annotations } of list.result.tools) {
    it(`${name} has a schema that no host refuses, and every annotation`, () => {
      assert.deepEqual(lintToolSchema(inputSchema), []);
      assert.ok(title.length > 0);
      assert.deepEqual(Object.keys(annotations).sort(), ['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint', 'title']);
    });
  }
});
