import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { loadBuddies, stateOf } from '../../../../lib/families/gage/domain/buddies/buddies.ts';
import { addBuddy, setBlocked } from '../../../../lib/families/gage/domain/buddies/edit.ts';
import type { Home } from '../../../../lib/families/gage/domain/home/home.ts';
import { cli } from '../../../../lib/families/gage/cli.ts';
import { isUsageError } from '../../../../lib/terminal/usage-error.ts';
import { runVerbOf } from '../../../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { homeOf, newYear, people, surroundingsAt } from '../home/people.ts';

const { alice, bob, mallory, swapped } = people;

describe('the commands for buddies', () => {
  const folder = tempFolder();
  let made = 0;
  const bobsHome = (): Promise<Home> => homeOf(folder.at(`home-${++made}`), bob);
  const withAlice = async (): Promise<Home> => {
    const home = await bobsHome();
    await addBuddy(home, { token: alice.token, name: 'alice', by: 'mcp', confirmed: false }, surroundingsAt({ now: newYear }));
    return home;
  };
  const run = (home: Home, words: readonly string[], answers?: readonly string[]) =>
    runVerbOf(cli, words, { cwd: folder.root, env: { GAGE_HOME: home.root }, now: () => newYear, ...(answers !== undefined && { answers }) });
  const stateIn = (home: Home): string[] => loadBuddies(home).all.map((buddy) => `${buddy.name} ${stateOf(buddy)}`);

  for (const [what, answers, code, list] of [
    ['the eight words', [alice.words], 0, ['ally confirmed']],
    ['the eight words in capitals, at the third try', ['no', mallory.words, alice.pairs.join(', ').toUpperCase()], 0, ['ally confirmed']],
    ['Enter alone', [''], 0, ['ally unconfirmed']],
    ['Enter after a wrong try', ['no', ''], 0, ['ally unconfirmed']],
    ['three wrong tries', ['no', 'no', 'no', alice.words], 1, []],
    ['seven of the eight words', Array<string>(3).fill(alice.words.slice(0, alice.words.lastIndexOf(' '))), 1, []],
    ['an input that ends', ['no'], 1, []],
    ['no terminal', undefined, 1, []],
  ] as const) {
    it(`pair, answered with ${what}, leaves ${JSON.stringify(list)}`, async () => {
      const home = await bobsHome();
      const result = await run(home, ['pair', alice.token, 'ally'], answers);
      assert.equal(result.code, code);
      assert.deepEqual(stateIn(home), list);
      assert.equal(result.stdout, list.map((line) => `${line.replace(' ', '\t')}\n`).join(''));
      for (const word of alice.pairs) assert.ok(!`${result.stdout}${result.stderr}`.includes(word), 'it must not show the words');
      if (list[0] === 'ally unconfirmed') assert.match(result.stderr, /gage buddies confirm ally\n/);
    });
  }

  it('pair and rename keep a name in one Unicode form, whatever a keyboard makes', async () => {
    const home = await bobsHome();
    assert.equal((await run(home, ['pair', alice.token, 'Zoe\u0308'], [''])).stdout, 'Zo\u00eb\tunconfirmed\n');
    assert.equal((await run(home, ['buddies', 'rename', 'zoe\u0308', 'Ame\u0301lie'])).stdout, 'Am\u00e9lie\tunconfirmed\n');
    assert.deepEqual(stateIn(home), ['Am\u00e9lie unconfirmed']);
  });

  for (const [what, words, text] of [
    ['our own key', [bob.token, 'me'], /key of this home itself/],
    ['a listed key', [alice.token, 'other'], /on the list already/],
    ['a key with another box key', [swapped, 'other'], /box key changed/],
    ['a name that is taken', [mallory.token, 'Alice'], /is taken/],
    ['a name that is bad', [mallory.token, 'a\u202eb'], /the name may hold/],
  ] as const) {
    it(`pair refuses ${what} before it asks anybody`, async () => {
      const home = await withAlice();
      const { code, stderr } = await run(home, ['pair', ...words], []);
      assert.equal(code, 1);
      assert.match(stderr, text);
      assert.deepEqual(stateIn(home), ['alice unconfirmed']);
    });
  }

  for (const [what, answers, code, state] of [
    ['right', [alice.words], 0, 'confirmed'],
    ['right at the third try', ['x', 'y', alice.words], 0, 'confirmed'],
    ['wrong three times', ['x', 'y', 'z'], 1, 'unconfirmed'],
    ['Enter alone', [''], 1, 'unconfirmed'],
    ['no terminal to ask on', undefined, 1, 'unconfirmed'],
  ] as const) {
    it(`buddies confirm, ${what}, leaves the buddy ${state}`, async () => {
      const home = await withAlice();
      const result = await run(home, ['buddies', 'confirm', 'Alice'], answers);
      assert.equal(result.code, code);
      assert.deepEqual(stateIn(home), [`alice ${state}`]);
      assert.equal(result.stdout, code === 0 ? 'alice\tconfirmed\n' : '');
      assert.ok(!result.stderr.includes(alice.pairs[0] as string));
    });
  }

  it('buddies confirm asks nobody about one who is confirmed, and refuses one who is blocked', async () => {
    const home = await withAlice();
    await run(home, ['buddies', 'confirm', 'alice'], [alice.words]);
    assert.deepEqual(await run(home, ['buddies', 'confirm', 'alice']), { code: 0, stdout: 'alice\tconfirmed\n', stderr: '' });
    await setBlocked(home, 'alice', true);
    const { code, stderr } = await run(home, ['buddies', 'confirm', 'alice'], [alice.words]);
    assert.equal(code, 1);
    assert.match(stderr, /gage buddies unblock alice comes first/);
  });

  it('buddies shows the list as a table, and as gage_buddies has it', async () => {
    const home = await withAlice();
    const table = await run(home, ['buddies']);
    assert.equal(table.code, 0);
    assert.deepEqual(table.stdout.split('\n').map((line) => line.split(/ {2,}/)), [
      ['name', 'state', 'label', 'unread', 'added'], ['alice', 'unconfirmed', alice.label, '0', '2026-01-01T00:00:00Z'], [''],
    ]);
    const json = JSON.parse((await run(home, ['buddies', 'list', '--json'])).stdout);
    assert.deepEqual([json.total, json.buddies[0].token, json.buddies[0].unread], [1, alice.token, 0]);
  });

  it('buddies quotes names of several words, so that none passes for a row', async () => {
    const home = await bobsHome();
    await addBuddy(home, { token: alice.token, name: 'alice confirmed', by: 'mcp', confirmed: false }, surroundingsAt({ now: newYear }));
    const { stdout } = await run(home, ['buddies']);
    assert.match(stdout, /^"alice confirmed" +unconfirmed /m);
  });

  it('buddies says on stderr alone that nobody is on the list', async () => {
    assert.deepEqual(await run(await bobsHome(), ['buddies']), { code: 0, stdout: '', stderr: 'Nobody is on the list yet: gage pair TOKEN NAME\n' });
  });

  it('buddies renames, blocks, unblocks and removes, the last two after a yes', async () => {
    const home = await withAlice();
    assert.equal((await run(home, ['buddies', 'rename', 'alice', 'ally'])).stdout, 'ally\tunconfirmed\n');
    assert.deepEqual(JSON.parse((await run(home, ['buddies', 'block', 'ally', '--json'])).stdout), { name: 'ally', key: alice.key, state: 'blocked' });
    for (const answers of [undefined, ['no'], ['']]) {
      assert.equal((await run(home, ['buddies', 'unblock', 'ally'], answers)).code, 1);
      assert.equal((await run(home, ['buddies', 'remove', 'ally'], answers)).code, 1);
      assert.deepEqual(stateIn(home), ['ally blocked']);
    }
    assert.equal((await run(home, ['buddies', 'unblock', 'ally'], ['y'])).stdout, 'ally\tunconfirmed\n');
    assert.equal((await run(home, ['buddies', 'remove', 'ally'], ['yes'])).stdout, 'ally\tremoved\n');
    assert.deepEqual(stateIn(home), []);
  });

  for (const verb of ['unblock', 'remove']) it(`buddies ${verb} forgets that bundles of the key were refused, and leaves what a person refused`, async () => {
    const home = await withAlice();
    await setBlocked(home, 'alice', true);
    mkdirSync(home.path('inbox', 'rejected'), { recursive: true });
    const stones = [['1', alice.key, 'blocked'], ['2', mallory.key, 'blocked'], ['3', alice.key, 'person']] as const;
    for (const [digit, key, why] of stones) writeFileSync(home.path('inbox', 'rejected', `${digit.repeat(64)}.json`), `{"at":"2026-01-01T00:00:00Z","from_key":"${key}","why":"${why}"}\n`);
    await run(home, ['buddies', verb, 'alice'], ['y']);
    assert.deepEqual(stones.map(([digit]) => existsSync(home.path('inbox', 'rejected', `${digit.repeat(64)}.json`))), [false, true, true]);
  });

  it('buddies refuses a name that is not on the list, and leaves a broken list alone', async () => {
    const home = await withAlice();
    for (const words of [['confirm', 'x'], ['block', 'x'], ['unblock', 'x'], ['remove', 'x'], ['rename', 'x', 'y']]) {
      const { code, stderr } = await run(home, ['buddies', ...words], ['y']);
      assert.deepEqual([code, stderr], [1, 'gage: nobody of that name or token is on the list: gage buddies shows who is\n']);
    }
    writeFileSync(home.path('buddies.json'), '{"buddies":[{}],"v":1}');
    for (const words of [['buddies'], ['buddies', 'block', 'alice'], ['pair', mallory.token, 'mal']]) {
      const { code, stdout, stderr } = await run(home, words, [mallory.words]);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /buddies\.json in the gage home can not be used: \/buddies\/0/);
    }
    assert.equal(readFileSync(home.path('buddies.json'), 'utf8'), '{"buddies":[{}],"v":1}');
  });

  for (const words of [
    ['pair'], ['pair', alice.token], ['pair', alice.token, 'a', 'b'], ['pair', 'no token', 'a'], ['buddies', 'list', 'all'], ['buddies', 'confrim', 'alice'],
    ['buddies', 'confirm'], ['buddies', 'rename', 'alice'], ['buddies', 'block', 'a', 'b'], ['buddies', 'toString', 'a'],
  ]) {
    it(`takes ${JSON.stringify(words.map((word) => word.slice(0, 12)))} for wrong usage`, async () => {
      await assert.rejects(run(await bobsHome(), words, []), isUsageError);
    });
  }
});
