import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { createIdentity, loadIdentity, readIdentity, storeIdentity } from '../../../../lib/families/gage/domain/identity/identity-file.ts';
import { identityOf, storedOf } from '../../../../lib/families/gage/domain/identity/stored-identity.ts';
import type { Home } from '../../../../lib/families/gage/domain/home/home.ts';
import { isRefused } from '../../../../lib/families/gage/domain/refused.ts';
import { canonicalJson } from '../../../../lib/text/canonical-json.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { testIdentity } from '../crypto/vectors.ts';
import { asNobody } from '../world.ts';
import { killedWriters } from './killed-writer.ts';

const homeAt = (root: string): Home => ({ root, path: (...parts) => path.join(root, ...parts) });
const surroundings = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5), random: (size: number) => new Uint8Array(randomBytes(size)) };
const refusing = (text: RegExp) => (error: unknown): boolean => isRefused(error) && text.test((error as Error).message);
const alice = testIdentity('alice');
const { box, sign } = storedOf(alice);

describe('making an identity', () => {
  const temp = tempFolder();

  it('writes a key file that only its owner reads, in a home that only its owner opens', async () => {
    const home = homeAt(temp.at('deep/er/home'));
    const identity = await createIdentity(home, 'alice', surroundings);
    assert.deepEqual(loadIdentity(home), identity);
    assert.deepEqual([identity.handle, identity.created_at], ['alice', '2026-01-02T03:04:05Z']);
    assert.deepEqual([statSync(home.path('identity.key')).mode & 0o777, statSync(home.root).mode & 0o777], [0o600, 0o700]);
    assert.deepEqual(readdirSync(home.root), ['identity.key']);
    assert.match(readFileSync(home.path('identity.key'), 'utf8'), /^\{"box":"[^"]{44}","created_at":"2026-01-02T03:04:05Z","handle":"alice","sign":"[^"]{44}","v":1\}\n$/);
  });

  it('is refused where there is one, which stays byte for byte', async () => {
    const home = homeAt(temp.folder('taken'));
    await storeIdentity(home, alice);
    const before = readFileSync(home.path('identity.key'));
    temp.write('taken/.identity-0123456789abcdef.tmp', 'left by a run that was killed');
    await assert.rejects(createIdentity(home, 'bob', surroundings), refusing(/has an identity already/));
    assert.deepEqual(readFileSync(home.path('identity.key')), before);
    assert.deepEqual(readdirSync(home.root), ['identity.key']);
  });

  it('is won by one of many at once', async () => {
    const home = homeAt(temp.at('raced'));
    const results = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => createIdentity(home, `run ${index}`, surroundings)));
    const made = results.filter((result) => result.status === 'fulfilled');
    assert.equal(made.length, 1);
    assert.deepEqual(loadIdentity(home), made[0]?.value);
    for (const result of results) assert.ok(result.status === 'fulfilled' || refusing(/has an identity already/)(result.reason));
    assert.deepEqual(readdirSync(home.root), ['identity.key']);
  });

  it('is refused for a bad handle, and makes no folder', async () => {
    await assert.rejects(createIdentity(homeAt(temp.at('none')), 'a/b', surroundings), refusing(/^the handle may hold/));
    assert.ok(!existsSync(temp.at('none')));
  });

  it('is refused with the reason where nothing can be written', async () => {
    temp.write('file', '');
    await assert.rejects(createIdentity(homeAt(temp.at('file/home')), 'alice', surroundings), refusing(/can not be written: a part of its path is no folder/));
  });

  it('leaves a whole key file or none, whenever it is killed', async () => {
    const found: string[] = [];
    for (const folder of killedWriters(temp, 'identity', 2)) {
      const homes = readdirSync(folder).map((name) => homeAt(path.join(folder, name)));
      found.push(homes.filter((home) => existsSync(home.path('identity.key'))).map(({ root }) => path.basename(root)).join());
      for (const home of homes) {
        if (existsSync(home.path('identity.key'))) loadIdentity(home);
        else await createIdentity(home, 'second try', surroundings);
        await assert.rejects(createIdentity(home, 'bob', surroundings), refusing(/already/));
        assert.deepEqual(readdirSync(home.root), ['identity.key']);
      }
    }
    // From the last step backwards: the key file is there until the kill comes before the link.
    const whole = found.filter((names) => names === '0,1').length;
    assert.ok(whole >= 1 && found.length - whole >= 2, found.join(' | '));
    assert.deepEqual(found, found.map((_names, index) => (index < whole ? '0,1' : '0')));
  });
});

describe('loading an identity', () => {
  const temp = tempFolder();
  const good = `${canonicalJson(storedOf(alice))}\n`;
  const homeWith = (name: string, text: string, mode = 0o600): Home => {
    const file = temp.write(`${name}/identity.key`, text);
    chmodSync(file, mode);
    return homeAt(path.dirname(file));
  };

  it('is refused where there is none, naming the command that makes one', () => {
    assert.throws(() => loadIdentity(homeAt(temp.at('nothing'))), refusing(/gage init HANDLE/));
  });

  for (const mode of [0o640, 0o604, 0o620, 0o601, 0o777]) {
    it(`is refused for mode ${mode.toString(8)}`, () => {
      const home = homeWith(`mode-${mode}`, good, mode);
      assert.throws(() => readIdentity(home, 'linux'), refusing(/open to others .*chmod 600/));
      assert.equal(readIdentity(home, 'win32').token, alice.token);
    });
  }

  it('is refused for the file of another user', { skip: process.getuid?.() === 0 ? false : 'only root can give a file away' }, () => {
    const home = homeWith('foreign', good);
    chownSync(home.path('identity.key'), 54_321, 54_321);
    assert.throws(() => loadIdentity(home), refusing(/another user/));
    // Who can not close it is not told to: the owner is looked at before the mode.
    chmodSync(home.path('identity.key'), 0o644);
    assert.throws(() => loadIdentity(home), refusing(/^identity\.key belongs to another user/));
  });

  it('says for a file that can not even be opened how it is taken back', { skip: process.platform === 'win32' }, () => {
    const home = homeWith('closed', good, 0o000);
    asNobody(() => assert.throws(() => readIdentity(home), refusing(/^identity\.key can not be read: permission denied; where it belongs to another user, take it back with chown$/)));
  });

  const damaged: [what: string, text: string][] = [
    ['nothing in it', ''],
    ['no line feed', good.trimEnd()],
    ['a line feed too many', `${good}\n`],
    ['another order', `{"v":1,${good.slice(1, -8)}}\n`],
    ['a key too many', `${canonicalJson({ ...storedOf(alice), x: 1 })}\n`],
    ['another version', `${canonicalJson({ ...storedOf(alice), v: 2 })}\n`],
    ['a list', '[]\n'],
    ['null', 'null\n'],
    ['a handle that none may have', `${canonicalJson({ ...storedOf(alice), handle: 'a/b' })}\n`],
    ['a handle that is a number', `${canonicalJson({ ...storedOf(alice), handle: 1 })}\n`],
    ['a date that no calendar has', `${canonicalJson({ ...storedOf(alice), created_at: '2026-02-30T00:00:00Z' })}\n`],
    ['half a seed', `${canonicalJson({ ...storedOf(alice), sign: 'AAAA' })}\n`],
    ['a box key that is no base64', `${canonicalJson({ ...storedOf(alice), box: '?' })}\n`],
    ['half of the file', good.slice(0, 60)],
  ];
  for (const [index, [what, text]] of damaged.entries()) {
    it(`is refused for a file with ${what}, without a word of what is in it`, () => {
      const home = homeWith(`damaged-${index}`, text);
      assert.throws(() => loadIdentity(home), (error: Error) => refusing(/damaged/)(error) && !`${error.message}${String(error.stack)}`.includes(sign) && !error.message.includes(box));
    });
  }

  it('is refused for a link, a folder, a pipe and a file that is far too long', () => {
    const target = homeWith('target', good).path('identity.key');
    const link = temp.folder('link');
    symlinkSync(target, path.join(link, 'identity.key'));
    mkdirSync(temp.at('folder/identity.key'), { recursive: true });
    execFileSync('mkfifo', ['-m', '600', path.join(temp.folder('pipe'), 'identity.key')]);
    writeFileSync(path.join(temp.folder('long'), 'identity.key'), 'x'.repeat(5000), { mode: 0o600 });
    assert.throws(() => loadIdentity(homeAt(link)), refusing(/symbolic link/));
    for (const name of ['folder', 'pipe', 'long']) assert.throws(() => loadIdentity(homeAt(temp.at(name))), refusing(/no key file/), name);
  });

  it('has a stored form of five fields', () => {
    assert.deepEqual(identityOf(JSON.parse(good)), alice);
    assert.equal(identityOf('text'), undefined);
  });
});
