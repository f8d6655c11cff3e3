import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { describe, it } from 'node:test';
import { loadBuddies, stateOf } from '../../../../lib/families/gage/domain/buddies/buddies.ts';
import { addBuddy, setBlocked } from '../../../../lib/families/gage/domain/buddies/edit.ts';
import { Pairings } from '../../../../lib/families/gage/domain/buddies/pairing.ts';
import type { Home } from '../../../../lib/families/gage/domain/home/home.ts';
import { isRefused } from '../../../../lib/families/gage/domain/refused.ts';
import { withLock } from '../../../../lib/store/lock.ts';
import { projectRoot } from '../../../support/project.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { homeOf, newYear, people, surroundingsAt } from '../home/people.ts';

const { alice, bob, mallory, swapped } = people;
const echoes = JSON.parse(readFileSync(path.join(projectRoot, 'spec/fixtures/gage/echo.json'), 'utf8')) as { accept: (string | string[])[]; reject: (string | string[])[] };
const failed = 'That did not complete the pairing. Nothing was added.';
const refusedWith = (text: string | RegExp) => (error: unknown): boolean => isRefused(error) && (typeof text === 'string' ? error.message === text : text.test(error.message));

describe('a pairing', () => {
  const folder = tempFolder();
  let made = 0;
  const begin = async () => {
    const home = await homeOf(folder.at(`home-${++made}`), bob);
    const clock = { now: newYear };
    const surroundings = surroundingsAt(clock);
    const pairings = new Pairings();
    const started = await pairings.start({ key: alice.token, name: 'alice' }, home, surroundings);
    const confirm = (echo: string | readonly string[], more: { readonly name?: string; readonly id?: string } = {}) =>
      pairings.confirm({ pairing_id: more.id ?? started.pairing_id, echo, ...(more.name !== undefined && { name: more.name }) }, home, surroundings);
    return { home, clock, surroundings, pairings, started, confirm };
  };
  const listOf = (home: Home): string | undefined => (existsSync(home.path('buddies.json')) ? readFileSync(home.path('buddies.json'), 'utf8') : undefined);

  it('answers the words of the token and adds nothing when it begins', async () => {
    const { home, started } = await begin();
    const { note, ...rest } = started;
    assert.deepEqual(rest, {
      pairing_id: Buffer.alloc(16, 1).toString('base64url'), word_pairs: alice.pairs, words: alice.words, name: 'alice', key: alice.key, expires_in_s: 900, added: false,
    });
    assert.match(note, /Nothing was added\. A person must compare these eight words/);
    assert.equal(listOf(home), undefined);
  });

  it('takes a name in any Unicode form, at both ends, and keeps it in one', async () => {
    const { home, pairings, surroundings } = await begin();
    const { pairing_id, name } = await pairings.start({ key: mallory.token, name: 'Zoe\u0308' }, home, surroundings);
    assert.equal(name, 'Zo\u00eb');
    assert.equal((await pairings.confirm({ pairing_id, echo: mallory.words, name: 'Zoe\u0308' }, home, surroundings)).name, 'Zo\u00eb');
    const unnamed = await pairings.start({ key: alice.token }, home, surroundings);
    assert.equal((await pairings.confirm({ pairing_id: unnamed.pairing_id, echo: alice.words, name: 'Ame\u0301lie' }, home, surroundings)).name, 'Am\u00e9lie');
  });

  it('adds the key as unconfirmed when the words come back, once', async () => {
    const { home, confirm } = await begin();
    assert.deepEqual(await confirm(alice.words), { added: true, name: 'alice', key: alice.key, state: 'unconfirmed', next: 'gage buddies confirm alice' });
    const [buddy, ...others] = loadBuddies(home).all;
    assert.ok(buddy !== undefined && others.length === 0);
    assert.deepEqual([buddy.token, buddy.addedBy, stateOf(buddy)], [alice.token, 'mcp', 'unconfirmed']);
    const before = listOf(home);
    await assert.rejects(confirm(alice.words), refusedWith(failed));
    assert.equal(listOf(home), before);
  });

  for (const echo of echoes.accept) {
    it(`takes the echo ${JSON.stringify(echo)}`, async () => assert.equal((await (await begin()).confirm(echo)).added, true));
  }

  for (const echo of echoes.reject) {
    it(`refuses the echo ${JSON.stringify(echo)} with the one text`, async () => {
      const { home, confirm } = await begin();
      await assert.rejects(confirm(echo), refusedWith(failed));
      assert.equal(listOf(home), undefined);
    });
  }

  it('is spent by the third wrong echo, and no refusal tells which one it was', async () => {
    const { home, confirm } = await begin();
    for (const echo of ['wrong', mallory.words, '', alice.words]) await assert.rejects(confirm(echo), refusedWith(failed));
    assert.equal(listOf(home), undefined);
  });

  it('succeeds at the third try', async () => {
    const { confirm } = await begin();
    for (const echo of ['wrong', 'wrong']) await assert.rejects(confirm(echo), refusedWith(failed));
    assert.equal((await confirm(alice.words)).added, true);
  });

  it('refuses an unknown id with the same text', async () => {
    const { confirm } = await begin();
    await assert.rejects(confirm(alice.words, { id: 'AAAA' }), refusedWith(failed));
  });

  it('ends after 15 minutes', async () => {
    for (const [after, ends] of [[15 * 60_000 - 1, false], [15 * 60_000, true]] as const) {
      const { clock, confirm } = await begin();
      clock.now += after;
      if (ends) await assert.rejects(confirm(alice.words), refusedWith(failed));
      else assert.equal((await confirm(alice.words)).added, true);
    }
  });

  it('is one of eight at most: a ninth drops the oldest', async () => {
    const { home, surroundings, pairings, confirm } = await begin();
    for (let count = 0; count < 7; count += 1) await pairings.start({ key: mallory.token }, home, surroundings);
    await assert.rejects(confirm('wrong'), refusedWith(failed));
    const second = await pairings.start({ key: mallory.token }, home, surroundings);
    await assert.rejects(confirm(alice.words), refusedWith(failed));
    assert.equal((await pairings.confirm({ pairing_id: second.pairing_id, echo: mallory.pairs, name: 'mal' }, home, surroundings)).added, true);
  });

  it('is known to its own session alone', async () => {
    const { home, surroundings, started } = await begin();
    await assert.rejects(new Pairings().confirm({ pairing_id: started.pairing_id, echo: alice.words }, home, surroundings), refusedWith(failed));
  });

  it('asks for a name where it began without one', async () => {
    const home = await homeOf(folder.at(`home-${++made}`), bob);
    const surroundings = surroundingsAt({ now: newYear });
    const pairings = new Pairings();
    const { pairing_id, name } = await pairings.start({ key: alice.token }, home, surroundings);
    assert.equal(name, null);
    for (let count = 0; count < 4; count += 1) await assert.rejects(pairings.confirm({ pairing_id, echo: alice.words }, home, surroundings), refusedWith(/give one as name/));
    for (let count = 0; count < 4; count += 1) await assert.rejects(pairings.confirm({ pairing_id, echo: 'wrong', name: 'a/b' }, home, surroundings), refusedWith(/the name may hold/));
    assert.equal((await pairings.confirm({ pairing_id, echo: alice.words, name: 'ally' }, home, surroundings)).name, 'ally');
  });

  it('keeps to the name it began with', async () => {
    const { confirm } = await begin();
    for (let count = 0; count < 4; count += 1) await assert.rejects(confirm(alice.words, { name: 'bob' }), refusedWith(/name is not the one/));
    assert.equal((await confirm(alice.words, { name: 'ALICE' })).name, 'alice');
  });

  it('is refused at its end where the name or the key has come on the list meanwhile', async () => {
    const first = await begin();
    await addBuddy(first.home, { token: mallory.token, name: 'Alice', by: 'cli', confirmed: false }, first.surroundings);
    await assert.rejects(first.confirm(alice.words), refusedWith(/the name "alice" is taken/));
    const second = await begin();
    await addBuddy(second.home, { token: swapped, name: 'other', by: 'cli', confirmed: false }, second.surroundings);
    await assert.rejects(second.confirm(alice.words), refusedWith(/box key changed/));
    assert.equal(loadBuddies(second.home).all.length, 1);
  });

  it('gets through once where two calls end it at the same time', async () => {
    const { home, confirm } = await begin();
    const results = await Promise.allSettled([confirm(alice.words), confirm(alice.words)]);
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal(loadBuddies(home).all.length, 1);
  });

  it('stays where the list can not be written, so that nobody has to compare again', async (t) => {
    const { home, surroundings, pairings, started, confirm } = await begin();
    const { open } = promises;
    const restore = (): void => {
      promises.open = open;
      syncBuiltinESMExports();
    };
    t.after(restore);
    // A full disk: a file can be made, but no byte be written.
    promises.open = (async (...args: Parameters<typeof open>) => {
      const handle = await open(...args);
      if (args[1] === 'wx') handle.writeFile = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }));
      return handle;
    }) as typeof open;
    syncBuiltinESMExports();
    for (let count = 0; count < 4; count += 1) {
      const results = await Promise.allSettled([confirm(alice.words), confirm(alice.words)]);
      const messages = results.map((result) => (result.status === 'rejected' ? String(result.reason.message) : 'added'));
      assert.match(messages[0] ?? '', /^buddies\.json in the gage home can not be written: no space/);
      assert.equal(messages[1], failed);
    }
    restore();
    assert.equal(listOf(home), undefined);
    assert.equal((await pairings.confirm({ pairing_id: started.pairing_id, echo: alice.words }, home, surroundings)).added, true);
    await assert.rejects(confirm(alice.words), refusedWith(failed));
  });

  it('stays while another process holds the lock of the list', async () => {
    const { home, confirm } = await begin();
    await withLock(home.path('buddies.json.lock'), () => assert.rejects(confirm(alice.words), refusedWith(/holds its lock buddies\.json\.lock/)));
    assert.equal((await confirm(alice.words)).added, true);
  });

  for (const [what, key, text] of [
    ['what is no token', 'abc', /key is no gage token \(format\)/],
    ['a token whose signing key is a point of small order', `${Buffer.concat([Buffer.of(1), Buffer.alloc(31)]).toString('base64')}${alice.token.slice(44)}`, /key is no gage token \(/],
    ['our own token', bob.token, /key of this home itself/],
    ['our own signing key with another box key', `${bob.key}${alice.token.slice(44)}`, /key of this home itself/],
    ['a listed key', mallory.token, /on the list already/],
    ['a blocked key', alice.token, /that key is blocked/],
  ] as const) {
    it(`can not begin with ${what}`, async () => {
      const home = await homeOf(folder.at(`home-${++made}`), bob);
      const surroundings = surroundingsAt({ now: newYear });
      await addBuddy(home, { token: mallory.token, name: 'mal', by: 'cli', confirmed: false }, surroundings);
      await addBuddy(home, { token: alice.token, name: 'al', by: 'cli', confirmed: false }, surroundings);
      await setBlocked(home, 'al', true);
      await assert.rejects(new Pairings().start({ key, name: 'new' }, home, surroundings), refusedWith(text));
    });
  }

  it('can not begin with a name that is taken', async () => {
    const { home, pairings, surroundings, confirm } = await begin();
    await confirm(alice.words);
    await assert.rejects(pairings.start({ key: mallory.token, name: 'Alice' }, home, surroundings), refusedWith(/is taken/));
  });
});
