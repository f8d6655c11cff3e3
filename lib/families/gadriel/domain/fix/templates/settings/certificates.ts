/** The template that switches the check of certificates on again (CONFIG-001). */
import type { PyExpr, PyStmt } from '../../../../../../syntax/python.types.ts';
import type { Finding } from '../../../finding.types.ts';
import type { TextEdit } from '../../text-edit.ts';
import { importName } from '../code/add-import.ts';
import { keywordOf, positionalOf, removeKeyword } from '../code/call-arguments.ts';
import { callsOn } from '../code/calls-on.ts';
import type { PythonCode } from '../code/python-code.ts';
import { functionAround, nodesIn } from '../code/scopes.ts';
import { replaced } from '../code/switches.ts';
import { decline, type PythonTemplate, type TemplateFix } from '../template.types.ts';

const checked = 'The certificate of the other side is checked again. Review: servers with a self-signed one need verify="/path/to/ca.pem".';
/** Keywords that check when they are true. Not every library does so by default, so that they are said and not dropped. */
const checks = [
  'verify_ssl', 'ssl_verify', 'verify_certs', 'validate_certs', 'tls_verify', 'verify_tls', 'validate_cert', 'verify_ssl_cert', 'verify_ssl_certs',
  'ssl_check_hostname', 'check_hostname',
];
/** The same by keywords that are dropped: the check is the default, and the names take something else than `True`. */
const droppedChecks = ['verify', 'assert_hostname', 'ssl_assert_hostname'];
/** Keywords that switch the check off when they are true; no library does so by default. */
const insecure = [
  'disable_ssl_certificate_validation', 'tlsAllowInvalidCertificates', 'tlsInsecure', 'tls_insecure', 'tlsAllowInvalidHostnames', 'insecure_skip_verify',
  'disable_ssl_verification',
];

/** Switches the check of certificates on again; where that is the default, by taking the switch away. */
export const noVerify: PythonTemplate = (code, finding) => {
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
  const valueOf = (keyword: string): PyExpr | undefined => keywordOf(call, keyword)?.value;
  const edits = ['cert_reqs', 'ssl_cert_reqs'].flatMap((keyword) => certRequired(code, valueOf(keyword)))
    .concat(checks.flatMap((keyword) => (isSwitch(valueOf(keyword), false) ? [{ start: valueOf(keyword)!.start, end: valueOf(keyword)!.end, text: 'True' }] : [])));
  // Elsewhere ssl=False is a connection without TLS, and True the one with it: nothing to take away.
  const noCheck = /^(?:aiohttp|websockets)\b/.test(code.originOf(call.func) ?? '') ? [...droppedChecks, 'ssl'] : droppedChecks;
  const given = [...noCheck.filter((keyword) => isSwitch(valueOf(keyword), false)), ...insecure.filter((keyword) => isSwitch(valueOf(keyword), true))];
  // Two neighbours would both take the comma between them along.
  if (given.length === 1) edits.push(removeKeyword(code, call, given[0]!)!);
  if (edits.length === 0 || given.length > 1) return decline('The switch is not written in the call.');
  return { edits, rationale: checked };
};

const isSwitch = (value: PyExpr | undefined, word: boolean): boolean => value?.type === 'Constant'
  && ((value.kind === 'bool' && value.value === word) || (value.kind === 'int' && value.value === Number(word)));

/** `ssl.CERT_NONE` to `ssl.CERT_REQUIRED`, whatever the module is called here; the words that libraries take for it as well. */
function certRequired(code: PythonCode, value: PyExpr | undefined): TextEdit[] {
  if (value?.type === 'Attribute' && value.attr === 'CERT_NONE') return [{ start: value.end - value.attr.length, end: value.end, text: 'CERT_REQUIRED' }];
  if (value?.type === 'Constant' && value.kind === 'str' && /^(?:none|CERT_NONE)$/.test(value.value)) {
    return [{ start: value.start, end: value.end, text: value.value === 'none' ? '"required"' : '"CERT_REQUIRED"' }];
  }
  const imported = value?.type === 'Name' && code.nameOf(value) === 'ssl.CERT_NONE' ? importName(code, 'ssl', 'CERT_REQUIRED') : undefined;
  return imported === undefined ? [] : [...imported.edits, { start: value!.start, end: value!.end, text: imported.name }];
}

function contextName(code: PythonCode, func: PyExpr): TemplateFix {
  if (func.type !== 'Attribute') return decline('The function was imported by its own name.');
  return replaced(func, `${code.source(func.value)}.create_default_context`, checked);
}

function assignedSwitch(code: PythonCode, finding: Finding): TemplateFix {
  const statement = code.statementAt(finding);
  const value = statement?.type === 'Assign' || statement?.type === 'AnnAssign' ? statement.value : undefined;
  const target = statement?.type === 'Assign' ? statement.targets[0] : undefined;
  if (statement?.type === 'Assign' && target?.type === 'Attribute' && /^(?:check_hostname|verify_mode)$/.test(target.attr)) return contextSwitches(code, statement, target);
  if (isSwitch(value, false)) return replaced(value!, 'True', checked);
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
    if (each.attr === 'check_hostname' && isSwitch(node.value, false)) return [{ start: node.value.start, end: node.value.end, text: 'True' }];
    return each.attr === 'verify_mode' ? certRequired(code, node.value) : [];
  });
  const trusts = /^ssl\.create_default_context\(\)$/.test(code.originOf(target.value) ?? '')
    || callsOn(code, target.value, ['load_verify_locations', 'load_default_certs', 'set_default_verify_paths'], statement).length > 0;
  if (edits.length === 0) return decline('The switch is not written here.');
  // A server that checks certificates asks its clients for theirs.
  if (/CLIENT_AUTH|PROTOCOL_TLS_SERVER|server_side\s*=\s*True/.test(code.text)) return decline('Which side of the connection this is, is not sure.');
  if (!trusts) return decline('Which authorities the context trusts is not known here.');
  return wrapsNamelessly(code) ? decline('The name of the server is not given where the socket is wrapped, so that it can not be checked.') : { edits, rationale: checked };
}

/** Whether a socket is wrapped without the name of its server, which a context that checks names refuses. */
export const wrapsNamelessly = (code: PythonCode): boolean => code.nodes().some((node) => node.type === 'Call' && node.func.type === 'Attribute' && node.func.attr === 'wrap_socket'
  && code.nameOf(node.func) !== 'ssl.wrap_socket' && keywordOf(node, 'server_hostname') === undefined);
