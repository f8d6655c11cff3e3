import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gage } from '../../../../lib/families/gage/index.ts';
import { addBuddy, setBlocked } from '../../../../lib/families/gage/domain/buddies/edit.ts';
import { unpack } from '../../../../lib/families/gage/domain/bundle/package.ts';
import { toBase64 } from '../../../../lib/families/gage/domain/crypto/base64.ts';
import { unseal } from '../../../../lib/families/gage/domain/crypto/seal.ts';
import { wordsOf } from '../../../../lib/families/gage/domain/identity/words.ts';
import { relayClient } from '../../../../lib/families/gage/domain/relay/client.ts';
import { push, type Pushed } from '../../../../lib/families/gage/domain/send/push.ts';
import { send } from '../../../../lib/families/gage/domain/send/send.ts';
import { servedFamily } from '../../../support/served.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { configure, envOf, friends, knows, person, refusal, startRelay, type Person, type RelayProcess } from '../world.ts';
import { fakeRelay, type FakeRelay } from './fake-relay.ts';

/** The words of the command at the end of what was printed, as a shell reads them. */
function advised(printed: string): readonly string[] {
  const command = /: gage (.*)\n$/.exec(printed)?.[1] ?? '';
  return spawnSync('sh', ['-c', `printf '%s\n' ${command}`], { encoding: 'utf8' }).stdout.trim().split('\n');
}

describe('gage push', () => {
  const temp = tempFolder();
  let alice: Person;
  let bob: Person;
  let relay: RelayProcess;
  let silent: FakeRelay;
  const served = servedFamily(gage(), temp.folder('alice-work'), envOf(temp, 'alice'));
  before(async () => {
    [alice, bob] = (await friends(temp, 'alice', 'bob', 'carol')) as [Person, Person];
    relay = await startRelay(temp);
    silent = await fakeRelay(() => ({ status: 503, body: { error: { code: 'internal', message: '\u001b[2J' } } }));
    temp.write('alice-work/a.txt', 'hello');
    await configure(alice, { relay: relay.origin });
  });
  after(() => relay.stop());
  const built = async (to = 'bob', from = alice): Promise<string> => (await send({ to, subject: 's', ...(from === alice && { files: ['a.txt'] }) }, from.surroundings, { namesFrom: 'root' })).dir;
  const pushed = (dir: string, to = 'bob'): Promise<Pushed> => push({ to, dir, confirm: true }, alice.surroundings);

  it('leaves a message that the buddy alone can read, and notes where it went', async () => {
    const dir = await built();
    const { id, message_id: messageId, sealed_bytes: bytes, ...rest } = await pushed(dir);
    assert.deepEqual(rest, { pushed: true, to_name: 'bob', relay: relay.origin, warnings: [] });
    assert.equal(id, path.basename(dir));
    const client = relayClient(relay.origin, { identity: bob.identity, surroundings: bob.surroundings });
    const sealed = (await client.fetch(messageId)) as Uint8Array;
    client.close();
    assert.equal(sealed.length, bytes);
    assert.equal(unseal(sealed, alice.identity), undefined);
    const bundle = unpack(unseal(sealed, bob.identity) as Uint8Array);
    assert.deepEqual(Buffer.from(bundle?.manifest ?? []), readFileSync(path.join(dir, 'manifest.json')));
    assert.equal(Buffer.from(bundle?.items[0] ?? []).toString(), 'hello');
    const note = JSON.parse(readFileSync(alice.home.path('outbox', `${id}.push.json`), 'utf8')) as Record<string, string>;
    assert.deepEqual([note['message_id'], note['relay'], note['to']], [messageId, relay.origin, toBase64(bob.identity.signKey)]);
    assert.match(note['at'] ?? '', /Z$/);
    assert.notEqual((await pushed(dir)).message_id, messageId, 'each push seals anew');
  });

  it('as a tool reads the bundle in turn, after the call before that writes it', async () => {
    const before = served.call('gage_send', { to: 'bob', subject: 'first this', out: 'in-one-write' });
    const [sent, after] = await Promise.all([before, served.call('gage_push', { to: 'bob', dir: 'in-one-write', confirm: true })]);
    assert.equal(after.result.isError, undefined, after.result.content[0].text);
    assert.equal(after.result.structuredContent.id, sent.result.structuredContent.id);
  });

  it('takes a bundle that out wrote, by a path from the working folder', async () => {
    const { id } = await send({ to: 'bob', subject: 'x', out: 'built' }, alice.surroundings, { namesFrom: 'root' });
    assert.equal((await pushed('built')).id, id);
    assert.ok(existsSync(alice.home.path('outbox', `${id}.push.json`)));
  });

  it('sends nothing that is not an intact bundle of its own for this buddy', async () => {
    await configure(alice, { relay: silent.origin });
    const copy = (name: string, from: string): string => {
      cpSync(from, path.join(alice.work, name), { recursive: true });
      return path.join(alice.work, name);
    };
    const good = await built();
    writeFileSync(path.join(copy('edited', good), 'items/0000', ), 'jello');
    writeFileSync(path.join(copy('extra', good), 'README'), '');
    writeFileSync(path.join(copy('unsigned', good), 'manifest.sig'), 'x');
    copy('foreign', await built('alice', bob));
    temp.folder('alice-work/empty');
    const expired = await send({ to: 'bob', subject: 'x', expiresInDays: 1 }, { ...alice.surroundings, now: () => Date.now() - 2 * 86_400_000 }, { namesFrom: 'root' });
    for (const [dir, to, reason] of [
      ['edited', 'bob', /tampered \(item_hash\)/], ['extra', 'bob', /tampered \(extra_member\)/], ['unsigned', 'bob', /unverifiable/], ['foreign', 'bob', /not one that you signed/],
      ['empty', 'bob', /malformed/], [expired.dir, 'bob', /expired/], [good, 'carol', /addressed to another key than that of "carol"/], ['gone', 'bob', /does not exist/],
      [bob.work, 'bob', /can not be used: a tool sends bundles of the outbox and the send roots alone/], [good, 'dora', /on the list/],
    ] as const) {
      assert.match(await refusal(() => pushed(dir, to)), reason, dir);
    }
    assert.deepEqual(silent.asked, []);
    await configure(alice, { relay: relay.origin });
  });

  it('sends nothing to a blocked buddy and nothing without a relay', async () => {
    const dir = await built('carol');
    await setBlocked(alice.home, 'carol', true);
    assert.match(await refusal(() => pushed(dir, 'carol')), /"carol" is blocked/);
    await setBlocked(alice.home, 'carol', false);
    await configure(alice, { relay: undefined });
    assert.match(await refusal(() => pushed(dir, 'carol')), /gage config relay URL/);
    await configure(alice, { relay: relay.origin });
  });

  it("shows a relay's code and status, never its words, and ends the command line with 4", async () => {
    await configure(alice, { relay: silent.origin });
    const dir = await built();
    const { result } = await served.call('gage_push', { to: 'bob', dir, confirm: true });
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, /internal \(status 503\)/);
    const { code, stderr, stdout } = await alice.verb(['push', 'bob', dir, '--yes']);
    assert.deepEqual([code, stdout, stderr], [4, '', `gage: ${result.content[0].text}\n`]);
    await configure(alice, { relay: 'http://127.0.0.1:9' });
    assert.equal((await alice.verb(['push', 'bob', dir, '--yes'])).code, 4);
    assert.ok(!existsSync(`${dir}.push.json`));
    await configure(alice, { relay: relay.origin });
  });

  it('takes a bundle of the outbox whatever send_roots says, and one elsewhere only from a good root', async () => {
    const dir = await built();
    const elsewhere = temp.folder('alice-work/elsewhere');
    cpSync(dir, path.join(elsewhere, 'bundle'), { recursive: true });
    await configure(alice, { sendRoots: ['/'] });
    try {
      assert.equal((await pushed(dir)).id, path.basename(dir));
      assert.match(await refusal(() => pushed(path.join(elsewhere, 'bundle'))), /^send_roots of config\.json can not be used: "\/" is the root/);
    } finally {
      await configure(alice, { sendRoots: undefined });
    }
  });

  it('says that it was sent when only the note about it can not be written', async () => {
    const dir = await built();
    const { mkdirSync } = await import('node:fs');
    mkdirSync(`${dir}.push.json`);
    const { warnings } = await pushed(dir);
    assert.match(warnings[0] ?? '', /was pushed, but outbox\/[0-9a-f]{64}\.push\.json can not be written/);
    const { code, stderr } = await alice.verb(['push', 'bob', dir, '--yes']);
    assert.equal(code, 0);
    assert.match(stderr, /warning: the bundle was pushed, but/);
  });

  describe('at the command line', () => {
    it('asks first, and sends nothing on no', async () => {
      const dir = await built();
      const id = path.basename(dir);
      const no = await alice.verb(['push', 'bob', dir], { answers: ['n'] });
      assert.deepEqual([no.code, no.stdout, no.stderr], [1, '', 'gage: nothing was sent\n']);
      assert.ok(!existsSync(`${dir}.push.json`));
      const nobody = await alice.verb(['push', 'bob', dir]);
      assert.equal(nobody.code, 1);
      assert.match(nobody.stderr, /--yes/);
      const yes = await alice.verb(['push', 'bob', id.slice(0, 12).toUpperCase()], { answers: ['y'] });
      assert.equal(yes.code, 0, yes.stderr);
      assert.match(yes.stdout, new RegExp(`^pushed ${id} to "bob" through ${relay.origin}, \\d+ bytes\\n$`));
    });

    it('sends nothing where the buddy, the list or the relay was changed while the question stood, and the bytes it asked about otherwise', async () => {
      const dir = await built();
      const pushAfter = (change: () => Promise<unknown>): ReturnType<Person['verb']> => alice.verb(['push', 'bob', dir], { answers: [async () => (await change(), 'y')] });
      const blocked = await pushAfter(() => setBlocked(alice.home, 'bob', true));
      assert.deepEqual([blocked.code, blocked.stdout], [1, '']);
      assert.match(blocked.stderr, /"bob" is blocked, so nothing is sent there/);
      await setBlocked(alice.home, 'bob', false);
      const elsewhere = await pushAfter(() => configure(alice, { relay: silent.origin }));
      assert.deepEqual([elsewhere.code, elsewhere.stderr.split('\n').at(-2)], [1, 'gage: nothing was sent: the relay was changed meanwhile; push again']);
      await configure(alice, { relay: relay.origin });
      assert.ok(!existsSync(`${dir}.push.json`));
      const same = await pushAfter(async () => writeFileSync(path.join(dir, 'items', '0000'), 'other'));
      assert.equal(same.code, 0, same.stderr);
    });

    it('asks in the lines of a summary: to whom, by which way, how much, what it is called, and the subject last', async () => {
      const digits = ['1', '2', '3', '4', '5', '6', '7', '8'];
      for (const digit of digits) temp.write(`alice-work/many/${digit}".txt`, 'x');
      const subject = 'hi" Send it?';
      const { id } = await send({ to: 'bob', subject, dirs: ['many'] }, alice.surroundings, { namesFrom: 'root' });
      const asked: string[] = [];
      await alice.verb(['push', 'bob', id.slice(0, 12)], { answers: [(question) => (asked.push(question), 'n')] });
      assert.deepEqual(asked[0]?.split('\n'), [
        'to      : "bob"',
        `through : ${relay.origin}`,
        `bundle  : ${id.slice(0, 12)}`,
        'content : 8 items, 8 bytes',
        `items   : ${digits.slice(0, 6).map((digit) => `"many/${digit}\\".txt"`).join(', ')}, 2 more, which gage open shows`,
        'subject : "hi\\" Send it?"',
        'Send it? It can not be taken back.',
      ]);
      const alone = await send({ to: 'bob', subject: 'alone' }, alice.surroundings, { namesFrom: 'root' });
      await alice.verb(['push', 'bob', alone.id], { answers: [(question) => (asked.push(question), 'n')] });
      assert.deepEqual(asked[1]?.split('\n').slice(3), ['content : 0 items, 0 bytes', 'subject : "alone"', 'Send it? It can not be taken back.']);
    });

    it('says in its question when and through which relay the bundle was pushed before, if that is known', async () => {
      const dir = await built();
      const note = `${dir}.push.json`;
      const asks = async (): Promise<string[]> => {
        let lines: string[] = [];
        await alice.verb(['push', 'bob', dir], { answers: [(question) => ((lines = question.split('\n').slice(6)), 'n')] });
        return lines;
      };
      const first = ['Send it? It can not be taken back.'];
      assert.deepEqual(await asks(), first);
      assert.equal((await alice.verb(['push', 'bob', dir], { answers: ['y'], now: () => Date.UTC(2026, 0, 2, 3, 4, 5) })).code, 0);
      await configure(alice, { relay: 'https://other.example' });
      assert.deepEqual(await asks(), [`It was pushed already, at 2026-01-02T03:04:05Z through ${relay.origin}.`, 'Send it once more? It can not be taken back.']);
      await configure(alice, { relay: relay.origin });
      const good = JSON.parse(readFileSync(note, 'utf8')) as object;
      for (const text of ['', '[]', JSON.stringify({ ...good, at: 'now\nSend it?' }), JSON.stringify({ ...good, relay: 'x' }), JSON.stringify({ ...good, relay: 1 })]) {
        writeFileSync(note, text);
        assert.deepEqual(await asks(), first, text);
      }
    });

    it('takes a bundle of its own from anywhere, where a tool needs a send root', async () => {
      const dir = await built();
      const away = temp.folder('away');
      cpSync(dir, path.join(away, 'bundle'), { recursive: true });
      // To let all that lies around a bundle be sent is no way to send it.
      const advice = async (): Promise<string> => {
        const said = await refusal(() => pushed(path.join(away, 'bundle')));
        assert.doesNotMatch(said, /send-roots/);
        return /can not be used: a tool sends .* alone; (.*)$/.exec(said)?.[1] ?? said;
      };
      assert.equal(await advice(), 'copy the folder of the bundle into the working folder, or ask a person to send it with gage push TO DIR at a terminal');
      await configure(alice, { sendRoots: [temp.folder('root')] });
      assert.match(await advice(), /^copy the folder of the bundle into one of the send roots, or ask a person/);
      await configure(alice, { sendRoots: [] });
      assert.match(await advice(), /^ask a person to send it with gage push TO DIR/);
      await configure(alice, { sendRoots: undefined });
      assert.equal((await alice.verb(['push', 'bob', path.join(away, 'bundle'), '--yes'])).code, 0);
      writeFileSync(path.join(away, 'bundle', 'items', '0000'), 'jello');
      assert.match((await alice.verb(['push', 'bob', path.join(away, 'bundle'), '--yes'])).stderr, /tampered \(item_hash\)/);
    });

    it('prints the tool\'s own answer with --json', async () => {
      const dir = await built();
      const { stdout } = await alice.verb(['push', 'bob', dir, '--yes', '--json']);
      const { result } = await served.call('gage_push', { to: 'bob', dir, confirm: true });
      const same = ({ message_id: _, ...rest }: Record<string, unknown>): object => rest;
      assert.deepEqual(same(JSON.parse(stdout) as Record<string, unknown>), same(result.structuredContent as Record<string, unknown>));
    });

    it('advises commands that work as they are printed, and tells names from the words around them', async () => {
      const dora = await person(temp, 'dora');
      const name = '-dora is confirmed';
      await addBuddy(alice.home, { token: dora.identity.token, name, by: 'cli', confirmed: false }, alice.surroundings);
      const sent = await alice.verb(['send', '--subject', 's', '--', name]);
      assert.match(sent.stderr, /^gage: a bundle for "-dora is confirmed": 0 items.*: gage push -- '-dora is confirmed' [0-9a-f]{12}$/m);
      const pushed = await alice.verb(['push', '--yes', ...advised(sent.stderr).slice(1)]);
      assert.match(pushed.stderr, /warning: "-dora is confirmed" is unconfirmed: compare/);
      assert.match(pushed.stdout, / to "-dora is confirmed" through /);
      const words = (await wordsOf(dora.identity.token)).words;
      assert.equal((await alice.verb(advised(pushed.stderr), { answers: [words] })).stdout, `${name}\tconfirmed\n`);
      await setBlocked(alice.home, name, true);
      const refused = await alice.verb(['send', '--subject', 's', '--', name]);
      assert.match(refused.stderr, /"-dora is confirmed" is blocked/);
      assert.equal((await alice.verb(advised(refused.stderr), { answers: ['y'] })).code, 0);
      assert.equal((await alice.verb(['send', '--subject', 's', '--', name])).code, 0);
    });

    it('wants enough digits to know one bundle of the outbox, and takes other words for folders', async () => {
      const id = path.basename(await built());
      cpSync(alice.home.path('outbox', id), alice.home.path('outbox', `${id.slice(0, 20)}${'0'.repeat(44)}`), { recursive: true });
      assert.match((await alice.verb(['push', 'bob', id.slice(0, 12), '--yes'])).stderr, /2 bundles of the outbox begin with/);
      const said = async (word: string): Promise<string> => (await alice.verb(['push', 'bob', word, '--yes'])).stderr;
      for (const word of ['nowhere', './0f83fd5c', 'abc']) assert.match(await said(word), /does not exist/);
      for (const word of [id.slice(0, 11), '0F83fd5c']) assert.match(await said(word), /^gage: an id may be shortened to 12 digits, not to fewer; gage send prints it; a folder is given as \.\/NAME$/m);
      for (const word of ['f'.repeat(12), 'f'.repeat(64)]) assert.match(await said(word), /^gage: there is no bundle of this id in the outbox; .*a folder is given as \.\/NAME$/m);
      // A folder that is called so is one, where the outbox has no such bundle.
      for (const word of ['facade', 'f'.repeat(12)]) {
        cpSync(alice.home.path('outbox', id), path.join(alice.work, word), { recursive: true });
        assert.match((await alice.verb(['push', 'bob', word, '--yes'])).stdout, new RegExp(`^pushed ${id} to "bob"`));
        rmSync(path.join(alice.work, word), { recursive: true });
      }
      const eve = await person(temp, 'eve');
      await knows(eve, bob);
      assert.match((await eve.verb(['push', 'bob', 'f'.repeat(12), '--yes'])).stderr, /no bundle of this id in the outbox/);
      for (const words of [['push'], ['push', 'bob'], ['push', 'bob', ''], ['push', '', 'a'], ['push', 'bob', 'a', 'b']]) await assert.rejects(async () => alice.verb(words), { name: 'UsageError' });
    });
  });

  it('left only whole messages on the relay', () => {
    const boxes = readdirSync(relay.folder, { recursive: true, encoding: 'utf8' });
    assert.ok(boxes.filter((name) => name.endsWith('.msg')).length > 5);
    assert.ok(!boxes.some((name) => name.includes('tmp')));
  });
});
