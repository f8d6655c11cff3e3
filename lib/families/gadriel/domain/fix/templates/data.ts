/** Templates for loaders, temporary files, modes and secrets in the code. */
import type { PyExpr } from '../../../../../syntax/python.types.ts';
import type { Finding } from '../../finding.types.ts';
import { importName } from './add-import.ts';
import { argumentOf, keywordOf, setKeyword } from './call-arguments.ts';
import { variableName } from './environment-names.ts';
import type { PythonCode } from './python-code.ts';
import { freeName, functionAround, nodesIn } from './scopes.ts';
import { decline, type PythonTemplate, type TemplateTable } from './template.types.ts';

/** Any way of loading YAML with tags by the one without. */
const safeYaml: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const name = call === undefined ? undefined : code.nameOf(call.func);
  const rationale = 'The safe loader makes plain data only. Review: documents with Python tags are refused.';
  if (call === undefined || name === undefined || !name.startsWith('yaml.')) return decline('The document is not loaded by PyYAML here.');
  const unsafe = /^yaml\.(?:unsafe|full)_load(_all)?$/.exec(name);
  if (unsafe !== null) {
    const safe = `safe_load${unsafe[1] ?? ''}`;
    if (call.func.type === 'Attribute') {
      return { edits: [{ start: call.func.end - call.func.attr.length, end: call.func.end, text: safe }], rationale };
    }
    const imported = importName(code, 'yaml', safe);
    return imported === undefined ? decline(`The name ${safe} means something else here.`)
      : { edits: [...imported.edits, { start: call.func.start, end: call.func.end, text: imported.name }], rationale };
  }
  if (!/^yaml\.load(?:_all)?$/.test(name)) return decline('The loader is chosen elsewhere.');
  const given = argumentOf(call, 1, 'Loader')?.value;
  // Where the module was imported in whatever way, its members are at hand.
  const loader = call.func.type === 'Attribute' ? { name: `${code.source(call.func.value)}.SafeLoader`, edits: [] } : importName(code, 'yaml', 'SafeLoader');
  if (loader === undefined) return decline('The name SafeLoader means something else here.');
  const put = given === undefined ? setKeyword(code, call, 'Loader', loader.name) : { start: given.start, end: given.end, text: loader.name };
  return { edits: [...loader.edits, put], rationale };
};

/** mktemp gives a name, mkstemp an open file as well: it is closed at once, as the code goes on by the name. */
const temporaryName: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const statement = code.statementAt(finding);
  const name = call === undefined ? undefined : code.nameOf(call.func);
  const target = statement?.type === 'Assign' && statement.targets.length === 1 && statement.value === call ? statement.targets[0] : undefined;
  if (call?.func.type !== 'Attribute' || name !== 'tempfile.mktemp' || target?.type !== 'Name' || statement === undefined) {
    return decline('Who opens the file under this name has to be changed as well.');
  }
  if (!opensAsFile(code, target)) return decline('The name is for something that must not be there yet, or other names are made of it.');
  const os = importName(code, 'os');
  const lineEnd = code.text.indexOf('\n', statement.end);
  const indent = /[ \t]*$/.exec(code.text.slice(code.text.lastIndexOf('\n', statement.start - 1) + 1, statement.start))![0];
  const alone = code.text.slice(code.text.lastIndexOf('\n', statement.start - 1) + 1, statement.start) === indent
    && /^[ \t]*(?:#[^\n]*)?\r?$/.test(code.text.slice(statement.end, lineEnd < 0 ? code.text.length : lineEnd));
  if (os === undefined || !alone) return decline('The line holds more than this assignment.');
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
    rationale: 'The file is made at once, so that nobody else can put one in its place.',
  };
};

/** Functions that make what a path names, or move something to it: they fail, or do something else, where a file is. */
const needsNothing = new Set(`mkfifo mknod mkdir makedirs bind listen link symlink hardlink_to symlink_to link_to rename replace renames move copytree
  exists lexists isfile is_file connect unlink remove rmtree rmdir create_server start_unix_server create_unix_server Listener UnixStreamServer
  run call Popen check_call check_output system`.split(/\s+/));

/** Whether the name goes only where a file that is empty does as well as none. */
function opensAsFile(code: PythonCode, target: PyExpr & { type: 'Name' }): boolean {
  const uses = nodesIn(code, functionAround(code, target)).filter((node) => node.type === 'Name' && node.id === target.id && node !== target);
  return uses.every((use) => {
    for (let at = code.parentOf(use); at !== undefined; at = code.parentOf(at)) {
      if (at.type === 'BinOp' || at.type === 'JoinedStr') return false;
      if (at.type !== 'Call') continue;
      const name = at.func.type === 'Attribute' ? at.func.attr : at.func.type === 'Name' ? at.func.id : '';
      // A mode with x asks for a new file.
      const isNew = /^(?:open|fdopen)$/.test(name) && /(?:O_EXCL|["'][a-z+]*x)/.test(code.source(at));
      if (needsNothing.has(name) || isNew) return false;
    }
    return true;
  });
}

/** The bits for others and the group to write are taken out of a mode, whatever it is written as. */
const openMode: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const name = call === undefined ? '' : (code.nameOf(call.func) ?? '');
  const index = name === 'os.open' ? 2 : /^os\./.test(name) ? 1 : 0;
  const mode = call === undefined ? undefined : argumentOf(call, index, 'mode')?.value;
  const rationale = 'Others may no longer write it.';
  if (mode === undefined) return decline('The mode is not written in the call.');
  if (mode.type === 'Constant' && mode.kind === 'int') {
    return { edits: [{ start: mode.start, end: mode.end, text: octal(mode.value & ~0o022) }], rationale };
  }
  const source = code.source(mode);
  // Without brackets, a | b & ~c would be something else.
  return { edits: [{ start: mode.start, end: mode.end, text: mode.type === 'Name' || mode.type === 'Attribute' ? `${source} & ~0o022` : `(${source}) & ~0o022` }], rationale };
};

const octal = (mode: number): string => `0o${mode.toString(8)}`;

/** There is no right password to write: it comes from outside, under a name of ours. */
const emptyPassword: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const given = call === undefined ? undefined : ['password', 'passwd', 'pwd'].map((word) => keywordOf(call, word)?.value).find((value) => value !== undefined);
  const os = importName(code, 'os');
  if (given?.type !== 'Constant' || os === undefined) return decline('The password is not written in the call.');
  return {
    edits: [...os.edits, { start: given.start, end: given.end, text: `${os.name}.environ["DB_PASSWORD"]` }],
    rationale: 'The password comes from the environment. Review: set DB_PASSWORD, and give the account one.',
  };
};

/** A secret that is a whole string literal becomes a variable of the environment. */
export const secretLiteral: PythonTemplate = (code, finding) => {
  const place = secretPlace(code, finding);
  if (place === undefined) return decline('The secret is part of a longer text.');
  if (code.parentOf(place)?.type === 'Match') return decline('A pattern takes no call.');
  const os = importName(code, 'os');
  if (os === undefined) return decline('The name os means something else here.');
  const name = variableName(code, place, finding);
  if (name === undefined) return decline('A default of a parameter is needed as soon as the code is read, where the environment may lack it.');
  return {
    edits: [...os.edits, { start: place.start, end: place.end, text: `${os.name}.environ["${name}"]` }],
    rationale: `The secret comes from the environment. Review: revoke it where it was issued, and set ${name} to its successor.`,
  };
};

/** The string literal whose whole text is the secret. */
function secretPlace(code: PythonCode, finding: Finding): (PyExpr & { type: 'Constant' }) | undefined {
  return code.nodes().find((node): node is PyExpr & { type: 'Constant' } => {
    if (node.type !== 'Constant' || node.kind !== 'str' || code.parentOf(node)?.type === 'Expr') return false;
    const prefix = /^[a-zA-Z]{0,2}["']{1,3}/.exec(code.text.slice(node.start, node.start + 5))?.[0];
    if (prefix === undefined || code.module.lineAt(node.start) !== finding.line) return false;
    const quotes = prefix.replace(/^[a-zA-Z]+/, '').length;
    return code.module.columnAt(node.start) + prefix.length === finding.column && code.module.columnAt(node.end) - quotes === finding.end_column
      && code.module.lineAt(node.end) === finding.end_line;
  });
}

/** Loaders, temporary files, modes, by rule. */
export const dataTemplates: TemplateTable = {
  'CODE-W1-L3-029': safeYaml,
  'CODE-W1-L3-037': temporaryName,
  'CODE-W1-L3-038': openMode,
  'CODE-W1-L3-045': emptyPassword,
};
