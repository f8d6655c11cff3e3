import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gage } from '../../../../lib/families/gage/index.ts';
import { setBlocked } from '../../../../lib/families/gage/domain/buddies/edit.ts';
import { seal } from '../../../../lib/families/gage/domain/crypto/seal.ts';
import { mailboxOf } from '../../../../lib/families/gage/domain/identity/token.ts';
import { relayClient } from '../../../../lib/families/gage/domain/relay/client.ts';
import { openPulls, pull, type Pulled } from '../../../../lib/families/gage/domain/send/pull.ts';
import { push } from '../../../../lib/families/gage/domain/send/push.ts';
import { send } from '../../../../lib/families/gage/domain/send/send.ts';
import { servedFamily, type Reply } from '../../../support/served.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { configure, envOf, friends, knows, person, refusal, startRelay, type Person, type RelayProcess } from '../world.ts';
import { fakeRelay } from './fake-relay.ts';
import { mailBob } from './mail.ts';

const small = { messages: 100, bytes: 1_000_000, ms: 60_000 };
const counts = ({ pulled, duplicates, refused, malformed, remaining }: Pulled): readonly number[] => [pulled, duplicates, refused, malformed, remaining];

describe('gage pull', () => {
  const temp = tempFolder();
  let alice: Person;
  let bob: Person;
  let relay: RelayProcess;
  const served = servedFamily(gage(), temp.folder('bob-work'), envOf(temp, 'bob'));
  before(async () => {
    [alice, bob] = (await friends(temp, 'alice', 'bob', 'carol')) as [Person, Person];
    relay = await startRelay(temp);
    for (const who of [alice, bob]) await configure(who, { relay: relay.origin });
  });
  after(() => relay.stop());
  const sendOne = (from = alice): Promise<string> => mailBob(from);
  /** Leaves any bytes in bob's mailbox. */
  const leave = async (sealed: Uint8Array): Promise<void> => {
    const client = relayClient(relay.origin, { identity: alice.identity, surroundings: alice.surroundings });
    await client.push(mailboxOf(bob.identity.signKey), sealed);
    client.close();
  };
  const junk = (): Uint8Array => Buffer.concat([Buffer.from('GAGESEA1'), randomBytes(100)]);

  it('is refused with a list of buddies that can not be read, also where nothing waits', async () => {
    const file = bob.home.path('buddies.json');
    const good = readFileSync(file);
    writeFileSync(file, '{');
    assert.match(await refusal(() => pull(bob.surroundings)), /buddies\.json/);
    writeFileSync(file, good);
  });

  it('files what is new, deletes it on the relay, and says what it was', async () => {
    const ids = [await sendOne(), await sendOne()];
    const pulled = await pull(bob.surroundings);
    assert.deepEqual({ ...pulled, new_ids: [...pulled.new_ids].sort() }, { pulled: 2, new_ids: ids.sort(), duplicates: 0, refused: 0, malformed: 0, remaining: 0, relay: relay.origin });
    assert.deepEqual(counts(await pull(bob.surroundings)), [0, 0, 0, 0, 0]);
  });

  it('goes on behind messages that are no bundles', async () => {
    await leave(junk());
    await leave(seal(Buffer.from('no package'), bob.identity.boxKey, (size) => randomBytes(size)));
    assert.deepEqual(await bob.verb(['pull']), {
      code: 0, stdout: 'pulled 0, duplicates 0, refused 0, malformed 2, remaining 0\n',
      stderr: 'gage: what was malformed is no good bundle for you: gage inbox --quarantine lists it\n',
    });
    assert.equal((await bob.verb(['pull'])).stderr, '');
    await leave(junk());
    const id = await sendOne();
    const pulled = await pull(bob.surroundings);
    assert.deepEqual([...counts(pulled), pulled.new_ids], [1, 0, 0, 1, 0, [id]]);
    assert.ok(readdirSync(bob.home.path('inbox', 'quarantine')).length >= 2);
  });

  it('counts bundles of a blocked key as refused', async () => {
    await sendOne();
    await setBlocked(bob.home, 'alice', true);
    assert.deepEqual(counts(await pull(bob.surroundings)), [0, 0, 1, 0, 0]);
    await setBlocked(bob.home, 'alice', false);
  });

  it('stops at its limits and says how much is left', async () => {
    for (let index = 0; index < 5; index++) await sendOne();
    assert.deepEqual(counts(await pull(bob.surroundings, { limits: { ...small, messages: 2 } })), [2, 0, 0, 0, 3]);
    assert.deepEqual(counts(await pull(bob.surroundings, { limits: { ...small, bytes: 700 } })), [1, 0, 0, 0, 2]);
    assert.deepEqual(counts(await pull(bob.surroundings)), [2, 0, 0, 0, 0]);
  });

  it('loses and doubles nothing when two pulls run at once', async () => {
    for (let index = 0; index < 6; index++) await sendOne();
    const both = await Promise.all([pull(bob.surroundings), pull(bob.surroundings)]);
    assert.equal(new Set(both.flatMap(({ new_ids: ids }) => ids)).size, 6);
    assert.equal(both[0].pulled + both[1].pulled, 6);
    assert.deepEqual(counts(await pull(bob.surroundings)), [0, 0, 0, 0, 0]);
  });

  it('refuses when the inbox is full, and takes nothing from the relay', async () => {
    const eve = await person(temp, 'eve');
    await configure(eve, { relay: relay.origin });
    for (let index = 0; index < 1_000; index++) mkdirSync(eve.home.path('inbox', 'pending', createHash('sha256').update(`${index}`).digest('hex'), 'bundle'), { recursive: true });
    assert.match(await refusal(() => pull(eve.surroundings)), /the inbox is full/);
  });

  it('refuses when the bytes of what waits are too many, and stops in the middle when they become it', async () => {
    const gina = await person(temp, 'gina');
    await knows(alice, gina);
    await knows(gina, alice);
    await configure(gina, { relay: relay.origin });
    for (let index = 0; index < 3; index++) {
      const { dir } = await send({ to: 'gina', subject: `${index}`.repeat(190) }, alice.surroundings, { namesFrom: 'root' });
      await push({ to: 'gina', dir, confirm: true }, alice.surroundings);
    }
    const waiting = gina.home.path('inbox', 'pending', 'a'.repeat(64), 'bundle');
    mkdirSync(waiting, { recursive: true });
    // Sparse, so that it takes no room.
    writeFileSync(path.join(waiting, 'manifest.json'), '');
    truncateSync(path.join(waiting, 'manifest.json'), 1024 ** 3 - 1_000);
    assert.match(await refusal(() => pull(gina.surroundings)), /the inbox is full .*; (?:1 new bundle was|2 new bundles were) filed before that$/);
    assert.match(await refusal(() => pull(gina.surroundings)), /^the inbox is full[^;]*$/);
    rmSync(waiting, { recursive: true });
    assert.ok((await pull(gina.surroundings)).pulled >= 1);
  });

  it('leaves on the relay what can not be written, and refuses', async () => {
    const id = await sendOne();
    const pending = bob.home.path('inbox', 'pending');
    renameSync(pending, `${pending}-aside`);
    writeFileSync(pending, 'a file in the way');
    const reason = await refusal(() => pull(bob.surroundings));
    assert.match(reason, /^inbox\/pending in the gage home is no folder: move away what is in its place$/);
    rmSync(pending);
    renameSync(`${pending}-aside`, pending);
    assert.deepEqual((await pull(bob.surroundings)).new_ids, [id]);
  });

  it('needs a relay and an identity', async () => {
    const frank = await person(temp, 'frank');
    assert.match(await refusal(() => pull(frank.surroundings)), /gage config relay URL/);
    assert.match(await refusal(() => pull({ ...frank.surroundings, env: envOf(temp, 'nobody') })), /gage init/);
  });

  it('answers the same as a tool and as a verb', async () => {
    const first = await sendOne();
    const { result } = await served.call('gage_pull', {});
    assert.deepEqual(result.structuredContent, { pulled: 1, new_ids: [first], duplicates: 0, refused: 0, malformed: 0, remaining: 0, relay: relay.origin });
    const second = await sendOne();
    assert.equal((await bob.verb(['pull'])).stdout, `pulled 1, duplicates 0, refused 0, malformed 0, remaining 0\n${second}\n`);
    assert.deepEqual(JSON.parse((await bob.verb(['pull', '--json'])).stdout), { ...result.structuredContent, pulled: 0, new_ids: [] });
    assert.equal((await served.call('gage_pull', { all: true })).error?.code, -32602);
    await assert.rejects(async () => bob.verb(['pull', 'now']), { name: 'UsageError' });
  });

  it('files each message in its turn among the calls of a session', async () => {
    const ids = [await sendOne(), await sendOne()];
    let [turns, inside] = [0, false];
    const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
      turns += 1;
      inside = true;
      const before = readdirSync(bob.home.path('inbox', 'pending')).length;
      const result = await work();
      assert.equal(readdirSync(bob.home.path('inbox', 'pending')).length, before + 1);
      inside = false;
      return result;
    };
    assert.deepEqual([...(await pull(bob.surroundings, { inTurn })).new_ids].sort(), ids.sort());
    assert.deepEqual([turns, inside], [2, false]);
  });

  it('as a tool waits for the calls before it', async () => {
    const id = await sendOne();
    const order: string[] = [];
    const told = (name: string) => (reply: Reply): Reply => (order.push(name), reply);
    const slow = served.call('gage_send', { to: 'alice', subject: 'x', files: [] }).then(told('send'));
    const pulled = served.call('gage_pull', {}).then(told('pull'));
    await Promise.all([slow, pulled]);
    assert.deepEqual([(await pulled).result.structuredContent.new_ids, order], [[id], ['send', 'pull']]);
  });

  it('has its whole time for each pull of a session', async () => {
    let lists = 0;
    const { origin } = await fakeRelay((what) => (what === 'GET /messages' && ++lists === 2 ? 'hang' : { status: 200, body: { messages: [], next: null } }));
    await configure(bob, { relay: origin });
    const session = openPulls(bob.surroundings, { limits: { ...small, ms: 300 } });
    await session.pull();
    await assert.rejects(session.pull(), /did not say within 1 s/);
    // The time of the one before is over by now.
    assert.equal((await session.pull()).pulled.remaining, 0);
    session.close();
    await configure(bob, { relay: relay.origin });
  });
});
