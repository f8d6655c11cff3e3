/** What goes back to the browser or into records: redirects (L3-026), headers (L3-032), mass assignment (L3-035). */
import type { AssignEvent, CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { elementsOf, hasFlag, partsOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf, lastSegments } from './event-names.ts';
import { flowLevel, reportFlow, reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { nameText } from './value-facts.ts';

const openRedirect = defineRule({
  id: 'CODE-W1-L3-026',
  cwe: 'CWE-601',
  severity: 'medium',
  confidence: 'high',
  title: 'Redirect to an untrusted address',
  message: '{what} decides where {sink} sends the browser.',
  remediation: 'Redirect to url_for(…), or check the target with url_has_allowed_host_and_scheme.',
  owasp: ['A01:2021'],
  why: 'A link to this site that ends on another one is what phishing needs. '
    + 'Only paths that start with a single slash, or hosts from a fixed set, are safe targets.',
  bad: 'from flask import redirect, request\n\ndef done():\n    return redirect(request.args["next"])\n',
  good: 'from flask import redirect, request, url_for\n\ndef done():\n    return redirect(url_for("page", name=request.args["next"]))\n',
});

const headerText = defineRule({
  id: 'CODE-W1-L3-032',
  cwe: 'CWE-113',
  severity: 'medium',
  confidence: 'medium',
  title: 'Untrusted text in a header written by hand',
  message: '{what} becomes part of a header through {sink}.',
  remediation: 'Remove line ends from the value, or set the header through a framework that refuses them.',
  owasp: ['A03:2021'],
  why: 'A line end in the value starts a further header or the body of the response. '
    + 'http.server, WSGI lists and hand-made cookies do not check for it.',
  bad: 'from http.server import BaseHTTPRequestHandler\n\nclass Handler(BaseHTTPRequestHandler):\n    def do_GET(self):\n'
    + '        self.send_header("X-Path", self.path)\n',
  good: 'from http.server import BaseHTTPRequestHandler\n\nclass Handler(BaseHTTPRequestHandler):\n    def do_GET(self):\n'
    + '        self.send_header("X-Size", str(len(self.path)))\n',
});

const massAssignment = defineRule({
  id: 'CODE-W1-L3-035',
  cwe: 'CWE-915',
  severity: 'medium',
  confidence: 'medium',
  title: 'Request data sets any field of a record',
  message: '{what} chooses which fields {sink} sets.',
  remediation: 'Name the fields that may be set, or validate the data against a schema first.',
  owasp: ['A01:2021'],
  why: 'A request can carry fields that no form shows, such as is_admin or owner_id. '
    + 'Named fields or a schema keep them out.',
  bad: 'from flask import request\nfrom shop.models import User\n\ndef create():\n    return {"id": User(**request.json).id}\n',
  good: 'from flask import request\nfrom shop.models import User\n\ndef create():\n    return {"id": User(name=request.json["name"]).id}\n',
});

const redirectNames = new Set([
  'flask.redirect', 'werkzeug.utils.redirect', 'django.shortcuts.redirect', 'django.http.HttpResponseRedirect',
  'django.http.HttpResponsePermanentRedirect',
  'starlette.responses.RedirectResponse', 'aiohttp.web.HTTPFound', 'aiohttp.web.HTTPSeeOther', 'aiohttp.web.HTTPMovedPermanently',
  'aiohttp.web.HTTPTemporaryRedirect',
  'tornado.web.RequestHandler().redirect', 'bottle.redirect', 'pyramid.httpexceptions.HTTPFound', 'pyramid.httpexceptions.HTTPSeeOther',
  'quart.redirect',
  'sanic.response.redirect', 'falcon.HTTPFound', 'falcon.HTTPMovedPermanently', 'cherrypy.HTTPRedirect',
  'django.views.generic.RedirectView.as_view',
  'webob.exc.HTTPFound', 'werkzeug.redirect', 'web.seeother',
]);
/** Parts of a request's own address stay on this host. */
const ownAddress = new RegExp('\\brequest\\.(?:path|full_path|url|base_url|url_root|host_url|script_root|path_info|endpoint|url_rule)$'
  + '|(?:get_full_path|build_absolute_uri|get_host|url_for|reverse|resolve_url)\\(\\)$|HttpRequest\\(\\)\\.(?:path|path_info|get_full_path)$');

const leavesSite = (value: Value): boolean => {
  let before = '';
  for (const part of partsOf(value)) {
    if (typeof part === 'string') before += part;
    else if (flowLevel(part, 'url') === 2 && !ownAddress.test(nameText(part)))
      return !/^\/[^/\\]|^(?:[a-z][a-z+.-]*:)?\/\/[^/?#]+[/?#]|^x|^[?#]|^mailto:/i.test(before);
    else before += 'x';
  }
  return false;
};

/** L3-026 for the redirect functions of the frameworks. */
const redirectMatcher: Matcher = {
  calls: lastSegments(redirectNames),
  onCall(event) {
    if (!redirectNames.has(calleeOf(event))) return;
    const keyword = ['location', 'url', 'redirect_to', 'to'].find((word) => event.keywords.has(word)) ?? 'url';
    const target = event.arg(0, keyword);
    if (target === undefined || (flowLevel(target, 'url') === 2 && !leavesSite(target))) return;
    reportFlow(event, openRedirect, target, { kind: 'url' });
  },
};

/** `response.headers["Location"] = …` and Django's `response["Location"] = …`. */
const locationMatcher: Matcher = {
  assigns: ['Location', 'location', 'Set-Cookie', 'set-cookie', 'Refresh'],
  onAssign(event: AssignEvent) {
    if (event.form !== 'subscript' || flowLevel(event.value, 'url') < 2) return;
    if (/cookie/i.test(event.last)) reportFlow(event, headerText, event.value, { kind: 'all', sink: event.target });
    else if (leavesSite(event.value))
      reportFlow(event, openRedirect, event.value, { kind: 'url', sink: event.target, confidence: 'medium' });
  },
};

/** L3-032 where nothing checks for line ends; http.client does, frameworks do. */
const headerMatcher: Matcher = {
  calls: ['send_header', 'start_response', 'print'],
  onCall(event) {
    const { last } = event;
    const name = calleeOf(event);
    if (last === 'send_header') {
      if (!name.startsWith('http.') && !event.receiverUnknown) return;
      for (const value of event.args.slice(1)) {
        if (flowLevel(value, 'all') === 2) {
          reportFlow(event, headerText, value, { kind: 'all' });
          return;
        }
      }
    } else if (last === 'start_response') {
      const tainted = elementsOf(event.args[1])?.flatMap((pair) => elementsOf(pair)?.slice(1)
        ?? []).find((value) => flowLevel(value, 'all') === 2);
      if (tainted !== undefined) reportFlow(event, headerText, tainted, { kind: 'all' });
    } else if (name === 'print' && event.module.imports.has('cgi')) {
      const first = partsOf(event.args[0])[0];
      if (typeof first === 'string' && /^(?:Location|Set-Cookie|Refresh): ?/i.test(first))
        reportFlow(event, headerText, event.args[0], { kind: 'all' });
    }
  },
};

/** Methods of model managers that take fields as keywords. */
const modelMethods = new Set(['create', 'update', 'get_or_create', 'update_or_create', 'filter', 'get']);
/** Classes that check what they are given. */
const schemaBases = /(?:^|\.)(?:BaseModel|Schema|Serializer|ModelSerializer|Form|ModelForm|TypedDict|SQLModel)$/;

const spreadsIntoModel = (event: CallEvent): boolean => {
  const { last } = event;
  if (modelMethods.has(last)) return /\.objects\.|\.query\.|\.manager\./.test(`${event.written} ${calleeOf(event)} ${nameText(event.receiver)}.`);
  if (!/^[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*$/.test(last)
    || /(?:Form|Schema|Serializer|Error|Exception|Request|Response|Params|Input|Dto|DTO)$/.test(last))
    return false;
  const node = event.node.func;
  const shape = event.valueOf(node).shape;
  return shape?.type !== 'Class' || !shape.info.bases.some((base) => schemaBases.test(base));
};

/** L3-035: `Model(**data)` and loops of setattr over the fields of a request. */
const assignmentMatcher: Matcher = {
  calls: ['setattr'],
  keywords: ['**'],
  onCall(event) {
    const { args } = event.node;
    for (let index = args.length - 1; index >= 0; index--) {
      const argument = args[index];
      if (argument?.kind !== 'doublestar') continue;
      const value = event.valueOf(argument.value);
      if (flowLevel(value, 'all') === 2 && hasFlag(value, 'request') && value.shape?.type !== 'Mapping' && spreadsIntoModel(event)) {
        reportFlow(event, massAssignment, value, { kind: 'all' });
      }
      return;
    }
    if (event.name === 'setattr' && args.length === 3 && event.inLoop) {
      const key = event.args[1];
      if (flowLevel(key, 'all') === 2 && hasFlag(key, 'request')) reportRule(event, massAssignment, { value: key, level: 2 });
    }
  },
};

/** L3-026, L3-032, L3-035. */
export const responseRules: RuleSet = {
  rules: [openRedirect, headerText, massAssignment],
  matchers: [redirectMatcher, locationMatcher, headerMatcher, assignmentMatcher],
};
