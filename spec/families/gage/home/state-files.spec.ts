import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { changeBuddies, loadBuddies } from '../../../../lib/families/gage/domain/buddies/buddies.ts';
import { grantFor, loadGrants } from '../../../../lib/families/gage/domain/home/authority.ts';
import { changeConfig, loadConfig } from '../../../../lib/families/gage/domain/home/config.ts';
import { openHome } from '../../../../lib/families/gage/domain/home/home.ts';
import type { Home } from '../../../../lib/families/gage/domain/home/home.ts';
import { changeRoutes, loadRoutes, routeTo } from '../../../../lib/families/gage/domain/home/routes.ts';
import { isRefused } from '../../../../lib/families/gage/domain/refused.ts';
import { withLock } from '../../../../lib/store/lock.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { asNobody } from '../world.ts';
import { newYear, people } from './people.ts';

const { alice, bob, mallory } = people;
const refusedWith = (text: RegExp) => (error: unknown): boolean => isRefused(error) && text.test(error.message);
const posixOnly = { skip: process.platform === 'win32' };

const at = '2026-01-01T00:00:00Z';
const buddy = { added_at: at, added_by: 'cli', confirmed: null, name: 'alice', state: 'listed', token: alice.token };
const buddies = (...list: readonly unknown[]): unknown => ({ buddies: list, v: 1 });
const routes = (...list: readonly unknown[]): unknown => ({ routes: list, v: 1 });
const grants = (...list: readonly unknown[]): unknown => ({ grants: list, v: 1 });

const readers: Readonly<Record<string, (home: Home) => unknown>> = {
  'buddies.json': loadBuddies, 'config.json': loadConfig, 'routes.json': loadRoutes, 'authority.json': loadGrants,
};

describe('the state files of a home', () => {
  const folder = tempFolder();
  let made = 0;
  const freshHome = (files: Readonly<Record<string, string | Uint8Array>> = {}): Home => {
    const root = folder.folder(`home-${++made}`);
    for (const [name, text] of Object.entries(files)) writeFileSync(`${root}/${name}`, text);
    return openHome({ GAGE_HOME: root });
  };

  it('mean an empty list or the defaults where they are missing', () => {
    const home = freshHome();
    assert.deepEqual(loadBuddies(home).all, []);
    assert.deepEqual(loadRoutes(home), []);
    assert.deepEqual(loadGrants(home), []);
    assert.deepEqual(loadConfig(home), { pushNeedsConfirmed: false, relay: undefined, sendRoots: undefined, withholdStrangers: false });
    assert.deepEqual(loadConfig(openHome({ GAGE_HOME: folder.at('nowhere') })).sendRoots, undefined);
  });

  for (const [name, value, place] of [
    ['buddies.json', [], 'must be an object, got a list'],
    ['buddies.json', { buddies: [] }, '/v is required: write "v":1'],
    ['buddies.json', { buddies: [], v: 2 }, '/v must be 1'],
    ['buddies.json', { v: 1 }, 'buddies'],
    ['buddies.json', { buddies: [], v: 1, extra: 1 }, 'extra'],
    ['buddies.json', buddies(buddy, { ...buddy, name: 'bob', token: bob.token, trusted: true }), '/buddies/1/trusted'],
    ['buddies.json', buddies({ ...buddy, token: alice.token.slice(0, 88) }), '/buddies/0/token must be a gage token'],
    ['buddies.json', buddies({ ...buddy, token: `${'A'.repeat(43)}=${alice.token.slice(44)}` }), '/buddies/0/token must be a gage token'],
    ['buddies.json', buddies({ ...buddy, name: 'al\u0131ce\u200b' }), '/buddies/0/name may hold letters'],
    ['buddies.json', buddies({ ...buddy, name: '\u0430lice' }), '/buddies/0/name mixes letters'],
    ['buddies.json', buddies(buddy, { ...buddy, name: 'ALICE', token: bob.token }), '/buddies/1/name is the name of another buddy too'],
    ['buddies.json', buddies(buddy, { ...buddy, name: 'bob', token: people.swapped }), '/buddies/1/token has the signing key of another buddy'],
    ['buddies.json', buddies({ ...buddy, state: 'confirmed' }), '/buddies/0/state'],
    ['buddies.json', buddies({ ...buddy, confirmed: true }), '/buddies/0/confirmed'],
    ['buddies.json', buddies({ ...buddy, confirmed: { at, token_sha256: 'AB' } }), '/buddies/0/confirmed/token_sha256'],
    ['buddies.json', buddies({ ...buddy, confirmed: { at: '2026-02-30T00:00:00Z', token_sha256: '0'.repeat(64) } }), '/buddies/0/confirmed/at'],
    ['buddies.json', buddies({ ...buddy, added_at: 'yesterday' }), '/buddies/0/added_at'],
    ['config.json', { v: 1, relais: 'https://relay.example' }, 'relais'],
    ['config.json', { v: 1, relay: 5 }, '/relay must be a string'],
    ['config.json', { v: 1, relay: 'http://relay.example' }, '/relay: '],
    ['config.json', { v: 1, relay: 'https://relay.example/' }, '/relay: it must be https://relay.example;'],
    ['config.json', { v: 1, push_needs_confirmed: 'yes' }, '/push_needs_confirmed'],
    ['config.json', { v: 1, withhold_strangers: 1 }, '/withhold_strangers'],
    ['config.json', { v: 1, send_roots: ['/a', 'work'] }, '/send_roots/1 must be an absolute path'],
    ['config.json', { v: 1, send_roots: ['/a/../b'] }, '/send_roots/0 must be an absolute path'],
    ['config.json', null, 'must be an object, got null'],
    ['routes.json', routes({ key: 'x', path: '/in' }), '/routes/0/key'],
    ['routes.json', routes({ key: alice.key, path: 'in' }), '/routes/0/path'],
    ['routes.json', routes({ key: alice.key, path: '/a' }, { key: alice.key, path: '/b' }), '/routes/1/key has a route already'],
    ['routes.json', routes({ key: alice.key }), '/routes/0'],
    ['authority.json', grants({ key: 'x', types: ['note'] }), '/grants/0/key'],
    ['authority.json', grants({ key: alice.key, types: ['Note'] }), '/grants/0/types/0'],
    ['authority.json', grants({ key: alice.key, types: [] }), '/grants/0/types'],
    ['authority.json', grants({ key: alice.key, types: ['note'], expires_at: '2026-13-01T00:00:00Z' }), '/grants/0/expires_at'],
  ] as const) {
    it(`refuse ${name} that holds ${JSON.stringify(value).slice(0, 150)} and name the place`, () => {
      const home = freshHome({ [name]: JSON.stringify(value) });
      assert.throws(() => readers[name]?.(home), (error) => {
        assert.ok(isRefused(error));
        assert.ok(error.message.startsWith(`${name} in the gage home can not be used: `), error.message);
        assert.ok(error.message.includes(place), error.message);
        return true;
      });
    });
  }

  for (const name of Object.keys(readers)) {
    for (const [what, text, reason] of [
      ['is empty', '', 'it is not JSON'],
      ['was cut off', '{"v":1', 'it is not JSON'],
      ['is not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'it is not UTF-8'],
      ['holds a key twice', '{"v":1,"v":1}', 'a key stands twice in it'],
      ['holds a key twice, once escaped', '{"v":1,"\\u0076":1}', 'a key stands twice in it'],
      ['nests deeper than a stack', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'the value must be an object'],
    ] as const) {
      it(`refuse ${name} that ${what}, never taking it for a missing one`, () => {
        assert.throws(() => readers[name]?.(freshHome({ [name]: text })), refusedWith(new RegExp(`^${name}.*${reason}`)));
      });
    }

    it(`refuse ${name} that group or others may write`, posixOnly, () => {
      const home = freshHome({ [name]: '{"v":1}' });
      for (const mode of [0o620, 0o602]) {
        chmodSync(home.path(name), mode);
        assert.throws(() => readers[name]?.(home), refusedWith(new RegExp(`^${name} in the gage home can be written by others \\(mode ${mode.toString(8)}\\)`)));
      }
    });

    it(`refuse ${name} that belongs to another user`, { skip: process.getuid?.() === 0 ? false : 'only root can give a file away' }, () => {
      const home = freshHome({ [name]: '{"v":1}' });
      chownSync(home.path(name), 54_321, 54_321);
      assert.throws(() => readers[name]?.(home), refusedWith(new RegExp(`^${name} in the gage home belongs to another user, who can change it`)));
    });

    it(`refuse ${name} without its version, and say what to write`, () => {
      assert.throws(() => readers[name]?.(freshHome({ [name]: '{}' })), refusedWith(/\/v is required: write "v":1 beside the other keys/));
      assert.throws(() => readers[name]?.(freshHome({ [name]: '{"v":2}' })), refusedWith(/\/v must be 1/));
    });

    it(`refuse ${name} that is closed to us, a link, a folder, a FIFO or too big`, posixOnly, () => {
      const home = freshHome();
      writeFileSync(home.path(name), '', { mode: 0o000 });
      asNobody(() => assert.throws(() => readers[name]?.(home), refusedWith(new RegExp(`^${name} in the gage home can not be read: permission denied; where it belongs to another user, take it back with chown$`))));
      rmSync(home.path(name));
      symlinkSync('/etc/hostname', home.path(name));
      assert.throws(() => readers[name]?.(home), refusedWith(/it is a symbolic link/));
      rmSync(home.path(name));
      mkdirSync(home.path(name));
      assert.throws(() => readers[name]?.(home), refusedWith(/is no regular file/));
      rmSync(home.path(name), { recursive: true });
      execFileSync('mkfifo', ['-m', '600', home.path(name)]);
      assert.throws(() => readers[name]?.(home), refusedWith(/is no regular file/));
      rmSync(home.path(name));
      writeFileSync(home.path(name), Buffer.alloc(9 * 1024 * 1024));
      assert.throws(() => readers[name]?.(home), refusedWith(/is larger than \d+ KiB/));
    });
  }

  it('may be laid out by hand in any way', () => {
    const home = freshHome({ 'config.json': '{\n  "withhold_strangers": true, "v": 1,\n "send_roots": ["/srv/a:b"], "relay": "http://127.0.0.1:8080" }\n\n' });
    assert.deepEqual(loadConfig(home), { pushNeedsConfirmed: false, relay: 'http://127.0.0.1:8080', sendRoots: ['/srv/a:b'], withholdStrangers: true });
  });

  it('are written in canonical JSON, for the eyes of their owner alone', posixOnly, async () => {
    const home = freshHome();
    const changed = await changeConfig(home, (config) => ({ ...config, sendRoots: ['/b', '/a'], relay: 'https://relay.example', pushNeedsConfirmed: true, withholdStrangers: true }));
    assert.equal(readFileSync(home.path('config.json'), 'utf8'), '{"push_needs_confirmed":true,"relay":"https://relay.example","send_roots":["/b","/a"],"v":1,"withhold_strangers":true}\n');
    assert.equal(statSync(home.path('config.json')).mode & 0o777, 0o600);
    assert.deepEqual(loadConfig(home), changed);
    await changeConfig(home, () => ({ pushNeedsConfirmed: false, relay: undefined, sendRoots: undefined, withholdStrangers: false }));
    assert.equal(readFileSync(home.path('config.json'), 'utf8'), '{"v":1}\n');
    await changeRoutes(home, (all) => [...all, { key: bob.key, path: '/srv/in' }]);
    assert.equal(readFileSync(home.path('routes.json'), 'utf8'), `{"routes":[{"key":"${bob.key}","path":"/srv/in"}],"v":1}\n`);
    assert.equal(routeTo(home, bob.key), '/srv/in');
    assert.equal(routeTo(home, alice.key), undefined);
  });

  it('are not touched by a change that changes nothing', async () => {
    const home = freshHome({ 'config.json': '{ "v": 1 }', 'routes.json': '{ "v": 1, "routes": [] }', 'buddies.json': '{ "v": 1, "buddies": [] }' });
    await changeConfig(home, (config) => config);
    await changeRoutes(home, (all) => all);
    assert.equal(await changeBuddies(home, ({ all }) => ({ result: all.length })), 0);
    for (const name of ['config.json', 'routes.json', 'buddies.json']) assert.match(readFileSync(home.path(name), 'utf8'), /^\{ "v": 1/);
  });

  for (const [what, change, text] of [
    ['a broken file is changed', (home: Home) => changeBuddies(home, () => ({ next: [], result: 0 })), /^buddies\.json .* can not be used/],
    ['a content is written that could not be read again', (home: Home) => changeConfig(home, (config) => ({ ...config, sendRoots: ['relative'] })), /^config\.json .* can not hold that: \/send_roots\/0 must/],
    ['one entry too many is added', (home: Home) => changeRoutes(home, () => Array.from({ length: 1_001 }, () => ({ key: alice.key, path: '/x' }))), /^routes\.json .* can not hold that: \/routes/],
  ] as const) {
    it(`keep their bytes and say why when ${what}`, async () => {
      const before = { 'buddies.json': '{"buddies":[{}],"v":1}', 'config.json': '{"v":1}', 'routes.json': '{"routes":[],"v":1}' };
      const home = freshHome(before);
      await assert.rejects(change(home), refusedWith(text));
      for (const [name, bytes] of Object.entries(before)) assert.equal(readFileSync(home.path(name), 'utf8'), bytes);
    });
  }

  it('name gage init when there is no home to write into, and make none', async () => {
    const home = openHome({ GAGE_HOME: folder.at('none') });
    await assert.rejects(changeConfig(home, (config) => ({ ...config })), refusedWith(/gage init HANDLE/));
    assert.throws(() => statSync(home.root), { code: 'ENOENT' });
  });

  it('name what holds their lock', async () => {
    const foreign = freshHome({ 'config.json.lock': 'left by something else' });
    const own = freshHome();
    // Both at once, since each waits for five seconds.
    await Promise.all([
      assert.rejects(changeConfig(foreign, (config) => ({ ...config })), refusedWith(/config\.json\.lock is no lock of ours: delete it/)),
      withLock(own.path('config.json.lock'), () =>
        assert.rejects(changeConfig(own, (config) => ({ ...config })), refusedWith(new RegExp(`process ${process.pid} holds its lock config\\.json\\.lock`)))),
    ]);
  });

  it('say why where they can not be written', async () => {
    const home = freshHome();
    mkdirSync(home.path('config.json'));
    await assert.rejects(changeConfig({ ...home, path: (...parts) => home.path('config.json', 'x'.repeat(300), ...parts) }, (config) => config), refusedWith(/the name is too long/));
  });

  it('let a bug through as what it is', async () => {
    await assert.rejects(changeConfig(freshHome(), () => { throw new RangeError('a bug'); }), RangeError);
  });

  describe('with grants', () => {
    const home = freshHome({ 'authority.json': JSON.stringify(grants({ key: alice.key, types: ['review-request', 'note'], expires_at: at }, { key: bob.key, types: ['note'] })) });
    for (const [what, asked, authorised] of [
      ['a type until a second before it ends', { key: alice.key, type: 'note', now: newYear - 1 }, true],
      ['no type from the moment on at which it ends', { key: alice.key, type: 'note', now: newYear }, false],
      ['a type without an end for good', { key: bob.key, type: 'note', now: newYear * 2 }, true],
      ['no other type', { key: bob.key, type: 'review-request', now: 0 }, false],
      ['no other key', { key: mallory.key, type: 'note', now: 0 }, false],
    ] as const) {
      it(`cover ${what}`, () => assert.deepEqual(grantFor(home, asked), { authorised }));
    }

    it('cover nothing in a file that is broken or that others may write, and say so', posixOnly, () => {
      const asked = { key: bob.key, type: 'note', now: 0 };
      chmodSync(home.path('authority.json'), 0o622);
      assert.deepEqual(grantFor(home, asked), { authorised: false, reason: 'authority_unreadable' });
      writeFileSync(home.path('authority.json'), '{');
      chmodSync(home.path('authority.json'), 0o600);
      assert.deepEqual(grantFor(home, asked), { authorised: false, reason: 'authority_unreadable' });
    });
  });
});
