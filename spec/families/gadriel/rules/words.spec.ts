import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasNestedRepetition } from '../../../../lib/families/gadriel/domain/rules/patterns.ts';
import { isCredentialName, isPasswordName, isSecretName, isUnguessableName, wordsOf } from '../../../../lib/families/gadriel/domain/rules/words.ts';

describe('names', () => {
  it('fall into lower-case words', () => {
    assert.deepEqual(wordsOf('user.resetToken_2'), ['user', 'reset', 'token', '2']);
  });

  const secrets = ['password', 'db_password', 'user.apiKey', 'api_key', 'ACCESS_TOKEN', 'clientSecret', 'refresh_token', 'token', 'userpassword'];
  const plain = ['password_hash', 'password_field', 'key', 'cache_key', 'has_password', 'secret_name', 'next_token', 'x', ''];
  for (const name of secrets) it(`${name} names a secret`, () => assert.equal(isSecretName(name), true));
  for (const name of plain) it(`"${name}" names no secret`, () => assert.equal(isSecretName(name), false));

  it('know passwords from other secrets', () => {
    assert.deepEqual(['password', 'user.passwd', 'api_key', 'password_length'].map(isPasswordName), [true, true, false, false]);
  });

  it('know what lets someone in', () => {
    const names = ['password', '_pass', 'password_for_email', 'token', 'client.secret', 'passed', 'tokens', 'password_hash', 'key'];
    assert.deepEqual(names.map(isCredentialName), [true, true, true, true, true, false, false, false, false]);
  });

  const unguessable = ['token', 'reset_token', 'otp', 'session_id', 'sessionid', 'verification_code', 'generate_api_key', 'csrf'];
  const guessable = ['colour', 'session_count', 'token_length', 'code', 'delay', 'key'];
  for (const name of unguessable) it(`${name} must not be guessable`, () => assert.equal(isUnguessableName(name), true));
  for (const name of guessable) it(`${name} may be guessable`, () => assert.equal(isUnguessableName(name), false));
});

describe('regular expressions', () => {
  const slow = ['(a+)+', '(a*)*$', '^(\\w+\\s?)*$', '(?:[a-z]+)+', '((ab)*)+', '(a|b+)+', '([^"]+)*x', '(a+){2,}', '(?P<n>\\d+)*'];
  const fast = ['a+', '(ab)+', '(a+,)+', '[(]+', '\\(a+\\)+', '(a+)?', '(a{2})+', '(\\.\\d+)*', '(a+', 'a{2,3}', '[a', '(,\\w+)+'];
  for (const pattern of slow) it(`${pattern} repeats a repetition`, () => assert.equal(hasNestedRepetition(pattern), true));
  for (const pattern of fast) it(`${pattern} does not`, () => assert.equal(hasNestedRepetition(pattern), false));

  it('of an unreasonable length count as harmless', () => {
    assert.equal(hasNestedRepetition(`(a+)+${'b'.repeat(5000)}`), false);
  });
});
