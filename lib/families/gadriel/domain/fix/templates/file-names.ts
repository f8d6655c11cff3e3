/** The template for paths whose last part is a name from outside. */
import type { PyCall, PyExpr } from '../../../../../syntax/python.types.ts';
import { importName } from './add-import.ts';
import { builtString } from './built-string.ts';
import { argumentOf } from './call-arguments.ts';
import type { PyNode, PythonCode } from './python-code.ts';
import { functionAround, namesBoundBy, nodesIn, valuesOf } from './scopes.ts';
import { decline, type PythonTemplate, type TemplateFix } from './template.types.ts';

/** A part of a path: written text, the border between two arguments of a join, or a value. */
type Part = 'text' | 'border' | { readonly value: PyExpr; readonly isText: boolean };

/** Paths made of an upload's name or of a request: by werkzeug's secure_filename, where it is at hand. */
export const securedName: PythonTemplate = (code, finding): TemplateFix => {
  const call = code.callAt(finding);
  const roots = new Set([...code.imports.values()].map((name) => name.split('.')[0]!));
  if (call === undefined || !(roots.has('flask') || roots.has('werkzeug'))) return decline('Where the files may lie is not known here.');
  const found = nameIn(code, call);
  if (found === undefined) return decline('Which part of the path is the name is not sure.');
  const { value, isText } = found;
  if (mayHaveFolders(code, value)) return decline('The name may have folders in it, and nested files would not be found.');
  if (value.type === 'Name' && isPathElsewhere(code, value)) return decline('Other paths are made of the name too, and would no longer be the same.');
  const imported = importName(code, 'werkzeug.utils', 'secure_filename');
  if (imported === undefined) return decline('The name secure_filename means something else here.');
  const source = code.source(value);
  return {
    edits: [...imported.edits, { start: value.start, end: value.end, text: `${imported.name}(${isText ? source : `str(${source})`})` }],
    rationale: 'The name can no longer lead out of the folder. Review: names with folders or odd characters change.',
  };
};

/** The one value of a path that is a file's name: the only `.filename` of the call, else the end of a path in fixed folders. */
function nameIn(code: PythonCode, call: PyCall): { readonly value: PyExpr; readonly isText: boolean } | undefined {
  const uploads = nodesIn(code, call).filter((node): node is PyExpr => isFileName(node) && node.start >= call.func.end);
  if (uploads.length > 0) return uploads.length === 1 ? { value: uploads[0]!, isText: true } : undefined;
  const argument = argumentOf(call, 0, 'file')?.value;
  const parts = argument === undefined ? [] : partsOf(code, argument);
  const [last, before] = [parts.at(-1), parts.at(-2)];
  if (typeof last !== 'object') return undefined;
  // What all uses of an upload's name share is the variable: they stay the same when it is made safe where it is assigned.
  const assigned = last.value.type === 'Name' ? onlyAssigned(code, last.value) : last.value;
  const value = assigned !== undefined && isFileName(assigned) ? assigned : last.value;
  const others = parts.slice(0, -1).filter((part) => typeof part === 'object');
  if (!others.every((part) => isFixed(code, part.value))) return undefined;
  // A whole path from outside is no name; and a value that follows another may bring the separator between them.
  if (isFileName(value) ? typeof before === 'object' : typeof before !== 'string') return undefined;
  return { value, isText: last.isText || isFileName(value) || /\.(?:args|form|values|headers|cookies)\b/.test(code.source(value)) };
}

const isFileName = (node: PyNode): boolean => node.type === 'Attribute' && node.attr === 'filename';

/** The parts of a path by `os.path.join` or of a built text, in a variable too; of everything else it is one value. */
function partsOf(code: PythonCode, path: PyExpr): readonly Part[] {
  const node = path.type === 'Name' ? (onlyAssigned(code, path) ?? path) : path;
  if (node.type === 'Call' && isJoin(code, node)) {
    return node.args.flatMap(({ kind, value }, index): readonly Part[] => [
      ...(index === 0 ? [] : ['border' as const]),
      ...(kind === 'positional' ? argumentParts(code, value) : [{ value, isText: false }, 'text' as const]),
    ]);
  }
  return argumentParts(code, node.type === 'Call' || node.type === 'JoinedStr' || node.type === 'BinOp' ? node : path);
}

function argumentParts(code: PythonCode, value: PyExpr): readonly Part[] {
  if (value.type === 'Constant') return ['text'];
  const built = value.type === 'Name' ? undefined : builtString(code, value);
  return built?.pieces.map((piece): Part => (piece.kind === 'text' ? 'text' : { value: piece.value, isText: piece.isText })) ?? [{ value, isText: true }];
}

const isJoin = (code: PythonCode, node: PyNode): boolean => node.type === 'Call' && code.nameOf(node.func) === 'os.path.join';

/** What a variable is assigned, by one plain assignment, in the function that reads it behind that. */
function onlyAssigned(code: PythonCode, use: PyExpr & { readonly type: 'Name' }): PyExpr | undefined {
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

/** Whether what a value is made of is a path rather than a name: put together with folders, or a parameter that a route takes them in. */
function mayHaveFolders(code: PythonCode, value: PyExpr, seen = new Set<PyExpr>()): boolean {
  const of = (each: PyExpr): boolean => !seen.has(each) && (seen.add(each).size > mostFollowed || mayHaveFolders(code, each, seen));
  const inside = [value, ...nodesIn(code, value)];
  return inside.some((node) => {
    if (isJoin(code, node)) return true;
    if (node.type === 'JoinedStr' || (node.type === 'Constant' && node.kind === 'str')) return code.source(node).includes('/');
    if (node.type !== 'Name') return false;
    return isRoutePath(code, node) || (valuesOf(code, node) ?? []).some((each) => each.end <= node.start && of(each));
  });
}

/** Whether a route of the text, by decorator or by add_url_rule, takes a parameter of this name with its folders. */
function isRoutePath(code: PythonCode, use: PyExpr & { readonly type: 'Name' }): boolean {
  const scope = functionAround(code, use);
  if (scope?.type !== 'FunctionDef' || !scope.params.some(({ name }) => name === use.id)) return false;
  return code.nodes().some((node) => node.type === 'Constant' && node.kind === 'str' && pathParameters(node.value).includes(use.id));
}

/** `<path:name>` of Flask, and `{name:path}` of Starlette. */
const pathParameters = (route: string): readonly string[] =>
  [...route.matchAll(/<path(?:\([^()<>]{0,99}\))?:(\w{1,99})>|\{(\w{1,99}):path\}/g)].map(([, flask, starlette]) => (flask ?? starlette)!);

/** Whether the same variable also stands in another call that works on files. */
function isPathElsewhere(code: PythonCode, use: PyExpr & { readonly type: 'Name' }): boolean {
  const scope = functionAround(code, use);
  return nodesIn(code, scope).some((node) => node.type === 'Name' && node.id === use.id && node !== use && isInPath(code, node, use));
}

function isInPath(code: PythonCode, node: PyNode, use: PyNode): boolean {
  for (let at = code.parentOf(node); at !== undefined; at = code.parentOf(at)) {
    const isAround = at.start <= use.start && use.end <= at.end;
    if (!isAround && at.type === 'Call' && /^(?:os\.|open$|shutil\.|pathlib\.|flask\.send_)/.test(code.nameOf(at.func) ?? '')) return true;
  }
  return false;
}
