/** Paths that are put together: the folders of the program, and the name from outside behind them. */
import type { PyExpr } from '../../../../../../syntax/python.types.ts';
import { builtString } from '../code/built-string.ts';
import type { PyNode, PythonCode } from '../code/python-code.ts';
import { functionAround, namesBoundBy, nodesIn, valuesOf } from '../code/scopes.ts';

/** A path in two: code for the folder, and the name in it; `isText` where the name surely is a text. */
export type SplitPath = { readonly folder: string; readonly name: PyExpr; readonly isText: boolean };

/** A path by `os.path.join`, an f-string or `+`, whose end alone comes from outside; undefined for every other. */
export function splitPath(code: PythonCode, path: PyExpr): SplitPath | undefined {
  if (path.type === 'Call') return isJoin(code, path) ? splitJoin(code, path) : undefined;
  if (path.type !== 'JoinedStr' && !(path.type === 'BinOp' && path.op === '+')) return undefined;
  const pieces = builtString(code, path)?.pieces ?? [];
  const [last, before] = [pieces.at(-1), pieces.at(-2)];
  // The value may bring the separator, and another one before it.
  if (last?.kind !== 'value' || before?.kind !== 'text' || !before.text.endsWith('/')) return undefined;
  if (!pieces.slice(0, -1).every((piece) => piece.kind === 'text' || isFixed(code, piece.value))) return undefined;
  const folder = path.type === 'BinOp' ? (path.right === last.value ? code.source(path.left) : undefined) : textBefore(code, path, last.value);
  return folder === undefined ? undefined : { folder, name: last.value, isText: last.shown === 'text' };
}

function splitJoin(code: PythonCode, call: PyExpr & { readonly type: 'Call' }): SplitPath | undefined {
  const [name, ...folders] = call.args.toReversed();
  if (name === undefined || folders.length === 0 || !call.args.every(({ kind }) => kind === 'positional') || isFixed(code, name.value)) return undefined;
  if (!folders.every(({ value }) => isFixed(code, value))) return undefined;
  const sources = folders.toReversed().map(({ value }) => code.source(value));
  return { folder: sources.length === 1 ? sources[0]! : `${code.source(call.func)}(${sources.join(', ')})`, name: name.value, isText: true };
}

/** The f-string up to its last value. */
function textBefore(code: PythonCode, path: PyExpr, last: PyExpr): string | undefined {
  const quote = /^\s*\}("""|'''|"|')$/.exec(code.text.slice(last.end, path.end))?.[1];
  const head = /^([\s\S]*)\{\s*$/.exec(code.text.slice(path.start, last.start))?.[1];
  if (quote === undefined || head === undefined) return undefined;
  return (head.includes('{') ? head : head.replace(/^[fF](?=["'])/, '')) + quote;
}

const isJoin = (code: PythonCode, node: PyNode): boolean => node.type === 'Call' && code.nameOf(node.func) === 'os.path.join';

/** What a variable is assigned, by one plain assignment, in the function that reads it behind that. */
export function onlyAssigned(code: PythonCode, use: PyExpr & { readonly type: 'Name' }): PyExpr | undefined {
  const scope = functionAround(code, use);
  if (scope !== undefined && namesBoundBy(scope).includes(use.id)) return undefined;
  const [binder, ...more] = nodesIn(code, scope).filter((node) => namesBoundBy(node).includes(use.id));
  const isPlain = binder?.type === 'Assign' && binder.targets.length === 1 && binder.targets[0]!.type === 'Name';
  return isPlain && more.length === 0 && binder.end <= use.start && functionAround(code, binder) === scope ? binder.value : undefined;
}

/** How many values are followed to tell what one is: each takes a look at all of the text. */
const mostFollowed = 30;

/** Functions that give a folder, whatever asks. */
const folders = /^os\.path\.(?:join|dirname|abspath|realpath|expanduser)$|^os\.getcwd$|^tempfile\.gettempdir$/;

/** Whether a value is the program's own: written, a constant by its name, or of the configuration. */
function isFixed(code: PythonCode, value: PyExpr, seen = new Set<PyExpr>()): boolean {
  // Nobody means a path of so many parts; what was seen is known, or under way.
  const of = (each: PyExpr): boolean => seen.has(each) || (seen.add(each).size <= mostFollowed && isFixed(code, each, seen));
  switch (value.type) {
    case 'Constant': return true;
    case 'Name': {
      if (/^_*[A-Z][A-Z0-9_]*$|^__file__$/.test(value.id)) return true;
      const assigned = onlyAssigned(code, value);
      return assigned !== undefined && of(assigned);
    }
    case 'Attribute': return /^_*[A-Z][A-Z0-9_]+$|^(?:root_path|instance_path|static_folder)$/.test(value.attr);
    case 'Subscript': return isConfig(value.value) && value.index.type === 'Constant';
    case 'Call': {
      if (value.func.type === 'Attribute' && value.func.attr === 'get' && isConfig(value.func.value)) return value.args.every((each) => of(each.value));
      return folders.test(code.nameOf(value.func) ?? '') && value.args.every((each) => of(each.value));
    }
    default: return false;
  }
}

const isConfig = (node: PyExpr): boolean => node.type === 'Attribute' && node.attr === 'config';

/** Whether a value is put together with folders of its own, which it must not leave either. */
export function hasFolders(code: PythonCode, value: PyExpr, seen = new Set<PyExpr>()): boolean {
  const of = (each: PyExpr): boolean => !seen.has(each) && (seen.add(each).size > mostFollowed || hasFolders(code, each, seen));
  const inside = [value, ...nodesIn(code, value)];
  return inside.some((node) => {
    if (isJoin(code, node)) return true;
    if (node.type === 'JoinedStr' || (node.type === 'Constant' && node.kind === 'str')) return code.source(node).includes('/');
    if (node.type !== 'Name') return false;
    return (valuesOf(code, node) ?? []).some((each) => each.end <= node.start && of(each));
  });
}
