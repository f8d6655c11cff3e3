import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FamilyContext, Tool } from '../../lib/mcp/family.types.ts';
import { openClient, probeFamily, probeTool, settled, type Client } from '../support/in-process.ts';
import { cancel, modernMeta, request } from '../support/server-process.ts';

const listenTo = (id: string, notifications: object): string => request(id, 'subscriptions/listen', { notifications, _meta: modernMeta });

type Changing = Client & { set(...names: string[]): void; fail(error: unknown): void; loads(): number; context(): FamilyContext };

/** A client of a family whose list is what `set` says. */
function openChanging(listCanChange = true): Changing {
  let answer: () => Promise<readonly Tool[]> | readonly Tool[] = () => [probeTool('first', () => 1)];
  let context!: FamilyContext;
  let loads = 0;
  const family = probeFamily('fam', (given) => {
    context = given;
    loads++;
    return answer();
  }, { listCanChange });
  const client = openClient([family]);
  return {
    ...client,
    set: (...names) => {
      answer = () => names.map((name) => probeTool(name, () => 1));
      context.listChanged();
    },
    fail: (error) => {
      answer = () => Promise.reject(error);
      context.listChanged();
    },
    loads: () => loads,
    context: () => context,
  };
}

const changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

describe('a list of tools that changes', () => {
  it('is told to a legacy session that was told of it by initialize, and to no other', async () => {
    const client = openChanging();
    client.set('first', 'second');
    await settled();
    assert.deepEqual(client.lines, []);
    const { result } = await client.ask(request(1, 'initialize', { protocolVersion: '2025-06-18' }));
    assert.deepEqual(result.capabilities, { tools: { listChanged: true } });
    client.set('first');
    await settled();
    assert.deepEqual(client.lines.slice(1), [changed]);
  });

  it('is told only when the set of names differs', async () => {
    const client = openChanging();
    await client.ask(request(1, 'initialize', {}));
    client.set('first');
    await settled();
    client.set('other');
    await settled();
    client.set('other', 'more');
    await settled();
    client.set('more', 'other');
    await settled();
    assert.deepEqual(client.lines.slice(1), [changed, changed]);
    assert.deepEqual((await client.ask(request(2, 'tools/list')))['result'].tools.map((tool: Tool) => tool.name), ['more', 'other']);
  });

  it('is told to a modern subscription that asked for it, with its id, until that is cancelled', async () => {
    const client = openChanging();
    client.send(listenTo('wants', { toolsListChanged: true }));
    client.send(listenTo('does not', { toolsListChanged: false, resourcesListChanged: true }));
    const acknowledged = client.lines.map((line) => JSON.parse(line).params.notifications);
    assert.deepEqual(acknowledged, [{ toolsListChanged: true }, {}]);
    client.set('first', 'second');
    await settled();
    assert.deepEqual(JSON.parse(client.lines[2] as string), {
      jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'wants' } },
    });
    client.send(cancel('wants'));
    client.set('first');
    await settled();
    assert.equal(client.lines.length, 3);
  });

  it('is loaded once more, not once each, for a burst of changes', async () => {
    const client = openChanging();
    for (let i = 0; i < 50; i++) client.context().listChanged();
    await settled();
    assert.ok(client.loads() <= 3, `${client.loads()} loads`);
  });

  it('stays as it was when the new one can not be loaded, and the log says so', async () => {
    for (const error of [new Error('offline'), 'offline']) {
      const client = openChanging();
      await client.ask(request(1, 'initialize', {}));
      client.fail(error);
      await settled();
      assert.deepEqual((await client.ask(request(2, 'tools/list')))['result'].tools.map((tool: Tool) => tool.name), ['first']);
      assert.match(client.logs.join('\n'), /could not be loaded; the old one stays offline/);
      client.set('first', 'back');
      await settled();
      assert.ok(client.lines.includes(changed));
    }
  });

  it('stays as it was when a new name is taken twice', async () => {
    const client = openChanging();
    client.set('twice', 'twice');
    await settled();
    assert.match(client.logs.join('\n'), /registered twice/);
    assert.equal((await client.ask(request(1, 'tools/list')))['result'].tools[0].name, 'first');
  });

  it('can not be listened to where no family declares it', async () => {
    const client = openChanging(false);
    assert.deepEqual((await client.ask(request(1, 'initialize', {})))['result'].capabilities, { tools: {} });
    assert.equal((await client.ask(listenTo('s', { toolsListChanged: true })))['error'].code, -32601);
    client.set('first', 'second');
    await settled();
    assert.equal(client.lines.length, 2);
  });
});
