/** Words that mark a value as a stand-in, wherever they occur in it. */
const STAND_IN = new RegExp(
  [
    'example', 'sample', 'change[-_ ]?(?:me|it|this)', 'placeholder', 'dummy', 'redacted', 'your', 'here', 'insert', 'replace', 'todo',
    'fixme', 'xxxx', '\\*\\*\\*', '\\.\\.\\.', 'test', 'fake', 'mock', 'foobar', 'lorem', 'deadbeef', 'not[-_ ]?a?[-_ ]?(?:real|secret)',
    'undefined', 'qwerty', 'letmein', 'notset', 'hidden', 'masked', 'obfuscated', 'secret[-_ ]?(?:key|token)',
  ].join('|'),
  'gi',
);

/** A short word that random text hits by chance: written as a word, it is in one case or capitalised. */
const ODD_CASE = /^(?![a-z]+$|[A-Z]+$|[A-Z][a-z]+$)[A-Za-z]{4}$/;

/** The same for tokens with a shape of their own, where chance hits in long random text must stay rare. */
const STAND_IN_TOKEN = /example|change[-_]?me|placeholder|redacted|x{6}|\*{3}|your[-_]|[-_]here|1234567890|abcdefghij/i;

/** The claims of the sample token that pages about JSON Web Tokens show, jwt.io's among them: sub 1234567890, name John Doe. */
const SAMPLE_CLAIMS = '.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIi';

const INTERPOLATED = /\$\{|\{\{|\}\}|<%|%>|#\{|\$\(|%[sdr(]|\{\w*\}|\{[\w.]+[!:}]|^\$\w+$|^%\w+%$|^@\w+@$|^__\w+__$|^<[^>]*>?$|^\[[^\]]*\]$/;
/** Values kept elsewhere or encrypted: sops, ansible, jasypt, op, vault references, crypt hashes, integrity digests. */
const STORED_ELSEWHERE =
  /^(?:ENC[[(]|\$ANSIBLE_VAULT|op:\/\/|vault:|secretsmanager:|ssm:|arn:|sha(?:1|256|384|512)[-:]|md5[-:]|\$(?:2[abxy]?|5|6|1|y|argon2\w*|pbkdf2[\w-]*)\$|pbkdf2[:_]|scrypt:|bcrypt:|urn:|data:|keyring:|env:|file:)/i;

/** Whether a value of a generic detector is a known stand-in, such as `changeme`, `xxxx` or a word about itself. */
export function isPlaceholder(value: string): boolean {
  return (value.match(STAND_IN) ?? []).some((word) => !ODD_CASE.test(word)) || value.includes(SAMPLE_CLAIMS) || isRun(value);
}

/** Whether a token with a vendor's shape is a documented stand-in. */
export function isPlaceholderToken(token: string): boolean {
  return STAND_IN_TOKEN.test(token) || token.includes(SAMPLE_CLAIMS) || /(.)\1{7}/.test(token);
}

/** Whether a value is filled in at run time or kept in another place, so that the text holds no secret. */
export function isReference(value: string): boolean {
  return INTERPOLATED.test(value) || STORED_ELSEWHERE.test(value);
}

/** A repeated character or group, a sequence such as `abcdefgh` or `12345678`, or hardly any variety. */
function isRun(value: string): boolean {
  if (new Set(value.toLowerCase()).size <= 3) return true;
  let same = 1;
  let rising = 1;
  let longest = 1;
  for (let i = 1; i < value.length; i++) {
    const step = value.charCodeAt(i) - value.charCodeAt(i - 1);
    same = step === 0 ? same + 1 : 1;
    rising = step === 1 || step === -1 ? rising + 1 : 1;
    longest = Math.max(longest, same, rising);
  }
  if (longest >= 8 || longest * 2 > value.length) return true;
  for (let period = 1; period <= 8 && period * 3 <= value.length; period++) {
    if (value === value.slice(0, period).repeat(Math.ceil(value.length / period)).slice(0, value.length)) return true;
  }
  return false;
}
