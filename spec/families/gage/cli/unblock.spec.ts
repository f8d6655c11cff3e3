import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isBlockAlone } from '../../../../lib/families/gage/domain/buddies/block-sender.ts';
import { loadBuddies } from '../../../../lib/families/gage/domain/buddies/buddies.ts';
import { cli } from '../../../../lib/families/gage/cli.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { alice, buddy, bundleOf, mallory, reader, secret, type Reader } from '../verdict/kit.ts';

const numbered = (index: number) => bundleOf({ from: mallory, manifest: { subject: `number ${index}` } });

describe('gage: undoing a block', () => {
  const temp = tempFolder();

  /** Rejects a bundle of mallory's with --block; returns the name that the key is blocked under. */
  const blockMallory = async (who: Reader): Promise<string> => {
    who.put('pending', numbered(1));
    return JSON.parse((await who.verb(['reject', numbered(1).id, '--block', '--json'])).stdout).blocked;
  };
  const stateOfMallory = async (who: Reader): Promise<unknown[]> => {
    const { row, text } = await who.open({ id: numbered(2).id });
    return [row.verdict, row.on_your_list, row.payload_withheld, text.includes(secret)];
  };

  it('takes a key that was never listed off the list again, so that it is a stranger as before', async () => {
    const who = await reader(temp);
    who.write('config.json', { v: 1, withhold_strangers: true });
    who.put('incoming', numbered(2));
    const before = await stateOfMallory(who);
    assert.deepEqual(before, ['not_listed', false, true, false]);
    const name = await blockMallory(who);
    assert.equal((await stateOfMallory(who))[0], 'blocked');
    assert.equal((await who.verb(['buddies', 'unblock', name], { answers: ['n'] })).code, 1);
    const asked: string[] = [];
    const stream = { isTTY: false, columns: undefined, write: () => {} };
    const prompt = { present: true, askLine: async () => '', askYesNo: async (question: string) => (asked.push(question), true) };
    const terminal = { env: who.env, cwd: who.cwd, now: () => 0, random: (size: number) => new Uint8Array(size), signal: new AbortController().signal, stdin: { isTTY: true, read: async () => new Uint8Array() } };
    const written: string[] = [];
    assert.equal(await cli.verbs['buddies']?.run(['unblock', name, '--json'], { ...terminal, stdout: { ...stream, write: (text) => void written.push(text) }, stderr: stream, prompt }), 0);
    assert.deepEqual(asked, [`"${name}" was never on your list. Take its bundles again, as those of a stranger, and its entry away?`]);
    assert.equal(JSON.parse(written.join('')).state, 'removed');
    assert.deepEqual(loadBuddies(who.home).all, []);
    assert.deepEqual(await stateOfMallory(who), before);
  });

  it('is told by a name that can not be changed while the key is blocked', async () => {
    const who = await reader(temp);
    const name = await blockMallory(who);
    const run = await who.verb(['buddies', 'rename', name, 'mal']);
    assert.deepEqual([run.code, run.stdout], [1, '']);
    assert.match(run.stderr, /was never on the list and has no name of its own/);
    assert.equal((await who.verb(['buddies', 'unblock', name.toUpperCase()], { answers: ['y'] })).stdout, `${name}\tremoved\n`);
  });

  it('holds for the other name too, which a key gets where the usual one is taken', async () => {
    const who = await reader(temp);
    const usual = await blockMallory(who);
    await who.list(buddy(alice, { name: usual }));
    const name = await blockMallory(who);
    assert.notEqual(name, usual);
    assert.equal((await who.verb(['buddies', 'unblock', name], { answers: ['y'] })).stdout, `${name}\tremoved\n`);
    // The one whose name it is was put on the list by a person, and stays.
    await who.verb(['buddies', 'block', usual]);
    assert.equal((await who.verb(['buddies', 'unblock', usual], { answers: ['y'] })).stdout, `${usual}\tconfirmed\n`);
  });

  it('leaves a key on the list that was there before its block, confirmed or not', async () => {
    for (const [confirmed, state] of [[mallory.token, 'confirmed'], [null, 'unconfirmed']] as const) {
      const who = await reader(temp);
      await who.list(buddy(mallory, { confirmed }));
      assert.equal(await blockMallory(who), 'mallory');
      assert.equal((await who.verb(['buddies', 'unblock', 'mallory'], { answers: ['y'] })).stdout, `mallory\t${state}\n`);
    }
  });

  it('is not taken for a block alone what a tool added, what was compared, and what is not blocked', async () => {
    const who = await reader(temp);
    const name = await blockMallory(who);
    const entry = buddy(mallory, { name, state: 'blocked', confirmed: null });
    assert.ok(isBlockAlone(entry));
    for (const other of [{ ...entry, addedBy: 'mcp' as const }, { ...entry, state: 'listed' as const }, buddy(mallory, { name, state: 'blocked' }), { ...entry, name: 'x' }, { ...buddy(alice, { name, state: 'blocked', confirmed: null }) }]) assert.ok(!isBlockAlone(other));
  });
});
