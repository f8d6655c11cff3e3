/** Digests that are broken (CRYPTO-001) or too fast for passwords (CRYPTO-006). */
import type { PyExpr } from '../../../../syntax/python.types.ts';
import type { CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { elementsOf, hasFlag, nameOf, numberOf, stringOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf, functionName, lastSegments } from './event-names.ts';
import { reportAudit, reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { isBool } from './value-facts.ts';
import { isPasswordName, wordsOf } from './words.ts';

const weakDigest = defineRule({
  id: 'CODE-W1-CRYPTO-001',
  cwe: 'CWE-328',
  severity: 'high',
  confidence: 'medium',
  title: 'Broken hash function',
  message: '{sink} is a hash function for which collisions can be made.',
  remediation: 'Use SHA-256, or pass usedforsecurity=False where nothing depends on it.',
  owasp: ['A02:2021'],
  why: 'Two different inputs with the same MD5 or SHA-1 can be made on a home computer, so neither proves that data is unchanged. '
    + 'usedforsecurity=False says that this does not matter, as for a cache key.',
  bad: 'import hashlib\n\ndef fingerprint(data):\n    return hashlib.md5(data).hexdigest()\n',
  good: 'import hashlib\n\ndef fingerprint(data):\n    return hashlib.sha256(data).hexdigest()\n',
});

const fastPasswordHash = defineRule({
  id: 'CODE-W1-CRYPTO-006',
  cwe: 'CWE-916',
  severity: 'medium',
  confidence: 'medium',
  title: 'Password hash that is too cheap to compute',
  message: '{sink} lets an attacker try passwords far too fast.',
  remediation: 'Use argon2, scrypt or bcrypt with 12 rounds, or PBKDF2 with at least 600,000 iterations.',
  owasp: ['A02:2021', 'A07:2021'],
  why: 'A graphics card tries billions of plain SHA-256 a second, so stolen hashes of common passwords fall at once. '
    + 'Password hashes are made slow on purpose.',
  bad: 'import hashlib\n\ndef store(password):\n    return hashlib.sha256(password.encode()).hexdigest()\n',
  good: 'import hashlib\nimport os\n\ndef store(password):\n    salt = os.urandom(16)\n'
    + '    return salt + hashlib.scrypt(password.encode(), salt=salt, n=16384, r=8, p=1)\n',
});

/** Broken digests by the names of their constructors. */
const digestNames = new Map<string, string>([
  ['hashlib.md5', 'md5'], ['hashlib.sha1', 'sha1'], ['hashlib.sha', 'sha1'], ['md5.new', 'md5'], ['md5.md5', 'md5'], ['sha.new', 'sha1'],
  ['sha.sha', 'sha1'], ['_md5.md5', 'md5'],
  ['Crypto.Hash.MD2.new', 'md2'], ['Crypto.Hash.MD4.new', 'md4'], ['Crypto.Hash.MD5.new', 'md5'], ['Crypto.Hash.SHA.new', 'sha1'],
  ['Crypto.Hash.SHA1.new', 'sha1'],
  ['cryptography.hazmat.primitives.hashes.MD5', 'md5'], ['cryptography.hazmat.primitives.hashes.SHA1', 'sha1'], ['hashlib.md4', 'md4'],
  ['django.utils.crypto.md5', 'md5'],
]);
const weakNames = new Set(['md2', 'md4', 'md5', 'sha1', 'sha', 'md5-sha1', 'sha-1', 'ripemd160', 'md5sha1']);
const fastNames = /^(?:hashlib\.(?:sha(?:224|256|384|512|3_\w+)|blake2[bs])|Crypto\.Hash\.(?:SHA\w+|BLAKE2[bs])\.new)$/;
/** Schemes of passlib that are plain digests or older. */
const passlibNames = new RegExp('^passlib\\.hash\\.(?:md5_crypt|hex_(?:md5|sha1|sha256|sha512)|des_crypt|bsdi_crypt|lmhash|nthash|mysql323|mysql41'
  + '|ldap_(?:md5|sha1|salted_md5|salted_sha1|plaintext)|oracle10|cisco_pix|plaintext)\\.(?:hash|encrypt)$');

/** Whether the digested data is a password: by the names in the expression, or by where the value comes from. */
const isPassword = (event: CallEvent, value: Value | undefined, node: PyExpr | undefined, depth = 0): boolean => {
  if (node === undefined || depth > 12) return false;
  switch (node.type) {
    case 'Name': return isPasswordName(node.id);
    case 'Attribute': return isPasswordName(node.attr);
    case 'Subscript': return node.index.type === 'Constant' && node.index.kind === 'str' && isPasswordName(node.index.value);
    case 'BinOp': return isPassword(event, value, node.left, depth + 1) || isPassword(event, value, node.right, depth + 1);
    case 'JoinedStr': return node.parts.some((part) => part.type === 'Formatted' && isPassword(event, value, part.value, depth + 1));
    case 'Call':
      return node.func.type === 'Attribute' && isPassword(event, value, node.func.value, depth + 1)
        || node.args.some((argument) => argument.kind === 'positional' && isPassword(event, value, argument.value, depth + 1));
    default: return false;
  }
};

/** Names that say a digest tells equal from unequal data and nothing more. */
const plainUse = new Set([
  'etag', 'cache', 'checksum', 'cksum', 'key', 'fingerprint', 'dedupe', 'bucket', 'shard', 'color', 'avatar', 'gravatar', 'version', 'crc',
  'revision', 'filename',
]);
const isPlainUse = (event: CallEvent): boolean =>
  [...event.feeds, functionName(event)].some((name) => wordsOf(name).some((word) => plainUse.has(word)) && !isPasswordName(name));

/** Their security does not rest on collisions. */
const harmlessUses = new Set(['HMAC', 'OAEP', 'MGF1', 'TOTP', 'HOTP', 'HKDF', 'PBKDF2HMAC']);

const reportDigest = (event: CallEvent, data: number): void => {
  if (isBool(event.keywords.get('usedforsecurity'), false) || event.openKeywords) return;
  // Inside these constructions, and in tables of algorithms, collisions do not matter.
  const inTable = calleeOf(event).startsWith('cryptography.') && event.function === undefined && event.use === 'other';
  if (inTable || event.insideCalls.some((outer) => harmlessUses.has(outer))) return;
  const argument = event.argNode(data, 'data') ?? event.argNode(data, 'string');
  const password = isPassword(event, event.args[data], argument?.value);
  const severity = password ? 'high' : isPlainUse(event) ? 'low' : 'medium';
  reportRule(event, weakDigest, { severity, ...(password ? { confidence: 'high' as const } : {}) });
};

/** CRYPTO-001 and the digests of CRYPTO-006; a reference without a call (as for hmac) is fine. */
const digestMatcher: Matcher = {
  calls: [
    ...lastSegments(digestNames.keys()), 'new', 'sha224', 'sha256', 'sha384', 'sha512', 'sha3_256', 'sha3_512', 'blake2b', 'blake2s',
    'hash', 'encrypt', 'crypt', 'mksalt',
  ],
  onCall(event) {
    const name = calleeOf(event);
    if (digestNames.has(name)) reportDigest(event, 0);
    else if (name === 'hashlib.new') {
      const algorithm = stringOf(event.arg(0, 'name'))?.toLowerCase();
      if (algorithm !== undefined && weakNames.has(algorithm)) reportDigest(event, 1);
      else if (isPassword(event, event.args[1], event.argNode(1)?.value)) reportRule(event, fastPasswordHash);
    } else if (fastNames.test(name)) {
      if (isPassword(event, event.args[0], event.argNode(0)?.value))
        reportRule(event, fastPasswordHash, { ...(hasFlag(event.args[0], 'built') ? { confidence: 'low' as const } : {}) });
    } else if (passlibNames.test(name)) {
      reportRule(event, fastPasswordHash, { confidence: 'high' });
    } else if (name === 'crypt.crypt' || name === 'crypt.mksalt') {
      checkCrypt(event);
    }
  },
};

const checkCrypt = (event: CallEvent): void => {
  const method = nameOf(event.arg(name(event) === 'crypt.crypt' ? 1 : 0, name(event) === 'crypt.crypt' ? 'salt' : 'method')) ?? '';
  if (/METHOD_(?:CRYPT|MD5|BLOWFISH)$/.test(method)) reportRule(event, fastPasswordHash, { confidence: 'high' });
};
const name = (event: CallEvent): string => calleeOf(event);

/** CRYPTO-006 by the work factor that is written down. */
const deriveMatcher: Matcher = {
  calls: ['pbkdf2_hmac', 'PBKDF2HMAC', 'PBKDF2', 'gensalt', 'pbkdf2', 'using', 'BCryptHasher'],
  onCall(event) {
    switch (name(event)) {
      case 'hashlib.pbkdf2_hmac': checkCount(event, event.arg(3, 'iterations'), 100_000); break;
      case 'cryptography.hazmat.primitives.kdf.pbkdf2.PBKDF2HMAC': checkCount(event, event.arg(3, 'iterations'), 100_000); break;
      case 'Crypto.Protocol.KDF.PBKDF2':
        // Its default is 1,000.
        if (event.arg(3, 'count') === undefined && !event.openKeywords) reportRule(event, fastPasswordHash);
        else checkCount(event, event.arg(3, 'count'), 100_000);
        break;
      case 'django.utils.crypto.pbkdf2': checkCount(event, event.arg(2, 'iterations'), 100_000); break;
      case 'bcrypt.gensalt': checkCount(event, event.arg(0, 'rounds'), 10); break;
      case 'passlib.hash.pbkdf2_sha256.using': checkCount(event, event.arg(-1, 'rounds'), 100_000); break;
      case 'passlib.hash.bcrypt.using': checkCount(event, event.arg(-1, 'rounds'), 10); break;
    }
  },
  assigns: ['PASSWORD_HASHERS'],
  onAssign(event) {
    const first = stringOf(elementsOf(event.value)?.[0]);
    if (first !== undefined && /(?:MD5|SHA1|Unsalted|Crypt)\w*PasswordHasher$/.test(first) && !first.includes('BCrypt')
      && !first.includes('PBKDF2') && !event.module.isTest && !/test/i.test(event.module.path)) {
      reportRule(event, fastPasswordHash, { sink: event.target });
    }
  },
};

const checkCount = (event: CallEvent, count: Value | undefined, least: number): void => {
  const number = numberOf(count);
  if (number === undefined) return;
  if (number < least) reportRule(event, fastPasswordHash);
  else if (least > 10 && number < 600_000) reportAudit(event, fastPasswordHash);
};

const passwordSetters = ['set_password', 'setPassword', 'set_passwd', 'change_password', 'update_password', 'store_password', 'save_password'];
const brokenDigest = /^(?:hashlib\.(?:md5|sha1)|Crypto\.Hash\.(?:MD[245]|SHA1?)\.new)\(\)\.(?:hex)?digest\(\)$/;

/** CRYPTO-006 where a broken digest is handed to what stores passwords. */
const storeMatcher: Matcher = {
  calls: passwordSetters,
  onCall(event) {
    const digest = event.args.find((value) => brokenDigest.test(nameOf(value) ?? ''));
    if (digest !== undefined) reportRule(event, fastPasswordHash, { value: digest, confidence: 'high' });
  },
};

/** CRYPTO-001, CRYPTO-006. */
export const digestRules: RuleSet = { rules: [weakDigest, fastPasswordHash], matchers: [digestMatcher, deriveMatcher, storeMatcher] };
