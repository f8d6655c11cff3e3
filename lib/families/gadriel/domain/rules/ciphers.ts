/** Ciphers and keys: broken ciphers (CRYPTO-002), short keys (CRYPTO-003), repeated nonces and salts (CRYPTO-005). */
import type { CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { constantOf, nameOf, numberOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf, functionName, sinkName } from './event-names.ts';
import { reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { nameText, textOf } from './value-facts.ts';

const brokenCipher = defineRule({
  id: 'CODE-W1-CRYPTO-002',
  cwe: 'CWE-327',
  severity: 'high',
  confidence: 'high',
  title: 'Broken cipher or mode',
  message: '{sink} encrypts with a cipher or mode that is broken.',
  remediation: 'Use AES-GCM or ChaCha20-Poly1305.',
  owasp: ['A02:2021'],
  why: 'DES and RC4 are broken outright, Blowfish, IDEA, CAST and 3DES have blocks that are too short, and ECB shows which blocks are equal. '
    + 'AES-GCM also notices changes.',
  bad: 'from Crypto.Cipher import DES\n\ndef lock(key, iv):\n    return DES.new(key, DES.MODE_CBC, iv)\n',
  good: 'from Crypto.Cipher import AES\n\ndef lock(key, nonce):\n    return AES.new(key, AES.MODE_GCM, nonce=nonce)\n',
});

const shortKey = defineRule({
  id: 'CODE-W1-CRYPTO-003',
  cwe: 'CWE-326',
  severity: 'high',
  confidence: 'high',
  title: 'Key that is too short',
  message: '{sink} makes a key that is too short.',
  remediation: 'Use RSA with at least 2048 bits (better 3072), or an elliptic curve of 256 bits.',
  owasp: ['A02:2021'],
  why: 'RSA and DSA under 2048 bits and curves under 224 bits are within reach of factoring today. '
    + 'Keys live for years, so leave a margin.',
  bad: 'from Crypto.PublicKey import RSA\n\nkey = RSA.generate(1024)\n',
  good: 'from Crypto.PublicKey import RSA\n\nkey = RSA.generate(3072)\n',
});

const fixedNonce = defineRule({
  id: 'CODE-W1-CRYPTO-005',
  cwe: 'CWE-329',
  severity: 'medium',
  confidence: 'medium',
  title: 'Constant IV, nonce or salt',
  message: '{sink} is given the same IV, nonce or salt every time.',
  remediation: 'Take os.urandom(16) each time and store it beside the result.',
  owasp: ['A02:2021'],
  why: 'With a fixed nonce, equal texts give equal ciphertexts, and GCM and CTR lose their secrecy altogether. '
    + 'A fixed salt lets one table break the passwords of all users.',
  bad: 'from Crypto.Cipher import AES\n\ndef lock(key, text):\n    return AES.new(key, AES.MODE_CBC, b"0123456789abcdef").encrypt(text)\n',
  good: 'import os\nfrom Crypto.Cipher import AES\n\ndef lock(key, text):\n    iv = os.urandom(16)\n'
    + '    return iv + AES.new(key, AES.MODE_CBC, iv).encrypt(text)\n',
});

/** PyCryptodome keeps one module a cipher. */
const cipherModule = /^Crypto\.Cipher\.(?:_?(DES3?|ARC2|ARC4|Blowfish|CAST|IDEA|XOR))\.new$/;
/** cryptography has moved its old ciphers to `decrepit` over the years. */
const hazmatCipher = new RegExp('^cryptography\\.hazmat\\.(?:primitives|decrepit)\\.ciphers\\.(?:base\\.)?algorithms\\.'
  + '(?:ARC4|Blowfish|IDEA|CAST5|SEED|TripleDES|RC2|DES)$');
const otherCipher = /^(?:pyDes\.(?:des|triple_des)|rc4\.\w+|Crypto\.Cipher\.(?:DES|ARC4|Blowfish)\.\w+Cipher|Crypto\.Cipher\.AES\.new)$/;
const ecbMode = /(?:^|\.)(?:MODE_ECB|ECB)$/;

/** CRYPTO-002: which cipher or mode is asked for is in the name; the data does not matter. */
const cipherMatcher: Matcher = {
  calls: [
    'new', 'ARC4', 'Blowfish', 'IDEA', 'CAST5', 'SEED', 'TripleDES', 'RC2', 'DES', 'ECB', 'des', 'triple_des', 'DESCipher', 'ARC4Cipher',
  ],
  onCall(event) {
    const name = calleeOf(event);
    const sink = sinkName(event);
    if (cipherModule.test(name) || hazmatCipher.test(name)) reportRule(event, brokenCipher, { sink });
    else if (/^cryptography\..*modes\.ECB$/.test(name)) reportRule(event, brokenCipher, { sink });
    else if (otherCipher.test(name)) {
      const aes = name === 'Crypto.Cipher.AES.new';
      const mode = event.arg(1, 'mode');
      if (!aes || ecbMode.test(nameText(mode)) || (numberOf(mode) === 1)) reportRule(event, brokenCipher, { sink });
    }
  },
};

/** Curves under 224 bits, in the spellings of four libraries. */
const smallCurve = /(?:^|\.)(?:SECP(?:160|192)R1|SECT163[KR][12]|BrainpoolP160R1|P-?192|NIST192p|secp192r1|prime192v1)(?:\(\))?$/i;

/** Where the number of bits stands, by qualified name; `least` is the smallest accepted one. */
const sizes = new Map<string, { readonly position: number; readonly keyword: string }>([
  ['Crypto.PublicKey.RSA.generate', { position: 0, keyword: 'bits' }], ['Crypto.PublicKey.DSA.generate', { position: 0, keyword: 'bits' }],
  ['Crypto.PublicKey.ElGamal.generate', { position: 0, keyword: 'bits' }],
  ['cryptography.hazmat.primitives.asymmetric.rsa.generate_private_key', { position: 1, keyword: 'key_size' }],
  ['cryptography.hazmat.primitives.asymmetric.dsa.generate_private_key', { position: 0, keyword: 'key_size' }],
  ['cryptography.hazmat.primitives.asymmetric.dsa.generate_parameters', { position: 0, keyword: 'key_size' }],
  ['cryptography.hazmat.primitives.asymmetric.dh.generate_parameters', { position: 1, keyword: 'key_size' }],
  ['rsa.newkeys', { position: 0, keyword: 'nbits' }], ['rsa.key.newkeys', { position: 0, keyword: 'nbits' }],
  ['OpenSSL.crypto.PKey().generate_key', { position: 1, keyword: 'bits' }],
  ['paramiko.RSAKey.generate', { position: 0, keyword: 'bits' }], ['paramiko.DSSKey.generate', { position: 0, keyword: 'bits' }],
  ['paramiko.rsakey.RSAKey.generate', { position: 0, keyword: 'bits' }],
]);

const emptyKeyTakers = /^(?:Crypto\.Cipher\.\w+\.new|cryptography\.hazmat\.primitives\.ciphers\.(?:base\.)?algorithms\.AES)$/;

/** CRYPTO-003: only sizes that are known here; one out of a configuration may be anything. */
const sizeMatcher: Matcher = {
  calls: ['new', 'AES', 'generate', 'generate_private_key', 'generate_parameters', 'newkeys', 'generate_key'],
  onCall(event) {
    const name = calleeOf(event);
    // An empty key encrypts for everyone.
    if (emptyKeyTakers.test(name) && constantOf(event.arg(0, 'key'))?.value === '') reportRule(event, shortKey, { severity: 'critical' });
    const size = sizes.get(name);
    if (size !== undefined) {
      const bits = numberOf(event.arg(size.position, size.keyword));
      if (bits !== undefined && bits < 2048) reportRule(event, shortKey, { ...(bits >= 1024 ? {} : { severity: 'critical' as const }) });
    } else if (/^(?:cryptography\..*\.ec\.generate_private_key|Crypto\.PublicKey\.ECC\.generate|ecdsa\.SigningKey\.generate)$/.test(name)) {
      const curve = event.arg(0, 'curve');
      if (smallCurve.test(nameOf(curve) ?? textOf(curve))) reportRule(event, shortKey);
    }
  },
};

/** Text or bytes known in full: literals, folded ones, also `bytes(16)`. */
const isFixed = (value: Value | undefined): boolean => {
  const constant = constantOf(value);
  return (constant?.kind === 'bytes' || constant?.kind === 'str') && constant.value.length > 0;
};

const cipherNew = /^Crypto\.Cipher\.(?:AES|DES3?|Blowfish|CAST|ARC2|ChaCha20|ChaCha20_Poly1305|Salsa20)\.new$/;
const hazmatMode = /^cryptography\.hazmat\.primitives\.ciphers\.(?:base\.)?modes\.(?:CBC|CTR|GCM|CFB8?|OFB)$/;
const aead = /^cryptography\.hazmat\.primitives\.ciphers\.aead\.(?:AESGCM|ChaCha20Poly1305|AESCCM|AESOCB3|AESGCMSIV)\(\)\.encrypt$/;

/** The argument that has to differ each time. */
const nonceOf = (event: CallEvent, name: string): Value | undefined => {
  const { args, keywords } = event;
  // The stream ciphers of PyCryptodome take everything by keyword.
  if (cipherNew.test(name)) return keywords.get('iv') ?? keywords.get('IV') ?? keywords.get('nonce') ?? args[2];
  if (hazmatMode.test(name) || aead.test(name)) return args[0] ?? keywords.get('initialization_vector') ?? keywords.get('nonce');
  switch (name) {
    case 'hashlib.pbkdf2_hmac': return event.arg(2, 'salt');
    case 'hashlib.scrypt': return event.arg(-1, 'salt');
    case 'cryptography.hazmat.primitives.kdf.pbkdf2.PBKDF2HMAC': return event.arg(2, 'salt');
    case 'cryptography.hazmat.primitives.kdf.scrypt.Scrypt': return event.arg(0, 'salt');
    case 'Crypto.Protocol.KDF.PBKDF2': case 'Crypto.Protocol.KDF.scrypt': return event.arg(1, 'salt');
    case 'bcrypt.hashpw': return event.arg(1, 'salt');
    case 'cryptography.hazmat.primitives.ciphers.algorithms.ChaCha20': return event.arg(1, 'nonce');
    default: return undefined;
  }
};

/** CRYPTO-005: where data is encrypted or a key derived; the reading side has to use what was written. */
const nonceMatcher: Matcher = {
  calls: [
    'new', 'CBC', 'CTR', 'GCM', 'CFB', 'CFB8', 'OFB', 'encrypt', 'pbkdf2_hmac', 'scrypt', 'PBKDF2HMAC', 'Scrypt', 'PBKDF2', 'hashpw',
    'ChaCha20',
  ],
  onCall(event) {
    if (event.name === undefined) return;
    const nonce = nonceOf(event, event.name);
    if (nonce === undefined || !(isFixed(nonce) || nameOf(nonce) === 'bytes()')) return;
    const reading = /^(?:decrypt|decode|unlock|verify|check)/.test(functionName(event));
    if (!reading) reportRule(event, fixedNonce);
  },
};

/** CRYPTO-002, CRYPTO-003, CRYPTO-005. */
export const cipherRules: RuleSet = { rules: [brokenCipher, shortKey, fixedNonce], matchers: [cipherMatcher, sizeMatcher, nonceMatcher] };
