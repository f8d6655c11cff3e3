import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { addBuddy, removeBuddy, setBlocked } from '../../../../lib/families/gage/domain/buddies/edit.ts';
import { buildBundle } from '../../../../lib/families/gage/domain/bundle/build.ts';
import { writeBundleFolder } from '../../../../lib/families/gage/domain/bundle/folder.ts';
import { loadConfig } from '../../../../lib/families/gage/domain/home/config.ts';
import type { Home } from '../../../../lib/families/gage/domain/home/home.ts';
import { loadRoutes } from '../../../../lib/families/gage/domain/home/routes.ts';
import { loadIdentity } from '../../../../lib/families/gage/domain/identity/identity-file.ts';
import { cli } from '../../../../lib/families/gage/cli.ts';
import { isUsageError } from '../../../../lib/terminal/usage-error.ts';
import { runVerbOf } from '../../../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { homeOf, newYear, people, surroundingsAt } from '../home/people.ts';

const { alice, bob, mallory } = people;

describe('the commands for settings', () => {
  const folder = tempFolder();
  let made = 0;
  const withAlice = async (): Promise<Home> => {
    const home = await homeOf(folder.at(`home-${++made}`), bob);
    await addBuddy(home, { token: alice.token, name: 'alice', by: 'cli', confirmed: true }, surroundingsAt({ now: newYear }));
    return home;
  };
  const run = (home: Home, words: readonly string[]) => runVerbOf(cli, words, { cwd: folder.root, env: { GAGE_HOME: home.root }, now: () => newYear });

  it('route adds, replaces, lists and removes', async () => {
    const home = await withAlice();
    const [first, second] = [folder.folder('in'), folder.folder('other')];
    assert.deepEqual(await run(home, ['route', 'add', 'ALICE', 'in']), { code: 0, stdout: `alice  ${first}\n`, stderr: '' });
    assert.deepEqual(await run(home, ['route', 'add', alice.token, second]), { code: 0, stdout: `alice  ${second}\n`, stderr: '' });
    assert.deepEqual(loadRoutes(home), [{ key: alice.key, path: second }]);
    assert.deepEqual(JSON.parse((await run(home, ['route', 'list', '--json'])).stdout), { routes: [{ to_name: 'alice', key: alice.key, path: second }], total: 1 });
    assert.deepEqual(await run(home, ['route', 'remove', 'alice']), { code: 0, stdout: '', stderr: '' });
    assert.deepEqual(loadRoutes(home), []);
  });

  it('route takes a folder by its real path, so that a link changed later leads nowhere else', async () => {
    const home = await withAlice();
    const real = folder.folder('real');
    symlinkSync(real, folder.at('link'));
    await run(home, ['route', 'add', 'alice', 'link']);
    assert.deepEqual(loadRoutes(home), [{ key: alice.key, path: real }]);
  });

  it('route can be removed by key when its buddy is gone', async () => {
    const home = await withAlice();
    await run(home, ['route', 'add', 'alice', folder.folder('gone')]);
    await removeBuddy(home, 'alice');
    assert.equal((await run(home, ['route'])).stdout, `${alice.key}  ${folder.at('gone')}\n`);
    assert.equal((await run(home, ['route', 'remove', alice.key])).code, 0);
    assert.deepEqual(loadRoutes(home), []);
  });

  for (const [what, words, text] of [
    ['somebody who is not on the list', ['route', 'add', 'mallory', '.'], /nobody of that name/],
    ['a folder that is not there', ['route', 'add', 'alice', 'nowhere'], /nowhere" can not be used: it does not exist; .*mkdir -p \/\S*\/nowhere$/m],
    ['a folder that a shell would read', ['route', 'add', 'alice', '$(id) x'], /mkdir -p '\/\S*\/\$\(id\) x'$/m],
    ['a folder that can not be shown', ['route', 'add', 'alice', 'a\u202eb'], /it is made with: mkdir -p$/m],
    ['a link to what is not there', ['route', 'add', 'alice', 'dead'], /dead" can not be used: it is a link to what is not there, such as a disk that is not mounted/],
    ['a file', ['route', 'add', 'alice', 'file'], /file" can not be used: it is a file/],
    ['a route that is not there', ['route', 'remove', 'alice'], /there is no route to that buddy/],
    ['a send root that is not there', ['config', 'send-roots', 'add', 'nowhere'], /the folder can not be used: it does not exist/],
    ['a file as send root', ['config', 'send-roots', 'add', 'file'], /a send root must be a folder/],
    ['the root of the file system as send root', ['config', 'send-roots', 'add', '/'], /"\/" can not be a send root, as it is the root of the file system/],
    ['to remove what is no send root', ['config', 'send-roots', 'remove', '.'], /that folder is no send root/],
    ['to show a bundle that is not there', ['authority', 'show', 'a'.repeat(64)], /./],
  ] as const) {
    it(`refuse ${what} and write nothing`, async () => {
      const home = await withAlice();
      folder.write('file', '');
      rmSync(folder.at('dead'), { force: true });
      symlinkSync(folder.at('unmounted'), folder.at('dead'));
      const { code, stdout, stderr } = await run(home, words);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, text);
      for (const name of ['routes.json', 'config.json']) assert.ok(!existsSync(home.path(name)));
    });
  }

  it('config shows the defaults, and sets and unsets the relay', async () => {
    const home = await withAlice();
    const shown = await run(home, ['config']);
    assert.deepEqual(shown.stdout.split('\n').map((line) => line.split(/ {2,}/)), [['push_needs_confirmed', 'false'], ['relay', 'not set'], ['send_roots', 'not set'], ['withhold_strangers', 'false'], ['']]);
    assert.match((await run(home, ['config', 'relay', 'https://Relay.example:443/'])).stdout, /^relay +https:\/\/relay\.example$/m);
    assert.equal(readFileSync(home.path('config.json'), 'utf8'), '{"relay":"https://relay.example","v":1}\n');
    assert.deepEqual(JSON.parse((await run(home, ['config', 'show', '--json'])).stdout), { push_needs_confirmed: false, relay: 'https://relay.example', send_roots: null, withhold_strangers: false });
    await run(home, ['config', 'relay', '--unset']);
    assert.equal(loadConfig(home).relay, undefined);
  });

  it('config keeps what a person has written by hand', async () => {
    const home = await withAlice();
    writeFileSync(home.path('config.json'), '{"withhold_strangers": true, "push_needs_confirmed": true, "v": 1}');
    await run(home, ['config', 'relay', 'http://127.0.0.1:8080']);
    assert.deepEqual(loadConfig(home), { pushNeedsConfirmed: true, relay: 'http://127.0.0.1:8080', sendRoots: undefined, withholdStrangers: true });
  });

  it('config adds send roots once each, by their real path, and removes them, even those that are gone', async () => {
    const home = await withAlice();
    const [one, two] = [folder.folder('one'), folder.folder('two')];
    symlinkSync(one, folder.at('to-one'));
    assert.equal((await run(home, ['config', 'send-roots', 'list'])).stderr, 'None is set: files of the working folder can be sent.\n');
    assert.equal((await run(home, ['config', 'send-roots', 'add', 'to-one'])).stdout, `${one}\n`);
    assert.equal((await run(home, ['config', 'send-roots', 'add', one])).stdout, `${one}\n`);
    assert.equal((await run(home, ['config', 'send-roots', 'add', two])).stdout, `${one}\n${two}\n`);
    assert.match((await run(home, ['config'])).stdout, new RegExp(`^send_roots +${one}, ${two}$`, 'm'));
    rmSync(two, { recursive: true });
    assert.equal((await run(home, ['config', 'send-roots', 'remove', 'two'])).stdout, `${one}\n`);
    const last = await run(home, ['config', 'send-roots', 'remove', 'to-one']);
    assert.deepEqual([last.stdout, last.stderr], ['', 'The list is empty: no file can be sent. gage config send-roots --unset brings back the working folder.\n']);
    assert.deepEqual(loadConfig(home).sendRoots, []);
    assert.match((await run(home, ['config'])).stdout, /^send_roots +none$/m);
    assert.deepEqual(JSON.parse((await run(home, ['config', 'send-roots', 'list', '--json'])).stdout).send_roots, []);
    assert.equal((await run(home, ['config', 'send-roots', '--unset'])).stderr, 'None is set: files of the working folder can be sent.\n');
    assert.equal(loadConfig(home).sendRoots, undefined);
  });

  it('authority shows the grants and no command writes one', async () => {
    const home = await withAlice();
    assert.deepEqual(await run(home, ['authority', 'show']), { code: 0, stdout: '', stderr: 'There are no grants.\n' });
    const grants = [{ key: alice.key, types: ['note', 'review-request'], expires_at: '2027-01-01T00:00:00Z' }, { key: mallory.key, types: ['note'] }];
    writeFileSync(home.path('authority.json'), JSON.stringify({ grants, v: 1 }), { mode: 0o600 });
    assert.equal((await run(home, ['authority'])).stdout, `alice${' '.repeat(41)}note, review-request  until 2027-01-01T00:00:00Z\n${mallory.key}  note${' '.repeat(18)}for good\n`);
    assert.deepEqual(JSON.parse((await run(home, ['authority', '--json'])).stdout), { grants: [{ name: 'alice', ...grants[0] }, { name: null, ...grants[1] }], total: 2 });
    for (const words of [['authority', 'add', alice.key], ['authority', 'grant'], ['authority', 'show', 'a', 'b']]) await assert.rejects(run(home, words), isUsageError);
  });

  it('authority shows for a bundle the grants that apply to it, which is for the verdict verified alone', async () => {
    const home = await withAlice();
    const alices = await homeOf(folder.at(`alice-${made}`), alice);
    const draft = { to: Buffer.from(bob.key, 'base64'), subject: 'please look', type: 'review-request', items: [] };
    const { id, ...bundle } = buildBundle(draft, loadIdentity(alices), surroundingsAt({ now: newYear }));
    mkdirSync(home.path('inbox', 'incoming'), { recursive: true });
    await writeBundleFolder(home.path('inbox', 'incoming', id), bundle);
    const grants = [{ key: alice.key, types: ['note', 'review-request'] }, { key: alice.key, types: ['note'] }, { key: mallory.key, types: ['review-request'] }];
    writeFileSync(home.path('authority.json'), JSON.stringify({ grants, v: 1 }), { mode: 0o600 });
    const shown = await run(home, ['authority', 'show', id.slice(0, 12), '--json']);
    assert.deepEqual(JSON.parse(shown.stdout), { id, verdict: 'verified', type: 'review-request', authorised: true, grants: [{ name: 'alice', ...grants[0] }], total: 1 });
    await setBlocked(home, 'alice', true);
    assert.deepEqual(await run(home, ['authority', 'show', id]), { code: 0, stdout: '', stderr: 'No grant applies to this bundle (verdict blocked).\n' });
  });

  it('refuse to go on with files that are broken or that others may write', { skip: process.platform === 'win32' }, async () => {
    const home = await withAlice();
    for (const [name, words] of [['config.json', ['config']], ['routes.json', ['route']], ['authority.json', ['authority']]] as const) {
      writeFileSync(home.path(name), '{"v":1,"odd":1}');
      assert.match((await run(home, words)).stderr, new RegExp(`^gage: ${name} in the gage home can not be used: .*/odd`));
      chmodSync(home.path(name), 0o666);
      assert.match((await run(home, words)).stderr, new RegExp(`^gage: ${name} in the gage home can be written by others`));
      rmSync(home.path(name));
    }
  });

  it('need an identity', async () => {
    const home: Home = { root: folder.at('empty'), path: (...parts) => path.join(folder.at('empty'), ...parts) };
    for (const words of [['route'], ['config'], ['config', 'relay', 'https://relay.example'], ['authority'], ['buddies'], ['buddies', 'block', 'x'], ['pair', alice.token, 'x'], ['export-identity', 'x']]) {
      const { code, stderr } = await run(home, words);
      assert.equal(code, 1, words.join(' '));
      assert.match(stderr, /gage init/);
    }
    assert.ok(!existsSync(home.root));
  });

  for (const words of [
    ['route', 'add', 'alice'], ['route', 'list', 'x'], ['route', 'remove'], ['route', 'add', 'alice', '.', 'x'], ['route', 'show'], ['config', 'relay'], ['config', 'relay', 'relay.example'],
    ['config', 'relay', 'http://relay.example'], ['config', 'relay', 'https://relay.example/path'], ['config', 'relay', 'https://a.example', 'x'],
    ['config', 'relay', 'https://a.example', '--unset'], ['config', 'show', 'x'], ['config', 'show', '--unset'], ['config', 'set'], ['config', 'send-roots'], ['config', 'send-roots', 'list', '--unset'],
    ['config', 'send-roots', 'add'], ['config', 'send-roots', 'add', '.', 'x'], ['config', 'send-roots', 'list', 'x'], ['config', 'send-roots', 'drop', '.'],
  ]) {
    it(`take ${JSON.stringify(words)} for wrong usage`, async () => {
      await assert.rejects(run(await withAlice(), words), isUsageError);
    });
  }
});
