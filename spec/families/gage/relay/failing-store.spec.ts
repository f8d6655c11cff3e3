import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { Readable } from 'node:stream';
import { buffer as readAll } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { isRefused } from '../../../../lib/families/gage/domain/refused.ts';
import { openDiskStore } from '../../../../lib/families/gage/domain/relay/disk-store.ts';
import { serveRelay } from '../../../../lib/families/gage/domain/relay/server.ts';
import type { RelayStore } from '../../../../lib/families/gage/domain/relay/store.types.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { bearerOf, Clock, idOf, person, push, random, rawConnection, sealedOf, send, startTestRelay } from './test-relay.ts';

const bob = person();

describe('a relay whose store fails', () => {
  const temp = tempFolder();
  const clock = new Clock();
  const storeWith = async (name: string, broken: Partial<RelayStore>): Promise<RelayStore> => ({ ...(await openDiskStore({ folder: temp.at(name), random })), ...broken });
  const failWith = (code: string) => (): Promise<never> => Promise.reject(Object.assign(new Error(`${code}: /srv/secret/path`), { code }));

  for (const [code, status, message] of [['ENOSPC', 507, 'the relay is full'], ['EDQUOT', 507, 'the relay is full'], ['EIO', 500, 'the relay failed; try again later']] as const) {
    it(`answers ${status} for ${code}, and shows nobody where its files are`, async () => {
      const relay = await startTestRelay(temp.root, { store: await storeWith(code, { put: failWith(code) }) });
      const answer = await push(relay.origin, bob.mailbox, sealedOf());
      assert.deepEqual([answer.status, answer.json.error], [status, { code: 'internal', message }]);
      assert.doesNotMatch(relay.logged.join('\n'), /secret/);
    });
  }

  it('tells its log what went wrong where no system says it', async () => {
    const relay = await startTestRelay(temp.root, { store: await storeWith('odd', { put: () => Promise.reject(new Error('the bucket answered 403 (PUT)')) }) });
    assert.equal((await push(relay.origin, bob.mailbox, sealedOf())).status, 500);
    assert.ok(relay.logged.includes('the store failed: the bucket answered 403 (PUT)'));
  });

  it('lets no message that breaks off look whole', async () => {
    async function* half(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(10);
      throw new Error('the disk is gone');
    }
    const relay = await startTestRelay(temp.root, { store: await storeWith('half', { get: async () => ({ bytes: 100, stream: Readable.from(half()) }) }) });
    const headers = await bearerOf(relay.origin, bob);
    const raw = rawConnection(relay.origin);
    raw.socket.write(`GET /v1/mailboxes/${bob.mailbox}/messages/${'0'.repeat(64)} HTTP/1.1\r\nhost: x\r\nauthorization: ${headers.authorization}\r\n\r\n`);
    await raw.closed;
    const [head = '', body = ''] = raw.received().split('\r\n\r\n');
    assert.match(head, /content-length: 100/);
    assert.equal(body.length, 10);
    assert.deepEqual(relay.logged.filter((line) => /broke/.test(line)).map((line) => line.replace(/\d+ ms$/, '')), ['an answer broke off: the disk is gone', 'fetch broken off ']);
  });

  it('gives out message after message over one connection', async () => {
    const relay = await startTestRelay(temp.root, { store: await storeWith('kept', {}) });
    const sealed = [sealedOf(100), sealedOf(300_000), sealedOf(100)];
    for (const each of sealed) await push(relay.origin, bob.mailbox, each);
    const { authorization } = await bearerOf(relay.origin, bob);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (const each of sealed) {
      const request = http.get(`${relay.origin}/v1/mailboxes/${bob.mailbox}/messages/${idOf(each)}`, { agent, headers: { authorization } });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      ports.add(response.socket.localPort);
      assert.deepEqual(await readAll(response), each);
    }
    assert.equal(ports.size, 1);
    agent.destroy();
  });

  it('closes the files of answers that nobody reads any more, also of those that stand behind others', async () => {
    const sealed = sealedOf(4 * 1024 * 1024);
    const inner = await openDiskStore({ folder: temp.at('pipelined'), random });
    const streams: Readable[] = [];
    let allOpen = (): void => {};
    const opened = new Promise<void>((resolve) => (allOpen = resolve));
    const get: RelayStore['get'] = async (...args) => {
      const found = await inner.get(...args);
      if (found !== undefined && streams.push(found.stream) === 4) allOpen();
      return found;
    };
    const relay = await startTestRelay(temp.root, { store: { ...inner, get } });
    await push(relay.origin, bob.mailbox, sealed);
    const { authorization } = await bearerOf(relay.origin, bob);
    const raw = rawConnection(relay.origin);
    raw.socket.pause();
    raw.socket.write(`GET /v1/mailboxes/${bob.mailbox}/messages/${idOf(sealed)} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`.repeat(4));
    await opened;
    const ends = streams.map((stream) => new Promise((resolve) => (stream.closed ? resolve(undefined) : stream.once('close', resolve))));
    raw.socket.destroy();
    await Promise.all(ends);
  });

  it('is done with what readers asked for who left, also with what stood behind another answer', async () => {
    const relay = await startTestRelay(temp.root, { store: await storeWith('left', {}) });
    const sealed = sealedOf(300_000);
    await push(relay.origin, bob.mailbox, sealed);
    const { authorization } = await bearerOf(relay.origin, bob);
    const fetched = (): number => relay.logged.filter((line) => line.startsWith('fetch ')).length;
    for (let round = 1; round <= 12; round += 1) {
      const raw = rawConnection(relay.origin);
      raw.socket.write(`GET /v1/mailboxes/${bob.mailbox}/messages/${idOf(sealed)} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`.repeat(2));
      await once(raw.socket, 'data');
      raw.socket.destroy();
      for (const end = performance.now() + 10_000; fetched() < 2 * round && performance.now() < end; ) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(fetched(), 2 * round, 'a request never ended');
    }
  });

  it('goes on when a sweep fails, and says what a sweep removed', async () => {
    const failing = await startTestRelay(temp.root, { store: await storeWith('sweep', { expire: failWith('EIO') }) });
    const sweeping = await startTestRelay(temp.root, { store: await storeWith('swept', { expire: async () => 3 }) });
    for (const { origin } of [failing, sweeping]) assert.equal((await send(origin, { path: '/v1/info' })).status, 200);
    assert.ok(failing.logged.includes('old messages could not be removed: the disk reports an error'));
    assert.ok(sweeping.logged.includes('3 messages were older than their time'));
  });

  it('looks again by itself where other relays write to the same store', async () => {
    const store = await storeWith('shared', { shared: true });
    const [here, message] = [await startTestRelay(temp.root, { store }), sealedOf()];
    const headers = await bearerOf(here.origin, bob);
    const waiting = send(here.origin, { path: `/v1/mailboxes/${bob.mailbox}/messages?wait=25`, headers });
    // Put by another relay: nobody wakes the reader.
    await store.put(bob.mailbox, { id: idOf(message), bytes: message.length, content: message }, '0'.repeat(16), clock.now());
    assert.deepEqual((await waiting).json.messages.map((each: { id: string }) => each.id), [idOf(message)]);
  });
});

describe('a reader that waits at a relay over a shared store', () => {
  const temp = tempFolder();

  it('costs one look in two seconds, and one at the end', async () => {
    const clock = new Clock();
    const store = await openDiskStore({ folder: temp.at('shared'), random });
    let looks = 0;
    const list: RelayStore['list'] = (...args) => {
      looks += 1;
      return store.list(...args);
    };
    const { origin } = await startTestRelay(temp.root, { clock, store: { ...store, shared: true, list } });
    const headers = await bearerOf(origin, bob);
    assert.deepEqual((await send(origin, { path: `/v1/mailboxes/${bob.mailbox}/messages?wait=3`, headers })).json, { messages: [], next: null });
    // Two where the machine was too busy for the one in between.
    assert.ok(looks === 3 || looks === 2, String(looks));
  });
});

describe('a relay that cannot start', () => {
  const temp = tempFolder();
  const start = async (name: string, options: Partial<Parameters<typeof serveRelay>[0]>): Promise<unknown> =>
    serveRelay({ store: await openDiskStore({ folder: temp.at(name), random }), secret: random(32), now: Date.now, random, log: () => {}, ...options });

  it('says why, and leaves its folder to the next one', async () => {
    const first = await startTestRelay(temp.folder('first'));
    const port = Number(new URL(first.origin).port);
    for (const [options, pattern] of [[{ port }, /port is in use/], [{ host: '203.0.113.1' }, /does not have its address/]] as const) {
      await assert.rejects(start('again', options), (error: unknown) => isRefused(error) && pattern.test(error.message));
    }
    await assert.rejects(start('again', { trustProxy: ['x'] }), RangeError);
    await (await openDiskStore({ folder: temp.at('again'), random })).close();
  });
});
