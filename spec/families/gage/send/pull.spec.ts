import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { gage } from '../../../../lib/families/gage/index.ts';
import { setBlocked } from '../../../../lib/families/gage/domain/buddies/edit.ts';
import { seal } from '../../../../lib/families/gage/domain/crypto/seal.ts';
import { mailboxOf } from '../../../../lib/families/gage/domain/identity/token.ts';
import { relayClient } from '../../../../lib/families/gage/domain/relay/client.ts';
import { pull, type Pulled } from '../../../../lib/families/gage/domain/send/pull.ts';
import { watchPulls } from '../../../../lib/families/gage/domain/send/watch.ts';
import { push } from '../../../../lib/families/gage/domain/send/push.ts';
import { send } from '../../../../lib/families/gage/domain/send/send.ts';
import { servedFamily } from '../../../support/served.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { configure, envOf, friends, person, refusal, startRelay, type Person, type RelayProcess } from '../world.ts';
import { fakeRelay, type FakeAnswer } from './fake-relay.ts';

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
  const sendOne = async (from = alice): Promise<string> => {
    const { dir, id } = await send({ to: 'bob', subject: 's' }, from.surroundings, { namesFrom: 'root' });
    await push({ to: 'bob', dir, confirm: true }, from.surroundings);
    return id;
  };
  /** Leaves any bytes in bob's mailbox. */
  const leave = async (sealed: Uint8Array): Promise<void> => {
    const client = relayClient(relay.origin, { identity: alice.identity, surroundings: alice.surroundings });
    await client.push(mailboxOf(bob.identity.signKey), sealed);
    client.close();
  };
  const junk = (): Uint8Array => Buffer.concat([Buffer.from('GAGESEA1'), randomBytes(100)]);

  it('files what is new, deletes it on the relay, and says what it was', async () => {
    const ids = [await sendOne(), await sendOne()];
    const pulled = await pull(bob.surroundings);
    assert.deepEqual({ ...pulled, new_ids: [...pulled.new_ids].sort() }, { pulled: 2, new_ids: ids.sort(), duplicates: 0, refused: 0, malformed: 0, remaining: 0, relay: relay.origin });
    assert.deepEqual(counts(await pull(bob.surroundings)), [0, 0, 0, 0, 0]);
  });

  it('goes on behind messages that are no bundles', async () => {
    await leave(junk());
    await leave(seal(Buffer.from('no package'), bob.identity.boxKey, (size) => randomBytes(size)));
    const id = await sendOne();
    const pulled = await pull(bob.surroundings);
    assert.deepEqual([...counts(pulled), pulled.new_ids], [1, 0, 0, 2, 0, [id]]);
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

  it('leaves on the relay what can not be written, and refuses', async () => {
    const id = await sendOne();
    const pending = bob.home.path('inbox', 'pending');
    renameSync(pending, `${pending}-aside`);
    writeFileSync(pending, 'a file in the way');
    const reason = await refusal(() => pull(bob.surroundings));
    assert.match(reason, /can not be (?:read|written)/);
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

  it('watches: shows each message as it comes, until it is interrupted', async () => {
    const stop = new AbortController();
    let shown: (text: string) => void = () => undefined;
    const output = (): Promise<string> => new Promise((resolve) => (shown = resolve));
    const came = output();
    const watching = bob.verb(['pull', '--watch', '--json'], { signal: stop.signal, onOutput: (text) => shown(text) });
    const first = await sendOne();
    assert.deepEqual((JSON.parse(await came) as Pulled).new_ids, [first]);
    const next = output();
    const second = await sendOne();
    assert.deepEqual((JSON.parse(await next) as Pulled).new_ids, [second]);
    stop.abort();
    assert.equal((await watching).code, 0);
  });

  it('watches over one session, past a relay that fails for a while, and not past wrong settings', async () => {
    const stop = new AbortController();
    const [first, second] = [await sendOne(), await sendOne()];
    const real = relayClient(relay.origin, { identity: bob.identity, surroundings: bob.surroundings });
    const listed = (await real.list()).messages;
    const bodies = new Map(await Promise.all(listed.map(async ({ id }) => [id, await real.fetch(id)] as const)));
    for (const { id } of listed) await real.remove(id);
    real.close();
    let lists = 0;
    const { origin, asked } = await fakeRelay((what) => {
      if (what === 'GET /messages') {
        lists += 1;
        if (lists === 2) return { status: 500 };
        // One message, a failure, nothing at once, the other message.
        return { status: 200, body: { messages: lists === 1 ? listed.slice(0, 1) : lists >= 4 ? listed.slice(1) : [], next: null } };
      }
      return what.startsWith('GET') ? { status: 200, body: bodies.get(what.slice(-64)) } : { status: 204 };
    });
    await configure(bob, { relay: origin });
    const warned: string[] = [];
    const shown: string[] = [];
    const show = ({ new_ids: ids }: Pulled): void => {
      shown.push(...ids);
      if (shown.length === 2) stop.abort();
    };
    const watching = watchPulls({ ...bob.surroundings, log: (_level, message) => void warned.push(message) }, { signal: stop.signal, show, waitS: 1, retryMs: 5 });
    await assert.rejects(watching, { name: 'AbortError' });
    assert.deepEqual(shown.sort(), [first, second].sort());
    assert.deepEqual(warned, ['the relay answered other (status 500)']);
    assert.equal(asked.filter((what) => what === 'POST /v1/auth/session').length, 2, 'a session, and one after the failure');
    await configure(bob, { relay: 'http://127.0.0.1:9' });
    assert.equal((await bob.verb(['pull', '--watch'])).code, 4);
    await configure(bob, { relay: relay.origin });
  });

  describe('from a relay that means no good', () => {
    const at = async (answer: (asked: string, url: URL) => FakeAnswer): Promise<string[]> => {
      const { origin, asked } = await fakeRelay(answer);
      await configure(bob, { relay: origin });
      return asked;
    };
    const message = (index: number, bytes = 200): object => ({ id: createHash('sha256').update(`${index}`).digest('hex'), bytes, at: '2026-01-01T00:00:00Z' });
    const pageOf = (messages: readonly object[], next: string | null): FakeAnswer => ({ status: 200, body: { messages, next } });
    const gone: FakeAnswer = { status: 404 };
    after(() => configure(bob, { relay: relay.origin }));

    it('ends when a cursor comes again', async () => {
      const asked = await at((what) => (what === 'GET /messages' ? pageOf([message(1)], 'same') : gone));
      assert.deepEqual(counts(await pull(bob.surroundings)), [0, 0, 0, 0, 0]);
      assert.equal(asked.filter((what) => what === 'GET /messages').length, 2);
    });

    it('counts no further than 1,000', async () => {
      let page = 0;
      const asked = await at((what) => (what === 'GET /messages' ? pageOf(Array.from({ length: 100 }, (_, index) => message(page * 100 + index)), `c${++page}`) : gone));
      assert.deepEqual(counts(await pull(bob.surroundings, { limits: { ...small, messages: 0 } })), [0, 0, 0, 0, 1_000]);
      assert.equal(asked.filter((what) => what === 'GET /messages').length, 10);
    });

    it('does not fetch what no relay may hold, but has it deleted', async () => {
      const asked = await at((what) => (what === 'GET /messages' ? pageOf([message(1, 21 * 1024 * 1024)], null) : { status: 204 }));
      assert.deepEqual(counts(await pull(bob.surroundings)), [0, 0, 0, 1, 0]);
      assert.deepEqual(asked.slice(2).map((what) => what.slice(0, 16)), ['GET /messages', 'DELETE /messages']);
    });

    it('says what had come before it failed, and keeps that', async () => {
      const id = await sendOne();
      const real = relayClient(relay.origin, { identity: bob.identity, surroundings: bob.surroundings });
      const [listed] = (await real.list()).messages;
      const sealed = (await real.fetch(listed?.id ?? '')) as Uint8Array;
      real.close();
      await at((what) => {
        if (what === 'GET /messages') return pageOf([{ ...message(1), id: listed?.id }, message(2)], null);
        return what.endsWith(listed?.id ?? '-') ? (what.startsWith('GET') ? { status: 200, body: sealed } : { status: 204 }) : { status: 500 };
      });
      assert.match(await refusal(() => pull(bob.surroundings)), /other \(status 500\); 1 new bundle was filed before that, see gage_inbox/);
      assert.ok(existsSync(bob.home.path('inbox', 'pending', id)));
      assert.equal((await bob.verb(['pull'])).code, 4);
    });

    it('gives up on a relay that goes silent when its time is over, and keeps the rest for later', async () => {
      await at((what) => (what === 'GET /messages' ? pageOf([message(1), message(2)], null) : 'hang'));
      assert.deepEqual(counts(await pull(bob.surroundings, { limits: { ...small, ms: 300 } })), [0, 0, 0, 0, 2]);
    });

    it('ends at once when the caller gives up', async () => {
      const stop = new AbortController();
      await at((what) => {
        stop.abort();
        return what === 'GET /messages' ? 'hang' : gone;
      });
      await assert.rejects(pull(bob.surroundings, { signal: stop.signal }), { name: 'AbortError' });
      const again = new AbortController();
      await at(() => 'hang');
      const waiting = bob.verb(['pull'], { signal: again.signal });
      setImmediate(() => again.abort());
      assert.equal((await waiting).code, 130);
    });
  });
});
