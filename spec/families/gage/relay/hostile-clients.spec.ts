import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openDiskStore } from '../../../../lib/families/gage/domain/relay/disk-store.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { bearerOf, Clock, idOf, person, push, random, rawConnection, sealedOf, send, startTestRelay } from './test-relay.ts';

const MIB = 1024 * 1024;
const { mailbox } = person();
const path = `/v1/mailboxes/${mailbox}/messages`;
const head = (...more: readonly string[]): string => [`POST ${path} HTTP/1.1`, 'host: relay', 'content-type: application/octet-stream', ...more, '', ''].join('\r\n');
const quick = { headerMs: 200, silenceMs: 60_000, closingMs: 5_000, checkMs: 50, body: { bodyMs: 200, bytesASecond: 1_024 } };
const spoolOf = (folder: string): string[] => readdirSync(`${folder}/.incoming`);

/** The relay notices the end of a connection a moment after its client. */
async function until(holds: () => boolean, what: string): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    assert.ok(tries < 500, what);
    await wait(10);
  }
}

describe('a slow client', () => {
  const temp = tempFolder();

  it('that does not end its headers loses the connection', async () => {
    const { origin } = await startTestRelay(temp.folder('head'), { times: quick });
    const raw = rawConnection(origin);
    raw.socket.write('GET /v1/info HTTP/1.1\r\nhost: re');
    await raw.closed;
    assert.doesNotMatch(raw.received(), /200 OK/);
  });

  for (const [title, bytes] of [['small', 100], ['large', 200_000]] as const) {
    it(`that stops in the middle of a ${title} message loses the connection, and nothing of it stays`, async () => {
      const folder = temp.folder(title);
      const { origin, logged } = await startTestRelay(folder, { times: { ...quick, body: { bodyMs: 200, bytesASecond: 10 * MIB } } });
      const raw = rawConnection(origin);
      raw.socket.write(head('content-length: 1000000'));
      raw.socket.write(sealedOf(bytes));
      await raw.closed;
      assert.equal(raw.received(), '');
      await until(() => logged.some((line) => line.startsWith('push broken off')), 'it was not logged');
      assert.deepEqual(spoolOf(folder), []);
    });
  }

  it('that says nothing at all loses the connection', async () => {
    const { origin } = await startTestRelay(temp.folder('silent'), { times: { ...quick, headerMs: 60_000, silenceMs: 200 } });
    await rawConnection(origin).closed;
  });

  it('that does not read what it asked for loses the connection', async () => {
    const [bob, content, clock] = [person(), sealedOf(20 * MIB), new Clock()];
    const store = await openDiskStore({ folder: temp.folder('reader'), random });
    await store.put(bob.mailbox, { id: idOf(content), bytes: content.length, content }, '0'.repeat(16), clock.now());
    const { origin, logged } = await startTestRelay(temp.root, { store, clock, times: { ...quick, headerMs: 10_000, body: { bodyMs: 200, bytesASecond: 1_024 * MIB } } });
    const headers = await bearerOf(origin, bob);
    const raw = rawConnection(origin);
    raw.socket.pause();
    raw.socket.write(`GET /v1/mailboxes/${bob.mailbox}/messages/${idOf(content)} HTTP/1.1\r\nhost: x\r\nauthorization: ${headers.authorization}\r\n\r\n`);
    await until(() => logged.some((line) => line.startsWith('fetch')), 'it may read for ever');
    raw.socket.resume();
    await raw.closed;
    assert.ok(raw.received().length < content.length);
    // The reader's matter, which is no failure of the relay.
    assert.deepEqual(logged.filter((line) => /broke/.test(line)).map((line) => line.replace(/\d+ ms$/, '')), ['fetch broken off ']);
  });

  it('that keeps to the pace has a second more for each part of its size', async () => {
    const { origin } = await startTestRelay(temp.folder('pace'), { times: { ...quick, headerMs: 10_000, body: { bodyMs: 500, bytesASecond: 1_024 } } });
    const raw = rawConnection(origin);
    const sealed = sealedOf(8_192);
    raw.socket.write(head(`content-length: ${sealed.length}`, 'connection: close'));
    raw.socket.write(sealed.subarray(0, 4_096));
    // More than it would have without those bytes: the time itself is what is tested.
    await wait(800);
    raw.socket.write(sealed.subarray(4_096));
    await raw.closed;
    assert.match(raw.received(), /^HTTP\/1\.1 201 /);
  });

  it('that hangs up in the middle leaves nothing behind', async () => {
    const folder = temp.folder('hangup');
    const { origin, logged } = await startTestRelay(folder);
    const raw = rawConnection(origin);
    raw.socket.write(head('content-length: 1000000'));
    raw.socket.write(sealedOf(300_000));
    await until(() => spoolOf(folder).length === 1, 'nothing was spooled');
    raw.socket.destroy();
    await until(() => logged.some((line) => line.startsWith('push broken off')), 'it was not noticed');
    assert.deepEqual(spoolOf(folder), []);
  });
});

describe('a message that is too large', () => {
  const temp = tempFolder();

  it('case 22: is refused by its length, before a byte of it comes', async () => {
    const { origin } = await startTestRelay(temp.folder('length'));
    const raw = rawConnection(origin);
    raw.socket.write(head(`content-length: ${20 * MIB + 1}`));
    await raw.closed;
    assert.match(raw.received(), /^HTTP\/1\.1 413 .*"code":"too_large"/s);
    assert.match(raw.received(), /connection: close/i);
  });

  it('case 22: is refused in the middle when it comes in chunks without an end, and nothing of it stays', async () => {
    const folder = temp.folder('chunks');
    const { origin } = await startTestRelay(folder);
    const raw = rawConnection(origin);
    raw.socket.write(head('transfer-encoding: chunked'));
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), sealedOf(MIB), Buffer.from('\r\n')]);
    const answered = new Promise((resolve) => raw.socket.once('data', resolve));
    let sent = 0;
    while (raw.received() === '' && sent < 200) {
      const room = raw.socket.write(chunk);
      sent += 1;
      if (!room) await Promise.race([new Promise((resolve) => raw.socket.once('drain', resolve)), raw.closed, answered]);
    }
    assert.match(raw.received(), /^HTTP\/1\.1 413 /);
    assert.ok(sent < 60, `${sent} MiB were taken`);
    await raw.closed;
    assert.deepEqual(spoolOf(folder), []);
  });

  it('is not one of 20 MiB, with a length or in chunks', async () => {
    const { origin } = await startTestRelay(temp.folder('honest'));
    const bob = person();
    for (const chunked of [false, true]) {
      const sealed = sealedOf(chunked ? 20 * MIB : 300_000);
      const box = `/v1/mailboxes/${chunked ? bob.mailbox : mailbox}/messages`;
      const answer = await send(origin, { method: 'POST', path: box, headers: { 'content-type': 'application/octet-stream' }, body: sealed, chunked });
      assert.deepEqual([answer.status, answer.json], [201, { message_id: idOf(sealed) }]);
    }
    const list = await send(origin, { path: `/v1/mailboxes/${bob.mailbox}/messages`, headers: await bearerOf(origin, bob) });
    assert.deepEqual(list.json.messages.map((each: { bytes: number }) => each.bytes), [20 * MIB]);
  });
});

describe('many large messages at once', () => {
  const temp = tempFolder();

  it('are 64 that are not whole yet, so that they do not fill the disk; small ones go through', async () => {
    const folder = temp.folder('large');
    const { origin } = await startTestRelay(folder, { trustProxy: ['127.0.0.1'] });
    const part = sealedOf(200_000);
    const begin = (index: number): ReturnType<typeof rawConnection> => {
      const raw = rawConnection(origin);
      raw.socket.write(head('content-length: 1000000', `x-forwarded-for: 192.0.2.${index}`));
      raw.socket.write(part);
      return raw;
    };
    const held = Array.from({ length: 64 }, (_, index) => begin(index));
    await until(() => spoolOf(folder).length === 64, 'not all have begun');
    const one = begin(100);
    await until(() => one.received() !== '', 'no answer');
    assert.match(one.received(), /^HTTP\/1\.1 429 .*retry-after: 10/is);
    assert.equal((await push(origin, mailbox, sealedOf())).status, 201);
    for (const { socket } of held) socket.destroy();
    await until(() => spoolOf(folder).length === 0, 'they are not given up');
    assert.equal((await push(origin, mailbox, sealedOf(200_000))).status, 201);
  });
});

describe('an upload that the relay does not read', () => {
  const temp = tempFolder();
  const cases: [title: string, request: string, status: number][] = [
    ['of another type', head('content-length: 1000000').replace('octet-stream', 'x-other'), 415],
    ['that says it is too large', head(`content-length: ${20 * MIB + 1}`), 413],
    ['in chunks without the magic', `${head('transfer-encoding: chunked')}20000\r\n${'x'.repeat(0x20000)}\r\n100000\r\n`, 400],
    ['to no endpoint', head('content-length: 1000000').replace('/messages', '/nothing'), 404],
    ['of more than a challenge is', `POST /v1/auth/challenge HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n${'x'.repeat(2_000)}`, 413],
    ['with a request that takes none', 'GET /v1/info HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n', 400],
  ];
  for (const [title, request, status] of cases) {
    it(`${title} has its answer, ${status}, and the connection ends, also under a sender that goes on`, async () => {
      const { origin } = await startTestRelay(temp.folder(String(status)));
      const raw = rawConnection(origin);
      const start = performance.now();
      const drip = setInterval(() => raw.socket.write('x'.repeat(1_000)), 100);
      raw.socket.write(request);
      await raw.closed;
      clearInterval(drip);
      assert.match(raw.received(), new RegExp(`^HTTP/1\\.1 ${status} .*connection: close`, 'is'));
      assert.ok(performance.now() - start < 15_000);
    });
  }
});

describe('a request that is turned away behind another one of its connection', () => {
  const temp = tempFolder();

  it('takes no answer from that, and has its own', async () => {
    const { origin } = await startTestRelay(temp.folder('behind'));
    const bob = person();
    const { authorization } = await bearerOf(origin, bob);
    const raw = rawConnection(origin);
    raw.socket.write(`GET /v1/mailboxes/${bob.mailbox}/messages?wait=2 HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n${head('content-length: 1000000').replace('octet-stream', 'x-other')}`);
    await raw.closed;
    assert.match(raw.received(), /^HTTP\/1\.1 200 [^]*\{"messages":\[\],"next":null\}HTTP\/1\.1 415 [^]*"wrong_type"/);
  });
});

describe('a message that stands behind another answer of its connection', () => {
  const temp = tempFolder();

  it('has its time when its turn comes', async () => {
    const { origin } = await startTestRelay(temp.folder('turn'), { times: { ...quick, headerMs: 10_000, body: { bodyMs: 300, bytesASecond: 1_024 } } });
    const [bob, carol, sealed] = [person(), person(), sealedOf(100)];
    await push(origin, carol.mailbox, sealed);
    const get = async (who: typeof bob, what: string): Promise<string> => `GET /v1/mailboxes/${who.mailbox}/messages${what} HTTP/1.1\r\nhost: x\r\nauthorization: ${(await bearerOf(origin, who)).authorization}\r\n`;
    const raw = rawConnection(origin);
    raw.socket.write(`${await get(bob, '?wait=3')}\r\n${await get(carol, `/${idOf(sealed)}`)}connection: close\r\n\r\n`);
    await raw.closed;
    assert.match(raw.received(), /^HTTP\/1\.1 200 [^]*\{"messages":\[\],"next":null\}HTTP\/1\.1 200 /);
    assert.ok(raw.received().endsWith(sealed.toString('latin1')));
  });
});

describe('a client that asks before it sends', () => {
  const temp = tempFolder();

  it('is told to go on, and stores', async () => {
    const { origin } = await startTestRelay(temp.folder('yes'));
    const raw = rawConnection(origin);
    const sealed = sealedOf();
    raw.socket.write(head(`content-length: ${sealed.length}`, 'expect: 100-continue', 'connection: close'));
    await until(() => raw.received() !== '', 'no answer');
    assert.match(raw.received(), /^HTTP\/1\.1 100 Continue/);
    raw.socket.write(sealed);
    await raw.closed;
    assert.match(raw.received(), /HTTP\/1\.1 201 /);
  });

  it('is not told to go on with what would be refused', async () => {
    const { origin } = await startTestRelay(temp.folder('no'));
    const raw = rawConnection(origin);
    raw.socket.write(head(`content-length: ${30 * MIB}`, 'expect: 100-continue'));
    await raw.closed;
    assert.match(raw.received(), /^HTTP\/1\.1 413 /);
  });
});
