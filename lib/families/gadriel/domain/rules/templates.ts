/** Templates: source text from outside (L3-010) and engines that do not escape (L3-011). */
import type { Matcher } from '../analysis/model.types.ts';
import { elementsOf, isNone, nameOf, stringOf, truthOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf, lastSegments } from './event-names.ts';
import { reportAudit, reportFlow, reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { isBool } from './value-facts.ts';

const templateSource = defineRule({
  id: 'CODE-W1-L3-010',
  cwe: 'CWE-1336',
  severity: 'critical',
  confidence: 'high',
  title: 'Untrusted text is compiled as a template',
  message: '{what} is compiled as a template by {sink}.',
  remediation: 'Keep the template constant and pass the value to it as context.',
  owasp: ['A03:2021'],
  why: 'Template languages of Jinja2 and Mako reach Python objects, so the author of a template can run code on the server. '
    + 'A value that is passed as context is only printed.',
  bad: 'from flask import render_template_string, request\n\ndef hello():\n'
    + '    return render_template_string("Hi " + request.args["name"])\n',
  good: 'from flask import render_template_string, request\n\ndef hello():\n'
    + '    return render_template_string("Hi {{ name }}", name=request.args["name"])\n',
});

const noAutoescape = defineRule({
  id: 'CODE-W1-L3-011',
  cwe: 'CWE-79',
  severity: 'high',
  confidence: 'high',
  title: 'Template engine without escaping',
  message: '{sink} makes a template engine that does not escape values.',
  remediation: 'Pass autoescape=select_autoescape() (Jinja2) or the "h" default filter (Mako).',
  owasp: ['A03:2021', 'A05:2021'],
  why: 'Jinja2 and Mako print values as they are unless told to escape. '
    + 'One value from a user is then enough to place a script in the page.',
  bad: 'import jinja2\n\nenv = jinja2.Environment(loader=jinja2.FileSystemLoader("pages"))\n',
  good: 'import jinja2\n\nenv = jinja2.Environment(loader=jinja2.FileSystemLoader("pages"), autoescape=jinja2.select_autoescape())\n',
});

/** Calls whose first argument is the source of a template. */
const sourceNames = new Set([
  'flask.render_template_string', 'flask.stream_template_string', 'jinja2.Template', 'jinja2.Environment().from_string',
  'jinja2.sandbox.SandboxedEnvironment().from_string', 'jinja2.sandbox.ImmutableSandboxedEnvironment().from_string',
  'mako.template.Template',
  'django.template.Template', 'django.template.Engine().from_string', 'tornado.template.Template', 'bottle.template',
  'bottle.SimpleTemplate',
  'jinja2.nativetypes.NativeEnvironment().from_string', 'django.template.engines[].from_string', 'flask.Flask().jinja_env.from_string',
  'flask.current_app.jinja_env.from_string', 'genshi.template.MarkupTemplate', 'Cheetah.Template.Template', 'chameleon.PageTemplate',
  'web.template.Template',
  'jinja2.Environment().compile_expression', 'starlette.templating.Jinja2Templates().env.from_string',
]);

/** L3-010. */
const sourceMatcher: Matcher = {
  calls: lastSegments(sourceNames),
  onCall(event) {
    if (!sourceNames.has(calleeOf(event))) return;
    const keyword = ['source', 'text', 'template_string', 'template_code'].find((word) => event.keywords.has(word)) ?? 'source';
    reportFlow(event, templateSource, event.arg(0, keyword), { kind: 'all' });
  },
};

const environments = new Set([
  'jinja2.Environment', 'jinja2.sandbox.SandboxedEnvironment', 'jinja2.sandbox.ImmutableSandboxedEnvironment',
  'jinja2.environment.Environment',
]);
const makoNames = new Set(['mako.template.Template', 'mako.lookup.TemplateLookup']);
/** They escape unless told not to. */
const autoescapeTakers = new Set([
  'django.template.Context', 'django.template.context.Context', 'django.template.RequestContext', 'django.template.Engine',
  'tornado.template.Loader', 'tornado.template.Template', 'tornado.template.DictLoader', 'jinja2.Template',
]);

/** L3-011; a value for autoescape that is not known is the program's decision. */
const engineMatcher: Matcher = {
  calls: lastSegments([...environments, ...makoNames, ...autoescapeTakers]),
  onCall(event) {
    const name = calleeOf(event);
    const autoescape = event.arg(-1, 'autoescape');
    const off = isNone(autoescape) || truthOf(autoescape) === false;
    if (environments.has(name)) {
      const absent = autoescape === undefined && !event.openKeywords;
      if (off || absent) reportRule(event, noAutoescape, absent ? { confidence: 'medium' } : {});
      else if (autoescape !== undefined && (truthOf(autoescape) === undefined || event.argNode(-1, 'autoescape')?.value.type === 'Call')
        && !nameOf(autoescape)?.endsWith('select_autoescape()'))
        reportAudit(event, noAutoescape);
    } else if (autoescapeTakers.has(name)) {
      if (off) reportRule(event, noAutoescape);
    } else if (makoNames.has(name)) {
      const filters = elementsOf(event.arg(-1, 'default_filters'))?.map(stringOf) ?? [];
      if (filters.includes('h') || event.openKeywords) return;
      if (name.endsWith('TemplateLookup')) reportRule(event, noAutoescape, { severity: 'medium', confidence: 'medium' });
      else reportAudit(event, noAutoescape);
    }
  },
  assigns: ['autoescape'],
  onAssign(event) {
    if (event.form === 'name' || !isBool(event.value, false)) return;
    const inEnvironment = event.owner?.name?.root === 'jinja2' || /(?:^|[._])env(?:ironment)?\.|jinja/i.test(event.target);
    if (inEnvironment) reportRule(event, noAutoescape, { sink: event.target });
  },
};

/** L3-010, L3-011. */
export const templateRules: RuleSet = { rules: [templateSource, noAutoescape], matchers: [sourceMatcher, engineMatcher] };
