import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { formatToken, mailboxOf, parseToken } from '../../../../lib/families/gage/domain/identity/token.ts';
import { adjectives, nouns } from '../../../../lib/families/gage/domain/identity/word-list.ts';
import { labelOf, normaliseEcho, wordsOf } from '../../../../lib/families/gage/domain/identity/words.ts';
import { projectRoot } from '../../../support/project.ts';
import { fixture, hex, identityVectors, testIdentity, toHex } from '../crypto/vectors.ts';

describe('an identity', () => {
  for (const vector of identityVectors.identities) {
    it(`of the vectors has its keys, token, label, mailbox and words: ${vector.handle}`, async () => {
      const { signKey, boxKey, token } = testIdentity(vector.handle);
      assert.deepEqual([toHex(signKey), toHex(boxKey), token], [vector.sign_public_hex, vector.box_public_hex, vector.token]);
      assert.deepEqual([labelOf(signKey), mailboxOf(signKey)], [vector.label, vector.mailbox]);
      assert.deepEqual(await wordsOf(token), { pairs: vector.word_pairs, words: vector.words_display });
    });
  }

  it('has other words when the box key alone is swapped', async () => {
    const { token, word_pairs: pairs } = identityVectors.swapped_box;
    assert.deepEqual((await wordsOf(token)).pairs, pairs);
  });
});

describe('a token', () => {
  const { cases } = fixture('tokens.json') as { cases: { name: string; token: string; problem: string | null }[] };
  it('has as many cases as the vectors say', () => assert.equal(cases.length, 34));
  for (const { name, token, problem } of cases) {
    it(`is ${problem === null ? 'taken' : 'refused'}: ${name}`, () => {
      const parsed = parseToken(token);
      assert.equal('problem' in parsed, problem !== null);
      if (!('problem' in parsed)) assert.equal(formatToken(parsed.signKey, parsed.boxKey), token);
    });
  }

  it('has a full stop between its keys and no other sign', () => {
    const { token } = testIdentity('alice');
    for (const sign of [',', ':', ' ', '=', '\u2024']) assert.deepEqual(parseToken(token.replace('.', sign)), { problem: 'format' }, sign);
  });

  it('says in one word what is wrong with the box key', () => {
    const [signKey] = identityVectors.swapped_box.token.split('.');
    assert.deepEqual(parseToken(`${signKey}.${Buffer.from(hex('00'.repeat(32))).toString('base64')}`), { problem: 'box-key' });
  });
});

describe('the words', () => {
  it('come from a list that never changes', () => {
    const text = `${[...adjectives, ...nouns].join('\n')}\n`;
    assert.equal(createHash('sha256').update(text).digest('hex'), '635f51fd299d25e4bf0eaed16de2beb085641b631f38fe91e6685e5e51e4b208');
    assert.equal(text, readFileSync(path.join(projectRoot, 'spec', 'fixtures', 'gage', 'words-v1.txt'), 'utf8'));
    assert.deepEqual([adjectives.length, nouns.length], [256, 256]);
  });

  it('are derived once for a token', () => {
    const { token } = testIdentity('bob');
    assert.equal(wordsOf(token), wordsOf(token));
  });

  it('are refused for what is no token, each time', async () => {
    await assert.rejects(wordsOf('no token'), TypeError);
    await assert.rejects(wordsOf('no token'), TypeError);
  });
});

describe('an echo', () => {
  const vector = fixture('echo.json') as { word_pairs: string[]; accept: (string | string[])[]; reject: (string | string[])[] };
  const expected = normaliseEcho(vector.word_pairs);
  for (const echo of vector.accept) it(`is the same words: ${JSON.stringify(echo)}`, () => assert.equal(normaliseEcho(echo), expected));
  for (const echo of vector.reject) it(`is not the same words: ${JSON.stringify(echo)}`, () => assert.notEqual(normaliseEcho(echo), expected));
});
