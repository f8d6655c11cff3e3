import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { describe, it } from 'node:test';
import { cli } from '../../../../lib/families/gage/cli.ts';
import { isUsageError } from '../../../../lib/terminal/usage-error.ts';
import { runVerbOf } from '../../../support/run-verb.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { fixture } from '../crypto/vectors.ts';
import { homeOf, newYear, people } from '../home/people.ts';

const { alice, bob } = people;

describe('the commands for an identity', () => {
  const folder = tempFolder();
  const run = (words: readonly string[], root: string, more: object = {}) => runVerbOf(cli, words, { cwd: folder.root, env: { GAGE_HOME: root }, now: () => newYear, ...more });
  const randomOf = ({ seeds }: typeof alice) => {
    const left = [...seeds];
    return () => left.shift() as Uint8Array;
  };

  it('init makes the home, prints token and words, and never a second identity over it', async () => {
    const root = folder.at('alice');
    const { code, stdout, stderr } = await run(['init', 'alice'], root, { random: randomOf(alice) });
    assert.deepEqual([code, stdout], [0, `${alice.token}\n${alice.words}\n`]);
    assert.match(stderr, /read them the eight words/);
    assert.equal(statSync(root).mode & 0o777, 0o700);
    const before = readFileSync(`${root}/identity.key`);
    const again = await run(['init', 'alice'], root);
    assert.equal(again.code, 1);
    assert.equal(again.stdout, '');
    assert.match(again.stderr, /has an identity already/);
    assert.deepEqual(readFileSync(`${root}/identity.key`), before);
  });

  it('init and restore-identity warn of a home that was there and that others can look into', { skip: process.platform === 'win32' }, async () => {
    const root = folder.folder('shown');
    chmodSync(root, 0o755);
    const made = await run(['init', 'alice'], root, { random: randomOf(alice) });
    assert.deepEqual([made.code, made.stdout], [0, `${alice.token}\n${alice.words}\n`]);
    assert.match(made.stderr, /^gage: warning: other users can look into the gage home, .*chmod 700\n/);
    const { file_utf8: file, passphrase } = fixture('export.json') as { file_utf8: string; passphrase: string };
    folder.write('export', file);
    for (const [mode, warned] of [[0o750, true], [0o700, false]] as const) {
      const other = folder.folder(`other-${mode}`);
      chmodSync(other, mode);
      const restored = await run(['restore-identity', 'export', '--passphrase-fd', '0'], other, { stdin: `${passphrase}\n` });
      assert.deepEqual([restored.code, restored.stderr.startsWith('gage: warning: ')], [0, warned], restored.stderr);
    }
    assert.equal((await run(['init', 'alice'], '/')).code, 1);
    assert.ok(!existsSync('/identity.key'));
  });

  it('init --json and whoami --json print what gage_identity answers', async () => {
    const root = folder.at('json');
    const made = await run(['init', 'bob', '--json'], root, { random: randomOf(bob) });
    assert.equal(JSON.parse(made.stdout).token, bob.token);
    assert.equal((await run(['whoami', '--json'], root)).stdout, made.stdout);
  });

  it('init takes a handle in the form that a keyboard makes, and keeps it in the one that there is', async () => {
    const root = folder.at('zoe');
    assert.equal((await run(['init', 'Zoe\u0308'], root, { random: randomOf(bob) })).code, 0);
    assert.equal((await run(['whoami'], root)).stdout, `Zo\u00eb\t${bob.token}\n`);
  });

  it('whoami prints handle, TAB and token, and the words when they are asked for', async () => {
    const { root } = await homeOf(folder.at('who'), bob);
    assert.deepEqual(await run(['whoami'], root), { code: 0, stdout: `bob\t${bob.token}\n`, stderr: '' });
    assert.deepEqual(await run(['whoami', '--words'], root), { code: 0, stdout: `bob\t${bob.token}\n${bob.words}\n`, stderr: '' });
  });

  it('words prints the words of any token, without an identity', async () => {
    assert.deepEqual(await run(['words', alice.token], folder.at('none')), { code: 0, stdout: `${alice.words}\n`, stderr: '' });
    const { stdout } = await run(['words', alice.token, '--json'], folder.at('none'));
    assert.deepEqual(JSON.parse(stdout), { word_pairs: alice.pairs, words: alice.words, label: alice.label });
  });

  it('whoami without an identity is refused and names gage init', async () => {
    const { code, stdout, stderr } = await run(['whoami'], folder.at('none'));
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^gage: .*gage init HANDLE/);
    assert.ok(!existsSync(folder.at('none')));
  });

  for (const words of [
    ['init'], ['init', 'two', 'words'], ['init', 'a/b'], ['init', 'a  b'], ['init', ''], ['init', 'al\u200bice'], ['whoami', 'me'], ['words'], ['words', alice.token, 'more'], ['words', 'no token'],
  ]) {
    it(`takes ${JSON.stringify(words.map((word) => word.slice(0, 20)))} for wrong usage and makes nothing`, async () => {
      await assert.rejects(run(words, folder.at('none')), isUsageError);
      assert.ok(!existsSync(folder.at('none')));
    });
  }
});
