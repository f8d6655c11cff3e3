import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { isInvalidParams } from '../../../../lib/domain/invalid-params.ts';
import { gage } from '../../../../lib/families/gage/index.ts';
import { servedFamily } from '../../../support/served.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { refusal } from '../world.ts';
import { alice, bob, buddy, bundleOf, mallory, reader, secret, writeRaw } from '../verdict/kit.ts';

describe('gage: opening a bundle', () => {
  const temp = tempFolder();

  it('takes a folder in the working folder, the inbox and the outbox; the command line takes any', async () => {
    const who = await reader(temp);
    await who.list(buddy(alice));
    const made = bundleOf();
    const inside = writeRaw(path.join(who.cwd, 'deep', 'bundle'), made);
    const own = bundleOf({ from: bob, to: alice });
    mkdirSync(who.home.path('outbox'));
    const outbox = writeRaw(who.home.path('outbox', own.id), own);
    const outside = writeRaw(temp.at('outside/bundle'), made);
    const pending = who.put('pending', made);
    for (const [dir, verdict, seen] of [[inside, 'verified', 'pending'], ['deep/bundle', 'verified', 'pending'], [outbox, 'self', null], [pending, 'verified', null]] as const) {
      const { row } = await who.open({ dir });
      // A copy is not what was seen before of itself.
      assert.deepEqual([row.verdict, row.state, row.id, row.seen_before], [verdict, 'directory', verdict === 'self' ? own.id : made.id, seen], dir);
    }
    // To let all that lies around a bundle be sent is no way to read it.
    const advice = async (): Promise<string> => {
      const said = await refusal(() => who.open({ dir: outside }));
      assert.doesNotMatch(said, /send-roots add/);
      return /can not be used: a tool reads .* alone; (.*)$/.exec(said)?.[1] ?? said;
    };
    assert.equal(await advice(), 'copy the folder of the bundle into the working folder, or ask a person to look at it with gage open DIR at a terminal');
    who.write('config.json', { send_roots: [temp.folder('root')], v: 1 });
    assert.match(await advice(), /^copy the folder of the bundle into one of the send roots, or ask a person/);
    who.write('config.json', { send_roots: [], v: 1 });
    assert.match(await advice(), /^ask a person to look at it with gage open DIR/);
    rmSync(who.home.path('config.json'));
    assert.match(await refusal(() => who.open({ dir: 'nothing' })), /does not exist/);
    symlinkSync(outside, path.join(who.cwd, 'link'));
    assert.match(await refusal(() => who.open({ dir: 'link' })), /is a link/);
    // A bad entry of config.json stops nothing that needs no send root.
    writeFileSync(who.home.path('config.json'), '{"send_roots":["/"],"v":1}\n', { mode: 0o600 });
    assert.equal((await who.open({ dir: outbox })).row.verdict, 'self');
    assert.match(await refusal(() => who.open({ dir: inside })), /^send_roots of config\.json can not be used/);
    rmSync(who.home.path('config.json'));
    assert.deepEqual([(await who.verb(['open', outside])).code, (await who.verb(['verify', outside])).stdout], [0, 'verified\n']);
    assert.deepEqual(JSON.parse((await who.verb(['verify', outside, '--json'])).stdout), JSON.parse((await who.verb(['open', outside, '--json'])).stdout));
    const missing = await who.verb(['open', './nothing']);
    assert.deepEqual([missing.code, missing.stderr], [1, 'gage: the folder of the bundle can not be read: it does not exist; check the path\n']);
    writeFileSync(path.join(who.cwd, 'empty'), '');
    assert.equal((await who.verb(['open', 'empty'])).code, 3);
  });

  it('tells a folder that is called like an id from an id', async () => {
    const who = await reader(temp);
    await who.list(buddy(alice));
    const made = bundleOf();
    writeRaw(path.join(who.cwd, made.id), made);
    assert.deepEqual(JSON.parse((await who.verb(['open', made.id, '--json'])).stdout).state, 'directory');
    who.put('pending', made);
    assert.deepEqual(JSON.parse((await who.verb(['open', made.id.slice(0, 14).toUpperCase(), '--json'])).stdout).state, 'pending');
  });

  it('finds a bundle of the own outbox by its id at the command line, behind those of the inbox', async () => {
    const who = await reader(temp);
    await who.list(buddy(alice));
    const own = bundleOf({ from: bob, to: alice });
    writeRaw(who.home.path('outbox', own.id), own);
    for (const word of [own.id, own.id.slice(0, 12).toUpperCase()]) {
      const { row } = { row: JSON.parse((await who.verb(['open', word, '--json'])).stdout) };
      assert.deepEqual([row.id, row.verdict, row.state], [own.id, 'self', 'directory']);
      assert.deepEqual(await who.verb(['verify', word]), { code: 0, stdout: 'self\n', stderr: '' });
    }
    who.put('incoming', own);
    assert.equal(JSON.parse((await who.verb(['open', own.id, '--json'])).stdout).state, 'incoming');
    for (const verb of ['open', 'verify']) assert.match((await who.verb([verb, 'ab'.repeat(32)])).stderr, /no bundle of this id in the inbox or the outbox/);
    // Whatever lies in the working folder under the digits of an id, what has come is what is shown.
    const come = bundleOf({ to: mallory });
    who.put('pending', come);
    for (const word of [come.id, come.id.slice(0, 12), own.id.slice(0, 12)]) {
      writeRaw(path.join(who.cwd, word), bundleOf());
      assert.deepEqual((await who.verb(['verify', word])).stdout, word.startsWith(own.id.slice(0, 12)) ? 'self\n' : 'misdirected\n');
      assert.equal((await who.verb(['verify', `./${word}`])).stdout, 'verified\n');
    }
    writeRaw(path.join(who.cwd, 'f'.repeat(12)), bundleOf());
    assert.equal((await who.verb(['verify', 'f'.repeat(12)])).stdout, 'verified\n', 'a folder, where no bundle has that id');
    // What is accepted or rejected is what came, and a person is told of commands alone.
    for (const words of [['accept'], ['reject'], ['authority', 'show']]) {
      assert.equal((await who.verb([...words, 'ab'.repeat(32)])).stderr, 'gage: there is no bundle of this id in the inbox; gage inbox --all lists what has come\n');
    }
    const served = servedFamily(gage(), who.cwd, who.env);
    const { result } = await served.call('gage_open', { id: 'ab'.repeat(32) });
    assert.deepEqual([result.isError, result.content[0].text], [true, 'there is no bundle of this id in the inbox; gage_inbox with all lists them, and an id is given whole, all 64 digits']);
  });

  it('refuses ids that nothing has, that begin two bundles, and anything but whole ones for the tool', async () => {
    const who = await reader(temp);
    const made = bundleOf();
    who.put('pending', made);
    who.put('incoming', made, { folder: `${made.id.slice(0, 20)}${'0'.repeat(44)}` });
    for (const id of ['ab'.repeat(32), made.id.slice(0, 12), made.id.toUpperCase(), '../pending', '']) assert.match(await refusal(() => who.open({ id })), /no bundle of this id/);
    assert.match((await who.verb(['open', made.id.slice(0, 12)])).stderr, /more than one bundle begins with these digits/);
    assert.match((await who.verb(['open', '0123456789ab'])).stderr, /no bundle of this id/);
    assert.equal((await who.verb(['open', made.id.slice(0, 30)])).code, 3);
    await assert.rejects(who.open({ id: made.id, dir: '.' }), (error) => isInvalidParams(error));
  });

  it('reveals to a person at a terminal alone, and only what its sender signed', async () => {
    const signed = bundleOf({ to: mallory });
    const who = await reader(temp);
    await who.list(buddy(alice));
    const folder = who.put('pending', signed);
    const without = await who.verb(['open', signed.id, '--reveal']);
    assert.deepEqual([without.code, without.stdout], [1, '']);
    const no = await who.verb(['open', signed.id, '--reveal'], { answers: ['n'] });
    assert.deepEqual(no, { code: 1, stdout: '', stderr: 'gage: nothing was shown\n' });
    const yes = await who.verb(['open', signed.id, '--reveal'], { answers: ['y'] });
    assert.equal(yes.code, 3);
    assert.ok(yes.stdout.includes('\npayload revealed on request, in spite of: misdirected\n') && yes.stdout.includes(`| ${secret} too.`), yes.stdout);
    assert.match(await refusal(() => who.open({ id: signed.id, reveal: true })), /gage open ID --reveal/);
    // What is shown is what the question was about, whatever happens to the folder meanwhile.
    const { text } = await who.open({ id: signed.id });
    const asked = await who.verb(['open', folder, '--reveal'], { answers: [(question) => {
      assert.deepEqual(question.split('\n'), [
        ...['verdict', 'from', 'words', 'key'].flatMap((name) => text.split('\n').filter((line) => line.startsWith(name))),
        `bundle  : ${signed.id.slice(0, 12)}`, 'content : 2 items, 57 bytes', 'subject : "hello"', 'A withheld payload may be made to harm whoever reads it. Show it?',
      ]);
      writeFileSync(path.join(folder, 'items', '0001'), `${secret} TWO.\n`);
      return 'y';
    }] });
    assert.ok(asked.stdout.includes(`| ${secret} too.`) && !asked.stdout.includes('TWO'), asked.stdout);
    // Nothing is asked where nothing will be shown.
    const changed = await who.verb(['open', signed.id, '--reveal'], { answers: [] });
    assert.match(changed.stderr, /^gage: the payload is not as its sender signed it, and is never shown/);
    assert.ok(!changed.stdout.includes(secret) && changed.stdout.includes('payload withheld: item_hash, misdirected'), changed.stdout);
  });

  it('asks nothing where nothing is withheld, and takes an id of 12 digits, not of fewer', async () => {
    const signed = bundleOf();
    const who = await reader(temp);
    await who.list(buddy(alice));
    who.put('pending', signed);
    const shown = await who.verb(['open', signed.id.slice(0, 12), '--reveal'], { answers: [] });
    assert.deepEqual([shown.code, shown.stdout.includes(secret)], [0, true]);
    const few = await who.verb(['open', signed.id.slice(0, 11)]);
    assert.deepEqual([few.code, few.stderr], [1, 'gage: an id may be shortened to 12 digits, not to fewer; gage inbox lists them\n']);
  });

  it('is wrong usage with no bundle or two', async () => {
    const who = await reader(temp);
    for (const words of [['open'], ['open', 'a', 'b'], ['verify'], ['verify', 'a', 'b'], ['accept'], ['accept', 'name'], ['accept', 'ab'.repeat(32), 'x'], ['reject'], ['reject', 'x', 'y'], ['inbox', 'x'], ['inbox', '--all', '--quarantine']]) {
      await assert.rejects(who.verb(words), { name: 'UsageError' }, words.join(' '));
    }
  });

  it('refuses everything while config.json is broken, and names the key', async () => {
    const who = await reader(temp);
    who.write('config.json', { v: 1, withhold_strangers: 'yes' });
    for (const ask of [() => who.inbox(), () => who.open({ id: 'ab'.repeat(32) })]) assert.match(await refusal(ask), /config\.json.*withhold_strangers/);
  });
});
