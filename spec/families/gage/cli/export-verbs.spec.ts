import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cli } from '../../../../lib/families/gage/cli.ts';
import type { Home } from '../../../../lib/families/gage/domain/home/home.ts';
import { isUsageError } from '../../../../lib/terminal/usage-error.ts';
import { projectRoot } from '../../../support/project.ts';
import { runVerbOf } from '../../../support/run-verb.ts';
import type { VerbSetting } from '../../../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { homeOf, newYear, people } from '../home/people.ts';

const { alice, bob } = people;
const vector = JSON.parse(readFileSync(path.join(projectRoot, 'spec/fixtures/gage/export.json'), 'utf8')) as { passphrase: string; file_utf8: string };
const passphrase = 'eight quiet badgers';

describe('export-identity and restore-identity', () => {
  const folder = tempFolder();
  let made = 0;
  const run = (root: string, words: readonly string[], setting: Partial<VerbSetting> = {}) =>
    runVerbOf(cli, words, { cwd: folder.root, env: { GAGE_HOME: root }, now: () => newYear, ...setting });
  const alicesHome = (): Promise<Home> => homeOf(folder.at(`home-${++made}`), alice);
  const exported = folder.write('vector.export', vector.file_utf8);

  it('bring an identity to another home, by a passphrase that was typed twice', async () => {
    const home = await alicesHome();
    let hidden = 0;
    const file = folder.at('a.export');
    const out = await run(home.root, ['export-identity', 'a.export'], { answers: [passphrase, passphrase], random: (size) => new Uint8Array(size).fill(++hidden) });
    assert.deepEqual([out.code, out.stdout], [0, '']);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    for (const seed of alice.seeds) assert.ok(!readFileSync(file, 'utf8').includes(Buffer.from(seed).toString('base64')));
    const back = await run(folder.at('new'), ['restore-identity', 'a.export'], { answers: [passphrase] });
    assert.deepEqual([back.code, back.stdout], [0, `${alice.token}\n${alice.words}\n`]);
    assert.deepEqual(readFileSync(folder.at('new/identity.key')), readFileSync(home.path('identity.key')));
    for (const { stdout, stderr } of [out, back]) assert.ok(!`${stdout}${stderr}`.includes(passphrase));
  });

  it('restore what the vector holds, with the passphrase from standard input', async () => {
    const back = await run(folder.at('vector'), ['restore-identity', exported, '--passphrase-fd', '0', '--json'], { stdin: `${vector.passphrase}\r\nnot this line\n` });
    assert.equal(back.code, 0);
    assert.equal(JSON.parse(back.stdout).token, alice.token);
  });

  it('case 24: restore with one text for a wrong passphrase, a flipped bit and another salt, and make nothing', async () => {
    const flipped = vector.file_utf8.replace('"ct":"8', '"ct":"9');
    const salted = vector.file_utf8.replace('"salt":"S', '"salt":"T');
    assert.ok(flipped !== vector.file_utf8 && salted !== vector.file_utf8);
    const texts = new Set<string>();
    for (const [file, given] of [[exported, 'wrong passphrase'], [folder.write('flipped', flipped), vector.passphrase], [folder.write('salted', salted), vector.passphrase]] as const) {
      const { code, stdout, stderr } = await run(folder.at('unmade'), ['restore-identity', file], { answers: [given] });
      assert.deepEqual([code, stdout], [1, '']);
      texts.add(stderr);
    }
    assert.equal(texts.size, 1);
    assert.ok(!existsSync(folder.at('unmade')));
  });

  it('case 24: restore never over an identity, and asks for no passphrase then', async () => {
    const home = await homeOf(folder.at('bob'), bob);
    const before = readFileSync(home.path('identity.key'));
    const { code, stderr } = await run(home.root, ['restore-identity', exported], { answers: [] });
    assert.equal(code, 1);
    assert.match(stderr, /has an identity already, and none is overwritten/);
    assert.deepEqual(readFileSync(home.path('identity.key')), before);
  });

  for (const [what, words, answers, text] of [
    ['a passphrase that is too short', ['new.export'], ['short'], /take 12 characters or more/],
    ['two passphrases that differ', ['new.export'], [passphrase, `${passphrase}!`], /the two passphrases differ/],
    ['no terminal to ask on', ['new.export'], undefined, /use --passphrase-fd N/],
    ['a file that is there', ['vector.export'], [], /the file can not be made: it is there already/],
    ['a folder that is not there', ['no/new.export'], [], /the file can not be made: its folder does not exist/],
    ['a folder that is a file', ['vector.export/new.export'], [], /the file can not be made: a part of its path is no folder/],
  ] as const) {
    // One answer more asked for than there is here would be another refusal.
    it(`export is refused for ${what} and leaves no file`, async () => {
      const home = await alicesHome();
      const { code, stdout, stderr } = await run(home.root, ['export-identity', ...words], answers === undefined ? {} : { answers });
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, text);
      assert.ok(!existsSync(folder.at('new.export')));
      assert.equal(readFileSync(exported, 'utf8'), vector.file_utf8);
    });
  }

  for (const [what, name, text] of [
    ['that is not there', 'nowhere', /the file can not be read: it does not exist/],
    ['that is a folder', '.', /no export of an identity/],
    ['that is far too big', 'big', /no export of an identity/],
  ] as const) {
    it(`restore is refused for a file ${what}`, async () => {
      folder.write('big', Buffer.alloc(65 * 1024));
      const { code, stderr } = await run(folder.at('unmade'), ['restore-identity', name], { answers: [passphrase] });
      assert.equal(code, 1);
      assert.match(stderr, text);
    });
  }

  for (const [what, words, setting] of [
    ['no file', ['export-identity'], {}],
    ['two files', ['export-identity', 'a', 'b'], {}],
    ['nothing to restore', ['restore-identity'], {}],
    ['two files to restore', ['restore-identity', 'a', 'b'], {}],
    ['a passphrase on the command line', ['export-identity', 'n', '--passphrase', passphrase], {}],
    ['a descriptor that is no number', ['export-identity', 'n', '--passphrase-fd', 'three'], {}],
    ['a descriptor to write to', ['export-identity', 'n', '--passphrase-fd', '1'], {}],
    ['a descriptor that is not open', ['export-identity', 'n', '--passphrase-fd', '987'], {}],
    ['a terminal as standard input, which would show the keys', ['export-identity', 'n', '--passphrase-fd', '0'], { isTTY: true }],
    ['a line without an end', ['export-identity', 'n', '--passphrase-fd', '0'], { stdin: 'x'.repeat(5_000) }],
    ['a passphrase that is not UTF-8', ['export-identity', 'n', '--passphrase-fd', '0'], { stdin: Uint8Array.of(0xff, 0x0a) }],
  ] as const) {
    it(`take ${what} for wrong usage`, async () => {
      const home = await alicesHome();
      await assert.rejects(run(home.root, words, setting), isUsageError);
      assert.ok(!existsSync(folder.at('n')));
    });
  }

  it('read the passphrase from any descriptor, up to the end of its first line', async () => {
    const home = await alicesHome();
    for (const text of [`${passphrase}\nmore`, passphrase]) {
      const fd = openSync(folder.write('secret', text), 'r');
      const file = folder.at(`fd-${text.length}.export`);
      assert.equal((await run(home.root, ['export-identity', file, '--passphrase-fd', String(fd)])).code, 0);
      closeSync(fd);
      assert.equal((await run(folder.at(`fd-${text.length}`), ['restore-identity', file], { answers: [passphrase] })).code, 0);
    }
  });

  it('read the passphrase in a process of its own from a pipe', async () => {
    const home = await alicesHome();
    const child = spawn(process.execPath, [fileURLToPath(new URL('export-child.js', import.meta.url)), folder.at('piped.export'), home.root], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
    const seen: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => seen.push(chunk));
    (child.stdio[3] as NodeJS.WritableStream).end(`${passphrase}\n`);
    assert.deepEqual(await once(child, 'close'), [0, null]);
    assert.equal(Buffer.concat(seen).toString(), 'code 0\n');
    assert.equal((await run(folder.at('piped'), ['restore-identity', 'piped.export'], { answers: [passphrase] })).code, 0);
  });
});
