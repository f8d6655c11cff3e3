/** Templates for loaders, temporary files, modes and secrets in the code. */
import type { PyExpr } from '../../../../../syntax/python.types.ts';
import type { Finding } from '../../finding.types.ts';
import { importName } from './add-import.ts';
import { argumentOf, keywordOf, setKeyword } from './call-arguments.ts';
import type { PyNode, PythonCode } from './python-code.ts';
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
  const os = importName(code, 'os');
  const lineEnd = code.text.indexOf('\n', statement.end);
  const indent = /[ \t]*$/.exec(code.text.slice(code.text.lastIndexOf('\n', statement.start - 1) + 1, statement.start))![0];
  const alone = code.text.slice(code.text.lastIndexOf('\n', statement.start - 1) + 1, statement.start) === indent
    && /^[ \t]*(?:#[^\n]*)?\r?$/.test(code.text.slice(statement.end, lineEnd < 0 ? code.text.length : lineEnd));
  if (os === undefined || !alone) return decline('The line holds more than this assignment.');
  const at = lineEnd < 0 ? code.text.length : lineEnd + 1;
  const close = `${indent}${os.name}.close(descriptor)`;
  return {
    edits: [
      ...os.edits,
      { start: target.start, end: target.start, text: 'descriptor, ' },
      { start: call.func.end - call.func.attr.length, end: call.func.end, text: 'mkstemp' },
      { start: at, end: at, text: lineEnd < 0 ? code.newline + close : close + code.newline },
    ],
    rationale: 'The file is made at once, so that nobody else can put one in its place.',
  };
};

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
  const os = importName(code, 'os');
  if (os === undefined) return decline('The name os means something else here.');
  const name = variableName(code, place, finding);
  return {
    edits: [...os.edits, { start: place.start, end: place.end, text: `${os.name}.environ["${name}"]` }],
    rationale: `The secret comes from the environment. Review: revoke it where it was issued, and set ${name} to its successor.`,
  };
};

/** The string literal whose whole text is the secret. */
function secretPlace(code: PythonCode, finding: Finding): PyExpr | undefined {
  return code.nodes().find((node): node is PyExpr & { type: 'Constant' } => {
    if (node.type !== 'Constant' || node.kind !== 'str' || code.parentOf(node)?.type === 'Expr') return false;
    const prefix = /^[a-zA-Z]{0,2}["']{1,3}/.exec(code.text.slice(node.start, node.start + 5))?.[0];
    if (prefix === undefined || code.module.lineAt(node.start) !== finding.line) return false;
    const quotes = prefix.replace(/^[a-zA-Z]+/, '').length;
    return code.module.columnAt(node.start) + prefix.length === finding.column && code.module.columnAt(node.end) - quotes === finding.end_column
      && code.module.lineAt(node.end) === finding.end_line;
  });
}

/** What the value is called where it is written, in capitals; else its provider or its rule. */
function variableName(code: PythonCode, place: PyExpr, finding: Finding): string {
  const parent = code.parentOf(place);
  const named = parent === undefined ? undefined : nameIn(parent, place);
  const provider = finding.tags.find((tag) => tag.startsWith('provider:'))?.slice('provider:'.length);
  const words = (named ?? (provider === undefined ? 'secret' : `${provider}_token`)).replace(/([a-z\d])([A-Z])/g, '$1_$2').replace(/[^A-Za-z\d]+/g, '_').replace(/^_+|_+$/g, '');
  return /^[A-Za-z]/.test(words) ? words.toUpperCase() : 'SECRET';
}

function nameIn(parent: PyNode, place: PyExpr): string | undefined {
  if (parent.type === 'Assign') return lastName(parent.targets[0]);
  if (parent.type === 'AnnAssign') return lastName(parent.target);
  if (parent.type === 'Call') {
    return parent.args.map((argument) => (argument.kind === 'keyword' && argument.value === place ? argument.name : undefined)).find((name) => name !== undefined);
  }
  if (parent.type === 'Dict') return keyText(parent.entries.find(({ value }) => value === place)?.key);
  if (parent.type === 'FunctionDef') return parent.params.find((param) => param.default === place)?.name;
  return undefined;
}

const keyText = (key: PyExpr | undefined): string | undefined => (key?.type === 'Constant' && key.kind === 'str' && key.value.length <= 60 ? key.value : undefined);

function lastName(target: PyExpr | undefined): string | undefined {
  if (target?.type === 'Name') return target.id;
  if (target?.type === 'Attribute') return target.attr;
  return target?.type === 'Subscript' ? keyText(target.index) : undefined;
}

/** Loaders, temporary files, modes, by rule. */
export const dataTemplates: TemplateTable = {
  'CODE-W1-L3-029': safeYaml,
  'CODE-W1-L3-037': temporaryName,
  'CODE-W1-L3-038': openMode,
  'CODE-W1-L3-045': emptyPassword,
};
