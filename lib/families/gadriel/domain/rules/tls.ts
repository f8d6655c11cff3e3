/** Transport: certificates (CONFIG-001), host keys (CONFIG-002), old versions (CONFIG-003), clear text (CONFIG-004). */
import type { AssignEvent, CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { constantOf, entryOf, isNone, literalPrefix, nameOf, numberOf, stringOf, truthOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf } from './event-names.ts';
import { mentions } from './mentions.ts';
import { reportAudit, reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { isBool, nameText, textOf } from './value-facts.ts';

const noVerify = defineRule({
  id: 'CODE-W1-CONFIG-001',
  cwe: 'CWE-295',
  severity: 'high',
  confidence: 'high',
  title: 'TLS certificate is not checked',
  message: '{sink} accepts any certificate.',
  remediation: 'Leave verification on; for a private authority pass the path of its certificate.',
  owasp: ['A02:2021'],
  why: 'Without the check anyone on the way can answer in place of the server and read and change everything. '
    + 'A private authority is trusted by naming its certificate file.',
  bad: 'import requests\n\ndef status():\n    return requests.get("https://db.internal/", timeout=5, verify=False).status_code\n',
  good: 'import requests\n\ndef status():\n'
    + '    return requests.get("https://db.internal/", timeout=5, verify="/etc/ssl/internal.pem").status_code\n',
});

const hostKey = defineRule({
  id: 'CODE-W1-CONFIG-002',
  cwe: 'CWE-295',
  severity: 'high',
  confidence: 'high',
  title: 'Unknown SSH host keys are accepted',
  message: '{sink} accepts a host key that was never seen.',
  remediation: 'Load the known hosts and keep RejectPolicy.',
  owasp: ['A02:2021'],
  why: 'AutoAddPolicy and WarningPolicy talk to whatever answers, also to a machine in the middle, and send it the password. '
    + 'Known hosts are there to notice exactly that.',
  bad: 'import paramiko\n\nclient = paramiko.SSHClient()\nclient.set_missing_host_key_policy(paramiko.AutoAddPolicy())\n',
  good: 'import paramiko\n\nclient = paramiko.SSHClient()\nclient.load_system_host_keys()\n'
    + 'client.set_missing_host_key_policy(paramiko.RejectPolicy())\n',
});

const oldTls = defineRule({
  id: 'CODE-W1-CONFIG-003',
  cwe: 'CWE-327',
  severity: 'high',
  confidence: 'high',
  title: 'Obsolete SSL or TLS version',
  message: '{sink} asks for a version of SSL or TLS with known attacks.',
  remediation: 'Use ssl.create_default_context(), or PROTOCOL_TLS_CLIENT with minimum_version TLSv1_2.',
  owasp: ['A02:2021'],
  why: 'SSL 2 and 3, TLS 1.0 and 1.1 have practical attacks and are no longer accepted by browsers. '
    + 'The default context picks the newest version both sides know.',
  bad: 'import ssl\n\ncontext = ssl.SSLContext(ssl.PROTOCOL_TLSv1)\n',
  good: 'import ssl\n\ncontext = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)\n',
});

const clearText = defineRule({
  id: 'CODE-W1-CONFIG-004',
  cwe: 'CWE-319',
  severity: 'low',
  confidence: 'medium',
  title: 'Clear text protocol',
  message: '{sink} sends what it carries, passwords included, without encryption.',
  remediation: 'Use the encrypted form: FTP_TLS, SSH, https, or starttls before login.',
  owasp: ['A02:2021'],
  why: 'Everyone on the way can read what FTP, Telnet and plain HTTP or SMTP carry. '
    + 'The encrypted form is a change of one name.',
  bad: 'import ftplib\n\nftp = ftplib.FTP("files.example.org")\n',
  good: 'import ftplib\n\nftp = ftplib.FTP_TLS("files.example.org")\n',
});

const httpVerbs = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'request', 'stream'];
const verifyTakers = /^(?:requests|httpx|boto3|botocore|niquests|requests_html)\b/;
const sslTakers = /^(?:aiohttp|asyncpg|httpx|asyncio|aioredis|redis|websockets|tornado|elasticsearch|opensearchpy)\b/;
/** Keywords that mean one thing wherever they are given, and the value that switches the check off. */
const plainKeywords = new Map<string, boolean>([
  ['verify_ssl', false], ['ssl_verify', false], ['verify_certs', false], ['validate_certs', false], ['tls_verify', false],
  ['verify_tls', false],
  ['ssl_assert_hostname', false], ['validate_cert', false], ['verify_ssl_cert', false], ['verify_ssl_certs', false],
  ['ssl_check_hostname', false],
  ['disable_ssl_certificate_validation', true], ['tlsAllowInvalidCertificates', true], ['tlsInsecure', true], ['tls_insecure', true],
  ['tlsAllowInvalidHostnames', true],
  ['insecure_skip_verify', true], ['disable_ssl_verification', true], ['check_hostname', false],
]);

const isCertNone = (value: Value | undefined): boolean => {
  const name = nameText(value);
  return /(?:^|\.)CERT_NONE$/.test(name) || /^(?:CERT_NONE|none)$/i.test(textOf(value));
};

/** `verify` and `ssl` mean certificates only in calls of HTTP libraries. */
const switchedOff = (event: CallEvent): boolean => {
  const { name, keywords } = event;
  const verify = keywords.get('verify');
  if (verify !== undefined && truthOf(verify) === false && !isNone(verify)) {
    const guessed = event.receiverUnknown && httpVerbs.includes(event.last) && (event.args.length > 0 || keywords.has('url'));
    if ((name !== undefined && verifyTakers.test(name)) || guessed) return true;
  }
  if (isBool(keywords.get('ssl'), false) && name !== undefined && /^(?:aiohttp|websockets)\b/.test(name)) return true;
  if (isCertNone(keywords.get('cert_reqs')) || isCertNone(keywords.get('ssl_cert_reqs'))
    || isCertNone(entryOf(keywords.get('sslopt'), 'cert_reqs')))
    return true;
  if (isBool(keywords.get('assert_hostname'), false) && name !== undefined && /^urllib3\b/.test(name)) return true;
  return name !== undefined && sslTakers.test(name) && (isCertNone(keywords.get('ssl'))
    || /^ssl\._create_unverified_context\(\)/.test(nameText(keywords.get('ssl'))));
};

/** CONFIG-001 by keyword, which is where most libraries have the switch. */
const certificateMatcher: Matcher = {
  keywords: [...plainKeywords.keys(), 'verify', 'ssl', 'cert_reqs', 'ssl_cert_reqs', 'sslopt', 'assert_hostname'],
  onCall(event) {
    if (switchedOff(event)) {
      reportRule(event, noVerify);
      return;
    }
    for (const [keyword, value] of event.keywords) {
      const off = plainKeywords.get(keyword);
      if (off === undefined || !isBool(value, off)) continue;
      reportRule(event, noVerify);
      return;
    }
  },
};

const unverified = new Set(['ssl._create_unverified_context', 'ssl._create_unverified_https_context']);

/** CONFIG-001 by call or assignment. */
const contextMatcher: Matcher = {
  calls: [
    '_create_unverified_context', '_create_stdlib_context', 'wrap_socket', 'set_verify', 'setopt', 'tls_insecure_set', 'set_option',
    'set_verify_mode', 'putenv', 'setdefault',
  ],
  onCall(event) {
    const name = calleeOf(event);
    if (unverified.has(name)) reportRule(event, noVerify);
    else if (name === 'ssl._create_stdlib_context') reportAudit(event, noVerify);
    else if (name === 'ssl.wrap_socket' && !event.openKeywords && event.arg(4, 'cert_reqs') === undefined
      && event.keywords.get('cert_reqs') === undefined)
      reportRule(event, noVerify, { confidence: 'medium' });
    else if (/^OpenSSL\.SSL\.Context\(\)\.set_verify$/.test(name) && /VERIFY_NONE$/.test(nameText(event.args[0])))
      reportRule(event, noVerify);
    else if (name === 'pycurl.Curl().setopt' && /SSL_VERIFY(?:PEER|HOST)$/.test(nameText(event.args[0])) && numberOf(event.args[1]) === 0)
      reportRule(event, noVerify);
    else if (event.last === 'tls_insecure_set' && truthOf(event.args[0]) === true) reportRule(event, noVerify);
    else if (event.last === 'set_option' && /OPT_X_TLS_REQUIRE_CERT$/.test(nameText(event.args[0]))
      && /OPT_X_TLS_(?:NEVER|ALLOW)$/.test(nameText(event.args[1])))
      reportRule(event, noVerify);
  },
  assigns: [
    'verify', 'verify_mode', 'check_hostname', '_create_default_https_context', 'PYTHONHTTPSVERIFY', 'verify_ssl', 'VERIFY', 'trust_env',
    'ssl_verify', 'assert_hostname',
  ],
  onAssign(event) {
    // A choice between two modes is the caller's; a class of the module setting its own attribute only defines a default.
    if (event.form !== 'name' && event.valueNode.type !== 'IfExp' && switchesOff(event))
      reportRule(event, noVerify, { sink: event.target });
  },
};

const switchesOff = (event: AssignEvent): boolean => {
  const owner = nameText(event.owner);
  switch (event.last) {
    case 'verify': return isBool(event.value, false) && (/^(?:requests|httpx)\b/.test(owner)
      || (/(?:session|client|sess|http|^s)\.verify$/i.test(event.target) && event.form === 'attribute'));
    case 'verify_mode': return isCertNone(event.value) && (!event.target.startsWith('self.verify') || owner.startsWith('ssl.'));
    case 'check_hostname': return isBool(event.value, false) && ((owner === '' && !event.target.startsWith('self.check'))
      || owner.startsWith('ssl.'));
    case '_create_default_https_context': return unverified.has(nameText(event.value));
    case 'PYTHONHTTPSVERIFY': return stringOf(event.value) === '0';
    case 'verify_ssl': case 'ssl_verify': return isBool(event.value, false) && event.form === 'attribute';
    default: return false;
  }
};

const loosePolicy = /(?:^|\.)(?:AutoAddPolicy|WarningPolicy)(?:\(\))?$/;

/** CONFIG-002. */
const hostKeyMatcher: Matcher = {
  calls: ['set_missing_host_key_policy', 'connect'],
  onCall(event) {
    if (event.last === 'set_missing_host_key_policy') {
      const onClient = event.receiver !== undefined && constantOf(event.receiver) === undefined;
      if (onClient && loosePolicy.test(nameText(event.arg(0, 'policy')))) reportRule(event, hostKey);
    } else if (event.name === 'asyncssh.connect' && isNone(event.keywords.get('known_hosts'))) reportRule(event, hostKey);
  },
};

const oldVersion = /(?:^|\.)(?:PROTOCOL_SSLv[23]|PROTOCOL_TLSv1(?:_1)?|SSLv(?:2|3|23)_METHOD|TLSv1(?:_1)?_METHOD)$/;
const oldMinimum = /TLSVersion\.(?:SSLv3|TLSv1|TLSv1_1)$/;

/** CONFIG-003; the constant alone (in a list, say) asks for nothing. */
const versionMatcher: Matcher = {
  calls: ['SSLContext', 'Context', 'wrap_socket'],
  keywords: ['ssl_version', 'method', 'protocol', 'ssl_minimum_version'],
  onCall(event) {
    const version = event.keywords.get('ssl_version') ?? event.keywords.get('method') ?? event.keywords.get('protocol')
      ?? event.keywords.get('ssl_minimum_version')
      ?? (event.last === 'SSLContext' || event.last === 'Context'
      || event.last === 'wrap_socket' ? event.args[event.last === 'wrap_socket' ? 5 : 0] : undefined);
    const name = nameOf(version);
    if (event.name === 'ssl.wrap_socket' && version === undefined) reportAudit(event, oldTls);
    if (name !== undefined && (oldVersion.test(name) || oldMinimum.test(name)))
      reportRule(event, oldTls, { ...(name.endsWith('SSLv23_METHOD') ? { severity: 'low' as const } : {}) });
  },
  assigns: ['minimum_version', 'ssl_version', 'maximum_version'],
  onAssign(event) {
    const name = nameText(event.value);
    if (event.form !== 'name' && (oldMinimum.test(name) || oldVersion.test(name))) reportRule(event, oldTls, { sink: event.target });
  },
  onFunction(event) {
    for (const param of event.info.params) {
      if (oldVersion.test(nameText(param.default)))
        reportRule(event, oldTls, { sink: `the default of ${param.name}`, at: param.node, severity: 'medium', confidence: 'medium' });
    }
  },
};

/** Loopback, and names without a dot, which only a local network resolves. */
const localHost = /^(?:localhost|127\.|0\.0\.0\.0|\[?::1|host\.docker|[\w-]+(?:[:/]|$))/i;
const isRemoteHttp = (url: string): boolean => url.startsWith('http://') && url.length > 7 && !localHost.test(url.slice(7));

const credentialHeaders = ['Authorization', 'authorization', 'X-API-Key', 'X-Api-Key', 'x-api-key', 'X-Auth-Token'];

const sendsCredentials = (event: CallEvent): boolean => {
  if (event.keywords.has('auth') && !isNone(event.keywords.get('auth'))) return true;
  const headers = event.keywords.get('headers');
  return credentialHeaders.some((header) => entryOf(headers, header) !== undefined);
};

/** CONFIG-004 where credentials go along, or the protocol always carries them. */
const clearMatcher: Matcher = {
  calls: [...httpVerbs, 'FTP', 'Telnet', 'login', 'urlopen', 'CommunityData', 'UsmUserData', 'Security'],
  onCall(event) {
    const name = calleeOf(event);
    if (name === 'ftplib.FTP' || name === 'telnetlib.Telnet') {
      const host = stringOf(event.arg(0, 'host'));
      if (host === undefined || !/^(?:localhost|127\.)/.test(host))
        reportRule(event, clearText, { ...(name.endsWith('Telnet') ? { severity: 'medium' as const } : {}) });
      else reportAudit(event, clearText);
    } else if (/^pysnmp\..*CommunityData$/.test(name)) {
      // Models 0 and 1 are SNMP v1 and v2c; 1 is the default.
      const version = event.arg(2, 'mpModel');
      const model = version === undefined ? (event.openKeywords || event.openArgs ? undefined : 1) : numberOf(version);
      if (model === 0 || model === 1) reportRule(event, clearText, { severity: 'medium' });
    } else if (name === 'distributed.security.Security' || name === 'dask.distributed.Security') {
      if (isBool(event.keywords.get('require_encryption'), false)) reportRule(event, clearText, { severity: 'medium' });
    } else if (/^pysnmp\..*UsmUserData$/.test(name)) {
      const key = event.arg(2, 'privKey');
      if (key === undefined ? !event.openKeywords && !event.openArgs : isNone(key)) reportRule(event, clearText, { severity: 'medium' });
    } else if (name === 'smtplib.SMTP().login') {
      if (!mentions(event, 'function', /starttls|localhost|127\.0\.0\.1/)) reportRule(event, clearText, { severity: 'medium' });
    } else if (/^(?:requests|httpx|aiohttp|urllib\.request)\b/.test(name)) {
      const url = literalPrefix(event.arg(event.last === 'request' || event.last === 'stream' ? 1 : 0, 'url'));
      if (!isRemoteHttp(url)) return;
      if (sendsCredentials(event)) reportRule(event, clearText, { severity: 'medium' });
      else reportAudit(event, clearText);
    }
  },
};

/** CONFIG-001 to CONFIG-004. */
export const tlsRules: RuleSet = {
  rules: [noVerify, hostKey, oldTls, clearText],
  matchers: [certificateMatcher, contextMatcher, hostKeyMatcher, versionMatcher, clearMatcher],
};
