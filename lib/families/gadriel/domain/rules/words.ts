/** Names that say what a value is for: words of an identifier, and which of them mean a secret. */

/** The lower-case words of an identifier or dotted name: `user.resetToken_2` -> user, reset, token, 2. */
export const wordsOf = (name: string): readonly string[] =>
  name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== '');

const secretWords = new Set([
  'password', 'passwd', 'passphrase', 'passcode', 'pwd', 'secret', 'secrets', 'credential', 'credentials', 'apikey', 'apitoken',
  'authtoken',
]);
const keyQualifiers = new Set(['api', 'secret', 'private', 'access', 'encryption', 'signing', 'auth', 'session', 'master']);
const tokenQualifiers = new Set([
  'access', 'auth', 'refresh', 'bearer', 'api', 'session', 'reset', 'csrf', 'id', 'jwt', 'login', 'security',
]);
/** A last word that turns a secret's name into something about it: `password_hash`, `token_url`. */
const aboutWords = new Set([
  'hash', 'hashed', 'url', 'uri', 'path', 'file', 'filename', 'name', 'id', 'len', 'length', 'count', 'field', 'label', 'type', 'error',
  'prompt',
  'hint', 'policy', 'form', 'valid', 'required', 'min', 'max', 'changed', 'reset', 'set', 'used', 'expiry', 'expires', 'ttl', 'message',
  'text',
  'masked', 'mask', 'redacted', 'encrypted', 'digest', 'help', 'status', 'age', 'strength', 'generator', 'validators', 'regex', 're',
  'pattern',
]);

/** Whether a dotted name's last segment names a password, a key or a token of access (and not something about one). */
export const isSecretName = (name: string): boolean => {
  const words = wordsOf(name.slice(name.lastIndexOf('.') + 1));
  const last = words.at(-1);
  if (last === undefined || aboutWords.has(last) || words[0] === 'is' || words[0] === 'has' || words[0] === 'no') return false;
  if (words.some((word) => secretWords.has(word))) return true;
  const before = words.at(-2) ?? '';
  return (last === 'key' && keyQualifiers.has(before)) || (last === 'token' && tokenQualifiers.has(before));
};

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
