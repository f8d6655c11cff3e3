import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtIns } from '../../lib/cli/families.ts';
import { createServer } from '../../lib/index.ts';
import { lintToolSchema } from '../../lib/schema/lint.ts';

// The program compiles the schemas of built-in families at a tool's first call: this is the proof that they compile.
for (const { name, load } of builtIns) {
  test(`every schema of ${name} compiles when it is registered and keeps the rules for tool schemas`, async () => {
    const family = load();
    const server = createServer({ name, version: '0', families: [family], log: () => undefined });
    await server.ready;
    const { result } = JSON.parse((await server.handle('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')) ?? '') as {
      result: { tools: { name: string; inputSchema: object }[] };
    };
    assert.ok(result.tools.length > 0);
    for (const tool of result.tools) assert.deepEqual(lintToolSchema(tool.inputSchema), [], tool.name);
    await server.close();
  });
}
