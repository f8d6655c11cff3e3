import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import { relayHelp } from '../../../../lib/families/gage/cli/help/relay.ts';
import { runRelay } from '../../../../lib/families/gage/cli/relay.ts';
import type { Cli } from '../../../../lib/mcp/family.types.ts';
import { isUsageError } from '../../../../lib/terminal/usage-error.ts';
import { projectRoot } from '../../../support/project.ts';
import { runVerbOf, type VerbSetting } from '../../../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { listingOf } from './bucket-server.ts';
import { runRelayProcess } from './relay-process.ts';
import { clientOf, freePort, idOf, person, random, sealedOf, send } from './test-relay.ts';

const cli: Cli = { verbs: { 'relay serve': { summary: '', help: relayHelp, run: runRelay } } };
const bob = person();

describe('gage relay serve', () => {
  const temp = tempFolder();
  const run = (words: readonly string[], setting: Partial<VerbSetting> = {}): ReturnType<typeof runVerbOf> =>
    runVerbOf(cli, ['relay', 'serve', ...words], { cwd: temp.root, now: Date.now, random, ...setting });
  const dir = ['--dir', 'relay'];
  const writeSecret = (name: string): string => {
    const file = temp.write(name, 'ab'.repeat(32));
    chmodSync(file, 0o600);
    return file;
  };

  const wrong: [words: string[], pattern: RegExp][] = [
    [[], /one of --dir DIR and --bucket URL/],
    [[...dir, '--bucket', 'https://s3.example.org/mail'], /one of --dir/],
    [[...dir, 'extra'], /takes flags alone/],
    [['--bucket', 'https://s3.example.org/mail'], /--bucket needs --secret-file/],
    [['--bucket', 'https://s3.example.org/mail', '--secret-file', 'f', '--max-bytes', '1'], /--max-bytes is for --dir/],
    [['--bucket', 'https://s3.example.org/mail', '--secret-file', 'f', '--break-lock'], /--break-lock is for --dir/],
    [[...dir, '--host', '0.0.0.0'], /needs --public-url/],
    [[...dir, '--host', '::'], /needs --public-url/],
    [[...dir, '--public-url', 'http://relay.example.org'], /--public-url http:\/\/relay.example.org: .*use https/],
    [[...dir, '--port', '65536'], /--port needs a whole number from 0 to 65535/],
    [[...dir, '--port', '1e3'], /--port needs/],
    [[...dir, '--pushes-per-minute', '0'], /--pushes-per-minute needs/],
    [[...dir, '--challenges-per-minute', 'x'], /--challenges-per-minute needs/],
    [[...dir, '--max-bytes', '-1'], /--max-bytes needs/],
    [[...dir, '--max-bytes', '33554431'], /--max-bytes needs a whole number from 33554432/],
    [[...dir, '--tls-cert', 'cert.pem'], /go together/],
    [[...dir, '--tls-key', 'key.pem'], /go together/],
    [[...dir, '--trust-proxy', '10.0.0.0/99'], /--trust-proxy: 10.0.0.0\/99 is no address range/],
  ];
  for (const [words, pattern] of wrong) {
    it(`is used wrongly with ${words.join(' ') || 'nothing'}`, () =>
      assert.rejects(run(words), (error: unknown) => isUsageError(error) && pattern.test(error.message) && error.help === 'gage relay serve --help'));
  }

  const refused: [words: string[], env: Record<string, string>, pattern: RegExp][] = [
    [['--dir', 'file'], {}, /folder of the relay cannot be used: /],
    [['--bucket', 'https://s3.example.org/mail', '--secret-file', 'missing'], {}, /does not exist: check its path, or make it with \(umask 077; openssl rand -hex 32 > FILE\)/],
    [[...dir, '--secret-file', 'missing'], {}, /does not exist: check its path, or make it with \(umask 077; openssl rand -hex 32 > FILE\)/],
    [['--bucket', 'https://s3.example.org/mail', '--secret-file', 'secret'], {}, /AWS_ACCESS_KEY_ID/],
    [['--bucket', 'nonsense', '--secret-file', 'secret'], { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'hidden-key' }, /--bucket needs a URL/],
    [['--bucket', 'http://127.0.0.1:1/none', '--secret-file', 'secret'], { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'hidden-key' }, /the bucket cannot be reached/],
    [[...dir, '--tls-cert', 'missing', '--tls-key', 'missing'], {}, /missing of the relay cannot be read: it does not exist/],
    [[...dir, '--tls-cert', 'file', '--tls-key', 'file'], {}, /certificate and the key of the relay do not work/],
  ];
  for (const [words, env, pattern] of refused) {
    it(`does not start with ${words.join(' ')}`, async () => {
      temp.write('file', 'no certificate');
      writeSecret('secret');
      // One that starts all the same says so, and would run on.
      const stop = new AbortController();
      const { code, stdout, stderr } = await run(words, { env, signal: stop.signal, onOutput: () => stop.abort() });
      assert.equal(code, 1, stderr);
      assert.equal(stdout, '');
      assert.match(stderr, pattern);
      assert.doesNotMatch(stderr, /hidden-key|\/tmp/);
      assert.ok(!existsSync(temp.at('missing')));
    });
  }

  for (const secretFile of [undefined, 'elsewhere.secret']) {
    it(`does not start in a folder that others may write to, and leaves nothing in it${secretFile === undefined ? '' : ', with a secret elsewhere'}`, async (t) => {
      if (process.platform === 'win32') return t.skip('needs modes of files');
      if (secretFile !== undefined) writeSecret(secretFile);
      for (const mode of [0o770, 0o707, 0o1777]) {
        const folder = temp.folder(`open-${mode.toString(8)}`);
        chmodSync(folder, mode);
        const { code, stdout, stderr } = await run(['--dir', folder, ...(secretFile === undefined ? [] : ['--secret-file', secretFile])]);
        assert.deepEqual([code, stdout], [1, ''], stderr);
        assert.match(stderr, /the folder of the relay can be written by others \(mode \d+\): .*chmod go-w/);
        assert.deepEqual(readdirSync(folder), []);
      }
      return undefined;
    });
  }

  it('names what lies in the place of a mailbox', async () => {
    const name = '1'.repeat(64);
    temp.write(`stray/${name}`, 'a file');
    const { code, stderr } = await run(['--dir', 'stray']);
    assert.equal(code, 1);
    assert.ok(stderr.includes(`${name} in the folder of the relay cannot be read as a mailbox: it is no folder; move it away`), stderr);
  });

  it('says where it listens when its origin does not', async () => {
    for (const [words, pattern] of [[[], /^$/], [['--public-url', 'https://relay.example.org'], /^\S+Z listening on 127\.0\.0\.1:(\d+)\n/], [['--host', '::1', '--public-url', 'https://relay.example.org'], /^\S+Z listening on \[::1\]:(\d+)\n/]] as const) {
      const stop = new AbortController();
      const { stdout, stderr } = await run([...dir, ...words, '--port', '0'], { signal: stop.signal, onOutput: () => stop.abort() });
      assert.match(stderr, pattern);
      assert.equal(new URL(JSON.parse(stdout).origin).port === '', words.length > 0);
    }
  });

  it('is shown with a port wherever users configure its origin: a free one is another one after each start', () => {
    const docs = ['docs/gage-relay.md', 'docs/gage.md', 'README.md'].map((name) => readFileSync(path.join(projectRoot, name), 'utf8'));
    const examples = [relayHelp.slice(relayHelp.indexOf('Example:')), ...docs].flatMap((text) => text.replaceAll(/\\\n */g, '').match(/^.*gage relay serve -.*$/gm) ?? []);
    assert.ok(examples.length >= 6, examples.join('\n'));
    for (const example of examples) assert.match(example, / --port [1-9]/);
  });

  it('says its origin, serves, and stops when it is told to', async () => {
    const stop = new AbortController();
    let ready = (_line: string): void => {};
    const line = new Promise<string>((resolve) => (ready = resolve));
    const ended = run([...dir, '--challenges-per-minute', '2'], { signal: stop.signal, onOutput: ready });
    const { origin } = JSON.parse(await line) as { origin: string };
    const client = clientOf(origin, bob);
    const sealed = sealedOf();
    await client.push(bob.mailbox, sealed);
    assert.deepEqual((await client.list()).messages.map(({ id }) => id), [idOf(sealed)]);
    client.close();
    stop.abort();
    const { code, stderr } = await ended;
    assert.equal(code, 0);
    assert.match(stderr, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ push 201 \d+ ms$/m);
    assert.doesNotMatch(stderr, new RegExp(`${bob.mailbox}|${idOf(sealed)}|127\\.0\\.0\\.1`));
    assert.equal(statSync(temp.at('relay/relay.secret')).mode & 0o077, 0);
  });

  it('stops at once when it was told to before it stood', async () => {
    const { code } = await run(['--dir', 'early'], { signal: AbortSignal.abort() });
    assert.equal(code, 0);
  });

  it('keeps sessions over a restart by its secret file, and its folder free of it when it lies elsewhere', async () => {
    const port = String(await freePort());
    const words = ['--secret-file', writeSecret('own.secret'), '--port', port];
    const first = await runRelayProcess(temp.folder('kept'), words);
    const client = clientOf(first.origin, bob);
    await client.list();
    assert.equal(await first.stop(), 130);
    assert.ok(!existsSync(temp.at('kept/relay.secret')));
    const second = await runRelayProcess(temp.folder('kept'), words);
    await client.list();
    client.close();
    assert.doesNotMatch(second.logged(), /session/);
    assert.equal(await second.stop(), 130);
  });

  it('speaks https with a certificate, and not with a client that does not know who signed it', async (t) => {
    const [cert, key] = [temp.at('cert.pem'), temp.at('key.pem')];
    const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']);
    if (made.status !== 0) return t.skip('needs the openssl command');
    const relay = await runRelayProcess(temp.folder('tls'), ['--tls-cert', cert, '--tls-key', key]);
    assert.match(relay.origin, /^https:\/\/127\.0\.0\.1:\d+$/);
    const client = clientOf(relay.origin, bob, { ca: readFileSync(cert, 'latin1') });
    const sealed = sealedOf();
    await client.push(bob.mailbox, sealed);
    assert.deepEqual((await client.list()).messages.map(({ id }) => id), [idOf(sealed)]);
    client.close();
    await assert.rejects(clientOf(relay.origin, bob).info(), /cannot be reached \((?:DEPTH_ZERO_)?SELF_SIGNED_CERT/);
    assert.equal(await relay.stop(), 130);
    return undefined;
  });

  it('runs over a bucket whose credentials are in the environment, and shows none of them', async (t) => {
    const asked: string[] = [];
    const empty = http.createServer((request, response) => {
      asked.push(request.headers.authorization ?? '');
      response.end(listingOf());
    });
    await new Promise<void>((resolve) => empty.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      empty.close();
      empty.closeAllConnections();
    });
    writeSecret('shared.secret');
    const url = `http://127.0.0.1:${(empty.address() as AddressInfo).port}/mail`;
    const relay = await runRelayProcess(undefined, ['--bucket', url, '--secret-file', temp.at('shared.secret')], { AWS_ACCESS_KEY_ID: 'an-id', AWS_SECRET_ACCESS_KEY: 'hidden-key' });
    assert.equal((await send(relay.origin, { path: '/v1/info' })).status, 200);
    assert.equal(await relay.stop(), 130);
    assert.doesNotMatch(relay.logged(), /hidden-key/);
    assert.ok(asked.length > 0 && asked.every((each) => each.includes('Credential=an-id/')));
  });
});
