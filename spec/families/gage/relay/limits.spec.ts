import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { tempFolder } from '../../../support/temp-folder.ts';
import { bearerOf, idOf, openSession, person, push, rawConnection, sealedOf, send, startTestRelay, type RawAnswer } from './test-relay.ts';

const MIB = 1024 * 1024;
const asProxy = { trustProxy: ['127.0.0.1'], pushesPerMinute: 1_000, challengesPerMinute: 1_000 };
const from = (address: string): { 'x-forwarded-for': string } => ({ 'x-forwarded-for': address });
const isFull = ({ status, json }: RawAnswer): void => assert.deepEqual([status, json.error.code], [507, 'mailbox_full']);
const isLimited = ({ status, json, headers }: RawAnswer, seconds: string): void => {
  assert.deepEqual([status, json?.error.code, headers['retry-after']], [429, 'rate_limited', seconds]);
};

describe('the default limits of a relay', () => {
  const temp = tempFolder();

  it('case 22: are 60 pushes a minute and address: the 61st is 429 with Retry-After', async () => {
    const { origin, clock } = await startTestRelay(temp.folder('pushes'));
    const boxes = [person(), person(), person()];
    const next = (index: number): Promise<RawAnswer> => push(origin, boxes[index % 3]?.mailbox ?? '', sealedOf());
    for (let index = 0; index < 60; index++) assert.equal((await next(index)).status, 201, `push ${index + 1}`);
    clock.time += 15_500;
    isLimited(await next(60), '45');
    clock.time += 44_500;
    assert.equal((await next(60)).status, 201, 'the next minute');
  });

  it('are 30 challenges and 30 sessions a minute', async () => {
    const { origin, clock } = await startTestRelay(temp.folder('sessions'));
    const bob = person();
    for (let index = 0; index < 30; index++) await bearerOf(origin, bob);
    const body = JSON.stringify({ key: Buffer.from(bob.signKey).toString('base64') });
    isLimited(await send(origin, { method: 'POST', path: '/v1/auth/challenge', headers: { 'content-type': 'application/json' }, body }), '60');
    isLimited(await openSession(origin, { challenge: '', key: '', sig: '' }), '60');
    clock.time += 60_000;
    await bearerOf(origin, bob);
  });

  it('are 600 requests a minute, whatever they ask for', async () => {
    const { origin, clock } = await startTestRelay(temp.folder('requests'));
    for (let index = 0; index < 600; index++) assert.equal((await send(origin, { path: index % 2 === 0 ? '/v1/info' : '/nothing' })).status, index % 2 === 0 ? 200 : 404);
    isLimited(await send(origin, { path: '/v1/info' }), '60');
    clock.time += 60_000;
    assert.equal((await send(origin, { path: '/v1/info' })).status, 200);
  });

  it('are 16 sockets an address, proxies aside', async () => {
    const { origin } = await startTestRelay(temp.folder('sockets'));
    const held = Array.from({ length: 16 }, () => rawConnection(origin));
    await Promise.all(held.map(({ socket }) => new Promise((resolve) => socket.on('connect', resolve))));
    const one = rawConnection(origin);
    await one.closed;
    assert.equal(one.received(), '');
    held[0]?.socket.destroy();
    await held[0]?.closed;
    // The relay sees the end of a socket a moment after we do.
    for (let tries = 0; ; tries++) {
      const status = await send(origin, { path: '/v1/info' }).then((answer) => answer.status, () => 0);
      if (status === 200) break;
      assert.ok(tries < 1_000, 'a place was not given back');
    }
    for (const { socket } of held) socket.destroy();
  });

  it('are 256 MiB an hour and address, stored or not', async () => {
    // With a disk of nothing each push is received and then turned away.
    const { origin, clock } = await startTestRelay(temp.folder('bytes'), { maxBytes: 1 });
    const { mailbox } = person();
    const sealed = sealedOf(20 * MIB);
    for (let index = 0; index < 12; index++) assert.equal((await push(origin, mailbox, sealed)).status, 507);
    isLimited(await push(origin, mailbox, sealed), '3600');
    clock.time += 3_600_000;
    assert.equal((await push(origin, mailbox, sealed)).status, 507);
  });
});

describe('a mailbox', () => {
  const temp = tempFolder();

  it('holds 25 messages of one address and 100 of all, until some are collected', async () => {
    const { origin } = await startTestRelay(temp.folder('count'), asProxy);
    const bob = person();
    const sent: string[] = [];
    for (let sender = 1; sender <= 4; sender++) {
      for (let index = 0; index < 25; index++) {
        const sealed = sealedOf();
        sent.push(idOf(sealed));
        assert.equal((await push(origin, bob.mailbox, sealed, from(`192.0.2.${sender}`))).status, 201);
      }
      if (sender < 4) isFull(await push(origin, bob.mailbox, sealedOf(), from(`192.0.2.${sender}`)));
    }
    isFull(await push(origin, bob.mailbox, sealedOf(), from('192.0.2.5')));
    assert.equal((await push(origin, person().mailbox, sealedOf(), from('192.0.2.1'))).status, 201, 'another mailbox');
    const headers = await bearerOf(origin, bob);
    await send(origin, { method: 'DELETE', path: `/v1/mailboxes/${bob.mailbox}/messages/${sent[0]}`, headers });
    isFull(await push(origin, bob.mailbox, sealedOf(), from('192.0.2.2')));
    assert.equal((await push(origin, bob.mailbox, sealedOf(), from('192.0.2.1'))).status, 201);
  });

  it('counts a whole /64 of IPv6 as one address, and believes the last entry of a trusted proxy alone', async () => {
    const { origin } = await startTestRelay(temp.folder('addresses'), asProxy);
    const { mailbox } = person();
    for (let index = 0; index < 25; index++) {
      assert.equal((await push(origin, mailbox, sealedOf(), from(`203.0.113.${index}, 2001:db8:0:1::${index}`))).status, 201);
    }
    isFull(await push(origin, mailbox, sealedOf(), from('2001:db8:0:1:ffff::1')));
    assert.equal((await push(origin, mailbox, sealedOf(), from('2001:db8:0:2::1'))).status, 201);
    const direct = await startTestRelay(temp.folder('direct'), { pushesPerMinute: 1_000 });
    for (let index = 0; index < 25; index++) await push(direct.origin, mailbox, sealedOf(), from(`192.0.2.${index}`));
    isFull(await push(direct.origin, mailbox, sealedOf(), from('192.0.2.200')));
  });

  it('holds 20 MiB of one address and 64 MiB of all', async () => {
    const { origin } = await startTestRelay(temp.folder('bytes'), asProxy);
    const { mailbox } = person();
    const put = async (mib: number, sender: string): Promise<RawAnswer> => push(origin, mailbox, sealedOf(mib * MIB), from(sender));
    assert.equal((await put(20, '192.0.2.1')).status, 201);
    isFull(await push(origin, mailbox, sealedOf(), from('192.0.2.1')));
    assert.equal((await put(20, '192.0.2.2')).status, 201);
    assert.equal((await put(20, '192.0.2.3')).status, 201);
    isFull(await put(5, '192.0.2.4'));
    assert.equal((await put(4, '192.0.2.4')).status, 201);
  });
});

describe('a relay', () => {
  const temp = tempFolder();

  it('takes no more than its disk may hold, and says so', async () => {
    const { origin, logged } = await startTestRelay(temp.folder('full'), { maxBytes: 16_000 });
    assert.equal((await push(origin, person().mailbox, sealedOf(4_000))).status, 201);
    const { status, json } = await push(origin, person().mailbox, sealedOf(4_000));
    assert.deepEqual([status, json.error.code], [507, 'internal']);
    assert.equal((await push(origin, person().mailbox, sealedOf(4_000))).status, 507);
    assert.deepEqual(logged.filter((line) => /full/.test(line)), ['the part of --max-bytes for messages is full: pushes are refused until older ones are gone']);
    const bob = person();
    await bearerOf(origin, bob);
  });

  it('tells its log once when its proxy does not say who sends, and nobody else which address that is', async () => {
    const { origin, logged } = await startTestRelay(temp.folder('unreadable'), asProxy);
    for (const entry of ['203.0.113.9:5555', 'unknown', 'unknown']) assert.equal((await send(origin, { path: '/v1/info', headers: from(entry) })).status, 200);
    const told = logged.filter((line) => line.includes('X-Forwarded-For'));
    assert.equal(told.length, 1);
    assert.doesNotMatch(logged.join('\n'), /203\.0|127\.0/);
  });

  it('works on 16 requests of an address at a time', async () => {
    const { origin } = await startTestRelay(temp.folder('flight'), asProxy);
    const { mailbox } = person();
    const begun = Array.from({ length: 16 }, () => {
      const raw = rawConnection(origin);
      raw.socket.write(`POST /v1/mailboxes/${mailbox}/messages HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 192.0.2.1\r\ncontent-type: application/octet-stream\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n`);
      return raw;
    });
    // The relay asks for the body of each.
    await Promise.all(begun.map(({ socket }) => once(socket, 'data')));
    isLimited(await send(origin, { path: '/v1/info', headers: from('192.0.2.1') }), '1');
    assert.equal((await send(origin, { path: '/v1/info', headers: from('192.0.2.2') })).status, 200);
    await Promise.all(begun.map(async ({ socket }) => {
      const answered = once(socket, 'data');
      socket.write(sealedOf());
      await answered;
    }));
    assert.equal((await send(origin, { path: '/v1/info', headers: from('192.0.2.1') })).status, 200);
    for (const { socket } of begun) socket.destroy();
  });

  it('keeps nothing of a wait that was answered at once', async () => {
    const { origin } = await startTestRelay(temp.folder('at-once'));
    const bob = person();
    const headers = await bearerOf(origin, bob);
    await push(origin, bob.mailbox, sealedOf());
    // A connection that stays, as those of a proxy do.
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const timers = (): number => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
    const before = timers();
    for (let round = 0; round < 50; round += 1) {
      const request = http.get(`${origin}/v1/mailboxes/${bob.mailbox}/messages?wait=25`, { agent, headers });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      assert.equal((await json(response) as { messages: unknown[] }).messages.length, 1);
    }
    // Connections may have some of their own.
    assert.ok(timers() < before + 10, `${before} ${timers()}`);
    agent.destroy();
  });

  it('lets 8 readers of an address wait at a time and answers others at once, so that who pushes is not kept out', async () => {
    const { origin } = await startTestRelay(temp.folder('waiting'), { challengesPerMinute: 100 });
    const bob = person();
    const headers = await bearerOf(origin, bob);
    const path = `/v1/mailboxes/${bob.mailbox}/messages?wait=25`;
    for (let round = 0; round < 2; round += 1) {
      const waits = Array.from({ length: 20 }, async () => {
        // Of twenty at once some find no socket; such a reader comes again, as a watch does.
        for (;;) {
          const answer = await send(origin, { path, headers }).catch(() => undefined);
          if (answer !== undefined) return answer;
        }
      });
      let turnedAway = 0;
      for (const each of waits) {
        void each.then(({ json, headers: { connection } }) => {
          if (json.messages.length > 0) return;
          assert.equal(connection, 'close');
          turnedAway += 1;
        });
      }
      while (turnedAway < 12) await Promise.race(waits.map((each) => each.then(() => new Promise((resolve) => setImmediate(resolve)))));
      const sealed = sealedOf();
      assert.equal((await push(origin, bob.mailbox, sealed)).status, 201);
      assert.deepEqual((await Promise.all(waits)).map(({ json }) => json.messages.length).sort(), [...Array(12).fill(0), ...Array(8).fill(1)]);
      assert.equal((await send(origin, { method: 'DELETE', path: `/v1/mailboxes/${bob.mailbox}/messages/${idOf(sealed)}`, headers })).status, 204);
    }
  });
});
