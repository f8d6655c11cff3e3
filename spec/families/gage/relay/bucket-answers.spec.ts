import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { chmodSync } from 'node:fs';
import type { OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer as readAll } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { relayHelp } from '../../../../lib/families/gage/cli/help/relay.ts';
import { runRelay } from '../../../../lib/families/gage/cli/relay.ts';
import { openBucketStore } from '../../../../lib/families/gage/domain/relay/bucket-store.ts';
import { openBucket, type Bucket } from '../../../../lib/families/gage/domain/relay/bucket.ts';
import { runVerbOf } from '../../../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { front, listingOf, noSuchKey, objectHeaders, page, startBucketServer, type BucketServer } from './bucket-server.ts';
import { bearerOf, person, push, random, rawConnection, sealedOf, startTestRelay } from './test-relay.ts';

const env = { AWS_ACCESS_KEY_ID: 'an-id', AWS_SECRET_ACCESS_KEY: 'a-key' };

const bucketAt = async (answer: RequestListener): Promise<BucketServer & { readonly bucket: Bucket }> => {
  const server = await startBucketServer(answer);
  return { ...server, bucket: openBucket(server.url, env) };
};
/** Sent as it is, to the end of the connection: nothing tells how long it should have been. */
const sendBare = (response: ServerResponse, text: string, headers: Readonly<Record<string, string>> = {}): void => {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  response.socket?.end(`HTTP/1.1 200 OK\r\n${lines.join('')}\r\n${text}`);
};
/** An answer that breaks off behind this much of it. */
const breakOff = (response: ServerResponse, text: string): void => {
  response.writeHead(200, { 'content-length': text.length + 100 });
  response.write(text, () => setImmediate(() => response.destroy()));
};

describe('a server that answers 200 to everything', { concurrency: true }, () => {
  const temp = tempFolder();
  const kinds: [name: string, headers: OutgoingHttpHeaders][] = [['a page', {}], ['a page with an ETag', page], ['an object', objectHeaders]];
  for (const [name, headers] of kinds) {
    it(`with ${name} is no bucket, as the start of a relay says`, async () => {
      const { url, requests } = await startBucketServer((_request, response) => void response.writeHead(200, headers).end(front));
      const secret = temp.write('secret', 'ab'.repeat(32));
      chmodSync(secret, 0o600);
      const cli = { verbs: { 'relay serve': { summary: '', help: relayHelp, run: runRelay } } };
      const stop = AbortSignal.timeout(10_000);
      const { code, stdout, stderr } = await runVerbOf(cli, ['relay', 'serve', '--bucket', url, '--secret-file', secret], { cwd: temp.root, now: Date.now, random, env, signal: stop });
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /no whole listing\); check the URL of --bucket$/m);
      assert.deepEqual(requests.map(({ method }) => method).filter((method) => method !== 'GET'), []);
    });
  }

  it('only after a while takes no message: its sender hears of a failure', async () => {
    let stands = false;
    const { url } = await startBucketServer((request, response) => {
      if (stands && request.method === 'PUT') response.writeHead(200, page).end(front);
      else response.end(listingOf());
    });
    const bucket = openBucket(url, env);
    await bucket.list('m/');
    const relay = await startTestRelay(temp.root, { store: await openBucketStore({ bucket, random }) });
    stands = true;
    const answer = await push(relay.origin, 'a'.repeat(64), sealedOf());
    assert.deepEqual([answer.status, answer.json.error.code], [500, 'internal']);
  });

  const asks: [name: string, headers: OutgoingHttpHeaders, ask: (bucket: Bucket) => Promise<unknown>, problem: RegExp][] = [
    ['PUT', {}, (bucket) => bucket.put('m/x', Buffer.from('hello')), /PUT: no ETag/],
    ['PUT', page, (bucket) => bucket.put('m/x', Buffer.from('hello')), /PUT: more than headers/],
    ['look', page, (bucket) => bucket.has('m/x'), /GET: no whole listing/],
    ['GET', {}, (bucket) => bucket.get('m/x'), /GET: no ETag/],
    ['GET', page, (bucket) => bucket.get('m/x'), /GET: another type/],
    ['DELETE', page, (bucket) => bucket.remove('m/x'), /answered 200 \(DELETE\)/],
  ];
  for (const [name, headers, ask, problem] of asks) {
    it(`has done nothing for a ${name} with ${Object.keys(headers).join(' and ') || 'no headers'}`, async () => {
      const { bucket, requests } = await bucketAt((_request, response) => void response.writeHead(200, headers).end(front));
      await assert.rejects(ask(bucket), { name: 'BucketError', status: 200, message: problem });
      assert.equal(requests.length, 3);
    });
  }
});

describe('a server that answers 404', { concurrency: true }, () => {
  const temp = tempFolder();
  const asks: [name: string, ask: (bucket: Bucket) => Promise<unknown>][] = [
    ['GET', (bucket) => bucket.get('m/x')],
    ['DELETE', (bucket) => bucket.remove('m/x')],
  ];
  const answers: [what: string, body: string][] = [
    ['a page', '<!doctype html><title>404 Not Found</title>'],
    ['nothing', ''],
    ['that there is no such bucket', noSuchKey.replace('NoSuchKey', 'NoSuchBucket')],
  ];
  for (const [name, ask] of asks) {
    it(`to a ${name} has no such object where it says so in the way of S3`, async () => {
      assert.equal(await ask((await bucketAt((_request, response) => void response.writeHead(404).end(noSuchKey))).bucket), undefined);
    });
    for (const [what, body] of answers) {
      it(`with ${what} to a ${name} says nothing of the object`, async () => {
        const { bucket } = await bucketAt((_request, response) => void response.writeHead(404, page).end(body));
        await assert.rejects(ask(bucket), { name: 'BucketError', status: 404, message: `the bucket answered 404 (${name})` });
      });
    }
  }

  it('to a look fails too, as its mail may be there', async () => {
    const { bucket } = await bucketAt((_request, response) => void response.writeHead(404).end(noSuchKey));
    await assert.rejects(bucket.has('m/x'), { name: 'BucketError', status: 404 });
  });

  it('at the start of a relay is told of with what to check', async () => {
    const secret = temp.write('secret', 'ab'.repeat(32));
    chmodSync(secret, 0o600);
    const cli = { verbs: { 'relay serve': { summary: '', help: relayHelp, run: runRelay } } };
    for (const [status, message] of [
      [400, 'the bucket answered 400 (GET); check the URL of --bucket and the region'],
      [403, 'the bucket answered 403 (GET): check the credentials, the region and what they may do'],
      [404, 'the bucket answered 404 (GET): check its name'],
    ] as const) {
      const { url } = await startBucketServer((_request, response) => void response.writeHead(status).end());
      const { code, stderr } = await runVerbOf(cli, ['relay', 'serve', '--bucket', url, '--secret-file', secret], { cwd: temp.root, now: Date.now, random, env, signal: AbortSignal.timeout(10_000) });
      assert.deepEqual([code, stderr.includes(message)], [1, true], stderr);
    }
  });
});

describe('the requests of a bucket', () => {
  it('go over one connection, one after the other, and are forgotten when they are done', async () => {
    const content = Buffer.from('hello');
    const { bucket, requests } = await bucketAt((request, response) => {
      if (request.method === 'GET') response.writeHead(200, { ...objectHeaders, 'content-length': content.length }).end(content);
      else response.writeHead(request.method === 'PUT' ? 200 : 204, objectHeaders).end();
    });
    const over = new AbortController();
    const ending = bucket.until(over.signal);
    for (let round = 0; round < 20; round += 1) {
      await ending.put('m/x', content);
      assert.deepEqual(await readAll((await ending.get('m/x'))?.stream as Readable), content);
      await ending.remove('m/x');
    }
    assert.equal(requests.length, 60);
    assert.equal(new Set(requests.map(({ socket }) => socket)).size, 1);
    assert.equal(getEventListeners(over.signal, 'abort').length, 1);
  });

  it('have their time and end with the store also while an object is read', async () => {
    const { bucket } = await bucketAt((_request, response) => void response.writeHead(200, { ...objectHeaders, 'content-length': 100 }).write('x'));
    const over = new AbortController();
    const found = await bucket.until(over.signal).get('m/x');
    const read = readAll(found?.stream as Readable);
    over.abort();
    await assert.rejects(read);
  });
});

describe('a listing', { concurrency: true }, () => {
  const whole = listingOf([{ key: 'm/1' }, { key: 'm/2' }]);
  const listed = ['m/1', 'm/2'];
  const keysOf = async (bucket: Bucket, prefix = 'm/', after?: string): Promise<string[]> => (await bucket.list(prefix, after)).objects.map(({ key }) => key);

  const none: [name: string, text: string][] = [
    ['a page', front],
    ['nothing', ''],
    ['an error', '<?xml version="1.0"?><Error><Code>InternalError</Code></Error>'],
    ['another list', whole.replaceAll('ListBucketResult', 'ListAllMyBucketsResult')],
    ['a page that shows one', `<html>${whole}</html>`],
    ['one without its beginning', whole.slice(60)],
    ['one that was cut behind an object', whole.slice(0, whole.lastIndexOf('<Contents>'))],
    ['one that was cut in an object', `${whole.slice(0, whole.lastIndexOf('</Contents>'))}</ListBucketResult>`],
    ['one with an object without a size', whole.replace('<Size>5</Size>', '')],
    ['one with an object without a time', whole.replace('2026-12-01T00:00:00.000Z', 'today')],
    ['one that does not say whether it is whole', whole.replace('<IsTruncated>false</IsTruncated>', '')],
    ['that of another prefix, without a key', listingOf().replace('<IsTruncated>', '<Prefix>o/</Prefix><IsTruncated>')],
    ['one of keys that were not asked for', listingOf([{ key: 'a/1' }])],
    ['one with keys out of order', listingOf([{ key: 'm/2' }, { key: 'm/1' }])],
    ['one that says there is more and shows nothing', listingOf([], { truncated: true })],
  ];
  for (const [name, text] of none) {
    it(`is not ${name}`, async () => {
      const { bucket, requests } = await bucketAt((_request, response) => void response.end(text));
      await assert.rejects(bucket.list('m/'), { name: 'BucketError', message: 'the bucket answered as no S3 server does (GET: no whole listing); check the URL of --bucket' });
      assert.equal(requests.length, 3);
    });
  }

  it('is asked for again when it breaks off, and told of in words when that goes on', async () => {
    const ends: ((response: ServerResponse) => void)[] = [
      (response) => breakOff(response, whole.slice(0, -40)),
      (response) => sendBare(response, whole.slice(0, -40)),
      (response) => void response.end(whole),
    ];
    const { bucket, requests } = await bucketAt((_request, response) => (ends.shift() as (response: ServerResponse) => void)(response));
    assert.deepEqual(await keysOf(bucket), listed);
    assert.equal(requests.length, 3);
    const never = await bucketAt((_request, response) => breakOff(response, whole.slice(0, -40)));
    await assert.rejects(never.bucket.list('m/'), { name: 'BucketError', status: null, message: /^the answer of the bucket broke off \(GET, [A-Z_]+\)$/ });
    assert.equal(never.requests.length, 3);
  });

  it('is whole in other spellings too', async () => {
    const spellings = [
      whole.slice(whole.indexOf('<ListBucketResult')), `\uFEFF${whole}\n`, whole.replaceAll('><', '>\n  <'), whole.replaceAll('m/', 'm&#47;'), whole.replaceAll('m/', 'm&#x2F;'),
      whole.replace('<IsTruncated>', '<Prefix>m&#x2f;</Prefix><IsTruncated>'), whole.replaceAll('<Contents>', '<Contents kind="object">'), whole.replaceAll('.000Z', '.000+00:00'),
    ];
    for (const text of spellings) assert.deepEqual(await keysOf((await bucketAt((_request, response) => sendBare(response, text))).bucket), listed, text);
  });

  it('that says for ever that there is more ends in an error', async () => {
    const { bucket } = await bucketAt((_request, response) => void response.end(listingOf([{ key: 'm/1' }], { truncated: true })));
    assert.equal((await bucket.list('m/')).next, 'm/1');
    await assert.rejects(bucket.list('m/', 'm/1'), { name: 'BucketError' });
    const others = await bucketAt((_request, response) => void response.end(listingOf([{ key: 'm/A &amp; B' }], { truncated: true })));
    assert.equal((await others.bucket.list('m/')).next, 'm/A & B');
    await assert.rejects(others.bucket.list('m/', 'm/A & B'), { name: 'BucketError' });
  });

  it('without an end is given up, and its connection with it', async () => {
    let closed = 0;
    const { bucket } = await bucketAt((_request, response) => {
      const endless = Readable.from((function* () {
        for (;;) yield 'x'.repeat(64 * 1024);
      })());
      endless.pipe(response);
      response.on('close', () => {
        closed += 1;
        endless.destroy();
      });
    });
    await assert.rejects(bucket.list('m/'), { name: 'BucketError', message: /too long/ });
    assert.ok(closed >= 2);
  });
});

describe('a message of a bucket', { concurrency: true }, () => {
  const temp = tempFolder();
  const text = 'x'.repeat(1_000);

  it('is not given out when its length or its bytes are not sure', async () => {
    const answers: [problem: RegExp, answer: RequestListener][] = [
      [/GET: no length/, (_request, response) => sendBare(response, text, objectHeaders)],
      [/GET: no length/, (_request, response) => void response.writeHead(200, { ...objectHeaders, 'transfer-encoding': 'chunked' }).end(text)],
      [/GET: an encoding/, (_request, response) => void response.writeHead(200, { ...objectHeaders, 'content-length': text.length, 'content-encoding': 'gzip' }).end(text)],
    ];
    for (const [problem, answer] of answers) {
      const { bucket, requests } = await bucketAt(answer);
      await assert.rejects(bucket.get('m/x'), { name: 'BucketError', message: problem });
      assert.equal(requests.length, 3);
    }
  });

  const relayOver = async (answer: RequestListener): Promise<{ readonly get: (onHead?: () => void) => Promise<[head: string, body: string]> }> => {
    const bob = person();
    let mark = '';
    const { url } = await startBucketServer((request, response) => {
      const path = decodeURIComponent(request.url ?? '');
      if (request.method === 'PUT') {
        if (path.startsWith('/mail/c/')) mark = path.slice('/mail/'.length);
        response.writeHead(200, objectHeaders).end();
      } else if (path.startsWith('/mail?')) response.end(listingOf(path.includes('prefix=c/') ? [{ key: mark }] : []));
      else answer(request, response);
    });
    const { origin } = await startTestRelay(temp.root, { store: await openBucketStore({ bucket: openBucket(url, env), random }) });
    const { authorization } = await bearerOf(origin, bob);
    return {
      async get(onHead = () => {}) {
        const raw = rawConnection(origin);
        raw.socket.once('data', onHead);
        raw.socket.write(`GET /v1/mailboxes/${bob.mailbox}/messages/${'0'.repeat(64)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: ${authorization}\r\n\r\n`);
        await raw.closed;
        const [head = '', ...body] = raw.received().split('\r\n\r\n');
        return [head, body.join('\r\n\r\n')];
      },
    };
  };

  it('that breaks off does not look whole to its reader', async () => {
    let end = (): void => {};
    const relay = await relayOver((_request, response) => {
      response.writeHead(200, { ...objectHeaders, 'content-length': 1_100 }).write(text);
      end = () => void response.destroy();
    });
    const [head, body] = await relay.get(() => end());
    assert.match(head, /^HTTP\/1\.1 200 [^]*content-length: 1100/);
    assert.equal(body.length, 1_000);
  });

  it('without a length is a failure, and no answer of other bytes than it says', async () => {
    const relay = await relayOver((_request, response) => sendBare(response, text, objectHeaders));
    const [head, body] = await relay.get();
    assert.match(head, /^HTTP\/1\.1 500 /);
    assert.deepEqual(JSON.parse(body).error.code, 'internal');
  });
});
