import assert from 'node:assert/strict';
import http from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { chmodSync, existsSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { relayHelp } from '../../../../lib/families/gage/cli/help/relay.ts';
import { runRelay } from '../../../../lib/families/gage/cli/relay.ts';
import { isRefused } from '../../../../lib/families/gage/domain/refused.ts';
import { openBucketStore } from '../../../../lib/families/gage/domain/relay/bucket-store.ts';
import { sweepBucket } from '../../../../lib/families/gage/domain/relay/bucket-sweep.ts';
import { listAll } from '../../../../lib/families/gage/domain/relay/bucket-keys.ts';
import { openBucket, type Bucket } from '../../../../lib/families/gage/domain/relay/bucket.ts';
import { runVerbOf } from '../../../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { listingOf, objectHeaders, startBucketServer } from './bucket-server.ts';
import { bearerOf, Clock, clientOf, freePort, idOf, openSession, person, push, random, sealedOf, send, signedChallenge, startTestRelay, type RawAnswer } from './test-relay.ts';

const MIB = 1024 * 1024;
const DAY = 86_400_000;
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as any;
const env = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

type Seen = { readonly method: string; readonly url: string; readonly authorization: string | undefined };

/** A server that speaks the protocol of S3, with an empty bucket, and what it was asked. */
async function startS3(directory: string): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const app = new S3rver({ directory, silent: true, configureBuckets: [{ name: 'mail' }] });
  await app.configureBuckets();
  const handle = app.callback();
  const server = http.createServer((request, response) => {
    seen.push({ method: request.method ?? '', url: request.url ?? '', authorization: request.headers.authorization });
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mail`, seen };
}

const keysOf = async (bucket: Bucket, prefix: string): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of listAll(bucket, prefix)) keys.push(key);
  return keys;
};

describe('relays over one bucket', async () => {
  const temp = tempFolder();
  const s3 = await startS3(temp.folder('s3'));
  const bucket = openBucket(s3.url, env);
  // The bucket has a clock of its own, so that a time that stands would be in its past.
  const clock = new Clock();
  clock.time = Date.now();
  const publicUrls = ['https://relay.example.org'];
  const start = async (options: object = {}): Promise<{ origin: string }> => {
    const port = await freePort();
    await startTestRelay(temp.root, {
      store: await openBucketStore({ bucket, random }), clock, port, publicUrls, trustProxy: ['127.0.0.1'], pushesPerMinute: 1_000, challengesPerMinute: 1_000, ...options,
    });
    return { origin: `http://127.0.0.1:${port}` };
  };
  const sessionAt = async (origin: string, who: ReturnType<typeof person>): Promise<{ authorization: string }> => {
    const { json } = await openSession(origin, await signedChallenge(origin, who, publicUrls[0]));
    return { authorization: `Bearer ${json.token}` };
  };
  it('take at one what is collected at another, with a session of a third', async () => {
    const [one, two, three] = [await start(), await start(), await start()];
    const bob = person();
    const [small, large] = [sealedOf(), sealedOf(3 * MIB)];
    assert.deepEqual((await push(one.origin, bob.mailbox, small)).status, 201);
    assert.deepEqual((await push(two.origin, bob.mailbox, large)).status, 201);
    assert.deepEqual((await push(two.origin, bob.mailbox, small)).status, 200);
    const headers = await sessionAt(three.origin, bob);
    const path = `/v1/mailboxes/${bob.mailbox}/messages`;
    const list = await send(one.origin, { path, headers });
    assert.deepEqual(list.json.messages.map(({ id, bytes }: { id: string; bytes: number }) => [id, bytes]).sort(), [[idOf(small), small.length], [idOf(large), large.length]].sort());
    const page = await send(one.origin, { path: `${path}?limit=1`, headers });
    const rest = await send(two.origin, { path: `${path}?limit=1&after=${page.json.next}`, headers });
    assert.deepEqual([...page.json.messages, ...rest.json.messages], list.json.messages);
    assert.equal(rest.json.next, null);
    const fetched = await send(two.origin, { path: `${path}/${idOf(large)}`, headers });
    assert.deepEqual([fetched.status, fetched.headers['content-length']], [200, String(large.length)]);
    for (const sealed of [small, large]) assert.equal((await send(three.origin, { method: 'DELETE', path: `${path}/${idOf(sealed)}`, headers })).status, 204);
    assert.equal((await send(three.origin, { method: 'DELETE', path: `${path}/${idOf(small)}`, headers })).status, 204);
    assert.equal((await send(one.origin, { path: `${path}/${idOf(large)}`, headers })).status, 404);
    assert.equal((await push(one.origin, bob.mailbox, small)).status, 200, 'collected already');
    assert.deepEqual(await keysOf(bucket, `m/${bob.mailbox}`), []);
    assert.deepEqual(await keysOf(bucket, `a/${bob.mailbox}`), []);
    assert.deepEqual(await keysOf(bucket, 'd/'), [small, large].map((each) => `d/${bob.mailbox}/${idOf(each)}`).sort());
    assert.deepEqual(await keysOf(bucket, 'o/'), [`o/${bob.mailbox}`]);
  });

  it('open one session for a challenge, whichever of them are asked', async () => {
    const [one, two] = [await start(), await start()];
    const signed = await signedChallenge(one.origin, person(), publicUrls[0]);
    assert.equal((await openSession(one.origin, signed)).status, 200);
    assert.equal((await openSession(two.origin, signed)).status, 401);
    const rush = await signedChallenge(one.origin, person(), publicUrls[0]);
    const both = await Promise.all([openSession(one.origin, rush), openSession(two.origin, rush)]);
    assert.ok(both.filter(({ status }) => status === 200).length <= 1);
  });

  it('keep the quotas', async () => {
    const { origin } = await start();
    const bob = person();
    const from = (sender: number): Promise<RawAnswer> => push(origin, bob.mailbox, sealedOf(), { 'x-forwarded-for': `192.0.2.${sender}` });
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => from(1)));
    assert.ok(outcomes.every(({ status }) => status === 201), JSON.stringify(outcomes.map(({ status }) => status)));
    for (let index = 0; index < 9; index++) assert.equal((await from(1)).status, 201);
    const full = await from(1);
    assert.deepEqual([full.status, full.json.error.code], [507, 'mailbox_full']);
    assert.equal((await from(2)).status, 201);
  });

  it('wake a reader for what came to another relay', async () => {
    const [one, two] = [await start(), await start()];
    const bob = person();
    const headers = await sessionAt(one.origin, bob);
    const waiting = send(one.origin, { path: `/v1/mailboxes/${bob.mailbox}/messages?wait=25`, headers });
    const sealed = sealedOf();
    await push(two.origin, bob.mailbox, sealed);
    assert.deepEqual((await waiting).json.messages.map((each: { id: string }) => each.id), [idOf(sealed)]);
  });

  it('remove what is older than its time', async () => {
    // The clock of the bucket is what its objects are told by; that of a relay which is ahead of it removes nothing.
    let ahead = 0;
    const aged = (one: Bucket): Bucket => ({
      ...one, until: (signal) => aged(one.until(signal)),
      list: async (...query) => {
        const page = await one.list(...query);
        return { ...page, date: (page.date as number) + ahead };
      },
    });
    const store = await openBucketStore({ bucket: aged(bucket), random });
    const [bob, stranger] = [person(), person()];
    const [mail, strange] = [sealedOf(), sealedOf()];
    for (const [who, content] of [[bob, mail], [stranger, strange]] as const) {
      assert.equal(await store.put(who.mailbox, { id: idOf(content), bytes: content.length, content }, '0'.repeat(16), clock.now()), 'stored');
    }
    await store.markOpened(bob.mailbox, clock.now());
    await store.useChallenge('0'.repeat(64), clock.now());
    await store.remove(bob.mailbox, 'f'.repeat(64), clock.now());
    const before = await keysOf(bucket, 'm/');
    assert.equal(await store.expire(Date.now() + 400 * DAY), 0);
    assert.equal((await store.list(bob.mailbox, { after: undefined, limit: 100 }, Date.now() + 400 * DAY)).messages.length, 1);
    assert.deepEqual(await keysOf(bucket, 'm/'), before);
    ahead = 7 * DAY;
    const inAWeek = Date.now() + 7 * DAY;
    assert.ok((await store.expire(inAWeek)) > 0);
    assert.deepEqual(await keysOf(bucket, `m/${stranger.mailbox}`), []);
    assert.deepEqual(await keysOf(bucket, 'c/'), []);
    assert.deepEqual(await keysOf(bucket, `m/${bob.mailbox}`), [`m/${bob.mailbox}/${idOf(mail)}`]);
    assert.deepEqual((await keysOf(bucket, 'a/')).map((key) => key.replace(/^a\/(\w+)\/\w+/, 'm/$1')), await keysOf(bucket, 'm/'));
    ahead = 30 * DAY;
    const inAMonth = Date.now() + 30 * DAY;
    assert.deepEqual((await store.list(bob.mailbox, { after: undefined, limit: 100 }, inAMonth)).messages, []);
    assert.ok((await store.expire(inAMonth)) > 0);
    for (const prefix of ['m/', 'a/', 'd/', 'o/', 'c/']) assert.deepEqual(await keysOf(bucket, prefix), [], prefix);
    assert.ok(existsSync(store.spoolFolder));
    await store.close();
    assert.ok(!existsSync(store.spoolFolder));
  });

  it('sign every request that they send', () => {
    assert.ok(s3.seen.length > 100);
    for (const { method, url, authorization } of s3.seen) assert.match(authorization ?? '', /^AWS4-HMAC-SHA256 Credential=S3RVER\//, `${method} ${url}`);
    assert.ok(s3.seen.every(({ url }) => !url.includes('continuation-token')));
  });

  it('serve a client as any other relay does', async () => {
    const { origin } = await start({ publicUrls: [] });
    const bob = person();
    const client = clientOf(origin, bob);
    const sealed = sealedOf(200_000);
    await client.push(bob.mailbox, sealed);
    assert.deepEqual(await client.fetch(idOf(sealed)), sealed);
    await client.remove(idOf(sealed));
    assert.deepEqual((await client.list()).messages, []);
    await bearerOf(origin, bob);
  });

  it('are refused with a wrong key', async () => {
    const wrong = openBucket(s3.url, { ...env, AWS_SECRET_ACCESS_KEY: 'wrong' });
    await assert.rejects(wrong.list('m/'), { name: 'BucketError', status: 403, message: 'the bucket answered 403 (GET)' });
  });
});

describe('a bucket', () => {
  const bad = ['', 'nonsense', 'http://s3.example.org/mail', 'https://key:secret@s3.example.org/mail', 'https://s3.example.org/mail/deep', 'https://s3.example.org/mail?x', 'ftp://s3.example.org/mail'];
  for (const url of bad) it(`is not at ${JSON.stringify(url)}`, () => assert.throws(() => openBucket(url, env), (error: unknown) => isRefused(error) && /--bucket/.test(error.message)));

  it('needs credentials, and says which', () => {
    assert.throws(() => openBucket('https://s3.example.org/mail', {}), (error: unknown) => isRefused(error) && /AWS_ACCESS_KEY_ID/.test(error.message));
  });

  /** A bucket that answers so, one after the other. */
  async function answering(...answers: readonly [status: number, body?: string][]): Promise<{ bucket: Bucket; requests: http.IncomingMessage[] }> {
    const { url, requests } = await startBucketServer((_request, response) => {
      const [status, body = ''] = answers[Math.min(requests.length, answers.length) - 1] ?? [500];
      if (status < 0) return;
      if (status === 0) response.destroy();
      else response.writeHead(status, status === 307 ? { location: 'http://127.0.0.1:1/' } : objectHeaders).end(body);
    });
    return { bucket: openBucket(`${url}/`, { ...env, AWS_SESSION_TOKEN: 'session', AWS_REGION: 'eu-west-1' }), requests };
  }

  it('is tried again when it is busy or breaks off', async () => {
    const { bucket, requests } = await answering([503], [0], [200]);
    await bucket.put('m/x', Buffer.from('hello'));
    assert.equal(requests.length, 3);
    const { headers, url } = requests[2] as http.IncomingMessage;
    assert.equal(url, '/mail/m/x');
    assert.match(headers.authorization ?? '', /\/eu-west-1\/s3\/aws4_request/);
    assert.deepEqual([headers['x-amz-security-token'], headers['x-amz-content-sha256']], ['session', idOf(Buffer.from('hello'))]);
  });

  it('is tried again when it says that it was too slow, or asked too often', async () => {
    const { bucket, requests } = await answering([408], [429], [200]);
    await bucket.put('m/x');
    assert.equal(requests.length, 3);
  });

  it('is given up after three tries, and at once when it says no', async () => {
    const busy = await answering([503]);
    await assert.rejects(busy.bucket.has('m/x'), { status: 503 });
    assert.equal(busy.requests.length, 3);
    const gone = await answering([0]);
    await assert.rejects(gone.bucket.get('m/x'), { status: null, message: /^the bucket cannot be reached \(GET, [A-Z_]+\)$/ });
    const no = await answering([403, '<Error/>']);
    await assert.rejects(no.bucket.get('m/x'), { status: 403 });
    assert.equal(no.requests.length, 1);
  });

  it('is not followed to another place, where the credentials do not belong', async () => {
    const { bucket } = await answering([307]);
    await assert.rejects(bucket.get('m/x'), { name: 'BucketError' });
  });

  it('lists page after page by the last key, and passes over what is none of ours', async () => {
    const [h1, h2, h3] = ['1', '2', '3'].map((digit) => `m/${digit.repeat(64)}/${digit.repeat(64)}`) as [string, string, string];
    const { bucket, requests } = await answering([200, listingOf([{ key: h1 }, { key: h2 }], { truncated: true })], [200, listingOf([{ key: h3 }, { key: 'm/&lt;x&gt;' }, { key: 'm/x' }])]);
    const found = [];
    for await (const each of listAll(bucket, 'm/')) found.push(each);
    assert.deepEqual(found, [h1, h2, h3].map((key) => ({ key, bytes: 5, at: Date.UTC(2026, 11, 1) })));
    assert.match(requests[1]?.url ?? '', /start-after=m%2F2{64}%2F2{64}/);
  });

  it('is given up when it is told to, in the middle of a request and between two tries', async () => {
    const hung = await answering([-1]);
    const stop = new AbortController();
    const asked = hung.bucket.until(stop.signal).has('m/x');
    while (hung.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    await assert.rejects(asked, { name: 'BucketError', status: null });
    assert.equal(hung.requests.length, 1);
    const busy = await answering([503]);
    const late = new AbortController();
    const tried = busy.bucket.until(late.signal).has('m/x');
    while (busy.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    setTimeout(() => late.abort(), 20);
    await assert.rejects(tried, { name: 'BucketError', status: 503 });
    assert.equal(busy.requests.length, 1);
  });

  it('is not read without an end', async () => {
    const { bucket } = await answering([200, 'x'.repeat(5 * MIB)]);
    await assert.rejects(bucket.list('m/'), { message: /too long/ });
  });
});

describe('a relay whose bucket does not answer', () => {
  const temp = tempFolder();
  const times = { headerMs: 10_000, silenceMs: 60_000, closingMs: 300, checkMs: 50, body: { bodyMs: 60_000, bytesASecond: 65_536 } };

  /** A bucket that is empty until it hangs: then it takes requests, and never answers one. */
  async function hangingBucket(): Promise<{ url: string; hang(): void; hung(): Promise<void> }> {
    let hangs = false;
    let caught = (): void => {};
    const first = new Promise<void>((resolve) => (caught = resolve));
    const { url } = await startBucketServer((_request, response) => {
      if (hangs) caught();
      else response.end(listingOf());
    });
    return { url, hang: () => void (hangs = true), hung: () => first };
  }

  it('stops when the time for that is over, though a push waits and its sender is gone', async () => {
    for (const hangsUp of [false, true]) {
      const { url, hang, hung } = await hangingBucket();
      const relay = await startTestRelay(temp.root, { store: await openBucketStore({ bucket: openBucket(url, env), random }), times });
      hang();
      const sender = new AbortController();
      const pushed = fetch(`${relay.origin}/v1/mailboxes/${'a'.repeat(64)}/messages`, { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: sealedOf(), signal: sender.signal });
      pushed.catch(() => {});
      await hung();
      if (hangsUp) sender.abort();
      const start = performance.now();
      await relay.close();
      await assert.rejects(pushed);
      assert.ok(performance.now() - start < 5_000);
    }
  });

  it('stops as soon though a sweep waits', async () => {
    const { url, hang, hung } = await hangingBucket();
    hang();
    const relay = await startTestRelay(temp.root, { store: await openBucketStore({ bucket: openBucket(url, env), random }), times });
    await hung();
    const start = performance.now();
    await relay.close();
    assert.ok(performance.now() - start < 5_000);
    assert.ok(relay.logged.includes('old messages could not be removed: the bucket cannot be reached (GET)'), relay.logged.join());
  });

  it('takes small messages while large ones hang', async () => {
    let hung = 0;
    const { url } = await startBucketServer((request, response) => {
      if (request.method === 'GET') response.end(listingOf());
      else if (Number(request.headers['content-length']) > 1_000) hung += 1;
      else response.writeHead(200, objectHeaders).end();
    });
    const store = await openBucketStore({ bucket: openBucket(url, env), random });
    const put = (index: number, content: Buffer | { file: string }): Promise<string> => store.put(index.toString(16).padStart(64, '0'), { id: 'a'.repeat(64), bytes: 2_000, content }, '0'.repeat(16), 0);
    const file = temp.write('large', 'x'.repeat(2_000));
    const large = Array.from({ length: 6 }, (_, index) => put(index, { file }));
    for (const each of large) each.catch(() => {});
    while (hung < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(await put(9, sealedOf()), 'stored');
    assert.equal(hung, 4);
    await store.close(AbortSignal.abort());
    assert.ok((await Promise.allSettled(large)).every(({ status }) => status === 'rejected'));
  });

  it('leaves no request behind when it stops sooner, and sweeps no more', async () => {
    const { url, hang, hung } = await hangingBucket();
    const store = await openBucketStore({ bucket: openBucket(url, env), random });
    hang();
    const asked = store.list('a'.repeat(64), { after: undefined, limit: 1 }, 0);
    asked.catch(() => {});
    await hung();
    await store.close();
    await assert.rejects(asked, { name: 'BucketError' });
    const closed = await openBucketStore({ bucket: openBucket(url, env), random });
    await closed.close(AbortSignal.abort());
    await assert.rejects(closed.expire(0), { name: 'BucketError' });
  });

  it('is not waited for by a relay that is interrupted before it stands', async () => {
    const { url, hang, hung } = await hangingBucket();
    hang();
    const stop = new AbortController();
    const secret = temp.write('secret', 'ab'.repeat(32));
    chmodSync(secret, 0o600);
    const cli = { verbs: { 'relay serve': { summary: '', help: relayHelp, run: runRelay } } };
    const start = performance.now();
    const ended = runVerbOf(cli, ['relay', 'serve', '--bucket', url, '--secret-file', secret], { cwd: temp.root, now: Date.now, random, env, signal: stop.signal });
    await hung();
    stop.abort();
    assert.deepEqual(await ended.then(({ code, stdout, stderr }) => [code, stdout, stderr]), [0, '', '']);
    assert.ok(performance.now() - start < 5_000);
  });

  it('ends a sweep at the next object when it stops', async () => {
    const at = 0;
    const asked: string[] = [];
    const bucketOf = (prefix: string): Bucket => ({
      list: async (given: string) => ({ objects: given === prefix ? ['1', '2'].map((id) => ({ key: `${prefix}${'0'.repeat(64)}/${id.repeat(prefix === 'a/' ? 16 : 64)}${prefix === 'a/' ? `/${'0'.repeat(64)}` : ''}`, bytes: 1, at })) : [], next: undefined, date: undefined }),
      has: async () => false,
      remove: async (key: string) => void asked.push(key),
      put: async () => {},
      get: async () => undefined,
      until: () => bucketOf(prefix),
    });
    for (const prefix of ['m/', 'd/', 'a/']) assert.equal(await sweepBucket(bucketOf(prefix), 365 * DAY, AbortSignal.abort()), 0);
    assert.deepEqual(asked, []);
    assert.equal(await sweepBucket(bucketOf('m/'), 365 * DAY), 2);
  });
});
