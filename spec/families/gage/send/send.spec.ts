import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { gage } from '../../../../lib/families/gage/index.ts';
import { setBlocked } from '../../../../lib/families/gage/domain/buddies/edit.ts';
import { readBundleFolder } from '../../../../lib/families/gage/domain/bundle/folder.ts';
import { toBase64 } from '../../../../lib/families/gage/domain/crypto/base64.ts';
import { changeRoutes, loadRoutes } from '../../../../lib/families/gage/domain/home/routes.ts';
import { routeProblem } from '../../../../lib/families/gage/domain/send/route-folder.ts';
import { send, type SendRequest, type Sent } from '../../../../lib/families/gage/domain/send/send.ts';
import { judgeContext } from '../../../../lib/families/gage/domain/verdict/context.ts';
import { judgeBundle } from '../../../../lib/families/gage/domain/verdict/judge.ts';
import { servedFamily } from '../../../support/served.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { configure, envOf, friends, knows, person, refusal, surroundingsAt, type Person } from '../world.ts';

const github = `gh${'p'}_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0iL3oR6'}`;
const asTool = { namesFrom: 'root' } as const;

describe('gage send', () => {
  const temp = tempFolder();
  let alice: Person;
  let bob: Person;
  const served = servedFamily(gage(), temp.folder('alice-work'), envOf(temp, 'alice'));
  before(async () => {
    [alice, bob] = (await friends(temp, 'alice', 'bob', 'carol')) as [Person, Person];
    temp.write('alice-work/ask.md', 'please look');
    temp.write('alice-work/src/a.ts', 'export {};\n');
    temp.write('alice-work/secret.txt', `one\n${github}\n`);
  });
  const build = (request: Partial<SendRequest>, now = Date.now): Promise<Sent> => send({ to: 'bob', ...request }, { ...alice.surroundings, now }, asTool);
  const verdictFor = (who: Person, dir: string): string => judgeBundle(readBundleFolder(dir), judgeContext(who.home, who.surroundings)).row.verdict;
  const outbox = (): readonly string[] => (existsSync(alice.home.path('outbox')) ? readdirSync(alice.home.path('outbox')) : []);

  it('builds a bundle in the outbox that the buddy can verify, and says what is in it', async () => {
    // A clock of which no two looks fall into the same second.
    let now = Date.now() - 3_600_000;
    const sent = await build({ subject: 'Parser', type: 'review-request', files: ['src/a.ts'], prompts: ['ask.md'], agent: 'claude', model: 'm/1', replyTo: 'a'.repeat(64), expiresInDays: 30 }, () => (now += 1_000));
    assert.equal(sent.dir, alice.home.path('outbox', sent.id));
    assert.deepEqual([sent.delivered, sent.to_name, sent.to_key, sent.total_bytes, sent.warnings], ['directory', 'bob', toBase64(bob.identity.signKey), 22, []]);
    assert.deepEqual(sent.items.map(({ name, kind, bytes }) => [name, kind, bytes]), [['src/a.ts', 'file', 11], ['ask.md', 'prompt', 11]]);
    assert.match(sent.next, /nothing has left this machine.*gage_push/);
    assert.deepEqual([verdictFor(bob, sent.dir), verdictFor(alice, sent.dir)], ['verified', 'self']);
    const manifest = JSON.parse(readFileSync(path.join(sent.dir, 'manifest.json'), 'utf8')) as Record<string, unknown>;
    assert.deepEqual([manifest['agent'], manifest['model'], manifest['reply_to'], manifest['type'], manifest['subject']], ['claude', 'm/1', 'a'.repeat(64), 'review-request', 'Parser']);
    assert.equal(Date.parse(String(manifest['expires_at'])) - Date.parse(String(manifest['created_at'])), 30 * 86_400_000);
    if (process.platform !== 'win32') assert.equal(statSync(alice.home.path('outbox')).mode & 0o777, 0o700);
  });

  it('takes a name in any case, a whole token, a subject alone, and puts the subject into one form', async () => {
    assert.equal((await build({ to: 'BOB', subject: 'hi' })).to_name, 'bob');
    const { dir } = await build({ to: bob.identity.token, subject: 'Cafe\u0301' });
    assert.equal((JSON.parse(readFileSync(path.join(dir, 'manifest.json'), 'utf8')) as { subject: string }).subject, 'Caf\u00e9');
    const labelled = await build({ subject: 'hi', agent: 'Zoe\u0308', model: 'Ame\u0301lie:1' });
    const { agent, model } = JSON.parse(readFileSync(path.join(labelled.dir, 'manifest.json'), 'utf8')) as { agent: string; model: string };
    assert.deepEqual([agent, model], ['Zo\u00eb', 'Am\u00e9lie:1']);
  });

  it('says that its own token is its own, where somebody unknown would be nobody', async () => {
    assert.match(await refusal(() => build({ to: alice.identity.token, subject: 'hi' })), /^that is the key of this home itself: nothing is sent there/);
    assert.match(await refusal(() => build({ to: 'nobody', subject: 'hi' })), /^nobody of that name or token is on the list/);
    temp.folder('alice-work/in');
    assert.match((await alice.verb(['route', 'add', alice.identity.token, 'in'])).stderr, /^gage: that is the key of this home itself/);
  });

  it('writes to a new or an empty folder that out names', async () => {
    temp.folder('alice-work/empty');
    for (const out of ['new/deep/bundle', 'empty', path.join(alice.work, 'absolute')]) {
      const sent = await build({ subject: 'x', out });
      assert.deepEqual([sent.dir, sent.delivered, verdictFor(bob, sent.dir)], [path.resolve(alice.work, out), 'directory', 'verified']);
    }
  });

  it("delivers to the buddy's folder on this machine where there is a route, and to out all the same", async () => {
    const incoming = bob.home.path('inbox', 'incoming');
    mkdirSync(incoming, { recursive: true });
    await changeRoutes(alice.home, () => [{ key: toBase64(bob.identity.signKey), path: incoming }]);
    const sent = await build({ subject: 'local' });
    assert.deepEqual([sent.dir, sent.delivered, verdictFor(bob, sent.dir)], [path.join(incoming, sent.id), 'local', 'verified']);
    assert.equal((await build({ subject: 'x', out: 'beside-the-route' })).delivered, 'directory');
    assert.equal((await build({ to: 'carol', subject: 'x' })).delivered, 'directory');
  });

  it('counts a bundle that lies in the route already as delivered, and refuses anything else in its place', async () => {
    // One clock and one nonce make the same bundle twice.
    const again = { ...surroundingsAt(alice.env, alice.work, () => 1_700_000_000_000), random: (size: number) => new Uint8Array(size).fill(7) };
    const once = (): Promise<Sent> => send({ to: 'bob', subject: 'again', files: ['ask.md'] }, again, asTool);
    const first = await once();
    assert.deepEqual(await once(), first);
    temp.write(`bob-home/inbox/incoming/${first.id}/items/0000`, 'other bytes');
    assert.match(await refusal(once), /is in the way/);
  });

  it('takes no bundle in the route for its own that is signed another way', async () => {
    const still = { ...surroundingsAt(alice.env, alice.work, () => 1_700_000_100_000), random: (size: number) => new Uint8Array(size).fill(8) };
    const once = (): Promise<Sent> => send({ to: 'bob', subject: 'again', files: ['ask.md'] }, still, asTool);
    const first = await once();
    const file = path.join(first.dir, 'manifest.sig');
    writeFileSync(file, readFileSync(file, 'latin1').replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A')));
    assert.match(await refusal(once), /is in the way/);
  });

  it('refuses a route to a folder of another user, who could not read what is put there, and names the relay as the way', { skip: process.platform === 'win32' }, async () => {
    const foreign = temp.folder('foreign');
    let folder = foreign;
    if (process.getuid?.() === 0) chownSync(foreign, 12_345, 12_345);
    else folder = '/usr';
    await changeRoutes(alice.home, () => [{ key: toBase64(bob.identity.signKey), path: folder }]);
    const text = /belongs to another user of this machine.*gage push sends through a relay/;
    assert.match(await refusal(() => build({ subject: 'x' })), text);
    await changeRoutes(alice.home, () => []);
    const { code, stderr } = await alice.verb(['route', 'add', 'bob', folder]);
    assert.equal(code, 1);
    assert.match(stderr, text);
    assert.deepEqual(loadRoutes(alice.home), []);
    assert.deepEqual(readdirSync(foreign), []);
    assert.deepEqual([routeProblem(alice.work, 4_711) === undefined, routeProblem(alice.work, undefined), routeProblem(alice.work)], [false, undefined, undefined]);
  });

  it("refuses a route whose folder is gone, before anything is written", async () => {
    await changeRoutes(alice.home, () => [{ key: toBase64(bob.identity.signKey), path: temp.at('gone') }]);
    assert.match(await refusal(() => build({ subject: 'x' })), /gage route add/);
    await changeRoutes(alice.home, () => []);
    assert.ok(!existsSync(temp.at('gone')));
  });

  it('refuses with one sentence, and leaves nothing behind', async () => {
    await setBlocked(alice.home, 'carol', true);
    temp.write('alice-work/full/file', '');
    symlinkSync('full', path.join(alice.work, 'out-link'));
    symlinkSync('nowhere', path.join(alice.work, 'dangling'));
    symlinkSync('looping', path.join(alice.work, 'looping'));
    const before = outbox();
    for (const [request, reason] of [
      [{ to: 'nobody', subject: 'x' }, /on the list/],
      [{ to: 'carol', subject: 'x' }, /"carol" is blocked/],
      [{}, /nothing to send/],
      [{ files: ['missing'] }, /does not exist/],
      [{ files: ['../bob-work'] }, /no regular file/],
      [{ files: [alice.home.path('identity.key')] }, /inside of a home of gage, .*from which nothing is sent/],
      [{ files: ['secret.txt'] }, /GitHub token \(github\) in "secret\.txt" line 2/],
      [{ subject: github }, /\(github\) in "subject" line 1/],
      [{ subject: 'x', agent: github }, /\(github\) in "agent"/],
      [{ subject: 'x', model: github }, /\(github\) in "model"/],
      [{ subject: 'x'.repeat(201) }, /200 bytes/],
      [{ subject: 'a\u202eb' }, /invisible/],
      [{ subject: 'x', type: 'Not A Type' }, /type/],
      [{ subject: 'x', agent: 'a\nb' }, /agent/],
      [{ subject: 'x', out: 'full' }, /is not empty/],
      [{ subject: 'x', out: 'ask.md' }, /link or no folder/],
      [{ subject: 'x', out: 'out-link' }, /link or no folder/],
      [{ subject: 'x', out: 'dangling/out' }, /below what is none/],
      [{ subject: 'x', out: 'looping/out' }, /below what is none/],
      [{ subject: 'x', out: 'ask.md/out' }, /below what is none/],
      [{ subject: 'x', out: '../elsewhere' }, /outside of the working folder/],
      [{ subject: 'x', replyTo: 'a'.repeat(63) }, /64 hex digits/],
      [{ subject: 'x', replyTo: 'a'.repeat(12) }, /64 hex digits/],
      [{ files: ['secret.txt'], out: 'refused/deep' }, /secret/],
    ] as const) {
      assert.match(await refusal(() => build(request)), reason, JSON.stringify(request));
    }
    assert.deepEqual(outbox(), before);
    assert.ok(!existsSync(path.join(alice.work, 'refused')) && !existsSync(temp.at('elsewhere')));
  });

  it('finds a secret in the name of a file', { skip: process.platform === 'win32' }, async () => {
    temp.write(`alice-work/${github}.txt`, 'x');
    assert.match(await refusal(() => build({ files: [`${github}.txt`] })), /\(github\) in "item names"/);
  });

  it('refuses its own home even when a send root holds it, and names at most ten secrets', async () => {
    await configure(alice, { sendRoots: [temp.root] });
    // With the user's home elsewhere, as a root may not be above that.
    const elsewhere = { ...alice.surroundings, env: { ...alice.env, HOME: '/nowhere' } };
    const from = (request: Partial<SendRequest>): Promise<Sent> => send({ to: 'bob', ...request }, elsewhere, asTool);
    assert.match(await refusal(() => from({ files: [alice.home.path('identity.key')] })), /inside of a home of gage/);
    assert.match(await refusal(() => from({ subject: 'x', out: alice.home.path('out') })), /inside of a home of gage/);
    await configure(alice, { sendRoots: undefined });
    temp.write('alice-work/many.txt', `${github}\n`.repeat(12));
    assert.match(await refusal(() => build({ files: ['many.txt'] })), /line 10 and 2 more; take it out/);
  });

  it('shows a write that the system refuses as a refusal', async () => {
    assert.match(await refusal(() => build({ subject: 'x', out: 'ask.md/out' })), /link or no folder/);
    const dave = await person(temp, 'dave');
    await knows(dave, bob);
    temp.write('dave-home/outbox', 'a file in the way');
    assert.match(await refusal(() => send({ to: 'bob', subject: 'x' }, dave.surroundings, asTool)), /the outbox can not be written: something else is in its place/);
  });

  describe('as a tool and as a verb', () => {
    it('answers the same, id and folder aside', async () => {
      const { result } = await served.call('gage_send', { to: 'bob', subject: 'twins', files: ['src/a.ts'], decisions: ['ask.md'], type: 'note', expires_in_days: 5 });
      const { code, stdout, stderr } = await alice.verb(['send', 'bob', '--subject', 'twins', '--file', 'src/a.ts', '--decision', 'ask.md', '--type', 'note', '--expires', '5', '--json']);
      assert.equal(code, 0, stderr);
      const shape = ({ id, dir, ...rest }: Sent): object => ({ ...rest, same: dir === alice.home.path('outbox', id) });
      assert.deepEqual(shape(JSON.parse(stdout) as Sent), shape(result.structuredContent as Sent));
      assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    });

    it('prints id and folder, and says on stderr what to do next', async () => {
      const { code, stdout, stderr } = await alice.verb(['send', 'bob', '--subject', 'x', '--memory', 'ask.md', '--dir', 'src', '--out', 'verb-out']);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^[0-9a-f]{64}\t.*\/verb-out\n$/);
      assert.equal(stderr, `gage: a bundle for "bob": 2 items, 22 bytes; nothing has left this machine; send it with: gage push bob ${path.join(alice.work, 'verb-out')}\n`);
    });

    for (const out of [[], ['--out', "out of bob's"]]) {
      it(`advises a push that works ${out.length === 0 ? 'from the outbox' : 'from a folder, as a word of a shell'}`, { skip: process.platform === 'win32' }, async () => {
        const { stderr } = await alice.verb(['send', 'bob', '--subject', 'x', ...out]);
        const advice = /send it with: gage push (.*)\n$/.exec(stderr)?.[1] ?? '';
        const words = execFileSync('/bin/sh', ['-c', `printf '%s\\n' ${advice}`], { encoding: 'utf8' }).trimEnd().split('\n');
        assert.equal(words.length, 2);
        // It finds the bundle, wherever one is by then, and has no relay to send it through.
        for (const cwd of [alice.work, temp.folder('elsewhere')]) assert.match((await alice.verb(['push', ...words, '--yes'], { cwd })).stderr, /nothing was sent: no relay is set/);
      });
    }

    it('refuses what is over a limit with the same words', async () => {
      const many = Array.from({ length: 257 }, () => 'ask.md');
      for (const [args, words] of [
        [{ subject: 'x'.repeat(201) }, ['--subject', 'x'.repeat(201)]],
        [{ files: many }, many.flatMap((file) => ['--file', file])],
        [{ subject: 'x', type: 'Not A Type' }, ['--subject', 'x', '--type', 'Not A Type']],
        [{ subject: 'x', agent: 'a'.repeat(65) }, ['--subject', 'x', '--agent', 'a'.repeat(65)]],
        [{ subject: 'x', reply_to: 'abc' }, ['--subject', 'x', '--reply-to', 'abc']],
        [{ subject: 'x', out: 'o/'.repeat(3_000) }, ['--subject', 'x', '--out', 'o/'.repeat(3_000)]],
        [{ files: ['f'.repeat(5_000)] }, ['--file', 'f'.repeat(5_000)]],
        [{ dirs: ['ask.md'] }, ['--dir', 'ask.md']],
      ] as const) {
        const { result, error } = await served.call('gage_send', { to: 'bob', ...args });
        assert.equal(error, undefined, JSON.stringify(args).slice(0, 80));
        assert.equal(result.isError, true, JSON.stringify(args).slice(0, 80));
        const { code, stderr } = await alice.verb(['send', 'bob', ...words]);
        assert.deepEqual([code, stderr], [1, `gage: ${result.content[0].text}\n`]);
        assert.doesNotMatch(stderr, /gage_/);
      }
      for (const args of [{ to: '' }, { to: 'n'.repeat(300) }, { model: '' }, { out: '' }]) assert.equal((await served.call('gage_send', { to: 'bob', subject: 'x', ...args })).result.isError, true, JSON.stringify(args));
    });

    it('refuses by isError and by exit code 1, with the same words', async () => {
      const { result } = await served.call('gage_send', { to: 'bob', files: ['secret.txt'] });
      const { code, stderr, stdout } = await alice.verb(['send', 'bob', '--file', 'secret.txt']);
      assert.deepEqual([result.isError, code, stdout], [true, 1, '']);
      // A person at the command line may let it through, a tool not.
      assert.equal(stderr, `gage: ${result.content[0].text}\ngage: what is no secret can be let through, at a terminal, with: --allow-secret secret.txt:2\n`);
      assert.ok(!result.content[0].text.includes(github.slice(0, 12)));
    });

    it('takes wrong arguments for errors', async () => {
      for (const args of [{}, { to: 1 }, { to: 'bob', files: 'a' }, { to: 'bob', nonsense: true }, { to: 'bob', files: [1] }, { to: 'bob', subject: 'x', expires_in_days: 366 }, { to: 'bob', allow_secret: ['a:1'] }]) {
        assert.equal((await served.call('gage_send', args)).error?.code, -32602, JSON.stringify(args));
      }
      for (const words of [['send'], ['send', 'bob', 'carol'], ['send', 'bob', '--expires', '0'], ['send', 'bob', '--expires', '366'], ['send', 'bob', '--expires', '1e1'],
        ...['secret.txt', 'secret.txt:', 'secret.txt:0', 'secret.txt:two', ':2'].map((place) => ['send', 'bob', '--subject', 'x', '--allow-secret', place])]) {
        await assert.rejects(async () => alice.verb(words), { name: 'UsageError' });
      }
    });

    it('takes digits of an id for what is answered, as open takes them, and an id in any case', async () => {
      const answered = async (given: string, who = bob): Promise<unknown> => {
        const { code, stdout, stderr } = await who.verb(['send', who === bob ? 'alice' : 'bob', '--subject', 'answer', '--reply-to', given, '--json']);
        return code === 0 ? (JSON.parse(readFileSync(path.join((JSON.parse(stdout) as Sent).dir, 'manifest.json'), 'utf8')) as { reply_to: string }).reply_to : stderr;
      };
      const { id, dir } = await build({ subject: 'question' });
      cpSync(dir, bob.home.path('inbox', 'pending', id, 'bundle'), { recursive: true });
      for (const given of [id.slice(0, 12), id.slice(0, 40).toUpperCase(), id, id.toUpperCase()]) {
        assert.equal(await answered(given), id, `the inbox ${given}`);
        assert.equal(await answered(given, alice), id, `the outbox ${given}`);
      }
      // What was answered may be gone; the digits of nothing are nobody's.
      assert.equal(await answered('F'.repeat(64)), 'f'.repeat(64));
      assert.match(String(await answered('f'.repeat(63))), /^gage: there is no bundle of the id that it replies to in the inbox or the outbox; .* all 64 digits\n$/);
      assert.match(String(await answered(id.slice(0, 11))), /^gage: an id may be shortened to 12 digits, not to fewer; gage inbox/);
      const { result } = await served.call('gage_send', { to: 'bob', subject: 'x', reply_to: id.toUpperCase() });
      const manifest = JSON.parse(readFileSync(path.join(String(result.structuredContent.dir), 'manifest.json'), 'utf8')) as { reply_to: string };
      assert.equal(manifest.reply_to, id);
      // A tool is told whole ids.
      assert.match((await served.call('gage_send', { to: 'bob', subject: 'x', reply_to: id.slice(0, 12) })).result.content[0].text, /has not 64 hex digits/);
    });

    it('warns of what only looks like a secret, and of what it left out', async () => {
      temp.write('alice-work/conf/a.py', `client_secret = "${'kJ8sQ2mZx7Lw4Tn9Vb3Rc6Yd1Fg5Hh0'}"\n`);
      temp.write('alice-work/conf/.env', 'x');
      const { result } = await served.call('gage_send', { to: 'bob', dirs: ['conf'] });
      assert.deepEqual(result.structuredContent.warnings, [
        'left out of "conf": ".env", as its name begins with a dot',
        'Secret in an assignment (generic) in "conf/a.py" line 1 may be a secret: look before it is pushed',
      ]);
      const { stderr } = await alice.verb(['send', 'bob', '--dir', 'conf']);
      assert.match(stderr, /^gage: warning: left out of "conf".*\ngage: warning: Secret in an assignment/);
    });

    it('says at a local route that nothing else is to be done', async () => {
      await changeRoutes(alice.home, () => [{ key: toBase64(bob.identity.signKey), path: bob.home.path('inbox', 'incoming') }]);
      assert.match((await alice.verb(['send', 'bob', '--subject', 'x'])).stderr, /it lies in the folder of "bob" on this machine/);
      await changeRoutes(alice.home, () => []);
    });
  });
});
