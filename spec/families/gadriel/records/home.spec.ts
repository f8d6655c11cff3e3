import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { homeOf, readHomeFile } from '../../../../lib/families/gadriel/domain/records/home.ts';
import { openPriors } from '../../../../lib/families/gadriel/domain/records/priors.ts';
import { recordFolder } from '../../../../lib/families/gadriel/domain/records/record-files.ts';
import { cacheKey } from '../../../../lib/families/gadriel/domain/repository/cache-key.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { assertFails, surroundings } from './records-kit.ts';

const posix = process.platform !== 'win32';
const random = (size: number): Uint8Array => new Uint8Array(size).fill(7);
const key = `${'07'.repeat(32)}\n`;

describe('the home of what is the user’s', { skip: !posix }, () => {
  const temp = tempFolder();

  const homes: [title: string, env: Record<string, string>, home: string, warned: number][] = [
    ['is GADRIEL_HOME', { GADRIEL_HOME: '/a/../b', HOME: '/person' }, '/b', 0],
    ['is below HOME else', { HOME: '/person' }, '/person/.gadriel', 0],
    ['is below HOME where GADRIEL_HOME is relative, which would be another place in each folder', { GADRIEL_HOME: 'store', HOME: '/person' }, '/person/.gadriel', 1],
    ['is not one that begins with a tilde, which no shell has put in', { GADRIEL_HOME: '~/x', HOME: '/person' }, '/person/.gadriel', 1],
  ];
  for (const [title, env, home, warned] of homes) {
    it(title, () => {
      const { log, logged } = surroundings();
      assert.equal(homeOf(env, log), home);
      assert.deepEqual(logged, Array(warned).fill('warning: GADRIEL_HOME is a relative path and is ignored: give an absolute one'));
    });
  }

  it('is never relative, whatever HOME is', () => {
    for (const env of [{ HOME: 'here' }, {}, { HOME: '' }]) assert.ok(path.isAbsolute(homeOf(env)), JSON.stringify(env));
  });

  it('is not looked for in the working folder by priors and the key of caches', async () => {
    const env = { GADRIEL_HOME: path.relative(process.cwd(), temp.folder('here')), HOME: temp.folder('person') };
    const { log, logged } = surroundings();
    await openPriors(temp.root, env, log).update('R', 'security', { beta: 1 });
    assert.ok(cacheKey({ env, random }) !== undefined);
    assert.deepEqual([readdirSync(temp.at('here')), readdirSync(temp.at('person/.gadriel/store')).sort(), logged.length], [[], ['cache-key', 'priors'], 1]);
  });

  it('is left alone where a pipe or too large a file is in the place of one, without waiting', async () => {
    const env = { GADRIEL_HOME: temp.folder('odd') };
    await openPriors(temp.root, env).update('R', 'security', { beta: 1 });
    const [name = ''] = readdirSync(temp.at('odd/store/priors')).filter((each) => each.endsWith('.json'));
    const file = temp.at(`odd/store/priors/${name}`);
    const look = async (why: RegExp): Promise<void> => {
      const { log, logged } = surroundings();
      const store = openPriors(temp.root, env, log);
      assert.deepEqual(store.get('R', 'security'), { alpha: 1, beta: 1 });
      assert.equal(await store.update('R', 'security', { beta: 1 }), undefined);
      assert.equal(logged.length, 2);
      for (const line of logged) assert.match(line, why);
    };
    truncateSync(file, 600 * 1024 * 1024);
    const started = performance.now();
    await look(/it is larger than 4 MiB$/);
    assert.ok(performance.now() - started < 2_000);
    for (const fifo of [file, temp.at('odd/store/cache-key')]) assert.equal(spawnSync('sh', ['-c', 'rm -f "$1" && mkfifo "$1"', 'sh', fifo]).status, 0);
    await look(/it is no regular file$/);
    assert.equal(cacheKey({ env, random }), undefined);
    assert.equal(readHomeFile(temp.at('odd/none'), 1), undefined);
  });

  it('has a key of caches that is made once, and only believed as one', () => {
    const env = { GADRIEL_HOME: temp.at('keys') };
    assert.deepEqual(cacheKey({ env, random }), random(32));
    assert.equal(readFileSync(temp.at('keys/store/cache-key'), 'utf8'), key);
    assert.deepEqual([statSync(temp.at('keys')).mode & 0o777, statSync(temp.at('keys/store/cache-key')).mode & 0o777], [0o700, 0o600]);
    assert.deepEqual(cacheKey({ env, random: (size) => new Uint8Array(size) }), Buffer.alloc(32, 7));
    for (const text of ['', 'x', key.repeat(20)]) {
      temp.write('keys/store/cache-key', text);
      assert.equal(cacheKey({ env, random }), undefined);
    }
  });

  // Node's own recursive way of making folders is busy there for ever.
  it('is done without where there is no place for it', { skip: !existsSync('/proc/self/fd') }, async () => {
    const env = { HOME: '/proc' };
    assert.equal(cacheKey({ env, random }), undefined);
    assert.equal(await openPriors(temp.root, env).update('R', 'security', { beta: 1 }), undefined);
    await assertFails(recordFolder('/proc/self', 'campaigns'), /^\.security\/campaigns can not be made: /);
  });
});
