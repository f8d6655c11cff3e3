import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tokenDetectors } from '../../lib/secrets/detectors-tokens.ts';
import { scanSecrets } from '../../lib/secrets/scan.ts';
import { hasTokenChecksum } from '../../lib/secrets/token-checks.ts';
import { randomStrings, tokenSamples } from './samples.ts';

const random = randomStrings(3);
const found = (text: string, path = 'notes.txt'): string[] => scanSecrets(text, { path }).map((hit) => `${hit.detectorId.slice(-3)} ${text.slice(hit.start, hit.end)}`);
/** What a detector reports of a sample: the key alone of `AccountKey=…`. */
const secretOf = (sample: string): string => sample.replace(/^AccountKey=/, '').replace(/^outlook\./, '');

describe('tokens with a shape of their own', () => {
  const samples = tokenSamples();

  it('has a sample for every token detector but Discord, which has its own test', () => {
    const tested = new Set(samples.map(([number]) => number));
    assert.deepEqual(tokenDetectors.map((row) => row.id.slice(-3)).filter((number) => !tested.has(number)), ['060']);
  });

  for (const [number, sample, nearMiss] of samples) {
    it(`${number} finds ${sample.slice(0, 10)}… wherever it stands`, () => {
      const expected = [`${number} ${secretOf(sample)}`];
      for (const text of [sample, `value = "${sample}"`, `see <${sample}> there`, `a: '${sample}',`, `"line\\n${sample}"`, `x\n\t${sample}\n`]) assert.deepEqual(found(text), expected, text);
    });
    it(`${number} does not take ${nearMiss.slice(0, 12)}… for one`, () => assert.deepEqual(found(`see ${nearMiss} there`).filter((hit) => hit.startsWith(number)), []));
    it(`${number} does not look inside a longer word (${sample.slice(0, 8)}…)`, () => {
      if (number !== '010' && number !== '018' && number !== '067') assert.deepEqual(found(`x${sample}`).filter((hit) => hit.startsWith(number)), []);
    });
  }

  it('finds a Discord bot token where the text speaks of a bot', () => {
    const token = `M${random('word', 23)}.${random('word', 6)}.${random('word', 30)}`;
    assert.deepEqual(found(`bot.run("${token}")`), [`060 ${token}`]);
    assert.deepEqual(found(`value "${token}"`), []);
    assert.deepEqual(found('bot.load("Mandatory_component_nam.module.another_component_name_long")'), []);
  });

  it('keeps a GitHub token with a wrong checksum at lower confidence', () => {
    // The documented example of a token that verifies.
    const valid = ['ghp', 'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17'].join('_');
    assert.ok(hasTokenChecksum(valid));
    assert.equal(scanSecrets(valid, { path: 'a.cfg' })[0]?.confidence, 'high');
    assert.equal(scanSecrets(`${valid.slice(0, -1)}8`, { path: 'a.cfg' })[0]?.confidence, 'medium');
  });

  it('rates live payment keys and storage keys critical', () => {
    const severity = (text: string): string | undefined => scanSecrets(text, { path: 'a.cfg' })[0]?.severity;
    assert.equal(severity(`sk_live_${random('word', 24)}`), 'critical');
    assert.equal(severity(`sk_test_${random('word', 24)}`), 'high');
    assert.equal(severity(`AccountKey=${random('base64', 86)}==`), 'critical');
  });

  it('leaves out the sample token of jwt.io, under whatever name', () => {
    const sample = ['eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiYWRtaW4iOnRydWV9', random('dash', 43)].join('.');
    for (const text of [sample, `auth_token = "${sample}"`, `Authorization: Bearer ${sample}`, `//r.example.org/:_authToken=${sample}`]) assert.deepEqual(found(text), [], text);
  });

  it('leaves out documented stand-ins of the right shape', () => {
    for (const token of [`ghp_${'x'.repeat(36)}`, `sk_test_${'your_'.repeat(2)}${'Abc1'.repeat(4)}`, `npm_${'A1'.repeat(6)}EXAMPLE${random('word', 17)}`, `glpat-${'*'.repeat(20)}`])
      assert.deepEqual(found(token), [], token);
  });
});
