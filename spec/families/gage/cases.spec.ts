import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { canonicalJson } from '../../../lib/text/canonical-json.ts';
import { gage } from '../../../lib/families/gage/index.ts';
import { setBlocked } from '../../../lib/families/gage/domain/buddies/edit.ts';
import { pack } from '../../../lib/families/gage/domain/bundle/package.ts';
import { signedBytesOf } from '../../../lib/families/gage/domain/bundle/manifest.ts';
import { signatureFile } from '../../../lib/families/gage/domain/bundle/signature.ts';
import { toBase64 } from '../../../lib/families/gage/domain/crypto/base64.ts';
import { signBytes } from '../../../lib/families/gage/domain/crypto/ed25519.ts';
import { seal } from '../../../lib/families/gage/domain/crypto/seal.ts';
import { mailboxOf } from '../../../lib/families/gage/domain/identity/token.ts';
import { relayClient } from '../../../lib/families/gage/domain/relay/client.ts';
import { servedFamily, type Served } from '../../support/served.ts';
import { tempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { fakeRelay } from './send/fake-relay.ts';
import { configure, envOf, knows, person, startRelay, type Person, type RelayProcess } from './world.ts';

// The cases of the specification that go over more than one part: sending, pairing and collecting, through the tools.

type Side = { readonly served: Served; who: Person };

/** A person behind a served family; made in `before`, served for the whole describe. */
function side(temp: TempFolder, name: string): Served {
  return servedFamily(gage(), temp.folder(`${name}-work`), envOf(temp, name));
}

const pulledBy = async ({ served }: Side): Promise<readonly number[]> => {
  const { pulled, duplicates, refused, malformed } = (await served.call('gage_pull', {})).result.structuredContent;
  return [pulled, duplicates, refused, malformed] as readonly number[];
};
const inboxOf = async ({ served }: Side): Promise<readonly { readonly id: string; readonly verdict: string }[]> => (await served.call('gage_inbox', {})).result.structuredContent.bundles;
const verdictOf = async ({ served }: Side, id: string): Promise<string> => JSON.parse((await served.call('gage_open', { id })).result.content[0].text).verdict as string;

describe('between two people and a relay', () => {
  const temp = tempFolder();
  const servedSides = { alice: side(temp, 'alice'), bob: side(temp, 'bob') };
  let alice: Side;
  let bob: Side;
  let relay: RelayProcess;
  before(async () => {
    alice = { served: servedSides.alice, who: await person(temp, 'alice') };
    bob = { served: servedSides.bob, who: await person(temp, 'bob') };
    await knows(alice.who, bob.who);
    await knows(bob.who, alice.who);
    relay = await startRelay(temp);
    for (const { who } of [alice, bob]) await configure(who, { relay: relay.origin });
  });
  after(() => relay.stop());
  const build = async (): Promise<{ readonly id: string; readonly dir: string }> => (await alice.served.call('gage_send', { to: 'bob', subject: 'case', prompts: ['ask.md'] })).result.structuredContent;
  const push = async (dir: string): Promise<any> => (await alice.served.call('gage_push', { to: 'bob', dir, confirm: true })).result;
  before(() => void temp.write('alice-work/ask.md', 'the question'));

  it('case 8: what a blocked key pushes is refused, remembered and gone from the relay', async () => {
    const { id, dir } = await build();
    await push(dir);
    await setBlocked(bob.who.home, 'alice', true);
    assert.deepEqual(await pulledBy(bob), [0, 0, 1, 0]);
    assert.deepEqual(await inboxOf(bob), []);
    assert.ok(existsSync(bob.who.home.path('inbox', 'rejected', `${id}.json`)));
    assert.deepEqual(await pulledBy(bob), [0, 0, 0, 0]);
    await bob.who.verb(['buddies', 'unblock', 'alice'], { answers: ['y', 'yes', 'alice'] });
    await setBlocked(bob.who.home, 'alice', false);
  });

  it('case 15: a second pull brings nothing, and a second push of the same bundle is a duplicate', async () => {
    const { id, dir } = await build();
    await push(dir);
    assert.deepEqual(await pulledBy(bob), [1, 0, 0, 0]);
    assert.deepEqual(await pulledBy(bob), [0, 0, 0, 0]);
    await push(dir);
    assert.deepEqual(await pulledBy(bob), [0, 1, 0, 0]);
    assert.equal((await inboxOf(bob)).filter((row) => row.id === id).length, 1);
  });

  it('case 26: a good copy takes the place of one that was damaged', async () => {
    const { id, dir } = await build();
    await push(dir);
    await pulledBy(bob);
    const item = bob.who.home.path('inbox', 'pending', id, 'bundle', 'items', '0000');
    const bytes = readFileSync(item);
    bytes[0] = (bytes[0] as number) ^ 1;
    writeFileSync(item, bytes);
    assert.equal(await verdictOf(bob, id), 'tampered');
    await push(dir);
    assert.deepEqual(await pulledBy(bob), [1, 0, 0, 0]);
    assert.equal(await verdictOf(bob, id), 'verified');
    assert.equal((await inboxOf(bob)).filter((row) => row.id === id).length, 1);
  });

  it('case 21: what is over a limit is not built, and made by hand it is malformed and in nobody\'s way', async () => {
    temp.folder('alice-work/many');
    for (let index = 0; index < 257; index++) temp.write(`alice-work/many/${index}`, '');
    temp.write('alice-work/big', Buffer.alloc(8 * 1024 * 1024 + 1));
    for (const [args, limit] of [[{ dirs: ['many'] }, /256/], [{ files: ['big'] }, /8388608/]] as const) {
      const { result } = await alice.served.call('gage_send', { to: 'bob', ...args });
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, limit);
    }
    const client = relayClient(relay.origin, { identity: alice.who.identity, surroundings: alice.who.surroundings });
    const leave = (bundle: Uint8Array): Promise<unknown> => client.push(mailboxOf(bob.who.identity.signKey), seal(bundle, bob.who.identity.boxKey, (size) => randomBytes(size)));
    const empty = new Uint8Array();
    await leave(byHand(alice.who, bob.who, Array.from({ length: 257 }, () => empty)));
    await leave(byHand(alice.who, bob.who, [new Uint8Array(8 * 1024 * 1024 + 1)]));
    await leave(byHand(alice.who, bob.who, [], { subject: 'x'.repeat(256 * 1024) }));
    client.close();
    const { dir } = await build();
    await push(dir);
    assert.deepEqual(await pulledBy(bob), [1, 0, 0, 3]);
  });

  it('case 27: an unconfirmed buddy is a warning, or a refusal where config.json says so', async () => {
    const carol = await person(temp, 'carol');
    await knows(alice.who, carol, false);
    const { dir } = (await alice.served.call('gage_send', { to: 'carol', subject: 'x' })).result.structuredContent;
    const args = { to: 'carol', dir, confirm: true };
    const first = (await alice.served.call('gage_push', args)).result;
    assert.equal(first.structuredContent.pushed, true);
    assert.match(first.structuredContent.warnings.join(), /gage buddies confirm carol/);
    const box = path.join(relay.folder, mailboxOf(carol.identity.signKey));
    const before = readdirSync(box);
    await configure(alice.who, { pushNeedsConfirmed: true });
    const second = (await alice.served.call('gage_push', args)).result;
    assert.equal(second.isError, true);
    assert.match(second.content[0].text, /nothing was sent.*gage buddies confirm carol/);
    assert.deepEqual(readdirSync(box), before);
    await configure(alice.who, { pushNeedsConfirmed: false });
  });

  it('case 13: nothing is sent without confirm true, and a text is no true', async () => {
    const { origin, asked } = await fakeRelay();
    await configure(alice.who, { relay: origin });
    const { dir } = await build();
    for (const confirm of [undefined, false]) {
      const { result } = await alice.served.call('gage_push', { to: 'bob', dir, ...(confirm !== undefined && { confirm }) });
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, /nothing was sent/);
    }
    assert.equal((await alice.served.call('gage_push', { to: 'bob', dir, confirm: 'true' })).error?.code, -32602);
    assert.deepEqual(asked, []);
    await configure(alice.who, { relay: relay.origin });
  });

  it('case 14: a bundle that was edited after it was built is not sent', async () => {
    const { origin, asked } = await fakeRelay();
    await configure(alice.who, { relay: origin });
    const { dir } = await build();
    writeFileSync(path.join(dir, 'items', '0000'), 'another one!');
    const result = await push(dir);
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, /tampered/);
    assert.deepEqual(asked, []);
    await configure(alice.who, { relay: relay.origin });
  });
});

describe('pairing', () => {
  const temp = tempFolder();
  const served = { bob: side(temp, 'bob') };
  let bob: Side;
  let alice: Person;
  before(async () => {
    alice = await person(temp, 'alice');
    bob = { served: served.bob, who: await person(temp, 'bob') };
  });
  const start = async (): Promise<{ readonly pairing_id: string; readonly words: string }> => (await bob.served.call('gage_pair_start', { key: alice.identity.token, name: 'alice' })).result.structuredContent;
  const confirm = async (pairingId: string, echo: string): Promise<any> => (await bob.served.call('gage_pair_confirm', { pairing_id: pairingId, echo })).result;
  const list = (): string | undefined => (existsSync(bob.who.home.path('buddies.json')) ? readFileSync(bob.who.home.path('buddies.json'), 'utf8') : undefined);

  it('case 11: three wrong echoes spend an id, with one text for all and nothing added', async () => {
    const { pairing_id: id, words } = await start();
    const texts = new Set<string>();
    for (const echo of ['wrong words', words.replace(/^\w+/, 'amber'), '', words]) {
      const { isError, content } = await confirm(id, echo);
      assert.equal(isError, true);
      texts.add(content[0].text as string);
    }
    assert.equal(texts.size, 1);
    assert.equal(list(), undefined);
  });

  it('case 12: the right echo adds once, as unconfirmed', async () => {
    const { pairing_id: id, words } = await start();
    assert.equal((await confirm(id, words)).structuredContent.state, 'unconfirmed');
    const before = list();
    assert.equal((await confirm(id, words)).isError, true);
    assert.equal(list(), before);
    const { buddies } = (await bob.served.call('gage_buddies', {})).result.structuredContent;
    assert.deepEqual(buddies.map(({ name, state }: { name: string; state: string }) => [name, state]), [['alice', 'unconfirmed']]);
  });
});

/** A signed package that no gage builds: any items, and members of the manifest put over the right ones. */
function byHand(from: Person, to: Person, items: readonly Uint8Array[], over: object = {}): Uint8Array {
  const manifest = Buffer.from(canonicalJson({
    created_at: '2026-01-01T00:00:00Z',
    from: { box: toBase64(from.identity.boxKey), handle: from.name, key: toBase64(from.identity.signKey) },
    items: items.map((bytes, index) => ({ bytes: bytes.length, kind: 'file', name: `f${index}`, sha256: createHash('sha256').update(bytes).digest('hex') })),
    nonce: randomBytes(16).toString('hex'),
    subject: 'by hand',
    to: toBase64(to.identity.signKey),
    type: 'note',
    v: 1,
    ...over,
  }));
  const signature = signatureFile(signBytes(from.identity.signSeed, signedBytesOf(manifest)));
  return pack({ manifest, signature, items, faults: [] });
}
