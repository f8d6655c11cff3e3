import assert from 'node:assert/strict';
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { checkModes, checkWriters, isOpenToRead, openHome } from '../../../../lib/families/gage/domain/home/home.ts';
import { isRefused } from '../../../../lib/families/gage/domain/refused.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { asNobody } from '../world.ts';

const refusedWith = (text: RegExp) => (error: unknown): boolean => isRefused(error) && text.test(error.message);

describe('the gage home', () => {
  const folder = tempFolder();

  for (const [what, env, root] of [
    ['GAGE_HOME', { GAGE_HOME: folder.at('own'), HOME: '/home/somebody' }, folder.at('own')],
    ['a GAGE_HOME with a detour in it', { GAGE_HOME: `${folder.at('x')}/../own/` }, folder.at('own')],
    ['.gage in the home folder of the user', { HOME: folder.at('user') }, folder.at('user/.gage')],
    ['.gage in the profile folder on Windows', { USERPROFILE: folder.at('profile') }, folder.at('profile/.gage')],
  ] as const) {
    it(`is ${what}`, () => {
      const home = openHome(env);
      assert.equal(home.root, root);
      assert.equal(home.path('inbox', 'pending'), `${root}/inbox/pending`);
      assert.ok(!existsSync(root));
    });
  }

  for (const [what, env, text] of [
    ['a relative GAGE_HOME', { GAGE_HOME: 'gage', HOME: '/home/x' }, /GAGE_HOME must be the absolute path/],
    ['an empty GAGE_HOME, which is a slip of a script', { GAGE_HOME: '', HOME: '/home/x' }, /GAGE_HOME must be the absolute path/],
    ['the root of the file system', { GAGE_HOME: '/' }, /can not be the root of the file system/],
    ['a detour to the root', { GAGE_HOME: '/tmp/..' }, /can not be the root of the file system/],
    ['an environment that names no home folder', {}, /set GAGE_HOME/],
    ['a relative home folder', { HOME: 'x' }, /set GAGE_HOME/],
    ['a file in its place', { GAGE_HOME: folder.write('file', '') }, /is no folder/],
    ['a path through a file', { GAGE_HOME: folder.at('file/below') }, /can not be read: a part of its path is no folder/],
  ] as const) {
    it(`is refused for ${what}`, () => {
      assert.throws(() => openHome(env), refusedWith(text));
    });
  }

  for (const mode of [0o720, 0o702, 0o777]) {
    it(`is refused with mode ${mode.toString(8)}, since others could change whom it trusts`, { skip: process.platform === 'win32' }, () => {
      const root = folder.folder(`mode-${mode}`);
      chmodSync(root, mode);
      assert.throws(() => openHome({ GAGE_HOME: root }), refusedWith(/can be written by others \(mode 7..\): take that away with chmod go-w/));
      chmodSync(root, 0o755);
      assert.equal(openHome({ GAGE_HOME: root }).root, root);
    });
  }

  it('tells whether others can look into it', { skip: process.platform === 'win32' }, () => {
    const home = openHome({ GAGE_HOME: folder.folder('open') });
    for (const [mode, open] of [[0o700, false], [0o710, true], [0o740, true], [0o701, true], [0o704, true]] as const) {
      chmodSync(home.root, mode);
      assert.equal(isOpenToRead(home), open, mode.toString(8));
      assert.equal(isOpenToRead(home, 'win32'), false);
    }
    assert.equal(isOpenToRead(openHome({ GAGE_HOME: folder.at('nowhere') })), false);
  });

  it('is refused for the folder of another user, who could change whom it trusts', { skip: process.getuid?.() === 0 ? false : 'only root can give a folder away' }, () => {
    const root = folder.folder('foreign');
    chownSync(root, 54_321, 54_321);
    assert.throws(() => openHome({ GAGE_HOME: root }), refusedWith(/^the gage home belongs to another user, who can change it/));
    chownSync(root, 0, 54_321);
    assert.equal(openHome({ GAGE_HOME: root }).root, root);
  });

  it('may belong to this user or to root, and to nobody else', () => {
    for (const [uid, self, refused] of [[1_000, 1_000, false], [0, 1_000, false], [0, 0, false], [1_001, 1_000, true], [1_000, 0, true]] as const) {
      const check = (): void => checkWriters({ mode: 0o700, uid }, 'a file', { platform: 'linux', self });
      if (refused) assert.throws(check, refusedWith(/^a file belongs to another user/));
      else check();
    }
    assert.throws(() => checkWriters({ mode: 0o770, uid: 7 }, 'a file', { platform: 'linux', self: 7 }), refusedWith(/^a file can be written by others/));
  });

  it('is refused where others may write to what counts as taken in or built, and not where they may deliver', { skip: process.platform === 'win32' }, () => {
    const root = folder.at('opened');
    for (const place of ['inbox', 'inbox/pending', 'inbox/accepted', 'inbox/rejected', 'inbox/quarantine', 'outbox', 'inbox/incoming']) {
      mkdirSync(path.join(root, place), { recursive: true, mode: 0o700 });
      openHome({ GAGE_HOME: root });
      chmodSync(path.join(root, place), 0o777);
      if (place === 'inbox/incoming') openHome({ GAGE_HOME: root });
      else assert.throws(() => openHome({ GAGE_HOME: root }), refusedWith(new RegExp(`^${place} in the gage home can be written by others \\(mode 777\\)`)));
      chmodSync(path.join(root, place), 0o700);
    }
  });

  it('is refused for a link to what is not there, which is no home that is to be made yet', () => {
    const [target, link] = [folder.at('unmounted'), folder.at('linked')];
    symlinkSync(target, link);
    assert.throws(() => openHome({ GAGE_HOME: link }), refusedWith(/^the gage home is a link to what is not there, such as a disk that is not mounted: bring that back, or take the link away$/));
    assert.throws(() => openHome({ GAGE_HOME: `${link}/deep/home` }), refusedWith(/^the gage home is below a link to what is not there/));
    mkdirSync(target, { mode: 0o700 });
    assert.equal(openHome({ GAGE_HOME: link }).root, link);
    assert.equal(openHome({ GAGE_HOME: `${link}/deep/home` }).root, `${link}/deep/home`);
  });

  it('is refused where a place in it can not be looked at, and that place is named', { skip: process.platform === 'win32' }, () => {
    const root = folder.folder('unseen');
    chmodSync(folder.root, 0o755);
    const elsewhere = folder.folder('elsewhere');
    const opened = (): string => {
      let at = '';
      asNobody(() => (at = openHome({ GAGE_HOME: root }).root));
      return at;
    };
    for (const place of ['inbox', 'inbox/pending', 'inbox/accepted', 'inbox/rejected', 'inbox/quarantine', 'outbox']) {
      const at = path.join(root, place);
      const refuses = (reason: string): void => assert.throws(opened, (error: unknown) => isRefused(error) && error.message.startsWith(`${place} in the gage home ${reason}`));
      mkdirSync(path.dirname(at), { recursive: true, mode: 0o755 });
      symlinkSync('/nowhere/at/all', at);
      refuses('is a link to what is not there, such as a disk that is not mounted: bring that back');
      rmSync(at);
      symlinkSync(path.basename(at), at);
      refuses('can not be read: too many symbolic links');
      rmSync(at);
      symlinkSync(path.join(folder.write('a-file', ''), 'below'), at);
      refuses('is no folder: move away what is in its place');
      rmSync(at);
      symlinkSync(elsewhere, at);
      assert.equal(opened(), root);
      rmSync(at);
    }
    const inbox = path.join(root, 'inbox');
    rmSync(inbox, { recursive: true });
    writeFileSync(inbox, '');
    assert.throws(opened, refusedWith(/^inbox in the gage home is no folder: move away what is in its place$/));
    rmSync(inbox);
    mkdirSync(inbox, { mode: 0o000 });
    assert.throws(opened, refusedWith(/^inbox in the gage home can not be read: permission denied; where it belongs to another user, take it back with chown$/));
    chmodSync(inbox, 0o755);
    chmodSync(root, 0o000);
    assert.throws(opened, refusedWith(/^the gage home can not be read: permission denied; where it belongs to another user, take it back with chown$/));
    chmodSync(root, 0o755);
    assert.equal(opened(), root);
  });

  it('is not asked for modes and owners on Windows, which has none', () => {
    assert.equal(checkModes(0o777, 'a file', 'win32'), undefined);
    assert.equal(checkWriters({ mode: 0o777, uid: 0 }, 'a file', { platform: 'win32', self: undefined }), undefined);
    assert.equal(checkWriters({ mode: 0o777, uid: 9 }, 'a file', { platform: 'win32', self: undefined }), undefined);
    assert.throws(() => checkModes(0o777, 'a file', 'linux'), refusedWith(/^a file can be written by others/));
  });
});
