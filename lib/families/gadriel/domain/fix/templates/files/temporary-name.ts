/** The template for names of temporary files (L3-037). */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import { importName } from '../code/add-import.ts';
import { argumentOf } from '../code/call-arguments.ts';
import type { PyNode, PythonCode } from '../code/python-code.ts';
import { freeName, functionAround, nodesIn } from '../code/scopes.ts';
import { decline, type PythonTemplate } from '../template.types.ts';

/** mktemp gives a name, mkstemp an open file as well: it is closed at once, as the code goes on by the name. */
export const temporaryName: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const statement = code.statementAt(finding);
  const name = call === undefined ? undefined : code.nameOf(call.func);
  const target = statement?.type === 'Assign' && statement.targets.length === 1 && statement.value === call ? statement.targets[0] : undefined;
  if (call?.func.type !== 'Attribute' || name !== 'tempfile.mktemp' || target?.type !== 'Name' || statement === undefined) {
    return decline('Who opens the file under this name has to be changed as well.');
  }
  const os = importName(code, 'os');
  const lineEnd = code.text.indexOf('\n', statement.end);
  const indent = /[ \t]*$/.exec(code.text.slice(code.text.lastIndexOf('\n', statement.start - 1) + 1, statement.start))![0];
  const alone = code.text.slice(code.text.lastIndexOf('\n', statement.start - 1) + 1, statement.start) === indent
    && /^[ \t]*(?:#[^\n]*)?\r?$/.test(code.text.slice(statement.end, lineEnd < 0 ? code.text.length : lineEnd));
  if (os === undefined || !alone) return decline('The line holds more than this assignment.');
  if (!servesAsFile(code, target)) return decline('The name goes to more than a file that is written here: it may be for something that must not be there yet, or other names are made of it.');
  const at = lineEnd < 0 ? code.text.length : lineEnd + 1;
  const descriptor = freeName(code, 'descriptor');
  const close = `${indent}${os.name}.close(${descriptor})`;
  return {
    edits: [
      ...os.edits,
      { start: target.start, end: target.start, text: `${descriptor}, ` },
      { start: call.func.end - call.func.attr.length, end: call.func.end, text: 'mkstemp' },
      { start: at, end: at, text: lineEnd < 0 ? code.newline + close : close + code.newline },
    ],
    rationale: 'The file is made at once, so that nobody else can put one in its place. Review: its owner alone can read it.',
  };
};

type Use = 'writes' | 'reads' | 'removes';

/** Functions by what they do with the file that their argument at a place names: all of them take an empty file for none. */
const functions: ReadonlyMap<string, readonly [place: number, use: Use]> = new Map([
  ['shutil.copyfile', [1, 'writes']], ['shutil.copy', [1, 'writes']], ['shutil.copy2', [1, 'writes']], ['urllib.request.urlretrieve', [1, 'writes']],
  ['sqlite3.connect', [0, 'writes']], ['print', [0, 'reads']], ['os.stat', [0, 'reads']], ['os.path.getsize', [0, 'reads']],
  ['os.remove', [0, 'removes']], ['os.unlink', [0, 'removes']],
]);
const openers = /^(?:open|(?:io|codecs)\.open|(?:gzip|bz2|lzma)\.open)$/;
const archives = /^(?:zipfile\.ZipFile|tarfile\.open)$/;
const pathMethods: ReadonlyMap<string, Use> = new Map([
  ['write_text', 'writes'], ['write_bytes', 'writes'], ['read_text', 'reads'], ['read_bytes', 'reads'], ['stat', 'reads'], ['unlink', 'removes'],
]);

/** Whether the name goes only where an empty file does as well as none: it is written first, and never after it was removed. */
function servesAsFile(code: PythonCode, target: PyExpr & { type: 'Name' }): boolean {
  const scope = functionAround(code, target);
  const elsewhere = code.nodes().some((node) => (node.type === 'Global' || node.type === 'Nonlocal') && node.names.includes(target.id));
  // What a class or another function knows the name by can not be followed.
  if (elsewhere || code.parentOf(code.parentOf(target)!)?.type === 'ClassDef') return false;
  const uses = nodesIn(code, scope).filter((node) => node.type === 'Name' && node.id === target.id && node !== target)
    .sort((one, other) => one.start - other.start)
    .map((node) => {
      const use = useOf(code, node);
      return use === 'removes' && isRepeated(code, node, target) ? undefined : use;
    });
  const removed = uses.indexOf('removes');
  return uses[0] === 'writes' && !uses.includes(undefined) && (removed < 0 || !uses.includes('writes', removed));
}

/** What is done with the file that a name names; undefined where that is not surely known. */
function useOf(code: PythonCode, name: PyNode): Use | undefined {
  const call = code.parentOf(name);
  if (call?.type !== 'Call') return undefined;
  const place = call.args.findIndex((argument) => argument.kind === 'positional' && argument.value === name);
  const callee = code.nameOf(call.func) ?? '';
  const known = functions.get(callee);
  if (known?.[0] === place) return known[1];
  // In other places of these functions the file is only read.
  if (callee === 'shutil.copyfile' && place === 0) return 'reads';
  if (place !== 0) return undefined;
  if (openers.test(callee)) return openedFor(call, /^[rwa][bt+]{0,2}$/);
  if (archives.test(callee)) return openedFor(call, /^(?:r|w)(?:[:|]\w*)?$/);
  return callee === 'pathlib.Path' && call.args.length === 1 ? pathUse(code, call) : undefined;
}

/** Whether a loop goes through a place again and again, but not through the one where the name is made. */
function isRepeated(code: PythonCode, use: PyNode, target: PyNode): boolean {
  for (let at = code.parentOf(use); at !== undefined; at = code.parentOf(at)) {
    if ((at.type === 'For' || at.type === 'While') && !(at.start <= target.start && target.end <= at.end)) return true;
  }
  return false;
}

/** What a file is opened for, by a mode that is written in the call and one of these. */
function openedFor(call: PyCall, modes: RegExp): Use | undefined {
  const mode = argumentOf(call, 1, 'mode')?.value;
  const text = mode === undefined && call.args.every(({ kind }) => kind === 'positional' || kind === 'keyword') ? 'r' : mode?.type === 'Constant' && mode.kind === 'str' ? mode.value : '';
  if (call.args.some((argument) => argument.kind === 'keyword' && argument.name === 'opener') || !modes.test(text)) return undefined;
  return text.startsWith('r') ? 'reads' : 'writes';
}

function pathUse(code: PythonCode, path: PyCall): Use | undefined {
  const method = code.parentOf(path);
  const call = method?.type === 'Attribute' ? code.parentOf(method) : undefined;
  if (method?.type !== 'Attribute' || call?.type !== 'Call' || call.func !== method) return undefined;
  return method.attr === 'open' ? openedForPath(call) : pathMethods.get(method.attr);
}

/** `Path(p).open(mode)`, whose first argument is the mode. */
function openedForPath(call: PyCall): Use | undefined {
  const mode = argumentOf(call, 0, 'mode')?.value;
  if (mode?.type !== 'Constant' || mode.kind !== 'str' || !/^[rwa][bt+]{0,2}$/.test(mode.value)) return undefined;
  return mode.value.startsWith('r') ? 'reads' : 'writes';
}
