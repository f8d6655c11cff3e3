/** Templates for host keys, versions of TLS, tokens and clear text protocols. */
import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import type { TextEdit } from '../../text-edit.ts';
import { importName } from '../code/add-import.ts';
import { argumentOf, keywordOf, positionalOf, removeKeyword, setKeyword } from '../code/call-arguments.ts';
import { callsOn, surelyBefore } from '../code/calls-on.ts';
import { noVerify, wrapsNamelessly } from './certificates.ts';
import type { PythonCode } from '../code/python-code.ts';
import { valuesOf } from '../code/scopes.ts';
import { replaced, unlessChosen } from '../code/switches.ts';
import { decline, type PythonTemplate, type TemplateFix, type TemplateTable } from '../template.types.ts';

/** Unknown host keys are refused, and the known ones loaded first. */
const hostKey: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const known = 'Only servers whose key is in known_hosts are talked to. Review: new servers have to be added there first.';
  if (call?.func.type !== 'Attribute') return decline('The policy is not set by a call here.');
  if (call.func.attr === 'connect') {
    const edit = removeKeyword(code, call, 'known_hosts');
    return edit === undefined ? decline('known_hosts is not written in the call.') : { edits: [edit], rationale: known };
  }
  const policy = argumentOf(call, 0, 'policy')?.value;
  const written = policy === undefined ? '' : code.source(policy);
  const statement = code.statementAt(finding);
  const rejecting = /^(.*\.|)(?:AutoAddPolicy|WarningPolicy)(\(\s*\)|)$/.exec(written);
  const imported = rejecting?.[1] === '' ? importName(code, 'paramiko', 'RejectPolicy') : { name: `${rejecting?.[1]}RejectPolicy`, edits: [] };
  if (policy === undefined || rejecting === null || imported === undefined || statement?.type !== 'Expr') {
    return decline('The policy is not written in the call as paramiko.AutoAddPolicy.');
  }
  // Without the known keys, every server would be refused; loading them twice does no harm.
  const client = call.func.value;
  if (!/^[\w.]+$/.test(code.source(client))) return decline('The client has no name here by which its known keys could be loaded.');
  const loaded = callsOn(code, client, ['load_system_host_keys'], call).some((each) => surelyBefore(code, each, call) && !isReplaced(code, client, each.end, call.start));
  const edits: TextEdit[] = [...imported.edits, { start: policy.start, end: policy.end, text: imported.name + rejecting[2]! }];
  if (!loaded) edits.push(lineBefore(code, statement.start, `${code.source(client)}.load_system_host_keys()`));
  return { edits, rationale: known };
};

/** Whether a variable is assigned between two places. */
const isReplaced = (code: PythonCode, variable: PyExpr, from: number, to: number): boolean => code.nodes().some((node) =>
  node.type === 'Assign' && node.start >= from && node.end <= to && node.targets.some((target) => code.source(target) === code.source(variable)));

/** A line of its own before the statement at an offset, with its indentation; with `;` where another statement precedes on the line. */
export function lineBefore(code: PythonCode, start: number, line: string): TextEdit {
  const lineStart = code.text.lastIndexOf('\n', start - 1) + 1;
  const indent = code.text.slice(lineStart, start);
  return { start, end: start, text: /^[ \t]*$/.test(indent) ? `${line}${code.newline}${indent}` : `${line}; ` };
}

/** The constant of an old version by that of a current one, by its end of the name. */
const oldTls: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const statement = call === undefined ? code.statementAt(finding) : undefined;
  const root = call ?? (statement?.type === 'Assign' ? statement.value : undefined);
  const old = code.nodes().find((node) => root !== undefined && node.start >= root.start && node.end <= root.end
    && (node.type === 'Attribute' || node.type === 'Name')
    && /(?:PROTOCOL_SSLv[23]|PROTOCOL_TLSv1(?:_1)?|SSLv(?:2|3|23)_METHOD|TLSv1(?:_1)?_METHOD|TLSVersion\.(?:SSLv3|TLSv1|TLSv1_1))$/.test(code.source(node)));
  if (old?.type !== 'Attribute') return decline('The version is not written here as ssl.NAME.');
  const rationale = 'Versions of TLS before 1.2 are broken. Review: the oldest servers do not know newer ones.';
  if (old.attr.startsWith('PROTOCOL_')) return defaultContext(code, call, rationale);
  const name = old.attr.endsWith('_METHOD') ? 'TLS_METHOD' : 'TLSv1_2';
  return { edits: [{ start: old.end - old.attr.length, end: old.end, text: name }], rationale };
};

/** `ssl.SSLContext(old)` of a client by the default context, since a bare one of a current version trusts no authority at all. */
function defaultContext(code: PythonCode, call: PyCall | undefined, rationale: string): TemplateFix {
  if (call?.func.type !== 'Attribute' || code.nameOf(call.func) !== 'ssl.SSLContext' || call.args.length !== 1) {
    return decline('What else the connection needs with a current version is not known here.');
  }
  if (/server_side\s*=\s*True|load_cert_chain/.test(code.text)) return decline('Servers need PROTOCOL_TLS_SERVER; which side this is, is not sure.');
  if (wrapsNamelessly(code) || /\b(?:CERT_NONE|CERT_OPTIONAL|verify_mode|check_hostname)\b/.test(code.text)) {
    return decline('A default context checks names and certificates, which the code around it does not expect.');
  }
  return replaced(call, `${code.source(call.func.value)}.create_default_context()`, `${rationale.replace(' Review:', ' The default context checks certificates too. Review:')}`);
}

/** Only an address shows that its encrypted form is one letter away. */
const clearText: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  const name = call === undefined ? '' : (code.nameOf(call.func) ?? '');
  const first = call === undefined ? undefined : argumentOf(call, /\.(?:request|stream)$/.test(name) ? 1 : 0, 'url')?.value;
  // Constants and f-strings alike begin with a prefix, quotes and the scheme.
  const scheme = first === undefined ? null : /^[a-zA-Z]{0,2}["']{1,3}http:\/\//.exec(code.source(first));
  if (first === undefined || scheme === null) return decline('Whether the other side speaks an encrypted protocol is not known here.');
  const at = first.start + scheme[0].length - '://'.length;
  return { edits: [{ start: at, end: at, text: 's' }], rationale: 'The credentials travel encrypted. Review: the server has to answer by https.' };
};

/** Turns the check on where the call has all that it needs: a key, and algorithms of one kind. */
const unverifiedToken: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  if (call?.func.type !== 'Attribute' || call.func.attr !== 'decode') {
    return decline('Which key and algorithm the token is signed with is not known here.');
  }
  if (positionalOf(call, 1) === undefined && keywordOf(call, 'key') === undefined) {
    return decline('The key to check the signature with is not known here.');
  }
  const key = (keywordOf(call, 'key') ?? positionalOf(call, 1))!.value;
  const keys = key.type === 'Name' ? (valuesOf(code, key) ?? []) : [key];
  if (keys.some((each) => each.type === 'Constant' && (each.kind !== 'str' && each.kind !== 'bytes' || each.value === ''))) {
    return decline('The key is empty: which one the token is signed with is not known here.');
  }
  const algorithms = keywordOf(call, 'algorithms')?.value;
  const texts = algorithms?.type === 'List' || algorithms?.type === 'Tuple'
    ? algorithms.elements.map((each) => (each.type === 'Constant' && each.kind === 'str' ? each.value : '?'))
    : undefined;
  if (texts === undefined || texts.some((each) => !/^[A-Z]{2}\d{3}$|^EdDSA$/.test(each)) || new Set(texts.map((each) => each.startsWith('HS'))).size !== 1) {
    return decline('Which algorithm the token is signed with is not known here.');
  }
  const edits: TextEdit[] = [];
  const options = keywordOf(call, 'options')?.value;
  const entry = options?.type === 'Dict' ? options.entries.find(({ key }) => key?.type === 'Constant' && key.value === 'verify_signature') : undefined;
  if (entry !== undefined) edits.push({ start: entry.value.start, end: entry.value.end, text: 'True' });
  for (const word of ['verify', 'verify_signature']) {
    if (keywordOf(call, word) !== undefined) edits.push(setKeyword(code, call, word, 'True'));
  }
  return edits.length === 0 ? decline('The switch is not written in the call.') : { edits, rationale: 'The signature of the token is checked again.' };
};

/** TLS, host keys, tokens, clear text, by rule. */
export const transportTemplates: TemplateTable = {
  'CODE-W1-CONFIG-001': unlessChosen(noVerify),
  'CODE-W1-CONFIG-002': unlessChosen(hostKey),
  'CODE-W1-CONFIG-003': unlessChosen(oldTls),
  'CODE-W1-CONFIG-004': clearText,
  'CODE-W1-CONFIG-005': unlessChosen(unverifiedToken),
};
