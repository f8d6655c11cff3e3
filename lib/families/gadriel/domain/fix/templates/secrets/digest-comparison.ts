/** Whether a digest is held against one from elsewhere: a published checksum, a pinned fingerprint. Then something rests on it. */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import type { PyNode, PythonCode } from '../code/python-code.ts';
import { functionAround, namesBoundBy, nodesIn } from '../code/scopes.ts';
import { placesOf, type Carries } from '../code/value-paths.ts';

const comparing = /compare|equal|verif|valid|match|^check(?!sum)|ensure/i;
const keepsDigest = /^(?:str|hex|bytes\.hex|base64\.\w+|binascii\.\w+|cryptography\.hazmat\.primitives\.hashes\.Hash)$/;

/** What is still the digest: its text, a piece of that, or a text around it. What is calculated from it (a bucket) is not. */
const carriesDigest: Carries = (code, place, around) => {
  switch (around.type) {
    case 'Attribute': return /^(?:hexdigest|digest|finalize|hex|lower|upper|encode|decode|strip)$/.test(around.attr);
    case 'Call': return around.func === place || keepsDigest.test(code.nameOf(around.func) ?? code.source(around.func));
    case 'Subscript': return around.value === place;
    case 'JoinedStr': return true;
    case 'BinOp': return around.op === '+';
    default: return false;
  }
};

/** Whether the digest that a call makes is compared, in this file, with anything but digests that the file makes by the same function. */
export function isHeldAgainstOther(code: PythonCode, hash: PyCall): boolean {
  const twins = code.nodes().filter((node) => node.type === 'Call' && code.nameOf(node.func) === code.nameOf(hash.func));
  const own = new Set(placesOf(code, twins, carriesDigest));
  const known = new Map<string, boolean>();
  const isOwn = (value: PyExpr): boolean => {
    const key = `${functionAround(code, value)?.start} ${code.source(value)}`;
    if (!known.has(key)) known.set(key, isOwnDigest(code, value, own));
    return known.get(key)!;
  };
  return placesOf(code, [hash], carriesDigest).some((place) => {
    const around = code.parentOf(place);
    if (around?.type === 'Compare') return !around.ops.every((op) => /[<>]/.test(op)) && ![around.left, ...around.comparators].every((side) => side === place || isOwn(side));
    if (around?.type !== 'Call' || around.func === place || !comparesItself(code, around)) return false;
    return around.args.length === 1 || !around.args.every(({ value }) => value === place || isOwn(value));
  });
}

/** Whether a value is nothing, one of the file's own digests however it is bound, or a collection that begins empty and is filled with those. */
function isOwnDigest(code: PythonCode, value: PyExpr, own: ReadonlySet<PyNode>): boolean {
  if (value.type === 'Constant') return value.kind === 'none' || value.value === '';
  const source = code.source(value);
  const assigned = code.nodes().flatMap((node) => (node.type === 'Assign' && node.targets.some((target) => code.source(target) === source) ? [node.value] : []));
  if (own.has(value)) {
    const scope = functionAround(code, value);
    const isBoundOtherwise = value.type === 'Name' && [...nodesIn(code, scope), ...(scope === undefined ? [] : [scope])].some((node) => node.type !== 'Assign' && namesBoundBy(node).includes(value.id));
    return !isBoundOtherwise && [value, ...assigned].every((each) => (each.type === 'Constant' ? isOwnDigest(code, each, own) : own.has(each) && each.type !== 'BoolOp' && each.type !== 'IfExp'));
  }
  return assigned.length > 0 && assigned.every((each) => /^(?:(?:set|dict|list|OrderedDict)\(\)|\{\}|\[\])$/.test(code.source(each))) && code.nodes().some((node) =>
    (node.type === 'Call' && node.func.type === 'Attribute' && /^(?:add|append)$/.test(node.func.attr) && code.source(node.func.value) === source && node.args.some((each) => own.has(each.value)))
    || (node.type === 'Assign' && node.targets.some((target) => target.type === 'Subscript' && code.source(target.value) === source && own.has(target.index))));
}

/** Whether a function that a digest is passed to compares it, by its name or, where the file has it, by what it does. */
function comparesItself(code: PythonCode, { func }: PyCall): boolean {
  const name = func.type === 'Attribute' ? func.attr : func.type === 'Name' ? func.id : '';
  return comparing.test(name) || code.nodes().some((node) => node.type === 'FunctionDef' && node.name === name
    && code.nodes().some((each) => each.type === 'Compare' && each.start >= node.start && each.end <= node.end));
}
