/** The template for paths whose last part is a name from outside. */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import { importName } from '../code/add-import.ts';
import { argumentOf, keywordOf } from '../code/call-arguments.ts';
import { fileUse, isOfFiles, isSideUse } from './file-uses.ts';
import { hasFolders, onlyAssigned, splitPath } from './file-paths.ts';
import type { PyNode, PythonCode } from '../code/python-code.ts';
import { functionAround, nodesIn } from '../code/scopes.ts';
import { decline, type PythonTemplate, type TemplateFix } from '../template.types.ts';

const whichPart = 'Which part of the path is the name is not sure.';
const otherUse = 'The path or its name is also given to what deletes, moves, lists or changes files, where a name without letters would mean the folder itself.';

/**
 * Paths made of an upload's name or of a request, where Flask or werkzeug is at hand. An upload gets a name that secure_filename
 * has made; any other name has to stay as it is, for the file to be found, and safe_join tells whether it leads out of the folder.
 */
export const securedName: PythonTemplate = (code, finding): TemplateFix => {
  const call = code.callAt(finding);
  const roots = new Set([...code.imports.values()].map((name) => name.split('.')[0]!));
  if (call === undefined || !(roots.has('flask') || roots.has('werkzeug'))) return decline('Where the files may lie is not known here.');
  const use = fileUse(code, call);
  if (use === undefined) return decline('Only plain reads and writes of a file are mended: who deletes, moves, lists or changes files has to check the whole path, as a name like . means the folder itself.');
  const upload = use === 'write' ? uploadName(code, call) : undefined;
  if (upload === 'several') return decline(whichPart);
  return upload === undefined ? joinedSafely(code, call, roots.has('flask') ? 'flask' : 'werkzeug.exceptions') : namedSafely(code, call, upload);
};

/** What the first argument is, and what it is assigned where it is a variable. */
function pathOf(code: PythonCode, call: PyCall): { readonly path: PyExpr; readonly variable?: PyExpr & { readonly type: 'Name' } } | undefined {
  const argument = (argumentOf(call, 0, 'file') ?? keywordOf(call, 'path_or_file') ?? keywordOf(call, 'dst'))?.value;
  if (argument?.type !== 'Name') return argument === undefined ? undefined : { path: argument };
  return { path: onlyAssigned(code, argument) ?? argument, variable: argument };
}

function joinedSafely(code: PythonCode, call: PyCall, aborting: string): TemplateFix {
  const found = pathOf(code, call);
  const split = found === undefined ? undefined : splitPath(code, found.path);
  if (found === undefined || split === undefined) return decline(whichPart);
  const { folder, name } = split;
  if (hasFolders(code, name)) return decline('The name may have folders of its own, which it must not leave either.');
  if (found.variable !== undefined && !areOfFiles(code, found.variable)) return decline(otherUse);
  const join = importName(code, 'werkzeug.utils', 'safe_join');
  const abort = importName(code, aborting, 'abort');
  if (join === undefined || abort === undefined) return decline('The name safe_join or abort means something else here.');
  const source = code.source(name);
  // An f-string writes None where get finds nothing, and numbers of JSON.
  const isText = split.isText || (name.type === 'Subscript' && /\.(?:args|form|values|headers|cookies)\[/.test(source));
  return {
    edits: [...join.edits, ...abort.edits, { ...span(found.path), text: `${join.name}(${folder}, ${isText ? source : `str(${source})`}) or ${abort.name}(404)` }],
    rationale: 'A name that leads out of the folder is answered by 404, every other stays as it is. Review: links in the folder are followed, and all of its files can be asked for.',
  };
}

function namedSafely(code: PythonCode, call: PyCall, { value, variable }: Upload): TemplateFix {
  const path = pathOf(code, call)?.variable;
  if ([variable, path].some((each) => each !== undefined && !areOfFiles(code, each))) return decline(otherUse);
  if (!isOnlyHere(code, value, call)) return decline('The name is used elsewhere too, where it would no longer be that of the file: make it safe once, before all of its uses.');
  const imported = importName(code, 'werkzeug.utils', 'secure_filename');
  if (imported === undefined) return decline('The name secure_filename means something else here.');
  return {
    edits: [...imported.edits, { ...span(value), text: `${imported.name}(${code.source(value)})` }],
    rationale: 'The name can no longer lead out of the folder. Review: blanks and letters beyond ASCII change or go, so that two uploads may come to one name and the later one '
      + 'replaces the other, and a name of which nothing is left can not be saved; who asks for the file needs its new name.',
  };
}

const span = ({ start, end }: PyNode): { readonly start: number; readonly end: number } => ({ start, end });

type Upload = { readonly value: PyExpr; readonly variable?: PyExpr & { readonly type: 'Name' } };

/** The `.filename` that a call stores an upload by: where it stands, or where the variable that all uses share is assigned. */
function uploadName(code: PythonCode, call: PyCall): Upload | 'several' | undefined {
  const inCall = nodesIn(code, call).filter((node): node is PyExpr => isFileName(node) && node.start >= call.func.end);
  if (inCall.length > 0) return inCall.length === 1 ? { value: inCall[0]! } : 'several';
  const path = pathOf(code, call)?.path;
  const name = path === undefined || isFileName(path) ? path : splitPath(code, path)?.name;
  if (name === undefined || isFileName(name)) return name === undefined ? undefined : { value: name };
  const value = name.type === 'Name' ? onlyAssigned(code, name) : undefined;
  return name.type === 'Name' && value !== undefined && isFileName(value) ? { value, variable: name } : undefined;
}

const isFileName = (node: PyNode): boolean => node.type === 'Attribute' && node.attr === 'filename';

/** Whether nothing is done by a variable that would harm the folder itself. */
const areOfFiles = (code: PythonCode, variable: PyExpr & { readonly type: 'Name' }): boolean =>
  nodesIn(code, functionAround(code, variable)).every((node) => node.type !== 'Name' || node.id !== variable.id || isOfFiles(code, node));

/** Whether a name goes nowhere else in its function but into checks and logs. */
function isOnlyHere(code: PythonCode, value: PyExpr, call: PyCall): boolean {
  const source = code.source(value);
  return nodesIn(code, functionAround(code, value)).every((node) =>
    node === value || node.type !== value.type || code.source(node) !== source || (node.start >= call.start && node.end <= call.end) || isSideUse(code, node));
}
