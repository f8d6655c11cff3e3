/** Templates for TLS, host keys, tokens and clear text protocols. */
import type { PyCall, PyExpr, PyStmt } from '../../../../../syntax/python.types.ts';
import type { Finding } from '../../finding.types.ts';
import type { TextEdit } from '../text-edit.ts';
import { importName } from './add-import.ts';
import { argumentOf, keywordOf, positionalOf, removeKeyword, setKeyword } from './call-arguments.ts';
import type { PythonCode } from './python-code.ts';
import { functionAround, nodesIn, valuesOf } from './scopes.ts';
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
  if (/^ssl\._create_unverified(?:_https)?_context$/.test(name)) {
    const shared = call.args.every((argument) => argument.kind === 'keyword' && /^(?:purpose|cafile|capath|cadata)$/.test(argument.name));
    return shared ? contextName(code, call.func) : decline('The call has arguments that create_default_context does not take.');
  }
  if (/^ssl\.(?:wrap_socket|SSLContext\(\)\.wrap_socket)$/.test(name)) return decline('Which authorities to trust, and the name of the server, are not known here.');
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

function assignedSwitch(code: PythonCode, finding: Finding): TemplateFix {
  const statement = code.statementAt(finding);
  const value = statement?.type === 'Assign' || statement?.type === 'AnnAssign' ? statement.value : undefined;
  const target = statement?.type === 'Assign' ? statement.targets[0] : undefined;
  if (statement?.type === 'Assign' && target?.type === 'Attribute' && /^(?:check_hostname|verify_mode)$/.test(target.attr)) return contextSwitches(code, statement, target);
  if (value?.type === 'Constant' && value.kind === 'bool') return replaced(value, 'True', checked);
  if (value?.type === 'Constant' && value.kind === 'str') return replaced(value, '"1"', checked);
  return value !== undefined && /\._create_unverified(?:_https)?_context$/.test(code.source(value))
    ? contextName(code, value)
    : decline('The switch is not written here.');
}

/**
 * The two switches of a context go together: one that checks names must check certificates, or setting the other raises.
 * Certificates can only be checked where the context has authorities to trust.
 */
function contextSwitches(code: PythonCode, statement: PyStmt, target: PyExpr & { type: 'Attribute' }): TemplateFix {
  const context = code.source(target.value);
  const scope = functionAround(code, statement);
  const edits = nodesIn(code, scope).flatMap((node): TextEdit[] => {
    const [each] = node.type === 'Assign' ? node.targets : [];
    if (node.type !== 'Assign' || each?.type !== 'Attribute' || code.source(each.value) !== context || functionAround(code, node) !== scope) return [];
    if (each.attr === 'check_hostname' && node.value.type === 'Constant' && node.value.value === false) return [{ start: node.value.start, end: node.value.end, text: 'True' }];
    return each.attr === 'verify_mode' && /CERT_NONE$/.test(code.source(node.value)) ? [certRequired(code, node.value)] : [];
  });
  const trusts = /^ssl\.create_default_context\(\)$/.test(code.originOf(target.value) ?? '')
    || ['load_verify_locations', 'load_default_certs', 'set_default_verify_paths'].some((method) => code.text.includes(`${context}.${method}(`));
  if (edits.length === 0) return decline('The switch is not written here.');
  // A server that checks certificates asks its clients for theirs.
  if (/CLIENT_AUTH|PROTOCOL_TLS_SERVER|server_side\s*=\s*True/.test(code.text)) return decline('Which side of the connection this is, is not sure.');
  if (!trusts) return decline('Which authorities the context trusts is not known here.');
  return wrapsNamelessly(code) ? decline('The name of the server is not given where the socket is wrapped, so that it can not be checked.') : { edits, rationale: checked };
}

/** Whether a socket is wrapped without the name of its server, which a context that checks names refuses. */
const wrapsNamelessly = (code: PythonCode): boolean => code.nodes().some((node) => node.type === 'Call' && node.func.type === 'Attribute' && node.func.attr === 'wrap_socket'
  && code.nameOf(node.func) !== 'ssl.wrap_socket' && keywordOf(node, 'server_hostname') === undefined);

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
  'CODE-W1-CONFIG-001': noVerify,
  'CODE-W1-CONFIG-002': hostKey,
  'CODE-W1-CONFIG-003': oldTls,
  'CODE-W1-CONFIG-004': clearText,
  'CODE-W1-CONFIG-005': unverifiedToken,
};
