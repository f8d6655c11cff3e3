import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync, chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { verifyStrict } from '../../../../lib/families/gage/domain/crypto/ed25519.ts';
import { pae } from '../../../../lib/families/gage/domain/crypto/pae.ts';
import { isRefused } from '../../../../lib/families/gage/domain/refused.ts';
import { createAddresses } from '../../../../lib/families/gage/domain/relay/addresses.ts';
import { isLoopbackHost, readOrigin } from '../../../../lib/families/gage/domain/home/relay-origin.ts';
import { Rate } from '../../../../lib/families/gage/domain/relay/rates.ts';
import { loadRelaySecret } from '../../../../lib/families/gage/domain/relay/secret-file.ts';
import { createTickets } from '../../../../lib/families/gage/domain/relay/tickets.ts';
import { sessionMessage } from '../../../../lib/families/gage/domain/relay/wire.ts';
import { projectRoot } from '../../../support/project.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { random, START } from './test-relay.ts';

const fixture = (name: string): any => JSON.parse(readFileSync(path.join(projectRoot, 'spec/fixtures/gage', name), 'utf8'));

describe('the text of a session', () => {
  const vector = fixture('relay-auth.json');
  const { aud, challenge, key } = JSON.parse(vector.message_utf8);

  it('is the one of the vectors, byte for byte, and its signature is good', () => {
    const message = sessionMessage({ aud, challenge, key });
    assert.equal(Buffer.from(message).toString('hex'), vector.pae_hex);
    assert.equal(verifyStrict(Buffer.from(key, 'base64'), message, Buffer.from(vector.sig_base64, 'base64')), true);
  });

  it('is no manifest, so that a signature of one is none of the other', () => {
    const manifest = pae('application/vnd.gage.manifest.v1+json', Buffer.from(vector.message_utf8));
    assert.equal(verifyStrict(Buffer.from(key, 'base64'), manifest, Buffer.from(vector.sig_base64, 'base64')), false);
  });
});

describe('a ticket', () => {
  const secret = Buffer.alloc(32, 1);
  const key = Buffer.alloc(32, 2);
  const mailbox = 'ab'.repeat(32);
  const ours = createTickets(secret, ['https://a.example', 'https://b.example'], random);

  it('is good at relays that share the secret and an origin, and nowhere else', () => {
    const challenge = ours.challenge(key, START);
    const token = ours.token(mailbox, START);
    assert.match(challenge, /^[A-Za-z0-9_-]{43}$/);
    const others = [
      [createTickets(secret, ['https://b.example', 'https://a.example'], random), true],
      [createTickets(secret, ['https://b.example'], random), false],
      [createTickets(Buffer.alloc(32, 3), ['https://a.example'], random), false],
    ] as const;
    for (const [tickets, good] of others) {
      assert.equal(tickets.challengedAt(challenge, key, START), good ? START : undefined);
      assert.equal(tickets.mailboxOf(token, START), good ? mailbox : undefined);
    }
    assert.equal(ours.challengedAt(challenge, Buffer.alloc(32, 4), START), undefined, 'another key');
  });

  it('is no challenge of another run where those are kept apart, and is a token of it', () => {
    const [one, two] = [1, 2].map((each) => createTickets(secret, ['https://a.example'], random, Buffer.alloc(32, each))) as [typeof ours, typeof ours];
    const challenge = one.challenge(key, START);
    assert.deepEqual([one.challengedAt(challenge, key, START), two.challengedAt(challenge, key, START)], [START, undefined]);
    assert.equal(two.mailboxOf(one.token(mailbox, START), START), mailbox);
  });

  it('is over when its time is', () => {
    const challenge = ours.challenge(key, START);
    const token = ours.token(mailbox, START);
    for (const [after, good] of [[60_000, true], [60_001, false], [-60_001, false]] as const) assert.equal(ours.challengedAt(challenge, key, START + after), good ? START : undefined, `${after}`);
    for (const [after, good] of [[599_999, true], [600_000, false], [-60_000, true], [-60_001, false], [-86_400_000, false]] as const) assert.equal(ours.mailboxOf(token, START + after), good ? mailbox : undefined, `${after}`);
  });

  it('is worth nothing with any other character in any place', () => {
    const challenge = ours.challenge(key, START);
    const token = ours.token(mailbox, START);
    fc.assert(fc.property(fc.nat(93), fc.constantFrom(...'ABCDabcd0123-_=/+ '), (index, character) => {
      const changed = (text: string): string => text.slice(0, index) + character + text.slice(index + 1);
      assert.equal(ours.challengedAt(changed(challenge), key, START), changed(challenge) === challenge ? START : undefined);
      assert.equal(ours.mailboxOf(changed(token), START), changed(token) === token ? mailbox : undefined);
    }));
  });
});

describe('the address that limits count for', () => {
  const secret = Buffer.alloc(32);
  const addresses = createAddresses(['10.0.0.0/8', '192.0.2.7', 'fd00::/8'], secret);
  const cases: [peer: string | undefined, forwarded: string | undefined, address: string][] = [
    ['198.51.100.1', undefined, '198.51.100.1'],
    ['198.51.100.1', '203.0.113.9', '198.51.100.1'],
    ['::ffff:198.51.100.1', undefined, '198.51.100.1'],
    ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['192.0.2.7', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['fd00::1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', 'nonsense', '10.1.2.3'],
    ['10.1.2.3', '203.0.113.9, ', '10.1.2.3'],
    ['10.1.2.3', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::1', undefined, '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', undefined, '2001:db8:1:2::/64'],
    ['::1', undefined, '0:0:0:0::/64'],
    ['64:ff9b::198.51.100.1', undefined, '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ['10.1.2.3', '203.0.113.9:5555', '203.0.113.9'],
    ['10.1.2.3', '1.1.1.1:80, [2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
    ['10.1.2.3', '[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
    ['10.1.2.3', '[::ffff:203.0.113.9]:443', '203.0.113.9'],
    ['10.1.2.3', '::ffff:404:404', '4.4.4.4'],
    ['10.1.2.3', '0:0:0:0:0:ffff:cb00:7109', '203.0.113.9'],
    ['10.1.2.3', '::FFFF:203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '::404:404', '0:0:0:0::/64'],
    ['::ffff:a01:203', '203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '[203.0.113.9', '10.1.2.3'],
    ['10.1.2.3', '203.0.113.9:', '10.1.2.3'],
    ['10.1.2.3', '203.0.113.9:123456', '10.1.2.3'],
    ['10.1.2.3', '03.3.3.3', '10.1.2.3'],
    ['1:2:3:4:5:6:198.51.100.1', undefined, '1:2:3:4::/64'],
    [undefined, undefined, ''],
  ];
  for (const [peer, forwarded, address] of cases) {
    it(`is ${address || 'nobody'} for ${peer} that forwards ${forwarded}`, () => assert.equal(addresses.of(peer, forwarded), address));
  }

  it('is told of once when a proxy says something else, and not when it says nothing', () => {
    let told = 0;
    const other = createAddresses(['10.0.0.0/8'], secret, () => void (told += 1));
    for (const [peer, forwarded] of [['10.1.2.3', undefined], ['10.1.2.3', '203.0.113.9:80'], ['192.0.2.1', 'unknown']] as const) other.of(peer, forwarded);
    assert.equal(told, 0);
    for (const forwarded of ['unknown', '', '203.0.113.9, _hidden']) other.of('10.1.2.3', forwarded);
    assert.equal(told, 1);
  });

  it('reads every spelling of an address as the one it is', () => {
    fc.assert(fc.property(fc.ipV4(), fc.ipV6(), fc.integer({ min: 0, max: 65_535 }), (v4, v6, port) => {
      const of = (entry: string): string => addresses.of('10.1.2.3', entry);
      const [high = 0, low = 0] = [0, 2].map((at) => Number(v4.split('.')[at]) * 256 + Number(v4.split('.')[at + 1]));
      for (const spelling of [v4, `${v4}:${port}`, `::ffff:${v4}`, `[::ffff:${high.toString(16)}:${low.toString(16)}]:${port}`]) assert.equal(of(spelling), v4);
      for (const spelling of [`[${v6}]`, `[${v6}]:${port}`]) assert.equal(of(spelling), of(v6));
    }));
  });

  it('is tagged with the secret of the relay, since there are few addresses to try', () => {
    assert.match(addresses.tagOf('192.0.2.1'), /^[0-9a-f]{16}$/);
    assert.notEqual(addresses.tagOf('192.0.2.1'), addresses.tagOf('192.0.2.2'));
    assert.notEqual(addresses.tagOf('192.0.2.1'), createAddresses([], Buffer.alloc(32, 1)).tagOf('192.0.2.1'));
  });

  for (const range of ['', 'example.org', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0/8', '10.0.0.0/-1']) {
    it(`is never behind the range ${JSON.stringify(range)}, which is none`, () => assert.throws(() => createAddresses([range], secret), RangeError));
  }
});

describe('a rate', () => {
  it('begins a window with the first use, and says how long it still is', () => {
    const rate = new Rate(3, 60_000);
    assert.deepEqual([0, 1, 2, 3, 4].map((second) => rate.take('a', START + second * 1_000)), [0, 0, 0, 57, 56]);
    assert.equal(rate.take('b', START), 0);
    assert.equal(rate.take('a', START + 59_999), 1);
    assert.equal(rate.take('a', START + 60_000, 3), 0);
    assert.equal(rate.take('a', START + 60_000), 60);
  });

  it('begins anew when the clock was set back', () => {
    const rate = new Rate(1, 60_000);
    assert.equal(rate.take('a', START), 0);
    assert.equal(rate.take('a', START - 3_600_000), 0);
  });

  it('forgets what is over, and the oldest of too many', () => {
    const rate = new Rate(1, 60_000);
    for (let index = 0; index < 50_001; index++) rate.take(`${index}`, START);
    assert.equal(rate.take('0', START), 0, 'pushed out');
    assert.equal(rate.take('50000', START), 60, 'still known');
  });
});

describe('the URL of a relay', () => {
  const good: [text: string, origin: string][] = [
    ['https://relay.example.org', 'https://relay.example.org'], ['https://relay.example.org/', 'https://relay.example.org'], ['https://Relay.Example.org:443', 'https://relay.example.org'],
    ['https://10.0.0.1:8787', 'https://10.0.0.1:8787'], ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'], ['http://localhost:1', 'http://localhost:1'], ['http://[::1]:1', 'http://[::1]:1'],
  ];
  for (const [text, origin] of good) it(`may be ${text}`, () => assert.deepEqual(readOrigin(text), { origin }));
  const bad = [
    '', 'relay.example.org', 'ftp://relay.example.org', 'http://relay.example.org', 'http://127.0.0.1.example.org', 'http://localhost.example.org', 'http://0.0.0.0:80',
    'https://user@relay.example.org', 'https://:secret@relay.example.org', 'https://relay.example.org/path', 'https://relay.example.org/?a', 'https://relay.example.org/#a', `https://${'a'.repeat(300)}`,
    'file:///etc/passwd',
  ];
  for (const text of bad) it(`may not be ${text.slice(0, 50) || 'empty'}`, () => assert.ok('problem' in readOrigin(text)));

  it('knows this machine by all its names', () => {
    assert.deepEqual(['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]', '0.0.0.0', '10.0.0.1', '::'].map(isLoopbackHost), [true, true, true, true, true, false, false, false]);
  });
});

describe("a relay's secret", () => {
  const temp = tempFolder();
  const load = (file: string, make = true): Promise<Uint8Array> => loadRelaySecret({ file, make, random });
  const refuses = (pattern: RegExp) => (error: unknown): boolean => isRefused(error) && pattern.test(error.message);

  it('is made once, for its owner alone, and stays the same', async () => {
    const file = temp.at('made');
    const [first, second] = await Promise.all([load(file), load(file)]);
    assert.equal(first.length, 32);
    assert.deepEqual(first, second);
    assert.deepEqual(await load(file), first);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match(readFileSync(file, 'latin1'), /^[0-9a-f]{64}\n$/);
  });

  it('is not made where relays must share one', async () => {
    await assert.rejects(load(temp.at('shared'), false), refuses(/openssl rand -hex 32/));
  });

  it('is refused when others may read it, when it is something else, and where nothing can be made', async () => {
    const open = temp.write('open', `${'0'.repeat(64)}\n`);
    chmodSync(open, 0o644);
    if (process.platform !== 'win32') await assert.rejects(load(open), refuses(/chmod 600/));
    for (const [name, text] of [['short', '00'], ['long', '0'.repeat(200)], ['words', 'x'.repeat(64)]] as const) {
      writeFileSync(temp.at(name), text, { mode: 0o600 });
      await assert.rejects(load(temp.at(name)), refuses(/64 hex digits/));
    }
    mkdirSync(temp.at('folder'), { mode: 0o700 });
    await assert.rejects(load(temp.at('folder')), refuses(/64 hex digits/));
    await assert.rejects(load(temp.at('no/folder')), refuses(/does not exist/));
    await assert.rejects(load(path.join(open, 'x')), refuses(/no folder/));
  });
});
