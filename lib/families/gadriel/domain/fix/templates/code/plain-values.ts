/** What a value may be besides a plain text or number: a tuple, a member of an enumeration, an object. Whatever is not seen is doubtful. */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import type { ValuePiece } from './built-string.ts';
import type { PyNode, PythonCode } from './python-code.ts';
import { functionAround, isRebound, namesBoundBy, nodesIn } from './scopes.ts';
import { isBuiltin, isSurelyNumber, isSurelyText, textMethods } from './sure-values.ts';

/** What is taken for plain though it is not seen to be: parameters without a type and attributes, elements by a written key, other elements. */
type Trust = { readonly given: boolean; readonly keyed: boolean; readonly elements: boolean };

/** What is known of names so far on the way through a value. */
type Walk = Readonly<Record<'texts' | 'numbers' | 'requests' | 'plain', Map<string, boolean>>>;
const newWalk = (): Walk => ({ texts: new Map(), numbers: new Map(), requests: new Map(), plain: new Map() });

/** Names on the way to one value; more of them are not followed. */
const maxNames = 20;
/** Names like these hold a tuple of values, not one. */
const several = /^(?:args|params|parameters|values|vals|tup\w*|t|data|(?:\w*_)?(?:rows?|records?|results?|items?|pairs?|entry|entries|fields|columns|cols))$/i;
/** Types whose values are plain; in `Optional[str]` and the like all of the words are asked. */
const plainTypes = new Set(['str', 'int', 'float', 'bool', 'None', 'Optional', 'Union', 'typing', 't']);
/** Methods that look something up and leave it there. */
const lookUps = new Set(['get_argument', 'getlist', 'getfirst', 'get_json', 'group']);
const plainMakers = new Set(['int', 'float', 'str', 'len', 'round', 'abs', 'ord', 'repr']);

const isPlainType = (code: PythonCode, annotation: PyExpr): boolean => code.source(annotation).split(/\W+/).every((word) => word === '' || plainTypes.has(word));

/** Whether a value on the right of `%` is one value: a tuple there is several. */
export const isSurelySingle = (code: PythonCode, value: PyExpr): boolean =>
  isPlain(code, value, { given: !(value.type === 'Name' && several.test(value.id)), keyed: true, elements: false });

/**
 * Whether a value surely is no member of an enumeration that is a text too: of such a one `str()` gives the name and an f-string
 * the value, or both the name, depending on the version of Python (https://docs.python.org/3/library/enum.html#enum.Enum.__format__).
 */
export const isSurelyNoMember = (code: PythonCode, value: PyExpr): boolean => isPlain(code, value, { given: false, keyed: false, elements: false });

/**
 * A value as a text: by `str()` as `%s` shows it, or by `format()` as f-strings do, where that may differ. Undefined where the code
 * means another thing by these names.
 */
export function madeText(code: PythonCode, { value, shown }: ValuePiece): string | undefined {
  const source = code.source(value);
  if (shown === 'text') return source;
  const maker = shown === 'format' && !isSurelyNoMember(code, value) ? 'format' : 'str';
  return isRebound(code, maker) || code.imports.has(maker) ? undefined : `${maker}(${source})`;
}

/** The same, without a call where the value surely is a text. */
export const asText = (code: PythonCode, piece: ValuePiece): string | undefined => (isSurelyText(code, piece.value) ? code.source(piece.value) : madeText(code, piece));

/** Whether sqlite3 takes a value as a parameter, as far as types are written: it knows texts and numbers, and raises for Decimal and its like. */
export const isBindable = (code: PythonCode, value: PyExpr): boolean => isPlain(code, value, { given: true, keyed: true, elements: true });

function isPlain(code: PythonCode, value: PyExpr, trust: Trust, walk: Walk = newWalk()): boolean {
  const of = (each: PyExpr): boolean => isPlain(code, each, trust, walk);
  switch (value.type) {
    case 'Constant': case 'JoinedStr': case 'Compare': return true;
    case 'Name': {
      // All that a value is made of has to be plain: one that is not has ended the walk.
      if (walk.plain.has(value.id)) return true;
      walk.plain.set(value.id, true);
      if (walk.plain.size > maxNames) return false;
      const binders = bindersOf(code, value);
      if (binders.length === 0) return code.imports.has(value.id) ? trust.elements : trust.given;
      return binders.every((node) => isPlainBinder(code, node, value.id, trust, walk, of));
    }
    case 'Attribute': return isOfRequest(code, value, walk.requests) || (trust.given && typesOf(code, value.attr).every((type) => isPlainType(code, type)));
    case 'Subscript': return trust.elements || (trust.keyed && isText(value.index)) || isSurelyText(code, value, walk.texts) || isOfRequest(code, value, walk.requests);
    case 'Call': return isPlainCall(code, value, trust, walk, of);
    case 'BinOp': return isSurelyText(code, value, walk.texts) || (of(value.left) && of(value.right));
    case 'BoolOp': return value.values.every(of);
    case 'IfExp': return of(value.body) && of(value.orelse);
    case 'UnaryOp': return value.op === 'not' || of(value.operand);
    default: return false;
  }
}

function isPlainBinder(code: PythonCode, node: PyNode, id: string, trust: Trust, walk: Walk, of: (value: PyExpr) => boolean): boolean {
  switch (node.type) {
    case 'FunctionDef': case 'Lambda': {
      const param = node.params.find(({ name }) => name === id);
      if (param === undefined || param.kind === 'star' || param.kind === 'doublestar') return false;
      return param.annotation === undefined ? trust.given : isPlainType(code, param.annotation);
    }
    case 'Assign': {
      const parts = node.targets.map((target) => assignedTo(id, target, node.value));
      return parts.every((part) => (part === undefined ? trust.elements : of(part)));
    }
    case 'AnnAssign': return isPlainType(code, node.annotation);
    case 'AugAssign': case 'NamedExpr': return of(node.value);
    case 'For': return trust.elements || (node.target.type === 'Name' && isOfRequest(code, node.iter, walk.requests));
    // An exception is neither of these.
    case 'Try': return true;
    default: return trust.elements;
  }
}

/** What of a value goes to a name: of `a, b = x, y` the part at its place. */
function assignedTo(id: string, target: PyExpr, value: PyExpr): PyExpr | undefined {
  if (target.type !== 'Tuple') return target.type === 'Name' ? value : undefined;
  const index = value.type === 'Tuple' && value.elements.length === target.elements.length ? target.elements.findIndex((each) => each.type === 'Name' && each.id === id) : -1;
  return value.type === 'Tuple' ? value.elements[index] : undefined;
}

function isPlainCall(code: PythonCode, call: PyCall, trust: Trust, walk: Walk, of: (value: PyExpr) => boolean): boolean {
  if (isSurelyNumber(code, call, walk.numbers) || isSurelyText(code, call, walk.texts) || isOfRequest(code, call, walk.requests)) return true;
  if (call.func.type !== 'Attribute') return false;
  if (textMethods.has(call.func.attr)) return true;
  return call.func.attr === 'get' && trust.keyed && hasPlainDefault(call, of);
}

/** Whether a look-up gives what it finds, or a plain default: no `type=Status`. */
const hasPlainDefault = (call: PyCall, of: (value: PyExpr) => boolean): boolean =>
  call.args.slice(1).every((each) => (each.kind === 'keyword' && each.name === 'type' ? each.value.type === 'Name' && plainMakers.has(each.value.id) : of(each.value)));

/** Whether a value is looked up in a request: a text, or a list or value of JSON. */
function isOfRequest(code: PythonCode, value: PyExpr, known: Map<string, boolean>): boolean {
  switch (value.type) {
    case 'Name': {
      if (value.id === 'request' || code.imports.get(value.id) === 'flask.request') return true;
      if (known.has(value.id) || known.size > maxNames) return known.get(value.id) === true;
      known.set(value.id, false);
      const binders = bindersOf(code, value);
      const all = binders.length > 0 && binders.every((node) => node.type === 'Assign' && node.targets.every(({ type }) => type === 'Name') && isOfRequest(code, node.value, known));
      known.set(value.id, all);
      return all;
    }
    case 'Attribute': return code.source(value) === 'self.request' || isOfRequest(code, value.value, known);
    case 'Subscript': case 'Await': return isOfRequest(code, value.value, known);
    case 'Call': return value.func.type === 'Attribute' && isOfRequest(code, value.func.value, known)
      && hasPlainDefault(value, (each) => each.type === 'Constant' || isSurelyText(code, each) || isSurelyNumber(code, each));
    default: return false;
  }
}

/** What binds a name in the innermost function that does so, else at the top. */
function bindersOf(code: PythonCode, use: PyExpr & { readonly type: 'Name' }): readonly PyNode[] {
  const binds = (node: PyNode): boolean => namesBoundBy(node).includes(use.id);
  let scope = functionAround(code, use);
  while (scope !== undefined && !binds(scope) && !nodesIn(code, scope).some(binds)) scope = functionAround(code, scope);
  const inside = nodesIn(code, scope).filter((node) => binds(node) && (scope !== undefined || functionAround(code, node) === undefined));
  // Parameters of functions inside are theirs; their names are bound here.
  const here = inside.filter((node) => !('params' in node) || (node.type === 'FunctionDef' && node.name === use.id));
  return scope !== undefined && 'params' in scope && scope.params.some(({ name }) => name === use.id) ? [scope, ...here] : here;
}

/** The types that the file gives to attributes of a name, and to fields of classes. */
const typesOf = (code: PythonCode, attr: string): readonly PyExpr[] => code.nodes().flatMap((node) =>
  (node.type === 'AnnAssign' && ((node.target.type === 'Name' && node.target.id === attr) || (node.target.type === 'Attribute' && node.target.attr === attr)) ? node.annotation : []));

const isText = (value: PyExpr | undefined): boolean => value?.type === 'Constant' && value.kind === 'str';

/** Whether a value comes to the same when it is read again or later: nothing in it asks somebody, takes something away or waits. */
export const isRepeatable = (code: PythonCode, value: PyExpr): boolean => code.nodes().every((node) => {
  if (node.start < value.start || node.end > value.end) return true;
  if (node.type !== 'Call') return node.type !== 'Await' && node.type !== 'Yield' && node.type !== 'NamedExpr' && node.type !== 'Comprehension' && node.type !== 'ErrorExpr';
  if (isBuiltin(code, node.func, plainMakers)) return true;
  // A queue has a `get` too, without a key.
  return node.func.type === 'Attribute' && (textMethods.has(node.func.attr) || lookUps.has(node.func.attr) || (node.func.attr === 'get' && isText(node.args[0]?.value)));
});
