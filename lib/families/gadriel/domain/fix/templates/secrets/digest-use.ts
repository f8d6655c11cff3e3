/** Where a digest goes: whether one that is longer, and another, does no harm there. */
import type { PyCall } from '../../../../../../syntax/python.types.ts';
import type { PyNode, PythonCode } from '../code/python-code.ts';
import { functionAround, nodesIn, statementOf } from '../code/scopes.ts';

/**
 * Words of protocols and formats that fix the digest, of columns and lists that hold old ones, and of what others calculate
 * as well: Content-MD5, ETag, Git's object ids, WebSocket's accept key, HTTP's digest authentication, Gravatar, torrents, UUIDs.
 */
const contracts = new RegExp('md5|sha-?_?1(?!\\d)|258EAFA5|["\']blob|\\bgit|gravatar|e-?tag\\b|uuid|guid|torrent|info_?hash|\\bha[12]\\b|realm|websocket|checksum|manifest'
  + '|(?<![a-z])sign(?!al)|secret|token|passw|(?<![a-z])auth(?!or)|hmac|nonce|verif|session|login|credential|csrf|(?<![a-z])(?:pw|pwd|pin|otp|pass)(?![a-z])|licen[sc]e|cipher|crypt|\\bAES\\b|\\biv\\b|_iv\\b|salt|\\bkey\\b|_key\\b', 'i');
/** The name of the algorithm in a call says nothing about who else knows it. */
const ownName = /\b(?:hashlib|Hash|hashes)\.(?:md5|sha1|MD5|SHA1?)\b|\b(?:MD5|SHA1?)\.new\b/g;

/** Whether the hexadecimal text of a digest surely goes only where its length and value are nobody else's business. */
export function isFreeToChange(code: PythonCode, hash: PyCall): boolean {
  const algorithm = code.nameOf(hash.func) === 'hashlib.new' ? hash.args[0]?.value : undefined;
  return !namesContract(code, hash, algorithm?.end ?? hash.func.end) && hasherIsFree(code, hash, 4);
}

/** Whether the function or statement around a node, from its name to its end, or a class around it tells of a contract. */
function namesContract(code: PythonCode, node: PyNode, nameEnd = node.start): boolean {
  const around = functionAround(code, node) ?? statementOf(code, node)!;
  const words = [code.text.slice(around.start, node.start), code.text.slice(nameEnd, around.end)];
  for (let at: PyNode | undefined = node; at !== undefined; at = code.parentOf(at)) if (at.type === 'ClassDef') words.push(at.name);
  return contracts.test(words.join(' ').replace(ownName, ''));
}

/** What is done with the object that makes the digest: fed, and read as text. */
function hasherIsFree(code: PythonCode, hasher: PyNode, depth: number): boolean {
  const parent = code.parentOf(hasher);
  if (parent?.type === 'Call' && /^cryptography\.hazmat\.primitives\.hashes\.Hash$/.test(code.nameOf(parent.func) ?? '')) return hasherIsFree(code, parent, depth);
  if (parent?.type === 'Assign') return depth > 0 && (usesOf(code, parent, hasher)?.every((use) => hasherIsFree(code, use, depth - 1)) ?? false);
  const call = parent?.type === 'Attribute' ? code.parentOf(parent) : undefined;
  if (parent?.type !== 'Attribute' || call?.type !== 'Call' || call.func !== parent) return false;
  if (parent.attr === 'update') return code.parentOf(call)?.type === 'Expr';
  return parent.attr === 'hexdigest' ? textIsFree(code, call, 4) : (parent.attr === 'digest' || parent.attr === 'finalize') && isHex(code, call);
}

/** Whether `digest()` is turned into text by `.hex()`; its bytes may be a key, a UUID or part of a packet. */
function isHex(code: PythonCode, digest: PyNode): boolean {
  const method = code.parentOf(digest);
  const call = method?.type === 'Attribute' && method.attr === 'hex' ? code.parentOf(method) : undefined;
  return call?.type === 'Call' && call.func === method && textIsFree(code, call, 4);
}

/** Whether a digest as text is only shown, held against one that is made the same way, or given back to callers of whom that is true. */
function textIsFree(code: PythonCode, text: PyNode, depth: number): boolean {
  const parent = code.parentOf(text);
  switch (parent?.type) {
    case 'Assign': return depth > 0 && (usesOf(code, parent, text)?.every((use) => textIsFree(code, use, depth - 1)) ?? false);
    case 'JoinedStr': return isShown(code, parent);
    case 'Call': return isShown(code, text);
    case 'Return': return depth > 0 && callersAreFree(code, parent, depth - 1);
    case 'Compare': return text.type === 'Call' && [parent.left, ...parent.comparators].every((each) => each.type === 'Call' && code.source(each.func) === code.source(text.func))
      && parent.ops.every((op) => op === '==' || op === '!=');
    default: return false;
  }
}

const isShown = (code: PythonCode, text: PyNode): boolean => {
  const call = code.parentOf(text);
  return call?.type === 'Call' && call.func !== text && (code.nameOf(call.func) === 'print' || /^logging\.(?:getLogger\(\)\.)?(?:debug|info|warning|error)$/.test(code.originOf(call.func) ?? ''));
};

/** The places where a variable that alone is assigned a value is read; undefined where they can not all be seen. */
function usesOf(code: PythonCode, assignment: PyNode & { readonly type: 'Assign' }, value: PyNode): readonly PyNode[] | undefined {
  const [target, ...others] = assignment.targets;
  if (target?.type !== 'Name' || others.length > 0 || assignment.value !== value || code.parentOf(assignment)?.type === 'ClassDef') return undefined;
  const uses = nodesIn(code, functionAround(code, assignment)).filter((node) => node.type === 'Name' && node.id === target.id && node !== target);
  const isShared = code.nodes().some((node) => (node.type === 'Global' || node.type === 'Nonlocal') && node.names.includes(target.id));
  // A variable that nothing here reads is for another file.
  return uses.length === 0 || isShared ? undefined : uses;
}

/** Whether every mention of a plain function is a call whose text is free to change; those of other files are for the review. */
function callersAreFree(code: PythonCode, statement: PyNode, depth: number): boolean {
  const made = functionAround(code, statement);
  if (made?.type !== 'FunctionDef' || made.decorators.some((each) => !/^(?:static|class)method$/.test(code.source(each)))) return false;
  return code.nodes().filter((node) => (node.type === 'Name' && node.id === made.name) || (node.type === 'Attribute' && node.attr === made.name)).every((mention) => {
    const call = code.parentOf(mention);
    return call?.type === 'Call' && call.func === mention && !namesContract(code, call) && textIsFree(code, call, depth);
  });
}
