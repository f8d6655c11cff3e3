import type { ContextDetector, Found, ScanSource, Verdict } from './detectors.types.ts';
import { classifyAssignment } from './generic.ts';
import { isPlaceholder, isPlaceholderToken, isReference } from './placeholders.ts';
import { isPlainData, isSlug } from './plain-data.ts';
import { findPuttyKey } from './putty-key.ts';

const NOTHING: Found = { spans: [] };

/** Above a guess by a name, below all that is known by more: a place must not cover the token that stands in it. */
const RANK = 1.5;
const inAssignment = { id: 'CODE-W1-SECRET-075', name: 'generic', title: 'Secret in an assignment', severity: 'high', confidence: 'medium', rank: RANK, minEntropy: 0 } as const;
const inLiteral = { id: 'CODE-W1-SECRET-076', name: 'password-literal', title: 'Password in a string literal', severity: 'medium', confidence: 'medium', rank: RANK, minEntropy: 0 } as const;

/** A password as people think them up; words and stand-ins are none. */
const passwordLike = (secret: string): Verdict =>
  (secret.length < 6 || !/\d/.test(secret) || !/[a-z]/i.test(secret) || isSlug(secret) || isPlainData(secret) || isPlaceholder(secret) || isReference(secret) ? false : undefined);

/** The last group of a pattern that starts at the keyword, as the secret. Patterns are sticky and bounded. */
function from(pattern: RegExp, isPlace: (source: ScanSource, at: number) => boolean = () => true): ContextDetector['find'] {
  const sticky = new RegExp(pattern.source, 'diy');
  return (source, at) => {
    sticky.lastIndex = at;
    const match = sticky.exec(source.text);
    const group = match?.indices?.slice(1).findLast((range) => range !== undefined);
    return group === undefined || !isPlace(source, at) ? NOTHING : { spans: [{ start: group[0], end: group[1] }], until: group[1] };
  };
}

const startsWord = ({ text }: ScanSource, at: number): boolean => !/[\w-]/.test(text[at - 1] ?? '');
const lineBefore = (text: string, at: number): string => {
  const before = text.slice(Math.max(0, at - 200), at);
  return before.slice(before.lastIndexOf('\n') + 1);
};
/** SQL stands in files of its own, in configuration, and in the strings of code. */
const isSql = (source: ScanSource, at: number): boolean => startsWord(source, at) && (source.kind !== 'code' || /\.(?:sql|psql|ddl)$/i.test(source.path) || source.inLiteral(at));

/**
 * Passwords where tools expect them, without a name and an equals sign: in netrc files, SQL statements, command lines,
 * calls. They are found under the numbers of secrets in assignments and of passwords in literals.
 */
export const placeDetectors: readonly ContextDetector[] = [
  { ...inAssignment, keywords: ['password'], verify: (secret) => (isPlaceholder(secret) || isReference(secret) ? false : undefined),
    find: from(/password[ \t\r\n]{1,8}([^\s"'#]{4,200})/, (source, at) => /(?:^|[\\/])[._]netrc$/.test(source.path) && startsWord(source, at)) },
  { ...inAssignment, keywords: ['variable'], find: findTerraformDefault },
  { ...inLiteral, keywords: ['identified'], verify: passwordLike,
    find: from(/identified[ \t]{1,4}(?:with[ \t]{1,4}['"`\w]{1,60}[ \t]{1,4})?by[ \t]{1,4}(?:password[ \t]{1,4})?\\?'([^'\\\n]{4,120})\\?'/, isSql) },
  { ...inLiteral, keywords: ['password'], verify: passwordLike,
    find: from(/password(?:[ \t]{0,4}=)?[ \t]{0,4}(?:\([ \t]{0,4})?\\?'([^'\\\n]{4,120})\\?'/, (source, at) => isSql(source, at)
      && /\b(?:create|alter|set)\s{1,8}(?:user|role|login|password)\b[^;]*$/i.test(lineBefore(source.text, at))) },
  { ...inAssignment, keywords: ['mysql', 'mariadb'], verify: passwordLike,
    find: from(/(?:mysql|mariadb)(?:-?(?:dump|admin|import|show|check))?[ \t](?:[^\n|;&]{0,200}?[ \t])?-p(?:'([^'\n]{4,80})'|"([^"$`\n]{4,80})"|([^\s'"$`|;&:]{4,80}))(?![^\s|;&'"`)])/, startsWord) },
  { ...inAssignment, keywords: ['sshpass'], verify: (secret) => (isPlaceholder(secret) || isReference(secret) ? false : undefined),
    find: from(/sshpass[ \t]{1,4}-p[ \t]{0,4}(?:'([^'\n]{4,80})'|"([^"$`\n]{4,80})"|([^\s'"$`|;&]{4,80}))/, startsWord) },
  { ...inAssignment, keywords: ['authorization'], verify: isBasic,
    find: from(/authorization\\?["']?[ \t]{0,4}[:=,]?[ \t]{0,4}\\?["']?basic[ \t]{1,4}([A-Za-z0-9+/]{8,400}={0,2})(?![\w+/=])/, ({ text }, at) => /[\w-]/.test(text[at - 1] ?? '') === false) },
  { ...inLiteral, keywords: ['getconnection'], verify: passwordLike,
    find: from(/getConnection[ \t]{0,4}\([^()\n]{1,200}?,[ \t]{0,4}"[^"\n]{0,80}"[ \t]{0,4},[ \t]{0,4}"([^"\n]{3,80})"[ \t]{0,4}\)/) },
  { ...inLiteral, keywords: ['auth', 'httpbasicauth', 'httpdigestauth'], verify: passwordLike,
    find: from(/(?:auth[ \t]{0,4}=[ \t]{0,4}\(|HTTP(?:Basic|Digest)Auth\()[ \t]{0,4}(?:"[^"\n]{0,80}"|'[^'\n]{0,80}')[ \t]{0,4},[ \t]{0,4}(?:"([^"\n]{3,80})"|'([^'\n]{3,80})')[ \t]{0,4}\)/,
      (source, at) => source.kind !== 'code' || !/[#*]/.test(lineBefore(source.text, at).trimStart().slice(0, 1))) },
  { id: 'CODE-W1-SECRET-002', name: 'aws-secret', title: 'AWS secret access key', provider: 'aws', severity: 'critical', confidence: 'high', rank: 2, minEntropy: 4,
    keywords: ['secret_key', 'secretkey'], verify: (secret) => (isPlaceholderToken(secret) ? false : undefined),
    find: from(/secret_?key["']?[ \t]{0,8}[:=][ \t]{0,8}["']?([A-Za-z0-9/+]{40})(?![\w/+=])/, ({ text }, at) =>
      /provider[ \t]{1,4}"aws"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/.test(text.slice(Math.max(0, at - 400), at + 200))) },
  { id: 'CODE-W1-SECRET-065', name: 'private-key', title: 'Private key', severity: 'critical', confidence: 'high', rank: 2, minEntropy: 0,
    keywords: ['putty-user-key-file-'], find: ({ text }, at) => findPuttyKey(text, at),
    verify: (secret) => (/\bEncryption: {0,4}none\b/.test(secret) ? undefined : { severity: 'high', confidence: 'medium' }) },
];

/** `variable "token" { default = "…" }` of Terraform: the variable's name is that of its default. */
function findTerraformDefault(source: ScanSource, at: number): Found {
  const { text } = source;
  if (!/\.(?:tf|tofu|hcl)$/i.test(source.path)) return NOTHING;
  const head = /^variable[ \t]{1,8}"([\w-]{1,80})"[ \t]{0,8}\{/.exec(text.slice(at, at + 120));
  if (head === null || !startsWord(source, at)) return NOTHING;
  const body = text.slice(at + head[0].length, at + 2_000);
  const block = body.slice(0, blockEnd(body));
  const value = /(?:^|[\s{])default[ \t]{0,20}=[ \t]{0,8}"([^"\n]{1,200})"/.exec(block);
  const secret = value?.[1];
  if (value === null || secret === undefined) return NOTHING;
  const end = at + head[0].length + value.index + value[0].length - 1;
  const start = end - secret.length;
  const assignment = { name: head[1] ?? '', start, end, quoted: true, literal: start - 1, interpolated: false, loose: false };
  return classifyAssignment(assignment, secret, source.kind, true) === undefined ? NOTHING : { spans: [{ start, end }], until: end };
}

/** Where the block ends whose brace has been opened before the text. */
function blockEnd(body: string): number {
  let depth = 1;
  for (let at = 0; at < body.length; at++) {
    if (body[at] === '{') depth++;
    else if (body[at] === '}' && --depth === 0) return at;
  }
  return body.length;
}

/** `user:password` in base64. */
function isBasic(secret: string): Verdict {
  const decoded = Buffer.from(secret, 'base64').toString('latin1');
  const password = /^[\x20-\x7e]{0,200}?:([\x20-\x7e]{3,200})$/.exec(decoded)?.[1];
  return password === undefined || isPlaceholder(decoded) || isReference(password) || /^(?:pass(?:word)?|secret|user)$/i.test(password) ? false : undefined;
}
