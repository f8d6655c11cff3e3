import assert from 'node:assert/strict';
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { readForSending } from '../../../../lib/families/gage/domain/send/read-file.ts';
import { isInside } from '../../../../lib/files/inside.ts';
import { loadSendRoots, realFolder, rootHolding, type SendRoots } from '../../../../lib/families/gage/domain/roots/send-roots.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { configure, identityFile, person, refusal, type Person } from '../world.ts';

describe('send roots', () => {
  const temp = tempFolder();
  let alice: Person;
  before(async () => {
    alice = await person(temp, 'alice');
  });
  const rootsFrom = (cwd: string, env: object = {}): SendRoots => loadSendRoots(alice.home, { env: { ...alice.env, ...env }, cwd });

  it('are the working folder, as a real path', () => {
    symlinkSync(alice.work, temp.at('way-to-work'));
    assert.deepEqual(rootsFrom(temp.at('way-to-work')).folders, [alice.work]);
  });

  for (const [what, cwd, env] of [
    ['the root of the disk', '/', {}],
    ["the user's home", temp.folder('user'), { HOME: temp.at('user') }],
    ["what is above the user's home", temp.root, { HOME: temp.at('user') }],
  ] as const) {
    it(`are none where the working folder is ${what}, and the reason says how to set one`, () => {
      const roots = rootsFrom(cwd, env);
      assert.deepEqual(roots.folders, []);
      assert.match(roots.why, /gage config send-roots add DIR/);
    });
  }

  it('are those of config.json when it has some, and the innermost one names a file', async () => {
    const folders = [temp.folder('docs'), temp.folder('docs/inner'), temp.at('not-there')];
    await configure(alice, { sendRoots: folders });
    const roots = rootsFrom('/');
    assert.deepEqual(roots.folders, folders);
    assert.equal(rootHolding(roots, temp.at('docs/inner/file')), temp.at('docs/inner'));
    assert.equal(rootHolding(roots, temp.at('docs/innermost')), temp.at('docs'));
    assert.equal(rootHolding(roots, temp.at('doc')), undefined);
    await configure(alice, { sendRoots: undefined });
  });

  for (const [what, root, problem] of [
    ['the root of the disk', () => '/', /is the root of the file system/],
    ["the user's home", () => temp.folder('users'), /is the user's home or a folder above it/],
    ["a folder above the user's home", () => temp.root, /is the user's home or a folder above it/],
    ['a link to one', () => {
      symlinkSync(temp.root, temp.at('to-all'));
      return temp.at('to-all');
    }, /is the user's home or a folder above it/],
    ['the home in use', () => alice.home.root, /is a home of gage or in one/],
    ['a folder in it', () => alice.home.path('outbox'), /is a home of gage or in one/],
    ["the user's other home", () => temp.folder('users/.gage'), /is a home of gage or in one/],
    ['any home', () => {
      temp.write('work/agents/eve/identity.key', identityFile);
      return temp.at('work/agents/eve');
    }, /is a home of gage or in one/],
  ] as const) {
    it(`are never ${what}: not for the command, nor where config.json is written by hand`, { skip: process.platform === 'win32' }, async () => {
      const folder = root();
      mkdirSync(alice.home.path('outbox'), { recursive: true });
      const good = temp.folder('good');
      await configure(alice, { sendRoots: [good] });
      const { code, stderr } = await alice.verb(['config', 'send-roots', 'add', folder]);
      assert.equal(code, 1);
      assert.match(stderr, problem);
      assert.match(stderr, /can not be a send root/);
      assert.deepEqual(rootsFrom(alice.work).folders, [good]);
      writeFileSync(alice.home.path('config.json'), JSON.stringify({ send_roots: [good, folder], v: 1 }));
      const reason = await refusal(() => rootsFrom(alice.work));
      assert.match(reason, problem);
      assert.match(reason, /^send_roots of config\.json can not be used: ".*" is .*gage config send-roots remove DIR$/);
      assert.equal((await alice.verb(['config', 'send-roots', 'remove', folder])).code, 0);
      assert.deepEqual(rootsFrom(alice.work).folders, [good]);
      await configure(alice, { sendRoots: undefined });
    });
  }

  it('compare by segments: a name that begins alike or with dots is not inside', () => {
    for (const [folder, file, inside] of [['/a/b', '/a/b', true], ['/a/b', '/a/b/c', true], ['/a/b', '/a/bc', false], ['/a/b', '/a', false], ['/a/b', '/a/b/..c', true], ['/', '/a', true]] as const) {
      assert.equal(isInside(folder, file), inside, `${file} in ${folder}`);
    }
  });

  it('let no folder of a bundle be used that is missing, a link, a file, outside or in a home', async () => {
    temp.write('alice-work/file', '');
    symlinkSync(alice.work, path.join(alice.work, 'link'));
    mkdirSync(path.join(alice.work, 'bundle'));
    mkdirSync(alice.home.path('outbox'), { recursive: true });
    const roots = rootsFrom(alice.work);
    for (const [dir, reason] of [
      ['missing', /it does not exist/], ['link', /is a link/], ['file', /is no folder/], ['..', /outside of the working folder/], [alice.home.path('outbox'), /outside of the working folder/],
    ] as const) {
      assert.match(await refusal(() => realFolder(dir, alice.work, { roots: () => roots })), reason);
    }
    const inHome = { ...roots, folders: [temp.root] };
    assert.match(await refusal(() => realFolder(alice.home.path('outbox'), alice.work, { roots: () => inHome })), /inside of a home of gage/);
    assert.equal(realFolder('bundle', alice.work, { roots: () => roots }), path.join(alice.work, 'bundle'));
    assert.equal(realFolder(alice.home.path('outbox'), alice.work, { roots: () => roots, also: [alice.home.path('outbox')] }), alice.home.path('outbox'));
  });
});

describe('reading a file for sending', () => {
  const temp = tempFolder();
  const root = temp.folder('root');
  const roots: SendRoots = { folders: [root], homes: [temp.folder('root/.gage')], why: 'it is outside' };
  const read = (name: string, max = 100): ReturnType<typeof readForSending> => readForSending(name, root, roots, max);

  it('gives its bytes, its real path and its root', () => {
    temp.write('root/sub/a.txt', 'hello');
    symlinkSync('sub', temp.at('root/way'));
    const { bytes, real, root: holder } = read('way/a.txt');
    assert.deepEqual([Buffer.from(bytes).toString(), real, holder], ['hello', temp.at('root/sub/a.txt'), root]);
    assert.equal(read('way/a.txt', 5).bytes.length, 5);
  });

  it('refuses what is not a regular file inside of a root', async () => {
    temp.write('secret', 'x');
    temp.write('outer/deep/file', 'x');
    temp.write('root/.gage/notes', 'x');
    temp.write('root/other/identity.key', identityFile);
    temp.write('root/other/inbox/letter', 'x');
    temp.write('root/big', 'x'.repeat(101));
    temp.folder('root/folder');
    symlinkSync('../secret', temp.at('root/link'));
    symlinkSync('../outer', temp.at('root/out'));
    for (const [name, reason] of [
      ['missing', /it does not exist/], ['link', /it is a link/], ['folder', /no regular file/], ['../secret', /it is outside/], ['out/deep/file', /it is outside/],
      ['.gage/notes', /inside of a home of gage, "\.gage",/], ['other/identity.key', /inside of a home of gage, "other",/], ['other/inbox/letter', /inside of a home of gage, "other",/], ['big', /has 101 bytes; an item may have 100/], ['a\0b', /NUL/],
    ] as const) {
      assert.match(await refusal(() => read(name)), reason, name);
    }
  });

  it('names a home as the file was named: by its whole path where that was', async () => {
    temp.write('root/mine/identity.key', identityFile);
    temp.write('root/mine/a', 'x');
    temp.folder('root/beside');
    assert.match(await refusal(() => readForSending('../mine/a', temp.at('root/beside'), roots, 100)), /^the file "\.\.\/mine\/a" is inside of a home of gage, "\.\.\/mine",/);
    assert.match(await refusal(() => readForSending('a', temp.at('root/mine'), roots, 100)), /a home of gage, "\.",/);
    assert.ok((await refusal(() => readForSending(temp.at('root/mine/a'), root, roots, 100))).includes(`a home of gage, "${temp.at('root/mine')}",`));
  });

  it('is held up by no other file of the name identity.key, and by none above the send root', { skip: process.platform === 'win32' }, () => {
    temp.write('identity.key', identityFile);
    temp.write('root/deep/er/a', 'x');
    for (const [name, put] of [
      ['empty', (): unknown => temp.write('root/deep/identity.key', '')],
      ['text', (): unknown => temp.write('root/deep/identity.key', '{"sign": "of life"}')],
      ['one key', (): unknown => temp.write('root/deep/identity.key', identityFile.replace('box', 'bot'))],
      ['too long', (): unknown => temp.write('root/deep/identity.key', identityFile + ' '.repeat(5_000))],
      ['folder', (): unknown => temp.folder('root/deep/identity.key')],
      ['link', (): unknown => symlinkSync(temp.at('identity.key'), temp.at('root/deep/identity.key'))],
    ] as const) {
      rmSync(temp.at('root/deep/identity.key'), { recursive: true, force: true });
      put();
      assert.equal(Buffer.from(read('deep/er/a').bytes).toString(), 'x', name);
    }
  });

  it('sends a hard link as the file that it is', () => {
    // Both names are equally the file's own, so there is no other place that it leads to.
    temp.write('outer/shared', 'shared');
    linkSync(temp.at('outer/shared'), temp.at('root/hard'));
    assert.equal(Buffer.from(read('hard').bytes).toString(), 'shared');
  });

  it('does not wait for a pipe or a device', { skip: process.platform === 'win32' }, async () => {
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', [temp.at('root/pipe')]);
    assert.match(await refusal(() => read('pipe')), /no regular file/);
    assert.match(await refusal(() => readForSending('/dev/zero', root, roots, 10)), /no regular file/);
  });

  it('takes a file by where it really is, not by the path it was opened at', async () => {
    // A hard link has both paths; one that was moved out of the root has the other alone.
    temp.write('root/moving', 'x');
    linkSync(temp.at('root/moving'), temp.at('elsewhere'));
    assert.equal(read('moving').real, temp.at('root/moving'));
    renameSync(temp.at('root/moving'), temp.at('moved'));
    symlinkSync(temp.at('moved'), temp.at('root/moving'));
    assert.match(await refusal(() => read('moving')), /it is a link/);
  });
});
