import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { writeBundleFolder } from '../../../../lib/families/gage/domain/bundle/folder.ts';
import { pack } from '../../../../lib/families/gage/domain/bundle/package.ts';
import { signatureFile } from '../../../../lib/families/gage/domain/bundle/signature.ts';
import { projectRoot } from '../../../support/project.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { identityVectors } from '../crypto/vectors.ts';
import { buildSample, buildVector, bundleVectors } from './sample.ts';

const script = path.join(projectRoot, 'scripts', 'verify_bundle.py');
const has = (command: string, ...words: string[]): boolean => spawnSync(command, words).status === 0;
const skip = !has('python3', '--version') || !has('openssl', 'version') ? 'python3 or openssl is not installed' : false;

type Result = { problems: string[]; id?: string; label?: string; word_pairs?: string[]; mailbox?: string };

function verify(...bundles: string[]): { status: number | null; results: Result[] } {
  const { status, stdout, stderr } = spawnSync('python3', [script, ...bundles], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return { status, results: stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as Result) };
}

describe('the second verifier', { skip }, () => {
  const temp = tempFolder();

  it('agrees with every bundle of the vectors, as a folder and as a package', async () => {
    const [alice, bob] = ['alice', 'bob'].map((handle) => identityVectors.identities.find((each) => each.handle === handle));
    const [paths, expected]: [string[], object[]] = [[], []];
    for (const [name, vector] of Object.entries(bundleVectors)) {
      const built = buildVector(vector);
      await writeBundleFolder(temp.at(name), built);
      paths.push(temp.at(name), temp.write(`${name}.pkg`, pack(built)));
      const result = { problems: [], id: vector.id, label: alice?.label, word_pairs: alice?.word_pairs, mailbox: bob?.mailbox };
      expected.push(result, result);
    }
    const { status, results } = verify(...paths);
    assert.deepEqual(results.map(({ problems, id, label, word_pairs, mailbox }) => ({ problems, id, label, word_pairs, mailbox })), expected);
    assert.equal(status, 0);
  });

  it('agrees on what is not right', async () => {
    const sample = buildSample();
    const changes: [problem: RegExp, change: (dir: string) => void][] = [
      [/signature is not of this key/, (dir) => writeFileSync(path.join(dir, 'manifest.sig'), signatureFile(Uint8Array.from({ length: 64 }, (_, index) => (index < 63 ? 7 : 0))))],
      [/bad R or S/, (dir) => writeFileSync(path.join(dir, 'manifest.sig'), signatureFile(new Uint8Array(64)))],
      [/bad R or S/, (dir) => writeFileSync(path.join(dir, 'manifest.sig'), signatureFile(new Uint8Array(64).fill(0xff)))],
      [/strict base64/, (dir) => writeFileSync(path.join(dir, 'manifest.sig'), signatureFile(new Uint8Array(63)))],
      [/line feed/, (dir) => writeFileSync(path.join(dir, 'manifest.sig'), readFileSync(path.join(dir, 'manifest.sig')).subarray(0, 88))],
      [/item 1 has other bytes/, (dir) => appendFileSync(path.join(dir, 'items', '0001'), 'x')],
      [/entries/, (dir) => rmSync(path.join(dir, 'items', '0000'))],
      [/entries/, (dir) => writeFileSync(path.join(dir, 'items', '0002'), '')],
      [/not canonical/, (dir) => appendFileSync(path.join(dir, 'manifest.json'), '\n')],
      [/version 1/, (dir) => writeFileSync(path.join(dir, 'manifest.json'), '{"v":2}')],
      [/manifest\.json/, (dir) => rmSync(path.join(dir, 'manifest.json'))],
    ];
    const paths: string[] = [];
    for (const [index, [, change]] of changes.entries()) {
      const dir = temp.at(`bad-${index}`);
      await writeBundleFolder(dir, sample);
      change(dir);
      paths.push(dir);
    }
    paths.push(temp.write('cut.pkg', pack(sample).subarray(0, -1)), temp.write('long.pkg', Buffer.concat([pack(sample), Buffer.alloc(1)])), temp.write('other', 'GAGEPKG2'));
    const expected = [...changes.map(([problem]) => problem), /package is cut/, /behind its end/, /neither a folder nor a package/];
    const { status, results } = verify(...paths);
    assert.equal(status, 1);
    assert.equal(results.length, expected.length);
    for (const [index, problem] of expected.entries()) assert.match(results[index]?.problems.join() ?? '', problem);
  });

  it('has fewer than 200 lines, and says how it is used', () => {
    assert.ok(readFileSync(script, 'utf8').split('\n').length <= 200);
    const { status, stderr } = spawnSync('python3', [script], { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /usage: verify_bundle\.py/);
  });
});
