/** Templates for digests, password hashing and random secrets. */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import type { TextEdit } from '../../text-edit.ts';
import { importName } from '../code/add-import.ts';
import { argumentOf, positionalOf, setKeyword } from '../code/call-arguments.ts';
import { isHeldAgainstOther } from './digest-comparison.ts';
import { isFreeToChange } from './digest-use.ts';
import type { PyNode, PythonCode } from '../code/python-code.ts';
import { decline, type PythonTemplate, type TemplateFix, type TemplateTable } from '../template.types.ts';

/** Words in the names around a digest that say that nothing rests on it. */
const plainUse = /etag|cache|checksum|cksum|fingerprint|dedup|shard|bucket|gravatar|avatar|revision|filename/i;
/** Words in the names and data of a digest that say that something rests on it after all. */
const guards = /secret|token|sign(?!al)|passw|pwd|auth(?!or)|hmac|verif|session|login|credential|csrf|nonce|licen[sc]e|integrity/i;
const marked = 'usedforsecurity=False says that nothing rests on this digest, which is used to tell data apart. Review: needs Python 3.9; older versions do not know the word.';
const stronger = 'SHA-256 has no known collisions. Review: digests that are stored or compared with others change, and are longer.';

/** Where nothing rests on a digest it is marked so, which keeps its values; elsewhere another takes its place. */
const weakDigest: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  if (call === undefined) return decline('The digest is not made by a call.');
  const name = code.nameOf(call.func) ?? '';
  const hashlib = name.startsWith('hashlib.');
  // Even SHA-256 is no password hash, so that one needs a person.
  if (finding.severity === 'high') return decline('Passwords need a slow hash such as scrypt, and the stored ones a migration.');
  const names = namesAround(code, call);
  if (plainUse.test(names) && guards.test(`${names} ${code.source(call)}`)) return decline('Whether something rests on this digest is not sure.');
  if (plainUse.test(names) && isHeldAgainstOther(code, call)) {
    return decline('The digest is compared with one from elsewhere, which may be there to notice that data was changed: a person has to say whether it is, and where SHA-256 can come from.');
  }
  if (hashlib && plainUse.test(names)) return { edits: [setKeyword(code, call, 'usedforsecurity', 'False')], rationale: marked };
  const other = strongerDigest(code, call, name);
  if ('declined' in other || isFreeToChange(code, call)) return other;
  return decline('Who else knows this digest, or needs its length (a protocol, a column, a stored list), is not seen here: take SHA-256 where nobody does, '
    + 'or pass usedforsecurity=False where nothing rests on it.');
};

/** A digest without known collisions by the same library. */
function strongerDigest(code: PythonCode, call: PyCall, name: string): TemplateFix {
  if (name === 'hashlib.new') {
    const algorithm = argumentOf(call, 0, 'name')?.value;
    return algorithm === undefined ? decline('The algorithm is not written in the call.') : replace(algorithm, '"sha256"', stronger);
  }
  if (/^hashlib\.(?:md5|sha1)$/.test(name) && call.func.type === 'Attribute') {
    return replace({ start: call.func.end - call.func.attr.length, end: call.func.end }, 'sha256', stronger);
  }
  if (/^hashlib\.(?:md5|sha1)$/.test(name)) return viaImport(code, call.func, 'hashlib', 'sha256', stronger);
  if (/^cryptography\.hazmat\.primitives\.hashes\.(?:MD5|SHA1)$/.test(name) && call.func.type === 'Attribute') {
    return replace({ start: call.func.end - call.func.attr.length, end: call.func.end }, 'SHA256', stronger);
  }
  if (/^Crypto\.Hash\.\w+\.new$/.test(name)) {
    const imported = importName(code, 'Crypto.Hash', 'SHA256');
    if (imported !== undefined) {
      return { edits: [...imported.edits, { start: call.func.start, end: call.func.end, text: `${imported.name}.new` }], rationale: stronger };
    }
  }
  return decline('No digest of the same library is known to fit.');
}

const replace = ({ start, end }: { readonly start: number; readonly end: number }, text: string, rationale: string): TemplateFix => ({ edits: [{ start, end, text }], rationale });

function viaImport(code: PythonCode, func: PyExpr, module: string, member: string, rationale: string): TemplateFix {
  const imported = importName(code, module, member);
  return imported === undefined ? decline(`The name ${member} means something else here.`)
    : { edits: [...imported.edits, { start: func.start, end: func.end, text: imported.name }], rationale };
}

/** The names that a value goes to, and of the function around it. */
function namesAround(code: PythonCode, node: PyNode): string {
  const names: string[] = [];
  for (let at = code.parentOf(node); at !== undefined; at = code.parentOf(at)) {
    if (at.type === 'Assign') names.push(...at.targets.map((target) => code.source(target)));
    if (at.type === 'AnnAssign' || at.type === 'AugAssign') names.push(code.source(at.target));
    if (at.type === 'FunctionDef') return [...names, at.name].join(' ');
  }
  return names.join(' ');
}

/** The work factors of today (OWASP's list for PBKDF2 and bcrypt), for what writes its factor into each hash: `bcrypt` and passlib. */
const cheapHash: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const name = call === undefined ? '' : (code.nameOf(call.func) ?? '');
  if (/pbkdf2(?:_hmac|HMAC)?$/i.test(name)) {
    return decline('What is stored needs the factor that it was made with, or no password fits and nothing can be decrypted: keep the factor beside each hash, '
      + 'make new ones with 600000 iterations, and the old ones anew when people log in.');
  }
  const bcrypt = /(?:^bcrypt\.gensalt|\.bcrypt\.using)$/.test(name);
  if (call === undefined || !(bcrypt || name.endsWith('.using'))) return decline('Passwords need a slow hash such as scrypt, and the stored ones a migration.');
  const given = argumentOf(call, 0, 'rounds')?.value;
  if (given?.type !== 'Constant') return decline('The work factor is not written in the call.');
  return replace(given, bcrypt ? '12' : '600000', 'Raises the work that each guess of a password costs. Review: hashes that are stored keep their old factor.');
};

/** A draw by random becomes one by secrets. */
const predictable: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const name = call === undefined ? undefined : code.nameOf(call.func);
  if (call === undefined || name === undefined || !name.startsWith('random.')) return decline('The random value is made elsewhere.');
  if (/\bseed\s*\(/.test(code.text)) return decline('The numbers are seeded, so that they can be had again: what for is not known here.');
  const imported = importName(code, 'secrets');
  if (imported === undefined) return decline('The name secrets means something else here.');
  const rewritten = secretForm(code, call, name.slice('random.'.length), imported.name);
  if (rewritten === undefined) return decline('The secrets module has no twin of this call.');
  return { edits: [...imported.edits, ...rewritten], rationale: 'The secrets module asks the operating system, whose numbers can not be predicted.' };
};

/** The same draw by the secrets module; its SystemRandom has every method of random. */
function secretForm(code: PythonCode, call: PyCall, method: string, secrets: string): TextEdit[] | undefined {
  const whole = (text: string): TextEdit[] => [{ start: call.start, end: call.end, text }];
  const first = positionalOf(call, 0)?.value;
  const second = positionalOf(call, 1)?.value;
  if (method === 'choice' && first !== undefined) return [{ start: call.func.start, end: call.func.end, text: `${secrets}.choice` }];
  if (method === 'getrandbits') return [{ start: call.func.start, end: call.func.end, text: `${secrets}.randbits` }];
  if (method === 'randbytes' && first !== undefined) return [{ start: call.func.start, end: call.func.end, text: `${secrets}.token_bytes` }];
  if (method === 'randrange' && call.args.length === 1 && first !== undefined) return whole(`${secrets}.randbelow(${code.source(first)})`);
  if (method === 'randint' && call.args.length === 2 && isInt(first, 0) && second?.type === 'Constant' && second.kind === 'int' && Number.isSafeInteger(second.value)) {
    return whole(`${secrets}.randbelow(${second.value + 1})`);
  }
  if (!['randint', 'randrange', 'choice', 'choices', 'sample', 'random', 'uniform'].includes(method)) return undefined;
  return [{ start: call.func.start, end: call.func.end, text: `${secrets}.SystemRandom().${method}` }];
}

const isInt = (node: PyExpr | undefined, value: number): boolean => node?.type === 'Constant' && node.kind === 'int' && node.value === value;

/** Digests, password hashing and random numbers, by rule. */
export const hashingTemplates: TemplateTable = {
  'CODE-W1-CRYPTO-001': weakDigest,
  'CODE-W1-CRYPTO-004': predictable,
  'CODE-W1-CRYPTO-006': cheapHash,
};

