/** Settings of web applications: debug mode (L3-040), CSRF (L3-041), cookies (L3-042), CORS (L3-043). */
import type { AssignEvent, CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { constantOf, elementsOf, stringOf, truthOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf, className, functionName, lastSegments } from './event-names.ts';
import { mentions } from './mentions.ts';
import { flowLevel, reportAudit, reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { isBool, nameText } from './value-facts.ts';
import { wordsOf } from './words.ts';

const debugOn = defineRule({
  id: 'CODE-W1-L3-040',
  cwe: 'CWE-489',
  severity: 'high',
  confidence: 'high',
  title: 'Debug mode is on',
  message: '{sink} turns debug mode on.',
  remediation: 'Read the switch from the environment, off by default.',
  owasp: ['A05:2021'],
  why: 'The debugger of Werkzeug runs code for whoever reaches it, and debug pages of Django show settings and source. '
    + 'A switch in the code is easily deployed with the rest.',
  bad: 'from flask import Flask\n\napp = Flask(__name__)\napp.run(debug=True)\n',
  good: 'from flask import Flask\n\napp = Flask(__name__)\napp.run(debug=False)\n',
});

const csrfOff = defineRule({
  id: 'CODE-W1-L3-041',
  cwe: 'CWE-352',
  severity: 'medium',
  confidence: 'medium',
  title: 'CSRF protection is switched off',
  message: '{sink} accepts requests that another site makes in the name of a user.',
  remediation: 'Keep the protection on, and send the token with the request; only token-authenticated APIs do without.',
  owasp: ['A01:2021'],
  why: 'Browsers add the session cookie to requests that other sites start. '
    + 'Without the token such a request changes data in the name of the user.',
  bad: 'from django.http import JsonResponse\nfrom django.views.decorators.csrf import csrf_exempt\n\n@csrf_exempt\ndef rename(request):\n'
    + '    request.user.save()\n    return JsonResponse({})\n',
  good: 'from django.http import JsonResponse\n\ndef rename(request):\n    request.user.save()\n    return JsonResponse({})\n',
});

const looseCookie = defineRule({
  id: 'CODE-W1-L3-042',
  cwe: 'CWE-614',
  severity: 'low',
  confidence: 'medium',
  title: 'Session cookie without secure or httponly',
  message: '{sink} sets a cookie of a session that scripts or plain HTTP can read.',
  remediation: 'Pass secure=True, httponly=True and samesite="Lax".',
  owasp: ['A05:2021'],
  why: 'Without secure the cookie is also sent over plain HTTP, without httponly any script of the page can read it. '
    + 'Either way the session can be taken over.',
  bad: 'from flask import make_response\n\ndef login(token):\n    response = make_response("ok")\n'
    + '    response.set_cookie("session", token)\n    return response\n',
  good: 'from flask import make_response\n\ndef login(token):\n    response = make_response("ok")\n'
    + '    response.set_cookie("session", token, secure=True, httponly=True, samesite="Lax")\n    return response\n',
});

const openCors = defineRule({
  id: 'CODE-W1-L3-043',
  cwe: 'CWE-942',
  severity: 'medium',
  confidence: 'medium',
  title: 'Every origin may send requests with credentials',
  message: '{sink} lets every site read answers with the cookies of its visitors.',
  remediation: 'List the origins that need access.',
  owasp: ['A01:2021'],
  why: 'With credentials allowed and every origin accepted, any page a user opens can read this API as that user. '
    + 'A list of known origins is enough for real clients.',
  bad: 'from fastapi import FastAPI\nfrom fastapi.middleware.cors import CORSMiddleware\n\napp = FastAPI()\n'
    + 'app.add_middleware(CORSMiddleware, allow_origins=["*"], allow_credentials=True)\n',
  good: 'from fastapi import FastAPI\nfrom fastapi.middleware.cors import CORSMiddleware\n\napp = FastAPI()\n'
    + 'app.add_middleware(CORSMiddleware, allow_origins=["https://app.example.org"], allow_credentials=True)\n',
});

/** Calls that start or make an application, and their switch for debugging. */
const runNames = new Map<string, string>([
  ['flask.Flask().run', 'debug'], ['quart.Quart().run', 'debug'], ['bottle.run', 'debug'], ['bottle.Bottle().run', 'debug'],
  ['fastapi.FastAPI', 'debug'],
  ['starlette.applications.Starlette', 'debug'], ['tornado.web.Application', 'debug'], ['sanic.Sanic().run', 'debug'],
  ['werkzeug.serving.run_simple', 'use_debugger'],
  ['werkzeug.run_simple', 'use_debugger'], ['werkzeug.debug.DebuggedApplication', 'evalex'], ['flask_socketio.SocketIO().run', 'debug'],
  ['dash.Dash().run_server', 'debug'],
  ['dash.Dash().run', 'debug'], ['aiohttp.web.Application', 'debug'],
]);

/** L3-040, not in tests. */
const debugMatcher: Matcher = {
  calls: [...lastSegments(runNames.keys()), 'update', 'from_mapping'],
  onCall(event) {
    if (event.module.isTest) return;
    const { name, last } = event;
    const keyword = name === undefined ? undefined : runNames.get(name);
    const flask = event.module.imports.has('flask');
    if (keyword !== undefined) {
      if (truthOf(event.arg(-1, keyword)) === true) reportRule(event, debugOn);
    } else if (last === 'run' && flask && /(?:^|\.)(?:app|application)\.run$/.test(event.written) && constantOf(event.receiver) === undefined) {
      if (truthOf(event.arg(-1, 'debug')) === true) reportRule(event, debugOn, { sink: event.written });
    } else if (/\.config\.(?:update|from_mapping)$/.test(event.written) && isBool(event.keywords.get('DEBUG'), true)) {
      reportRule(event, debugOn, { sink: event.written });
    }
  },
  assigns: ['DEBUG', 'debug', 'DEBUG_PROPAGATE_EXCEPTIONS'],
  onAssign(event) {
    if (event.module.isTest || !isBool(event.value, true)) return;
    const setting = event.form === 'name' && event.last === 'DEBUG' && event.level !== 'function'
      && (event.module.isSettings || (event.level === 'class' && /config/i.test(className(event))
      && !/test|dev|local|debug/i.test(className(event))));
    const django = event.form === 'name' && event.last === 'DEBUG' && event.level === 'module'
      && event.lookup('INSTALLED_APPS') !== undefined;
    const flaskApp = /^flask\.Flask\(\)/.test(nameText(event.owner)) || /(?:^|\.)app\.(?:debug|config\.DEBUG)$/.test(event.target);
    if (setting || django || (event.form !== 'name' && flaskApp)) reportRule(event, debugOn, { sink: event.target });
  },
};

/** Words by which a view shows that it checks the caller in its own way. */
const tokenWord = /\b(?:authorization|token|signature|hmac|api_?key|webhook|bearer|verify_\w+)\b/i;
/** Views that change nothing, or that do not rely on cookies. */
const safeDecorators = new Set(['require_GET', 'require_safe', 'api_view', 'require_token', 'token_required', 'login_not_required']);

const exemptName = /(?:^|\.)(?:csrf_exempt|csrf\.exempt|CSRFProtect\(\)\.exempt)$/;

/** L3-041, not in tests. */
const csrfMatcher: Matcher = {
  onFunction(event) {
    const { info } = event;
    if (event.module.isTest) return;
    const exempt = info.decorators.find((decorator) => exemptName.test(decorator.name ?? '') || decorator.last === 'csrf_exempt');
    if (exempt === undefined || info.decorators.some((decorator) => safeDecorators.has(decorator.last))) return;
    if (info.route !== undefined && info.route.methods.length > 0 && info.route.methods.every((method) => method === 'GET'
      || method === 'HEAD'))
      return;
    // A view that checks a token or signature of its own does not rely on the cookie.
    if (tokenWord.test(event.module.module.text.slice(info.node.start, info.node.end).replace(/csrf_token/g, ''))) return;
    reportRule(event, csrfOff, { sink: info.name, at: exempt });
  },
  calls: ['csrf_exempt', 'update', 'from_mapping'],
  onCall(event) {
    if (event.module.isTest) return;
    if (/^django\..*csrf_exempt$/.test(calleeOf(event))) reportRule(event, csrfOff, { sink: 'csrf_exempt', confidence: 'low' });
    else if (isBool(event.keywords.get('WTF_CSRF_ENABLED'), false) && /\.config\./.test(event.written))
      reportRule(event, csrfOff, { sink: event.written });
  },
  assigns: ['WTF_CSRF_ENABLED', 'WTF_CSRF_CHECK_DEFAULT', 'CSRF_ENABLED'],
  onAssign(event) {
    if (event.module.isTest || !isBool(event.value, false) || isTestClass(event)) return;
    reportRule(event, csrfOff, { sink: event.target });
  },
};

const isTestClass = (event: AssignEvent): boolean => /test/i.test(className(event)) || /test/i.test(functionName(event));

const sessionWords = new Set(['session', 'sessionid', 'sid', 'auth', 'token', 'jwt', 'remember', 'access', 'refresh', 'login', 'sess']);
const isSessionCookie = (name: string): boolean => !/csrf|xsrf/i.test(name) && wordsOf(name).some((word) => sessionWords.has(word));

/** L3-042 for cookies that keep a session, by their name. */
const cookieMatcher: Matcher = {
  calls: ['set_cookie', 'set_signed_cookie'],
  onCall(event) {
    if (event.openKeywords || !(event.receiverUnknown
      || /^(?:flask|django|starlette|werkzeug|bottle|aiohttp|sanic|quart|pyramid|webob|tornado)\./.test(calleeOf(event))))
      return;
    const cookie = stringOf(event.arg(0, 'key'));
    const loose = truthOf(event.keywords.get('secure')) !== true || truthOf(event.keywords.get('httponly')) !== true;
    const given = ['secure', 'httponly'].every((word) => {
      const value = event.keywords.get(word);
      return value !== undefined && truthOf(value) !== false;
    });
    if (!loose || given || event.args.length > 5) return;
    if (cookie !== undefined && isSessionCookie(cookie)) reportRule(event, looseCookie);
    else reportAudit(event, looseCookie);
  },
  assigns: ['SESSION_COOKIE_SECURE', 'SESSION_COOKIE_HTTPONLY', 'REMEMBER_COOKIE_HTTPONLY', 'REMEMBER_COOKIE_SECURE', 'CSRF_COOKIE_SECURE'],
  onAssign(event) {
    if (!event.module.isTest && isBool(event.value, false) && !/test|dev|local|debug/i.test(className(event)))
      reportRule(event, looseCookie, { sink: event.target });
  },
};

const isWildcard = (value: Value | undefined): boolean => {
  const text = stringOf(value);
  if (text !== undefined) return text === '*' || text === '.*' || text === 'null';
  return elementsOf(value)?.some((element) => isWildcard(element)) ?? false;
};

const checkCors = (event: CallEvent, origins: Value | undefined, credentials: Value | undefined): void => {
  if (!isWildcard(origins)) return;
  if (truthOf(credentials) === true) reportRule(event, openCors);
  else reportAudit(event, openCors);
};

/** L3-043: every origin is fine as long as no cookies come along. */
const corsMatcher: Matcher = {
  calls: ['CORS', 'cross_origin', 'add_middleware', 'CORSMiddleware', 'Middleware'],
  onCall(event) {
    const { keywords } = event;
    const name = calleeOf(event);
    if (name.startsWith('flask_cors.')) {
      const origins = keywords.get('origins');
      const everywhere = origins === undefined && keywords.get('resources') === undefined && !event.openKeywords;
      if (everywhere && truthOf(keywords.get('supports_credentials')) === true) reportRule(event, openCors);
      else checkCors(event, origins, keywords.get('supports_credentials'));
    } else if (keywords.has('allow_origins') || keywords.has('allow_origin_regex')) {
      checkCors(event, keywords.get('allow_origins') ?? keywords.get('allow_origin_regex'), keywords.get('allow_credentials'));
    }
  },
  assigns: ['Access-Control-Allow-Origin', 'CORS_ALLOW_ALL_ORIGINS', 'CORS_ORIGIN_ALLOW_ALL'],
  onAssign(event) {
    if (event.last === 'Access-Control-Allow-Origin') {
      if (flowLevel(event.value, 'all') === 2) reportRule(event, openCors, { value: event.value, sink: event.target });
      else if (stringOf(event.value) === '*') reportAudit(event, openCors, { sink: event.target });
    } else if (isBool(event.value, true)) {
      const credentials = mentions(event, 'module', /^[ \t]*CORS_ALLOW_CREDENTIALS[ \t]*=[ \t]*True\b/m);
      if (credentials && !event.module.isTest) reportRule(event, openCors, { sink: event.target });
      else reportAudit(event, openCors, { sink: event.target });
    }
  },
};

/** L3-040, L3-041, L3-042, L3-043. */
export const settingRules: RuleSet = {
  rules: [debugOn, csrfOff, looseCookie, openCors],
  matchers: [debugMatcher, csrfMatcher, cookieMatcher, corsMatcher],
};
