/** What a program does with a path or a name of a file. */
import type { PyCall } from '../../../../../../syntax/python.types.ts';
import { argumentOf } from '../code/call-arguments.ts';
import type { PyNode, PythonCode } from '../code/python-code.ts';

const openers = /^(?:open|(?:io|codecs|gzip|bz2|lzma)\.open)$/;
const readers = /^(?:(?:flask|werkzeug\.utils)\.send_file|pandas\.read_(?:csv|json|excel))$/;

/** What a call does with the file that its first argument names; undefined where that is more than reading or writing it. */
export function fileUse(code: PythonCode, call: PyCall): 'read' | 'write' | undefined {
  const name = code.nameOf(call.func) ?? '';
  if (readers.test(name)) return 'read';
  if (call.func.type === 'Attribute' && call.func.attr === 'save') return 'write';
  if (!openers.test(name) || call.args.some(({ kind }) => kind === 'star' || kind === 'doublestar')) return undefined;
  const mode = argumentOf(call, 1, 'mode')?.value;
  if (mode === undefined) return 'read';
  const written = mode.type === 'Constant' && mode.kind === 'str' ? mode.value : '';
  return /^[rbtU]+$/.test(written) ? 'read' : /^[bt]?[wxa][bt+]{0,2}$/.test(written) ? 'write' : undefined;
}

/** Modules whose functions work on whole folders as well, and what of them fails or does nothing where a folder is. */
const ofSystem = /^(?:os|shutil|pathlib|subprocess|tarfile|zipfile|glob)\b/;
const ofFiles = /^os\.(?:path\.\w+|remove|unlink|stat|fspath|makedirs)$/;

/** Whether no call around a use of a path works on more than a file. */
export const isOfFiles = (code: PythonCode, use: PyNode): boolean => callsAround(code, use).every((call) => {
  const name = code.nameOf(call.func) ?? '';
  return !ofSystem.test(name) || ofFiles.test(name);
});

const asks = /^(?:is|has|check|valid|allow)\w*$|allowed|valid|extension|^(?:endswith|startswith|lower|upper|strip|rsplit|split|rpartition|splitext|len|any|match|search|fullmatch)$/;
const tells = /^(?:print|debug|info|warning|error|exception|critical|log)$/;

/** Whether a use of a name only asks about it in a condition, logs it, or takes its extension. */
export function isSideUse(code: PythonCode, use: PyNode): boolean {
  const names = callsAround(code, use).map((call) => lastName(call));
  if (names.some((name) => tells.test(name))) return true;
  if (isExtension(code, use)) return true;
  let at = use;
  for (let parent = code.parentOf(at); parent !== undefined; [at, parent] = [parent, code.parentOf(parent)]) {
    if ((parent.type === 'If' || parent.type === 'While' || parent.type === 'IfExp' || parent.type === 'Assert') && parent.test === at) return names.every((name) => asks.test(name));
    if ('body' in parent && Array.isArray(parent.body)) return false;
  }
  return false;
}

/** `os.path.splitext(name)[1]` and `name.rsplit(".", 1)[1]`: what secure_filename leaves as it is. */
function isExtension(code: PythonCode, use: PyNode): boolean {
  const [call] = callsAround(code, use);
  const parent = call === undefined ? undefined : code.parentOf(call);
  if (call === undefined || parent?.type !== 'Subscript' || !/^(?:1|-1)$/.test(code.source(parent.index))) return false;
  const [first] = call.args;
  return code.nameOf(call.func) === 'os.path.splitext' || (lastName(call) === 'rsplit' && first?.value.type === 'Constant' && first.value.value === '.');
}

const lastName = ({ func }: PyCall): string => (func.type === 'Attribute' ? func.attr : func.type === 'Name' ? func.id : '');

/** The calls that a node is part of, as an argument or by what they are called on, the innermost first. */
function callsAround(code: PythonCode, node: PyNode): readonly PyCall[] {
  const calls: PyCall[] = [];
  for (let at = code.parentOf(node); at !== undefined && at.type !== 'FunctionDef'; at = code.parentOf(at)) if (at.type === 'Call') calls.push(at);
  return calls;
}
