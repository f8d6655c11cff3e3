/** Templates for TLS, host keys, tokens and clear text protocols. */
import type { PyExpr } from '../../../../../syntax/python.types.ts';
import type { TextEdit } from '../text-edit.ts';
import { importName } from './add-import.ts';
import { argumentOf, keywordOf, positionalOf, removeKeyword, setKeyword } from './call-arguments.ts';
import type { PythonCode } from './python-code.ts';
import { decline, type PythonTemplate, type TemplateFix, type TemplateTable } from './template.types.ts';
import { replaced } from './settings.ts';

const checked = 'The certificate of the other side is checked again. Review: servers with a self-signed one need verify="/path/to/ca.pem".';
/** Keywords whose default is the safe value, so that they are dropped. */
const dropped = [
  'verify', 'ssl', 'verify_ssl', 'ssl_verify', 'verify_certs', 'validate_certs', 'tls_verify', 'verify_tls', 'ssl_assert_hostname', 'validate_cert',
  'verify_ssl_cert', 'verify_ssl_certs', 'ssl_check_hostname', 'disable_ssl_certificate_validation', 'tlsAllowInvalidCertificates', 'tlsInsecure',
  'tls_insecure', 'tlsAllowInvalidHostnames', 'insecure_skip_verify', 'disable_ssl_verification', 'check_hostname', 'assert_hostname',
];

/** Switches the check of certificates on again; where that is the default, by taking the switch away. */
const noVerify: PythonTemplate = (code, finding) => {
  const call = code.callAt(finding);
  if (call === undefined) return assignedSwitch(code, finding);
  const name = code.nameOf(call.func) ?? '';
  if (/^ssl\._create_unverified(?:_https)?_context$/.test(name)) return contextName(code, call.func);
  if (call.func.type === 'Attribute' && call.func.attr === 'tls_insecure_set') {
    const value = positionalOf(call, 0)?.value;
    return value === undefined ? decline('The switch is not written in the call.') : replaced(value, 'False', checked);
  }
  const edits: TextEdit[] = [];
  for (const keyword of ['cert_reqs', 'ssl_cert_reqs', 'ssl']) {
    const value = keywordOf(call, keyword)?.value;
    if (value !== undefined && /CERT_NONE$/.test(code.source(value))) edits.push(certRequired(code, value));
  }
  const given = dropped.filter((keyword) => {
    const value = keywordOf(call, keyword)?.value;
    return value?.type === 'Constant' && (value.kind === 'bool' || (value.kind === 'int' && value.value === 0));
  });
  // Two neighbours would both take the comma between them along.
  if (given.length === 1) edits.push(removeKeyword(code, call, given[0]!)!);
  if (edits.length === 0 || given.length > 1) return decline('The switch is not written in the call.');
  return { edits, rationale: checked };
};

/** `ssl.CERT_NONE` to `ssl.CERT_REQUIRED`, whatever the module is called here. */
const certRequired = (code: PythonCode, value: PyExpr): TextEdit =>
  ({ start: value.start, end: value.end, text: code.source(value).replace(/CERT_NONE$/, 'CERT_REQUIRED') });

function contextName(code: PythonCode, func: PyExpr): TemplateFix {
  if (func.type !== 'Attribute') return decline('The function was imported by its own name.');
  return replaced(func, `${code.source(func.value)}.create_default_context`, checked);
}

function assignedSwitch(code: PythonCode, finding: Parameters<PythonTemplate>[1]): TemplateFix {
  const statement = code.statementAt(finding);
  const value = statement?.type === 'Assign' || statement?.type === 'AnnAssign' ? statement.value : undefined;
  if (value?.type === 'Constant' && value.kind === 'bool') return replaced(value, 'True', checked);
  if (value?.type === 'Constant' && value.kind === 'str') return replaced(value, '"1"', checked);
  if (value !== undefined && /CERT_NONE$/.test(code.source(value))) return { edits: [certRequired(code, value)], rationale: checked };
  return value !== undefined && /\._create_unverified(?:_https)?_context$/.test(code.source(value))
    ? contextName(code, value)
    : decline('The switch is not written here.');
}

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
  const edits: TextEdit[] = [...imported.edits, { start: policy.start, end: policy.end, text: imported.name + rejecting[2]! }];
  if (call.func.value.type !== 'Call' && !/\bload_system_host_keys\b/.test(code.text)) {
    edits.push(lineBefore(code, statement.start, `${code.source(call.func.value)}.load_system_host_keys()`));
  }
  return { edits, rationale: known };
};

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
  const name = old.attr.endsWith('_METHOD') ? 'TLS_METHOD' : old.attr.startsWith('PROTOCOL_') ? 'PROTOCOL_TLS_CLIENT' : 'TLSv1_2';
  if (name === 'PROTOCOL_TLS_CLIENT' && /server_side\s*=\s*True|load_cert_chain/.test(code.text)) {
    return decline('Servers need PROTOCOL_TLS_SERVER; which side this is, is not sure.');
  }
  return {
    edits: [{ start: old.end - old.attr.length, end: old.end, text: name }],
    rationale: 'Versions of TLS before 1.2 are broken. Review: the oldest servers do not know newer ones.',
  };
};

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
  'CODE-W1-CONFIG-001': noVerify,
  'CODE-W1-CONFIG-002': hostKey,
  'CODE-W1-CONFIG-003': oldTls,
  'CODE-W1-CONFIG-004': clearText,
  'CODE-W1-CONFIG-005': unverifiedToken,
};
