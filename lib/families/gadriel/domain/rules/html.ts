/** Values in HTML: marked safe (L3-012), sent as a page (L3-013), and model output sent as a page (AI-604). */
import type { CallEvent, Matcher, ReturnEvent, Value } from '../analysis/model.types.ts';
import { elementsOf, entryOf, hasFlag, literalPrefix, nameOf, partsOf, stringOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf, lastSegments, sinkName } from './event-names.ts';
import { flowLevel, reportAudit, reportFlow, reportRule } from './report.ts';
import type { FlowOptions } from './report.ts';
import type { Rule, RuleSet } from './rule.types.ts';
import { nameText } from './value-facts.ts';

const markedSafe = defineRule({
  id: 'CODE-W1-L3-012',
  cwe: 'CWE-79',
  severity: 'high',
  confidence: 'high',
  title: 'Untrusted text is marked as safe HTML',
  message: '{what} is declared safe HTML by {sink}.',
  remediation: 'Use format_html or Markup("…{}…").format(value), which escape the value.',
  owasp: ['A03:2021'],
  why: 'mark_safe and Markup switch escaping off for the whole text, values inside included. '
    + 'Their format methods keep the fixed part and escape what is filled in.',
  bad: 'from markupsafe import Markup\nfrom flask import request\n\ndef badge():\n'
    + '    return Markup("<b>" + request.args["name"] + "</b>")\n',
  good: 'from markupsafe import Markup\nfrom flask import request\n\ndef badge():\n'
    + '    return Markup("<b>{}</b>").format(request.args["name"])\n',
});

const sentAsPage = defineRule({
  id: 'CODE-W1-L3-013',
  cwe: 'CWE-79',
  severity: 'high',
  confidence: 'medium',
  title: 'Untrusted text is sent as an HTML page',
  message: '{what} is sent without escaping as part of a page through {sink}.',
  remediation: 'Render a template, or escape the value with html.escape or markupsafe.escape.',
  owasp: ['A03:2021'],
  why: 'A response without another content type is shown as HTML, so a script in the value runs in the reader\'s browser '
    + 'with the rights of this site. A template escapes by itself.',
  bad: 'from flask import Flask, request\n\napp = Flask(__name__)\n\n@app.route("/hi")\ndef hi():\n'
    + '    return "<p>Hi " + request.args["name"]\n',
  good: 'from flask import Flask, request\nfrom markupsafe import escape\n\napp = Flask(__name__)\n\n@app.route("/hi")\ndef hi():\n'
    + '    return "<p>Hi " + escape(request.args["name"])\n',
});

const modelPage = defineRule({
  id: 'CODE-W1-AI-604',
  cwe: 'CWE-79',
  severity: 'high',
  confidence: 'medium',
  title: 'Model output is sent as HTML',
  message: '{what} is sent as part of a page through {sink}.',
  remediation: 'Escape the answer, or clean it with an HTML sanitizer after rendering its Markdown.',
  owasp: ['LLM02'],
  tags: ['ai'],
  why: 'A model repeats markup that stands in the texts it was given, and those often come from strangers. '
    + 'Its answer has to be escaped like any other input.',
  bad: 'from openai import OpenAI\nfrom django.http import HttpResponse\n\nclient = OpenAI()\n\ndef page(request):\n'
    + '    answer = client.responses.create(model="m", input="Greet")\n    return HttpResponse("<p>" + answer.output_text)\n',
  good: 'from html import escape\nfrom openai import OpenAI\nfrom django.http import HttpResponse\n\nclient = OpenAI()\n\ndef page(request):\n'
    + '    answer = client.responses.create(model="m", input="Greet")\n    return HttpResponse("<p>" + escape(answer.output_text))\n',
});

/** Calls whose whole argument is taken as safe HTML. */
const markers = new Set([
  'django.utils.safestring.mark_safe', 'django.utils.safestring.SafeString', 'django.utils.safestring.SafeText',
  'django.utils.safestring.SafeBytes',
  'markupsafe.Markup', 'markupsafe.Markup.unescape', 'django.utils.safestring.SafeUnicode', 'django.utils.html.format_html', 'wtforms.widgets.HTMLString',
  'webhelpers.html.literal',
]);

const markup = /<[a-z!/]/i;
const hasMarkup = (value: Value): boolean => partsOf(value).some((part) => typeof part === 'string' && markup.test(part));

/** Page sinks: model output is AI-604, everything else the rule given. */
const reportPage = (event: CallEvent | ReturnEvent, rule: Rule, value: Value, sink: string, options: Partial<FlowOptions> = {}): void => {
  if (hasFlag(value, 'llm') && flowLevel(value, 'html') > 0) reportRule(event, modelPage, { value, sink, tags: [rule.id] });
  else reportFlow(event, rule, value, { kind: 'html', sink, ...options });
};

/** L3-012; format_html escapes its values, so only its first argument counts. */
const markMatcher: Matcher = {
  calls: lastSegments(markers),
  onCall(event) {
    if (!markers.has(calleeOf(event))) return;
    const value = event.args[0];
    if (value !== undefined) reportPage(event, markedSafe, value, sinkName(event));
  },
  /** As a decorator it takes whatever the function returns. */
  onFunction(event) {
    for (const decorator of event.info.decorators) {
      if (markers.has(decorator.name ?? '')) reportAudit(event, markedSafe, { level: 1, sink: decorator.last, at: decorator });
    }
  },
};

/** Responses that are HTML unless the call says otherwise. */
const pageNames = new Set([
  'django.http.HttpResponse', 'django.http.HttpResponseBadRequest', 'django.http.HttpResponseNotFound', 'django.http.HttpResponseForbidden',
  'django.http.HttpResponseServerError', 'flask.make_response', 'flask.Response', 'werkzeug.wrappers.Response', 'werkzeug.Response',
  'starlette.responses.HTMLResponse', 'tornado.web.RequestHandler().write', 'flask.Flask().make_response', 'flask.Flask().response_class',
  'pyramid.response.Response', 'pyramid.request.Response', 'webob.Response', 'sanic.response.html', 'django.http.StreamingHttpResponse', 'quart.Response',
  'quart.make_response',
]);
/** Sent as HTML only where the call says so. */
const typedPages = new Set(['aiohttp.web.Response', 'starlette.responses.Response']);
const typeKeywords = ['content_type', 'mimetype', 'media_type'];

/** The content type that the call gives; text that is not constant counts as another type. */
const contentType = (event: CallEvent): string | undefined => {
  for (const keyword of typeKeywords) {
    const value = event.keywords.get(keyword);
    if (value !== undefined) return stringOf(value) ?? 'unknown';
  }
  if (event.name?.startsWith('django.') && event.args.length > 1) return stringOf(event.args[1]) ?? 'unknown';
  const headers = event.keywords.get('headers');
  const header = entryOf(headers, 'Content-Type') ?? entryOf(headers, 'content-type');
  return header === undefined ? undefined : stringOf(header) ?? 'unknown';
};

/** Text that a browser would not read as a page: JSON and header-like values by their first character, already safe markup. */
const isNoPage = (value: Value): boolean => {
  const name = nameOf(value);
  if (name !== undefined && [...markers, 'flask.jsonify', 'json.dumps'].some((marker) => name === `${marker}()`)) return true;
  return /^\s*[{[]/.test(literalPrefix(value)) || /\.(?:json|get_json|data|get_data|files|stream)\b/.test(name ?? '');
};

/** L3-013 where the response is made by a call. */
const pageMatcher: Matcher = {
  calls: lastSegments([...pageNames, ...typedPages]),
  onCall(event) {
    const name = calleeOf(event);
    const type = contentType(event);
    if (type !== undefined ? !type.includes('html') : !pageNames.has(name)) return;
    if (type !== undefined && !pageNames.has(name) && !typedPages.has(name)) return;
    const keyword = ['content', 'response', 'text', 'body', 'chunk'].find((word) => event.keywords.has(word));
    const given = event.args[0] ?? (keyword === undefined ? undefined : event.keywords.get(keyword));
    const value = elementsOf(given)?.[0] ?? given;
    if (value !== undefined && value.shape?.type !== 'Mapping' && !isNoPage(value)) reportPage(event, sentAsPage, value, sinkName(event));
  },
};

/** The body of a response object, set by hand. */
const responseBody = /^(?:pyramid|webob|django|flask|werkzeug|aiohttp|falcon)\..*(?:\.response|Response\(\))$/;

/** Markup around request data that is kept in an answer or a template's context: no template will escape it. */
const markupMatcher: Matcher = {
  assignFlags: ['request'],
  onAssign(event) {
    const { value } = event;
    const body = event.form === 'attribute' && ['body', 'text', 'html', 'content'].includes(event.last)
      && responseBody.test(nameText(event.owner));
    if (!body && event.form !== 'subscript' || value.shape?.type !== 'Built' || !hasMarkup(value) || isNoPage(value)) return;
    reportFlow(event, sentAsPage, value, { kind: 'html', sink: event.target, ...(body ? {} : { severity: 'medium', confidence: 'low' }) });
  },
};

const mailSenders = new Set(['django.core.mail.send_mail', 'django.core.mail.mail_admins', 'django.core.mail.mail_managers']);

/** Mail programs show HTML as well. */
const mailMatcher: Matcher = {
  calls: ['send_mail', 'mail_admins', 'mail_managers', 'attach_alternative'],
  onCall(event) {
    const attached = event.last === 'attach_alternative' && stringOf(event.args[1])?.includes('html') === true;
    const value = mailSenders.has(calleeOf(event)) ? event.arg(-1, 'html_message') : attached ? event.args[0] : undefined;
    reportFlow(event, sentAsPage, value, { kind: 'html', severity: 'medium' });
  },
};

/** An AWS Lambda answer `{"headers": {"Content-Type": "text/html"}, "body": …}`. */
const lambdaBody = (value: Value): Value | undefined => {
  const headers = entryOf(value, 'headers');
  const type = stringOf(entryOf(headers, 'Content-Type') ?? entryOf(headers, 'content-type'));
  return type?.includes('html') === true ? entryOf(value, 'body') : undefined;
};

/** `@app.get('/', response_class=HTMLResponse)` of FastAPI. */
const answersWithPage = (event: ReturnEvent): boolean => event.function?.decorators.some((decorator) =>
  nameOf(decorator.keywords.get('response_class')) === 'starlette.responses.HTMLResponse') === true;

/** A route's returned text is a page in Flask and Bottle, and where the route says so. */
const returnMatcher: Matcher = {
  onReturn(event) {
    if (event.route?.framework === 'lambda') {
      const body = lambdaBody(event.value);
      if (body !== undefined) reportPage(event, sentAsPage, body, 'the body of the answer');
    }
    if (event.route === undefined || (event.route.framework !== 'flask' && event.route.framework !== 'bottle' && !answersWithPage(event))) return;
    const elements = event.value.shape?.type === 'Sequence' && event.value.shape.kind === 'tuple' ? event.value.shape.elements : undefined;
    const value = elements?.[0] ?? event.value;
    // Frameworks send dicts and lists as JSON.
    const json = value.shape?.type === 'Mapping' || (value.shape?.type === 'Sequence' && value.shape.kind !== 'tuple') || nameOf(value) === 'dict()';
    if (json || flowLevel(value, 'html') < 2 || isNoPage(value)) return;
    const headers = elements?.at(-1);
    if (entryOf(headers, 'Content-Type') !== undefined || entryOf(headers, 'content-type') !== undefined) return;
    const type = value.shape?.type;
    const direct = /(?:^|\.)request\.(?:args|form|values|query|forms|params|cookies|headers|view_args)\b/.test(nameText(value));
    if (type !== 'Built' && !direct && !hasFlag(value, 'llm')) return;
    reportPage(event, sentAsPage, value, `the return value of ${event.function?.name ?? 'the view'}`,
      hasMarkup(value) ? {} : { severity: 'medium' });
  },
};

/** L3-012, L3-013, AI-604. */
export const htmlRules: RuleSet = {
  rules: [markedSafe, sentAsPage, modelPage],
  matchers: [markMatcher, pageMatcher, markupMatcher, mailMatcher, returnMatcher],
};
