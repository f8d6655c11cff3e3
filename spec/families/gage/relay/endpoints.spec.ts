import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDiskStore } from '../../../../lib/families/gage/domain/relay/disk-store.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { bearerOf, Clock, freePort, idOf, openSession, person, push, random, rawConnection, sealedOf, send, signedChallenge, startTestRelay, type RawRequest } from './test-relay.ts';

const bob = person();
const mallory = person();
const box = `/v1/mailboxes/${bob.mailbox}/messages`;
const octets = { 'content-type': 'application/octet-stream' };
const json = { 'content-type': 'application/json' };
const key = Buffer.from(bob.signKey).toString('base64');

describe('the relay turns away', async () => {
  const relay = await startTestRelay(tempFolder().root, { pushesPerMinute: 1_000, challengesPerMinute: 1_000 });
  const cases: [title: string, request: RawRequest, status: number, code: string][] = [
    ['an unknown path', { path: '/' }, 404, 'not_found'],
    ['an unknown version', { path: '/v2/info' }, 404, 'not_found'],
    ['a method that an endpoint does not have', { method: 'PUT', path: box, headers: octets, body: sealedOf() }, 404, 'not_found'],
    ['a preflight of a browser', { method: 'OPTIONS', path: box, headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' } }, 404, 'not_found'],
    ['a mailbox that is none', { method: 'POST', path: `/v1/mailboxes/${'A'.repeat(64)}/messages`, headers: octets, body: sealedOf() }, 404, 'not_found'],
    ['a mailbox that leaves the folder', { method: 'POST', path: '/v1/mailboxes/..%2f..%2fetc/messages', headers: octets, body: sealedOf() }, 404, 'not_found'],
    ['a push of another type', { method: 'POST', path: box, headers: { 'content-type': 'text/plain' }, body: sealedOf() }, 415, 'wrong_type'],
    ['a push without a type', { method: 'POST', path: box, body: sealedOf() }, 415, 'wrong_type'],
    ['a push with an encoding', { method: 'POST', path: box, headers: { ...octets, 'content-encoding': 'gzip' }, body: sealedOf() }, 415, 'wrong_type'],
    ['a push of 55 bytes', { method: 'POST', path: box, headers: octets, body: sealedOf(55) }, 400, 'bad_request'],
    ['a push without the magic', { method: 'POST', path: box, headers: octets, body: Buffer.alloc(100) }, 400, 'bad_request'],
    ['a long push without the magic', { method: 'POST', path: box, headers: octets, body: Buffer.alloc(300_000) }, 400, 'bad_request'],
    ['a reading request with a body', { path: '/v1/info', body: 'x' }, 400, 'bad_request'],
    ['a challenge for no JSON', { method: 'POST', path: '/v1/auth/challenge', headers: json, body: '{' }, 400, 'bad_request'],
    ['a challenge for a list', { method: 'POST', path: '/v1/auth/challenge', headers: json, body: '[]' }, 400, 'bad_request'],
    ['a challenge without a key', { method: 'POST', path: '/v1/auth/challenge', headers: json, body: '{}' }, 400, 'bad_request'],
    ['a challenge with more than a key', { method: 'POST', path: '/v1/auth/challenge', headers: json, body: JSON.stringify({ key, x: '' }) }, 400, 'bad_request'],
    ['a challenge for a key that is a number', { method: 'POST', path: '/v1/auth/challenge', headers: json, body: '{"key":1}' }, 400, 'bad_request'],
    ['a challenge for 31 bytes', { method: 'POST', path: '/v1/auth/challenge', headers: json, body: JSON.stringify({ key: Buffer.alloc(31).toString('base64') }) }, 400, 'bad_request'],
    ['a challenge of another type', { method: 'POST', path: '/v1/auth/challenge', headers: { 'content-type': 'text/plain' }, body: '{}' }, 415, 'wrong_type'],
    ['a challenge of more than a kilobyte', { method: 'POST', path: '/v1/auth/challenge', headers: json, body: JSON.stringify({ key: 'x'.repeat(2_000) }) }, 413, 'too_large'],
    ['a list without a session', { path: box }, 401, 'unauthorised'],
    ['a list with a token of nobody', { path: box, headers: { authorization: `Bearer ${Buffer.alloc(70).toString('base64url')}` } }, 401, 'unauthorised'],
    ['a list with something else for a token', { path: box, headers: { authorization: 'Basic Ym9iOmJvYg==' } }, 401, 'unauthorised'],
    ['a fetch without a session', { path: `${box}/${'0'.repeat(64)}` }, 401, 'unauthorised'],
    ['a removal without a session', { method: 'DELETE', path: `${box}/${'0'.repeat(64)}` }, 401, 'unauthorised'],
  ];
  for (const [title, request, status, code] of cases) {
    it(`${title}: ${status} ${code}`, async () => {
      const answer = await send(relay.origin, request);
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.json.error.code, code);
      assert.equal(typeof answer.json.error.message, 'string');
      assert.equal(Object.keys(answer.headers).some((name) => name.startsWith('access-control-')), false);
    });
  }

  it('a push that says nothing of its length: 411', async () => {
    const raw = rawConnection(relay.origin);
    raw.socket.write(`POST ${box} HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\nconnection: close\r\n\r\n`);
    await raw.closed;
    assert.match(raw.received(), /^HTTP\/1\.1 411 /);
  });

  it('a challenge that is too long, with the limit that it passed', async () => {
    const { json: answer } = await send(relay.origin, { method: 'POST', path: '/v1/auth/challenge', headers: json, body: JSON.stringify({ key: 'x'.repeat(2_000) }) });
    assert.equal(answer.error.message, 'this body is at most 1024 bytes');
  });

  for (const query of ['limit=0', 'limit=101', 'limit=x', 'wait=26', 'wait=-1', 'after=..', 'after=0']) {
    it(`a list with ${query}: 400`, async () => {
      const answer = await send(relay.origin, { path: `${box}?${query}`, headers: await bearerOf(relay.origin, bob) });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.json.error.code, 'bad_request');
    });
  }
});

describe('the relay', async () => {
  const temp = tempFolder();
  const relay = await startTestRelay(temp.folder('a'), { challengesPerMinute: 1_000 });

  it('says what it takes, and for how long', async () => {
    const { status, json: info, headers } = await send(relay.origin, { path: '/v1/info' });
    assert.equal(status, 200);
    assert.deepEqual(info, { v: 1, max_message_bytes: 20_971_520, retention_s: 2_592_000, time: '2026-12-01T00:00:00Z' });
    assert.equal(headers['cache-control'], 'no-store');
  });

  it('answers a HEAD for what it takes as it answers the GET, without the body', async () => {
    const [get, head] = [await send(relay.origin, { path: '/v1/info' }), await send(relay.origin, { method: 'HEAD', path: '/v1/info' })];
    assert.deepEqual([head.status, head.text, head.headers['content-length'], head.headers['content-type']], [200, '', String(get.text.length), 'application/json']);
  });

  it('reads types and encodings of a push in capitals too', async () => {
    const raw = rawConnection(relay.origin);
    const sealed = sealedOf();
    raw.socket.write(`POST /v1/mailboxes/${'c'.repeat(64)}/messages HTTP/1.1\r\nhost: x\r\ncontent-type: Application/Octet-Stream\r\ntransfer-encoding: Chunked\r\nconnection: close\r\n\r\n64\r\n`);
    raw.socket.write(sealed);
    raw.socket.write('\r\n0\r\n\r\n');
    await raw.closed;
    assert.match(raw.received(), /^HTTP\/1\.1 201 /);
  });

  it('case 23: keeps a message for its owner, whom nobody else can be: 403, 401, 401, and the mail is still there', async () => {
    const sealed = sealedOf();
    const pushed = await push(relay.origin, bob.mailbox, sealed);
    assert.deepEqual([pushed.status, pushed.json], [201, { message_id: idOf(sealed) }]);
    const hers = await bearerOf(relay.origin, mallory);
    const his = await bearerOf(relay.origin, bob);
    const message = `${box}/${idOf(sealed)}`;
    for (const [method, path] of [['GET', box], ['GET', message], ['DELETE', message]] as const) {
      assert.equal((await send(relay.origin, { method, path, headers: hers })).status, 403, path);
      assert.equal((await send(relay.origin, { method, path })).status, 401, path);
    }
    relay.clock.time += 600_000;
    assert.equal((await send(relay.origin, { path: box, headers: his })).status, 401, 'a session lasts ten minutes');
    const again = await bearerOf(relay.origin, bob);
    const list = await send(relay.origin, { path: box, headers: again });
    assert.deepEqual(list.json, { messages: [{ id: idOf(sealed), bytes: 100, at: '2026-12-01T00:00:00Z' }], next: null });
    const fetched = await send(relay.origin, { path: message, headers: again });
    assert.deepEqual([fetched.status, fetched.headers['content-type'], fetched.headers['content-length']], [200, 'application/octet-stream', '100']);
  });

  it('answers 200 for the same bytes, before and after they were collected, and 204 for what is gone', async () => {
    const sealed = sealedOf();
    const headers = await bearerOf(relay.origin, bob);
    const path = `${box}/${idOf(sealed)}`;
    assert.equal((await push(relay.origin, bob.mailbox, sealed)).status, 201);
    assert.equal((await push(relay.origin, bob.mailbox, sealed)).status, 200);
    assert.equal((await send(relay.origin, { method: 'DELETE', path, headers })).status, 204);
    assert.equal((await send(relay.origin, { method: 'DELETE', path, headers })).status, 204);
    assert.equal((await send(relay.origin, { path, headers })).status, 404);
    const again = await push(relay.origin, bob.mailbox, sealed);
    assert.deepEqual([again.status, again.json], [200, { message_id: idOf(sealed) }]);
    assert.equal((await send(relay.origin, { path, headers })).status, 404, 'it does not come back');
  });

  it('lists in pages, in the order of arrival', async () => {
    const carol = person();
    const sent = Array.from({ length: 5 }, () => sealedOf());
    for (const each of sent) await push(relay.origin, carol.mailbox, each);
    const headers = await bearerOf(relay.origin, carol);
    const seen: string[] = [];
    let pages = 0;
    for (let after = ''; pages < 10; pages++) {
      const { json: page } = await send(relay.origin, { path: `/v1/mailboxes/${carol.mailbox}/messages?limit=2${after}`, headers });
      seen.push(...page.messages.map((each: { id: string }) => each.id));
      if (page.next === null) break;
      after = `&after=${page.next}`;
    }
    assert.deepEqual(seen, sent.map(idOf));
    assert.equal(pages, 2);
  });

  it('holds an answer until something comes, and then no longer', async () => {
    const dora = person();
    const headers = await bearerOf(relay.origin, dora);
    const waiting = send(relay.origin, { path: `/v1/mailboxes/${dora.mailbox}/messages?wait=25`, headers });
    const start = performance.now();
    const sealed = sealedOf();
    await push(relay.origin, dora.mailbox, sealed);
    assert.deepEqual((await waiting).json.messages.map((each: { id: string }) => each.id), [idOf(sealed)]);
    assert.ok(performance.now() - start < 10_000);
  });

  for (const shared of [false, true]) {
    it(`hears of what comes while it looks, over a store that ${shared ? 'others share' : 'is its own'}`, async () => {
      const [fay, sealed, clock] = [person(), sealedOf(), new Clock()];
      const store = await openDiskStore({ folder: temp.folder(`meanwhile-${shared}`), random });
      let looks = 0;
      const other = await startTestRelay(temp.root, {
        clock,
        store: {
          ...store,
          shared,
          list: async (...args) => {
            const page = await store.list(...args);
            // It comes when the look is over, and before the reader knows what it saw.
            if ((looks += 1) === 1) await push(other.origin, fay.mailbox, sealed);
            return page;
          },
        },
      });
      const start = performance.now();
      const answer = await send(other.origin, { path: `/v1/mailboxes/${fay.mailbox}/messages?wait=25`, headers: await bearerOf(other.origin, fay) });
      assert.deepEqual(answer.json.messages.map((each: { id: string }) => each.id), [idOf(sealed)]);
      assert.equal(looks, 2);
      assert.ok(performance.now() - start < 1_500, 'sooner than the next look of its own');
    });
  }

  it('answers an empty list when the wait is over', async () => {
    const eve = person();
    const answer = await send(relay.origin, { path: `/v1/mailboxes/${eve.mailbox}/messages?wait=1`, headers: await bearerOf(relay.origin, eve) });
    assert.deepEqual(answer.json, { messages: [], next: null });
  });

  it('ends waiting readers when it stops, and logs neither keys nor addresses', async () => {
    const clock = new Clock();
    const store = await openDiskStore({ folder: temp.folder('b'), random });
    let looked = (): void => {};
    const waits = new Promise<void>((resolve) => (looked = resolve));
    const other = await startTestRelay(temp.root, {
      clock,
      store: {
        ...store,
        list: (...args) => {
          looked();
          return store.list(...args);
        },
      },
    });
    const headers = await bearerOf(other.origin, bob);
    const waiting = send(other.origin, { path: `${box}?wait=25`, headers });
    await waits;
    await other.close();
    assert.deepEqual((await waiting).json, { messages: [], next: null });
    assert.ok(other.logged.length >= 3, other.logged.join());
    assert.doesNotMatch(other.logged.join('\n'), /[0-9a-f]{16}|127\.0\.0\.1|[A-Za-z0-9+/]{30}/);
  });
});

describe('a session of the relay', async () => {
  const temp = tempFolder();
  const relay = await startTestRelay(temp.folder('a'), { challengesPerMinute: 1_000 });
  const refused = async (value: object): Promise<void> => {
    const answer = await openSession(relay.origin, value);
    assert.deepEqual([answer.status, answer.json.error.code], [401, 'unauthorised'], answer.text);
  };

  it('opens once for a challenge', async () => {
    const signed = await signedChallenge(relay.origin, bob);
    const first = await openSession(relay.origin, signed);
    assert.deepEqual([first.status, first.json.expires_in], [200, 600]);
    await refused(signed);
  });

  it('does not open for two that come together', async () => {
    const signed = await signedChallenge(relay.origin, bob);
    const answers = await Promise.all([openSession(relay.origin, signed), openSession(relay.origin, signed)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
  });

  it('does not open for the origin of another relay, so that a challenge cannot be passed on', async () => {
    await refused(await signedChallenge(relay.origin, bob, 'https://relay.example.org'));
  });

  it('opens for each of the loopback origins', async () => {
    for (const host of ['localhost', '[::1]']) {
      assert.equal((await openSession(relay.origin, await signedChallenge(relay.origin, bob, relay.origin.replace('127.0.0.1', host)))).status, 200, host);
    }
  });

  it('does not open for a challenge of another key, of nobody, or of a minute ago', async () => {
    const signed = await signedChallenge(relay.origin, bob);
    const hers = await signedChallenge(relay.origin, mallory);
    await refused({ ...signed, challenge: hers.challenge });
    await refused({ ...signed, challenge: Buffer.alloc(32).toString('base64url') });
    await refused({ ...signed, challenge: `${signed.challenge}=` });
    await refused({ ...signed, sig: hers.sig });
    await refused({ ...signed, sig: 'AAAA' });
    relay.clock.time += 60_001;
    await refused(signed);
    relay.clock.time -= 60_001;
    assert.equal((await openSession(relay.origin, signed)).status, 200);
  });

  it('does not open for a small-order key, which has signed everything', async () => {
    const key = Buffer.alloc(32);
    key[0] = 1;
    const { challenge } = await signedChallenge(relay.origin, { ...bob, signKey: key });
    const sig = Buffer.alloc(64);
    sig[0] = 1;
    await refused({ challenge, key: key.toString('base64'), sig: sig.toString('base64') });
  });

  it('is for its public origins alone when it has some', async () => {
    const loopback = `http://127.0.0.1:${await freePort()}`;
    const publicUrls = ['https://relay.example.org', 'https://other.example.org'];
    const other = await startTestRelay(temp.folder('public'), { publicUrls, port: Number(new URL(loopback).port) });
    assert.equal(other.origin, publicUrls[0]);
    for (const [aud, status] of [[loopback, 401], [publicUrls[0], 200], [publicUrls[1], 200]] as const) {
      assert.equal((await openSession(loopback, await signedChallenge(loopback, bob, aud))).status, status, aud);
    }
  });
});
