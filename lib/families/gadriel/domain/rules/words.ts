/** Names that say what a value is for: words of an identifier, and which of them mean a secret. */

import { aboutWords, wordsOf } from '../analysis/secret-names.ts';

export { secretName as isSecretName, wordsOf } from '../analysis/secret-names.ts';

const passwordWords = new Set(['password', 'passwd', 'passphrase', 'pwd', 'passcode', 'pw']);

/** Whether a dotted name's last segment names a password. */
export const isPasswordName = (name: string): boolean => {
  const words = wordsOf(name.slice(name.lastIndexOf('.') + 1));
  return words.some((word) => passwordWords.has(word)) && !aboutWords.has(words.at(-1) ?? '');
};

const credentialWords = new Set([...passwordWords, 'pass', 'secret', 'token']);

/** Whether a name says that its value lets someone in: a password, a secret or a token. */
export const isCredentialName = (name: string): boolean => {
  const words = wordsOf(name);
  return words.some((word) => credentialWords.has(word)) && !aboutWords.has(words.at(-1) ?? '');
};

const generatedWords = new Set([
  'token', 'tokens', 'password', 'passwd', 'passphrase', 'pwd', 'secret', 'salt', 'otp', 'totp', 'nonce', 'csrf', 'apikey', 'sid',
  'sessionid',
  'passcode', 'captcha', 'iv',
]);
const generatedPairs = new Set([
  'session id', 'session key', 'secret key', 'api key', 'encryption key', 'private key', 'auth key', 'access key', 'signing key',
  'auth code',
  'verification code', 'verify code', 'reset code', 'confirmation code', 'activation code', 'activation key', 'recovery code',
  'invite code',
  'pin code', 'security code', 'sms code', 'login code', 'two factor', 'reset key', 'reset link', 'session',
]);

/** Whether a name says that its value must not be guessable: token, password, salt, otp, session id, verification code… */
export const isUnguessableName = (name: string): boolean => {
  const words = wordsOf(name);
  if (aboutWords.has(words.at(-1) ?? '') && !['id', 'text'].includes(words.at(-1) ?? '')) return false;
  return words.some((word, index) => generatedWords.has(word) || generatedPairs.has(`${word} ${words[index + 1] ?? ''}`.trim()));
};
