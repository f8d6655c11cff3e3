/** Temporary names (L3-037), file modes (L3-038) and listening on every interface (L3-039). */
import type { CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { elementsOf, numberOf, stringOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf, lastSegments, sinkName } from './event-names.ts';
import { reportAudit, reportRule } from './report.ts';
import type { Rule, RuleSet } from './rule.types.ts';

/** L3-037, which the audit profile also reports for fixed paths below /tmp. */
export const temporaryName: Rule = defineRule({
  id: 'CODE-W1-L3-037',
  cwe: 'CWE-377',
  severity: 'medium',
  confidence: 'high',
  title: 'Temporary file name that another process can take',
  message: '{sink} returns a name without creating the file.',
  remediation: 'Use tempfile.mkstemp or NamedTemporaryFile, which create the file in the same step.',
  owasp: [],
  why: 'Between the choice of the name and the opening, another user can place a file or link of that name. '
    + 'mkstemp creates the file and fails if it exists.',
  bad: 'import tempfile\n\ndef scratch():\n    return open(tempfile.mktemp(), "w")\n',
  good: 'import tempfile\n\ndef scratch():\n    return tempfile.NamedTemporaryFile("w")\n',
});

const openMode = defineRule({
  id: 'CODE-W1-L3-038',
  cwe: 'CWE-732',
  severity: 'medium',
  confidence: 'high',
  title: 'File mode lets others write',
  message: '{sink} gives write access to group or others.',
  remediation: 'Use 0o600 for files and 0o700 for folders, or clear the bits with & ~0o022.',
  owasp: ['A01:2021'],
  why: 'Every account of the machine can then replace what this program later reads or runs. '
    + 'The owner alone rarely needs more than 0o600.',
  bad: 'import os\n\ndef publish(path):\n    os.chmod(path, 0o666)\n',
  good: 'import os\n\ndef publish(path):\n    os.chmod(path, 0o600)\n',
});

/** L3-039, which the audit profile also reports for the address alone. */
export const everyInterface: Rule = defineRule({
  id: 'CODE-W1-L3-039',
  cwe: 'CWE-605',
  severity: 'medium',
  confidence: 'medium',
  title: 'Listens on every network interface',
  message: '{sink} accepts connections from every network of the machine.',
  remediation: 'Bind to 127.0.0.1, or read the address from configuration with that default.',
  owasp: ['A05:2021'],
  why: 'An empty host, 0.0.0.0 and :: mean all interfaces, those of foreign networks included. '
    + 'Development servers and admin ports are often left open this way.',
  bad: 'import socket\n\nserver = socket.socket()\nserver.bind(("0.0.0.0", 8080))\n',
  good: 'import socket\n\nserver = socket.socket()\nserver.bind(("127.0.0.1", 8080))\n',
});

const temporaryNames = new Set(['tempfile.mktemp', 'os.tempnam', 'os.tmpnam', 'os.mktemp']);

/** L3-037. */
const temporaryMatcher: Matcher = {
  calls: lastSegments(temporaryNames),
  onCall(event) {
    if (event.name !== undefined && temporaryNames.has(event.name)) reportRule(event, temporaryName);
  },
};

const otherWrite = 0o002;
const groupWrite = 0o020;
const sticky = 0o1000;

const modeOf = (event: CallEvent): Value | undefined => {
  const { last } = event;
    const name = calleeOf(event);
  if (/^os\.(?:chmod|lchmod|fchmod)$/.test(name)) return event.arg(1, 'mode');
  if (/^os\.(?:mkdir|makedirs|mkfifo|mknod)$/.test(name)) return event.arg(1, 'mode');
  if (name === 'os.open') {
    const flags = event.argNode(1, 'flags')?.value;
    const text = flags === undefined ? '' : event.module.module.text.slice(flags.start, flags.end);
    // A file that must be new is the program's own; without O_CREAT the mode means nothing.
    return text.includes('O_CREAT') && !text.includes('O_EXCL') ? event.arg(2, 'mode') : undefined;
  }
  if (name.startsWith('pathlib.') || (last === 'chmod' && event.receiverUnknown)) return event.arg(0, 'mode');
  return undefined;
};

/** The bits that `os.stat(path).st_mode | 0o022` sets whatever the file's mode is. */
const addedBits = (event: CallEvent): number | undefined => {
  let at = event.last.endsWith('chmod') ? event.argNode(event.name?.startsWith('os.') === true ? 1 : 0, 'mode')?.value : undefined;
  let bits: number | undefined;
  for (; at?.type === 'BinOp' && at.op === '|'; at = at.left) bits = (bits ?? 0) | (numberOf(event.valueOf(at.right)) ?? 0);
  return bits === undefined || at === undefined ? undefined : bits | (numberOf(event.valueOf(at)) ?? 0);
};

/** L3-038 over folded modes, stat constants included. */
const modeMatcher: Matcher = {
  calls: ['chmod', 'lchmod', 'fchmod', 'mkdir', 'makedirs', 'mkfifo', 'mknod', 'touch', 'open'],
  onCall(event) {
    const mode = numberOf(modeOf(event)) ?? addedBits(event);
    if (mode === undefined || (mode & sticky) !== 0) return;
    const facts = { sink: sinkName(event) };
    const changes = event.last.endsWith('chmod');
    if ((mode & otherWrite) !== 0 && changes) reportRule(event, openMode, facts);
    // Creating calls are cut down by the umask, and group write is often wanted: worth a note, not an alarm.
    else if (changes && (mode & groupWrite) !== 0) reportRule(event, openMode, { ...facts, severity: 'low', confidence: 'medium' });
    else if ((mode & otherWrite) !== 0) reportRule(event, openMode, { ...facts, severity: 'low', confidence: 'medium' });
    else if ((mode & 0o033) !== 0) reportAudit(event, openMode, facts);
  },
};

/** Spellings of "every interface". */
const anyHost = new Set(['', '0.0.0.0', '::', '0', '::0', '[::]', '*']);
const isAnyHost = (value: Value | undefined, allowEmpty = true): boolean => {
  const text = stringOf(value);
  return text !== undefined && anyHost.has(text) && (allowEmpty || text !== '');
};

/** `(host, port)`: an empty host with port 0 only asks for a free port. */
const isAnyAddress = (value: Value | undefined): boolean => {
  const elements = elementsOf(value);
  return elements !== undefined && elements.length >= 2 && isAnyHost(elements[0]) && numberOf(elements[1]) !== 0;
};

/** Servers that take (host, port) in one argument. */
const addressTakers = new RegExp('^(?:socket\\.socket\\(\\)\\.bind|http\\.server\\.(?:Threading)?HTTPServer|socketserver\\.\\w+Server'
  + '|xmlrpc\\.server\\.SimpleXMLRPCServer|gevent\\.pywsgi\\.WSGIServer|socket\\.create_server)$');
/** Where the host stands in calls that start a server. */
const hostTakers = new Map<string, number>([
  ['flask.Flask().run', 0], ['uvicorn.run', -1], ['aiohttp.web.run_app', -1], ['asyncio.start_server', 1], ['waitress.serve', -1],
  ['bottle.run', -1],
  ['wsgiref.simple_server.make_server', 0], ['werkzeug.serving.run_simple', 0], ['werkzeug.run_simple', 0], ['hypercorn.run', -1],
  ['sanic.Sanic().run', 0],
  ['quart.Quart().run', 0], ['tornado.httpserver.HTTPServer().listen', 1], ['tornado.web.Application().listen', 1],
  ['flask_socketio.SocketIO().run', 1],
  ['bottle.Bottle().run', -1], ['websockets.serve', 1], ['asyncio.get_event_loop().create_server', 1], ['gradio.Blocks().launch', -1],
  ['gradio.Interface().launch', -1],
]);

/** L3-039 at the call that listens: comparisons, defaults and log texts are no server. */
const listenMatcher: Matcher = {
  calls: [...new Set([
    ...lastSegments(hostTakers.keys()), 'bind', 'HTTPServer', 'ThreadingHTTPServer', 'TCPServer', 'UDPServer',
    'ThreadingTCPServer', 'ThreadingUDPServer',
    'SimpleXMLRPCServer', 'WSGIServer', 'create_server'])],
  onCall(event) {
    const { name, last } = event;
    const position = name === undefined ? undefined : hostTakers.get(name);
    if (position !== undefined) {
      const host = event.arg(position, last === 'listen' ? 'address' : last === 'launch' ? 'server_name' : 'host');
      if (isAnyHost(host, last !== 'run_app')) reportRule(event, everyInterface);
    } else if (name !== undefined ? addressTakers.test(name) : last === 'bind' && event.receiverUnknown) {
      if (isAnyAddress(event.arg(0, 'server_address'))) reportRule(event, everyInterface);
    } else if (last === 'run' && event.receiverUnknown && /(?:^|\.)app\.run$/.test(event.written)
      && isAnyHost(event.arg(-1, 'host'), false)) {
      reportRule(event, everyInterface);
    }
  },
};

/** L3-037, L3-038, L3-039. */
export const permissionRules: RuleSet = {
  rules: [temporaryName, openMode, everyInterface],
  matchers: [temporaryMatcher, modeMatcher, listenMatcher],
};
