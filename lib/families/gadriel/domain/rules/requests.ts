/** Requests to other machines: chosen by outsiders (L3-025) or without a time limit (L3-044). */
import type { CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { elementsOf, isNone, partsOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf } from './event-names.ts';
import { flowLevel, reportAudit, reportFlow, reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { nameText } from './value-facts.ts';

const forgedRequest = defineRule({
  id: 'CODE-W1-L3-025',
  cwe: 'CWE-918',
  severity: 'high',
  confidence: 'high',
  title: 'Untrusted value chooses the address of a request',
  message: '{what} decides which host {sink} talks to.',
  remediation: 'Fix scheme and host in the program, or check the parsed host against a set of allowed ones.',
  owasp: ['A01:2021', 'A10:2021'],
  why: 'The server then asks addresses that only it can reach: cloud metadata, admin ports, file URLs. '
    + 'A fixed scheme and host in front, or a set of allowed hosts, takes the choice away.',
  bad: 'import requests\nfrom flask import request\n\ndef preview():\n'
    + '    return {"text": requests.get(request.args["url"], timeout=5).text}\n',
  good: 'import requests\nfrom flask import request\n\ndef preview():\n'
    + '    return {"text": requests.get("https://api.example.org/item/" + request.args["id"], timeout=5).text}\n',
});

const noTimeout = defineRule({
  id: 'CODE-W1-L3-044',
  cwe: 'CWE-400',
  severity: 'low',
  confidence: 'medium',
  title: 'Request without a time limit',
  message: '{sink} waits for an answer without end.',
  remediation: 'Pass timeout=10.',
  owasp: [],
  why: 'requests has no limit by default: a server that accepts and stays silent holds the thread for ever. '
    + 'A few of those stop the whole program.',
  bad: 'import requests\n\ndef status():\n    return requests.get("https://example.org/status").status_code\n',
  good: 'import requests\n\ndef status():\n    return requests.get("https://example.org/status", timeout=10).status_code\n',
});

const verbs = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'request', 'stream', 'send', 'ws_connect', 'build_request'];
const httpName = /^(?:requests|httpx|aiohttp|urllib3|treq|httplib2|tornado\.httpclient|requests_html|niquests|grequests)\b/;
const urllibName = new RegExp('^urllib\\.request\\.(?:urlopen|Request|urlretrieve|build_opener\\(\\)\\.open)$'
  + '|^urllib\\.(?:request\\.)?(?:Fancy)?URLopener\\(\\)\\.(?:open|retrieve)$');
/** Calls that take the method first. */
const urlSecond = new Set(['request', 'stream', 'urlopen', 'build_request']);

/** Where the URL or host stands: `get(url)`, `request(method, url)`, `HTTPConnection(host)`. */
const urlOf = (event: CallEvent): Value | undefined => {
  const { last } = event;
    const name = calleeOf(event);
  if (urllibName.test(name)) {
    return event.arg(0, event.argNode(-1, 'fullurl') ? 'fullurl' : 'url');
  }
  if (/^http\.client\.HTTPS?Connection$/.test(name)) return event.arg(0, 'host');
  if (name === 'socket.create_connection' || name === 'socket.socket().connect') return elementsOf(event.arg(0, 'address'))?.[0];
  if (name === 'pycurl.Curl().setopt') return /URL$/.test(nameText(event.args[0])) ? event.args[1] : undefined;
  if (name === 'wget.download') return event.args[0];
  if (!httpName.test(name)) return undefined;
  if (last === 'fetch' || last === 'send') return event.args[0];
  if (!verbs.includes(last) && last !== 'urlopen') return undefined;
  return event.arg(urlSecond.has(last) ? 1 : 0, 'url');
};

/** Whether a tainted part can change scheme or host: nothing fixed, and no base of the program's own, comes before it. */
const choosesHost = (value: Value): boolean => {
  let before = '';
  for (const part of partsOf(value)) {
    if (typeof part === 'string') before += part;
    else if (flowLevel(part, 'url') === 2) return !/^(?:[a-z][a-z+.-]*:)?\/\/[^/?#]+[/?#]|^x/i.test(before);
    else before += 'x';
  }
  return value.shape?.type !== 'Built';
};

/** L3-025: a tainted path or query behind a fixed host is what clients do all day. */
const forgedMatcher: Matcher = {
  calls: [
    ...verbs, 'urlopen', 'Request', 'urlretrieve', 'open', 'retrieve', 'HTTPConnection', 'HTTPSConnection', 'create_connection', 'connect',
    'setopt', 'fetch', 'download', 'URLopener', 'FancyURLopener',
  ],
  onCall(event) {
    if (event.name === undefined) return;
    if (event.last === 'URLopener' || event.last === 'FancyURLopener') reportAudit(event, forgedRequest);
    const url = urlOf(event);
    if (url === undefined) return;
    if (flowLevel(url, 'url') === 2 && !choosesHost(url)) return;
    reportFlow(event, forgedRequest, url, { kind: 'url' });
  },
};

const timed = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'request']);
const requestsCall = /^(?:requests|requests\.Session\(\))\.[a-z]+$/;
const httpxCall = /^httpx\.(?:[a-z]+|(?:Async)?Client(?:\(\)\.[a-z]+)?)$/;

/** L3-044; httpx has a limit of its own unless it is taken away. */
const timeoutMatcher: Matcher = {
  calls: [...timed, 'Client', 'AsyncClient', 'stream'],
  onCall(event) {
    const { last } = event;
    const name = calleeOf(event);
    const timeout = event.keywords.get('timeout');
    if (requestsCall.test(name) && timed.has(last)) {
      // A session class of the module may well have a default of its own.
      if (event.receiver?.shape?.type === 'Instance') return;
      if (timeout === undefined ? !event.openKeywords && event.args.length < 9 : isNone(timeout)) reportRule(event, noTimeout);
    } else if (httpxCall.test(name) && isNone(timeout)) {
      reportRule(event, noTimeout);
    }
  },
};

/** L3-025, L3-044. */
export const requestRules: RuleSet = { rules: [forgedRequest, noTimeout], matchers: [forgedMatcher, timeoutMatcher] };
