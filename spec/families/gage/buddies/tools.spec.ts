import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { loadBuddies } from '../../../../lib/families/gage/domain/buddies/buddies.ts';
import { addBuddy, confirmBuddy } from '../../../../lib/families/gage/domain/buddies/edit.ts';
import { buildBundle } from '../../../../lib/families/gage/domain/bundle/build.ts';
import { writeBundleFolder } from '../../../../lib/families/gage/domain/bundle/folder.ts';
import { loadIdentity } from '../../../../lib/families/gage/domain/identity/identity-file.ts';
import { gage } from '../../../../lib/families/gage/index.ts';
import { servedFamily } from '../../../support/served.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { homeOf, newYear, people, surroundingsAt } from '../home/people.ts';

const { alice, bob, mallory } = people;
const failed = 'That did not complete the pairing. Nothing was added.';

describe('the tools for identity and buddies', () => {
  const folder = tempFolder();
  let made = 0;
  const served = async () => {
    const home = await homeOf(folder.at(`home-${++made}`), bob);
    return { home, ...servedFamily(gage(), folder.root, { GAGE_HOME: home.root }) };
  };
  /** The text of a refusal; fails for every other answer. */
  const refusalOf = ({ result }: { readonly result?: any }): string => {
    assert.equal(result.isError, true);
    return result.content[0].text;
  };

  it('show the own identity without anything secret', async () => {
    const { home, call } = await served();
    const { result } = await call('gage_identity', {});
    assert.deepEqual(result.structuredContent, {
      handle: 'bob', token: bob.token, sign_key: bob.key, box_key: bob.token.slice(45), word_pairs: bob.pairs, words: bob.words, label: bob.label,
    });
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    const secrets = bob.seeds.flatMap((seed) => [Buffer.from(seed).toString('base64'), Buffer.from(seed).toString('hex')]);
    for (const secret of secrets) assert.ok(!JSON.stringify(result).includes(secret));
    assert.deepEqual(readdirSync(home.root), ['identity.key']);
  });

  it('list buddies with the state of each', async () => {
    const { home, call } = await served();
    const surroundings = surroundingsAt({ now: newYear });
    await addBuddy(home, { token: mallory.token, name: 'mal', by: 'mcp', confirmed: false }, surroundings);
    await addBuddy(home, { token: alice.token, name: 'alice', by: 'cli', confirmed: false }, surroundings);
    await confirmBuddy(home, { name: 'alice', token: alice.token }, surroundingsAt({ now: newYear + 60_000 }));
    const { result } = await call('gage_buddies', {});
    const at = '2026-01-01T00:00:00Z';
    assert.deepEqual(result.structuredContent, {
      buddies: [
        { name: 'alice', token: alice.token, key: alice.key, label: alice.label, state: 'confirmed', confirmed_at: '2026-01-01T00:01:00Z', added_at: at, unread: 0 },
        { name: 'mal', token: mallory.token, key: mallory.key, label: mallory.label, state: 'unconfirmed', confirmed_at: null, added_at: at, unread: 0 },
      ],
      total: 2,
    });
  });

  it('count what waits from each buddy, and only what that buddy signed', async () => {
    const { home, call } = await served();
    const surroundings = surroundingsAt({ now: newYear });
    await addBuddy(home, { token: alice.token, name: 'alice', by: 'cli', confirmed: false }, surroundings);
    await addBuddy(home, { token: mallory.token, name: 'mal', by: 'cli', confirmed: false }, surroundings);
    mkdirSync(home.path('inbox', 'incoming'), { recursive: true });
    for (const [who, count] of [[alice, 2], [mallory, 1]] as const) {
      const identity = loadIdentity(await homeOf(folder.at(`${who.handle}-${made}`), who));
      for (let index = 0; index < count; index += 1) {
        const { id, ...bundle } = buildBundle({ to: Buffer.from(bob.key, 'base64'), subject: 'hello', items: [] }, identity, surroundings);
        await writeBundleFolder(home.path('inbox', 'incoming', id), bundle);
        // Another byte in the signature of mallory's.
        if (who === mallory) writeFileSync(home.path('inbox', 'incoming', id, 'manifest.sig'), `${'A'.repeat(86)}==\n`);
      }
    }
    const { buddies } = (await call('gage_buddies', {})).result.structuredContent;
    assert.deepEqual(buddies.map(({ name, unread }: any) => [name, unread]), [['alice', 2], ['mal', 0]]);
  });

  it('pair in two steps, the first of which adds nothing, and spend the id', async () => {
    const { home, call } = await served();
    const started = (await call('gage_pair_start', { key: alice.token, name: 'alice' })).result.structuredContent;
    assert.equal(started.words, alice.words);
    assert.ok(!existsSync(home.path('buddies.json')));
    const confirmed = await call('gage_pair_confirm', { pairing_id: started.pairing_id, echo: started.word_pairs });
    assert.deepEqual(confirmed.result.structuredContent, { added: true, name: 'alice', key: alice.key, state: 'unconfirmed', next: 'gage buddies confirm alice' });
    const before = readFileSync(home.path('buddies.json'));
    assert.equal(refusalOf(await call('gage_pair_confirm', { pairing_id: started.pairing_id, echo: started.words })), failed);
    assert.deepEqual(readFileSync(home.path('buddies.json')), before);
    assert.equal(loadBuddies(home).all.length, 1);
  });

  it('answer three wrong echoes and the right one after them with one text', async () => {
    const { home, call } = await served();
    const { pairing_id } = (await call('gage_pair_start', { key: alice.token, name: 'alice' })).result.structuredContent;
    for (const echo of ['wrong words', mallory.words, mallory.pairs, alice.words]) {
      assert.equal(refusalOf(await call('gage_pair_confirm', { pairing_id, echo })), failed);
    }
    assert.ok(!existsSync(home.path('buddies.json')));
  });

  for (const [tool, args] of [
    ['gage_identity', { more: 1 }],
    ['gage_buddies', { all: true }],
    ['gage_pair_start', {}],
    ['gage_pair_start', { key: 5 }],
    ['gage_pair_start', { key: alice.token, handle: 'alice' }],
    ['gage_pair_confirm', { pairing_id: 'x' }],
    ['gage_pair_confirm', { pairing_id: 'x', echo: ['one', 'two', 'three'] }],
    ['gage_pair_confirm', { pairing_id: 'x', echo: 8 }],
    ['gage_pair_confirm', { pairing_id: 'x', echo: 'a', name: '' }],
  ] as const) {
    it(`answer ${tool} ${JSON.stringify(args).slice(0, 60)} with error -32602`, async () => {
      const { call } = await served();
      assert.equal((await call(tool, args)).error.code, -32602);
    });
  }

  for (const [tool, args] of [
    ['gage_identity', {}], ['gage_buddies', {}], ['gage_pair_start', { key: 'no token' }], ['gage_pair_confirm', { pairing_id: 'x', echo: 'y' }],
  ] as const) {
    it(`refuse ${tool} in an empty home, name gage init and make nothing`, async () => {
      const { call } = servedFamily(gage(), folder.root, { GAGE_HOME: folder.at('empty') });
      assert.match(refusalOf(await call(tool, args)), /gage init/);
      assert.ok(!existsSync(folder.at('empty')));
    });
  }

  it('refuse to go on with a broken list, and name the place', async () => {
    const { home, call } = await served();
    writeFileSync(home.path('buddies.json'), '{"buddies":[{"name":"alice"}],"v":1}');
    for (const [tool, args] of [['gage_buddies', {}], ['gage_pair_start', { key: alice.token }]] as const) {
      assert.match(refusalOf(await call(tool, args)), /^buddies\.json in the gage home can not be used: \/buddies\/0\//);
    }
  });

  it('say of themselves what they do, and that a key knows its own words', async () => {
    const { ask } = await served();
    const tools = new Map<string, any>((await ask('tools/list')).result.tools.map((tool: any) => [tool.name, tool]));
    const hints = (name: string): unknown[] => {
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tools.get(name).annotations;
      return [readOnlyHint, destructiveHint, idempotentHint, openWorldHint];
    };
    for (const name of ['gage_identity', 'gage_buddies']) assert.deepEqual(hints(name), [true, false, true, false], name);
    for (const name of ['gage_pair_start', 'gage_pair_confirm']) assert.deepEqual(hints(name), [false, false, false, false], name);
    assert.match(tools.get('gage_pair_confirm').description, /A key knows its own words/);
  });
});
