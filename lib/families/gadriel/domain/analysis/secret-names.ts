/** Names that say that what they hold is a secret: the one table for the engine's flag and for all rules. */

/** The lower-case words of an identifier or dotted name: `user.resetToken_2` -> user, reset, token, 2. */
export const wordsOf = (name: string): readonly string[] =>
  name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== '');

const secretWord = /^(?:pwd|passcode|credentials?|api(?:key|token)|authtoken|.{0,40}(?:password|passwd|passphrase|secret)s?)$/;
const keyQualifiers = new Set(['api', 'secret', 'private', 'access', 'encryption', 'signing', 'auth', 'session', 'master']);
/** Tokens of texts, pages and models. */
const plainTokens = new Set([
  'next', 'prev', 'previous', 'page', 'start', 'end', 'current', 'last', 'first', 'stop', 'pad', 'eos', 'bos', 'unk', 'sep', 'cls', 'special',
  'continuation', 'starting', 'resume', 'paging', 'pagination', 'marker', 'forward', 'backward', 'lock', 'cancel', 'cancellation', 'sync', 'parse', 'lex', 'new', 'old', 'prompt', 'word', 'text',
]);
/** A last word that turns a secret's name into something about it: `password_hash`, `token_url`. */
export const aboutWords: ReadonlySet<string> = new Set([
  'hash', 'hashed', 'hasher', 'url', 'uri', 'path', 'file', 'filename', 'name', 'id', 'len', 'length', 'count', 'field', 'label', 'type', 'error',
  'prompt', 'hint', 'policy', 'form', 'input', 'widget', 'valid', 'validator', 'validators', 'required', 'min', 'max', 'changed', 'reset', 'set',
  'used', 'expire', 'expired', 'expiry', 'expires', 'ttl', 'message', 'text', 'masked', 'mask', 'redacted', 'encrypted', 'digest', 'help',
  'status', 'age', 'strength', 'generator', 'regex', 're', 'pattern', 'incorrect',
]);

/** Most names are told apart without being taken into words. */
const mayNameSecret = /pass|pwd|secret|credential|token|key/i;

const cache = new Map<string, boolean>();
const maximumCached = 50_000;

/** Whether a dotted name's last segment names a password, a key or a token of access (and not something about one). */
export const secretName = (name: string): boolean => {
  const known = cache.get(name);
  if (known !== undefined) return known;
  if (cache.size >= maximumCached) cache.clear();
  const result = name.length < 80 && mayNameSecret.test(name) && namesSecret(wordsOf(name.slice(name.lastIndexOf('.') + 1)));
  cache.set(name, result);
  return result;
};

const namesSecret = (words: readonly string[]): boolean => {
  const last = words.at(-1);
  if (last === undefined || aboutWords.has(last) || words[0] === 'is' || words[0] === 'has' || words[0] === 'no') return false;
  if (words.some((word) => secretWord.test(word))) return true;
  const before = words.at(-2) ?? '';
  return last === 'key' && keyQualifiers.has(before) || last === 'token' && !plainTokens.has(before);
};
