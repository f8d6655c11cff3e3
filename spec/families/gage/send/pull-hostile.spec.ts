import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isRefused, Refused } from '../../../../lib/families/gage/domain/refused.ts';
import { openPulls, pull, type Pulled } from '../../../../lib/families/gage/domain/send/pull.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { configure, friendsWithRelay, refusal, type Person, type RelayProcess } from '../world.ts';
import { fakeRelay, type FakeAnswer } from './fake-relay.ts';
import { mailBob, takeMail, type Mail } from './mail.ts';

const small = { messages: 100, bytes: 1_000_000, ms: 60_000 };
const counts = ({ pulled, duplicates, refused, malformed, remaining }: Pulled): readonly number[] => [pulled, duplicates, refused, malformed, remaining];

describe('pulling from a relay that means no good', () => {
  const temp = tempFolder();
  let alice: Person;
  let bob: Person;
  let relay: RelayProcess;
  before(async () => {
    [alice, bob, relay] = await friendsWithRelay(temp);
  });
  after(() => relay.stop());
  const sendOne = (): Promise<string> => mailBob(alice);
  const takeAway = (): Promise<Mail> => takeMail(relay.origin, bob);
  const at = async (answer: (asked: string, url: URL) => FakeAnswer): Promise<string[]> => {
    const { origin, asked } = await fakeRelay(answer);
    await configure(bob, { relay: origin });
    return asked;
  };
  const message = (index: number, bytes = 200): object => ({ id: createHash('sha256').update(`${index}`).digest('hex'), bytes, at: '2026-01-01T00:00:00Z' });
  const pageOf = (messages: readonly object[], next: string | null): FakeAnswer => ({ status: 200, body: { messages, next } });
  const gone: FakeAnswer = { status: 404, body: { error: { code: 'not_found', message: 'there is no such message' } } };

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
    const { listed: [listed], bodies } = await takeAway();
    const sealed = bodies.get(listed?.id ?? '');
    const asked = await at((what) => {
      if (what === 'GET /messages') return pageOf([{ ...message(1), id: listed?.id }, ...Array.from({ length: 25 }, (_, index) => message(index + 2))], null);
      return what.endsWith(listed?.id ?? '-') ? (what.startsWith('GET') ? { status: 200, body: sealed } : { status: 204 }) : { status: 500 };
    });
    assert.match(await refusal(() => pull(bob.surroundings)), /other \(status 500\); 1 new bundle was filed before that$/);
    assert.equal(asked.filter((what) => what.startsWith('GET /messages/')).length, 26);
    assert.equal(asked.filter((what) => what === 'POST /v1/auth/session').length, 1, 'a relay turns many sessions away');
    assert.ok(existsSync(bob.home.path('inbox', 'pending', id)));
    assert.equal((await bob.verb(['pull'])).code, 4);
  });

  /** A mailbox of five messages at a relay that does something to the second and the fourth of them. */
  const mailbox = async (bad: (what: string, real: Uint8Array) => FakeAnswer): Promise<{ ids: string[]; asked: string[] }> => {
    const ids = [await sendOne(), await sendOne(), await sendOne(), await sendOne(), await sendOne()];
    const { listed: messages, bodies } = await takeAway();
    const gone = new Set<string>();
    const asked = await at((what) => {
      if (what === 'GET /messages') return pageOf(messages.filter(({ id }) => !gone.has(id)), null);
      const id = what.slice(-64);
      const body = bodies.get(id) as Uint8Array;
      const index = messages.findIndex((each) => each.id === id);
      const given: FakeAnswer = index === 1 || index === 3 ? bad(what, body) : what.startsWith('GET') ? { status: 200, body } : { status: 204 };
      if (what.startsWith('DELETE') && typeof given === 'object' && given.status === 204) gone.add(id);
      return given;
    });
    return { ids, asked };
  };
  const damaged = (body: Uint8Array): Uint8Array => body.map((byte, index) => (index === body.length - 1 ? byte ^ 1 : byte));

  for (const [what, spoil] of [
    ['another byte', damaged], ['a part', (body: Uint8Array) => body.subarray(0, 50)], ['nothing', () => new Uint8Array(0)], ['too much', () => new Uint8Array(21 * 1024 * 1024)],
  ] as const) {
    it(`goes on behind damaged messages (${what}): they are never deleted, and are taken once they come whole`, async () => {
      let spoiled = true;
      const warned: string[] = [];
      const who = { ...bob.surroundings, log: (_level: string, text: string) => void warned.push(text) };
      const { asked } = await mailbox((asks, body) => (asks.startsWith('GET') ? { status: 200, body: spoiled ? spoil(body) : body } : { status: 204 }));
      assert.deepEqual(counts(await pull(who)), [3, 0, 0, 0, 2]);
      assert.equal(asked.filter((each) => each.startsWith('DELETE')).length, 3);
      assert.deepEqual(warned, ['other bytes came than those of 2 messages, from the relay or from something on the way; nothing is deleted there for that, and a later pull tries again']);
      spoiled = false;
      assert.deepEqual(counts(await pull(who)), [2, 0, 0, 0, 0]);
    });
  }

  it('asks once more for a message that comes damaged', async () => {
    const asked = new Set<string>();
    const { ids } = await mailbox((asks, body) => {
      if (asks.startsWith('DELETE')) return { status: 204 };
      const first = !asked.has(asks);
      asked.add(asks);
      return { status: 200, body: first ? damaged(body) : body };
    });
    const pulled = await pull(bob.surroundings);
    assert.deepEqual([counts(pulled), [...pulled.new_ids].sort()], [[5, 0, 0, 0, 0], [...ids].sort()]);
  });

  it('loses nothing to a proxy that answers every message with bytes of its own, and says so, however many there are', async () => {
    const page = new TextEncoder().encode('blocked by policy');
    const { asked } = await behind(Array.from({ length: 25 }, (_, index) => message(index)), () => ({ status: 200, body: page }), { status: 200, body: page });
    const warned: string[] = [];
    const who = { ...bob.surroundings, log: (_level: string, text: string) => void warned.push(text) };
    assert.deepEqual(counts(await pull(who)), [0, 0, 0, 0, 26]);
    assert.match(warned.join(), /^other bytes came than those of 26 messages, .*nothing is deleted there/);
    assert.deepEqual(asked.filter((each) => each.startsWith('DELETE')), []);
    asked.splice(0);
    assert.deepEqual(counts(await pull(bob.surroundings, { limits: { ...small, messages: 10 } })), [0, 0, 0, 0, 26]);
    assert.equal(asked.filter((each) => each.startsWith('GET /messages/')).length, 20, 'as many as a pull takes, twice');
    assert.ok(!readdirSync(bob.home.path('inbox', 'quarantine')).some((name) => readFileSync(bob.home.path('inbox', 'quarantine', name)).equals(page)));
  });

  it('fetches a damaged message less and less often in a watch', async (t) => {
    const bad = [message(1), message(2)] as readonly { readonly id: string }[];
    const { asked } = await behind([...bad], () => ({ status: 200, body: new Uint8Array(900) }));
    const session = openPulls(bob.surroundings, {});
    const real = performance.now.bind(performance);
    let ahead = 0;
    t.mock.method(performance, 'now', () => real() + ahead);
    const asks: number[] = [];
    // Half a minute after the first time, a minute after the second.
    for (const seconds of [0, 0, 31, 31, 31]) {
      ahead += seconds * 1_000;
      assert.equal((await session.pull()).pulled.remaining, 2);
      asks.push(asked.filter((each) => bad.some(({ id }) => each.endsWith(id))).length);
    }
    session.close();
    assert.deepEqual(asks, [4, 4, 8, 8, 12]);
  });

  it('counts damaged bytes among those that one pull takes', async () => {
    const { asked } = await behind([message(1), message(2)], () => ({ status: 200, body: new Uint8Array(900) }));
    assert.deepEqual(counts(await pull(bob.surroundings, { limits: { ...small, bytes: 1_000 } })), [0, 0, 0, 0, 3]);
    assert.equal(new Set(asked.filter((each) => each.startsWith('GET /messages/'))).size, 1);
  });

  for (const [what, given] of [['status 500', { status: 500 }], ['status 410', { status: 410 }], ['status 403', { status: 403 }], ['status 204', { status: 204 }], ['a broken connection', 'break'],
    ['a page that says 200', { status: 200, body: Buffer.from('<html>maintenance</html>'), headers: { 'content-type': 'text/html' } }],
    ['a page that says 404', { status: 404, body: Buffer.from('<html>no such page</html>'), headers: { 'content-type': 'text/html' } }]] as const) {
    it(`goes on behind messages that the relay can not give (${what}): they remain, and the next pull tries again`, async () => {
      let broken = true;
      const warned: string[] = [];
      const who = { ...bob.surroundings, log: (_level: string, text: string) => void warned.push(text) };
      await mailbox((asks, body) => (asks.startsWith('DELETE') ? { status: 204 } : broken ? given : { status: 200, body }));
      assert.deepEqual(counts(await pull(who)), [3, 0, 0, 0, 2]);
      assert.deepEqual(warned, ['the relay failed for 2 messages, which the next pull tries again']);
      broken = false;
      assert.deepEqual(counts(await pull(who)), [2, 0, 0, 0, 0]);
    });
  }

  for (const [what, given] of [['status 503', { status: 503 }], ['status 403', { status: 403 }], ['status 200', { status: 200 }], ['a long answer', { status: 200, body: new Uint8Array(70_000) }]] as const) {
    it(`goes on behind messages that the relay does not delete (${what}): they are filed, and remain there`, async () => {
      await mailbox((asks, body) => (asks.startsWith('DELETE') ? given : { status: 200, body }));
      assert.deepEqual(counts(await pull(bob.surroundings)), [5, 0, 0, 0, 2]);
      assert.deepEqual(counts(await pull(bob.surroundings)), [0, 2, 0, 0, 2]);
    });
  }

  /** A mailbox with a message behind others that are no good, which the relay answers as told; `instead` is given for the one behind too. */
  const behind = async (others: readonly object[], answer: (what: string) => FakeAnswer, instead?: FakeAnswer): Promise<{ id: string; asked: string[] }> => {
    const id = await sendOne();
    const { listed: [last], bodies } = await takeAway();
    const asked = await at((what) => {
      if (what === 'GET /messages') return pageOf([...others, last as object], null);
      if (!what.endsWith(last?.id ?? '-')) return answer(what);
      return what.startsWith('GET') ? (instead ?? { status: 200, body: bodies.get(last?.id ?? '') }) : { status: 204 };
    });
    return { id, asked };
  };

  it('goes on behind however many messages in a row that the relay answers with an error', async () => {
    const { id } = await behind(Array.from({ length: 90 }, (_, index) => message(index)), () => ({ status: 500 }));
    const pulled = await pull(bob.surroundings);
    assert.deepEqual([counts(pulled), pulled.new_ids], [[1, 0, 0, 0, 90], [id]]);
  });

  it('ends behind twenty messages in a row for which there is no answer at all', async () => {
    const { asked } = await behind(Array.from({ length: 30 }, (_, index) => message(index)), () => 'break');
    assert.match(await refusal(() => pull(bob.surroundings)), /cannot be reached/);
    assert.equal(new Set(asked.filter((what) => what.startsWith('GET /messages/'))).size, 20);
  });

  it('is not held up by a size that no pull could take: it is malformed, and deleted there', async () => {
    const { id, asked } = await behind([message(1, 2 ** 52)], () => ({ status: 204 }));
    const pulled = await pull(bob.surroundings, { limits: small });
    assert.deepEqual([counts(pulled), pulled.new_ids], [[1, 0, 0, 1, 0], [id]]);
    assert.equal(asked.filter((what) => what.startsWith('DELETE')).length, 2);
  });

  it('goes on behind a message that takes longer than its listed size may', async () => {
    const { id } = await behind([message(1)], () => 'drip');
    const pulled = await pull(bob.surroundings, { times: { connectMs: 200, silenceMs: 10_000, wholeMs: 200 } });
    assert.deepEqual([counts(pulled), pulled.new_ids], [[1, 0, 0, 0, 1], [id]]);
  });

  for (const status of [401, 429]) {
    it(`ends at status ${status}, which is about who asks and not about a message`, async () => {
      const { asked } = await mailbox((asks, body) => (asks.startsWith('DELETE') ? { status: 204 } : { status, body }));
      assert.match(await refusal(() => pull(bob.surroundings)), new RegExp(`\\(status ${status}\\)`));
      assert.ok(asked.filter((each) => each.startsWith('DELETE')).length === 1);
    });
  }

  it('does not say that nothing is there when it could not ask in its time', async () => {
    await at(() => 'hang');
    const late = pull(bob.surroundings, { limits: { ...small, ms: 200 } });
    await assert.rejects(late, (error: unknown) => isRefused(error) && error.kind === 'network' && /did not say within 1 s what waits/.test(error.message));
  });

  it('begins with no message when its time is over, but ends the one in hand, and says that the rest is for later', async () => {
    const warned: string[] = [];
    const who = { ...bob.surroundings, log: (_level: string, text: string) => void warned.push(text) };
    await behind([message(1)], (what) => (what.startsWith('GET') ? { status: 200, body: Buffer.from('slow'), afterMs: 600 } : { status: 204 }));
    assert.deepEqual(counts(await pull(who, { limits: { ...small, ms: 300 } })), [0, 0, 0, 0, 2]);
    assert.deepEqual(warned.slice(1), ['the time of one pull (1 s) was over before all messages were taken; the next pull goes on']);
  });

  it('ends when its time is over while the relay fails to list more', async () => {
    let lists = 0;
    const warned: string[] = [];
    const who = { ...bob.surroundings, log: (_level: string, text: string) => void warned.push(text) };
    await at((what) => (what !== 'GET /messages' ? { status: 500 } : ++lists === 1 ? pageOf([message(1)], 'more') : 'hang'));
    assert.deepEqual(counts(await pull(who, { limits: { ...small, ms: 300 } })), [0, 0, 0, 0, 1]);
    assert.deepEqual(warned.map((text) => text.slice(0, 20)), ['the relay failed for', 'the time of one pull']);
  });

  it('ends with what else goes wrong even when its time is over by then', async () => {
    await mailbox((_asks, body) => ({ status: 200, body }));
    const inTurn = async (): Promise<never> => {
      await delay(100);
      throw new Refused('the disk says no');
    };
    assert.equal(await refusal(() => pull(bob.surroundings, { limits: { ...small, ms: 50 }, inTurn })), 'the disk says no');
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
