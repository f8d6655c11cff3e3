/** Text run as Python: exec and compile (L3-001), eval and its cousins (L3-002), model output run in any way (AI-603). */
import type { PyExpr } from '../../../../syntax/python.types.ts';
import type { CallEvent, Matcher } from '../analysis/model.types.ts';
import { hasFlag, isNone, nameOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf, lastSegments } from './event-names.ts';
import { flowLevel, reportAudit, reportFlow, reportRule } from './report.ts';
import type { FlowOptions } from './report.ts';
import type { Rule, RuleSet } from './rule.types.ts';

const execText = defineRule({
  id: 'CODE-W1-L3-001',
  cwe: 'CWE-94',
  severity: 'critical',
  confidence: 'high',
  title: 'Untrusted text is run as Python code',
  message: '{what} is run as Python code by {sink}.',
  remediation: 'Do not execute text from outside; map allowed names to functions instead.',
  owasp: ['A03:2021'],
  why: 'exec and compile give whoever writes the text every right of the process. No filter over Python source is known to hold. '
    + 'A table from allowed names to functions does the same job without running text.',
  bad: 'from flask import request\n\ndef run():\n    exec(request.form["code"])\n',
  good: 'from flask import request\n\nACTIONS = {"start": print}\n\ndef run():\n    ACTIONS[request.form["code"]]()\n',
});

const evalText = defineRule({
  id: 'CODE-W1-L3-002',
  cwe: 'CWE-95',
  severity: 'critical',
  confidence: 'high',
  title: 'Untrusted text is evaluated as an expression',
  message: '{what} is evaluated as an expression by {sink}.',
  remediation: 'Parse data with ast.literal_eval or json.loads instead of evaluating it.',
  owasp: ['A03:2021'],
  why: 'eval runs any expression, also one that imports modules and starts programs; emptied globals do not stop that. '
    + 'DataFrame.query and DataFrame.eval reach Python names through @ in the same way.',
  bad: 'from flask import request\n\ndef area():\n    return str(eval(request.args["formula"]))\n',
  good: 'import ast\nfrom flask import request\n\ndef area():\n    return {"value": ast.literal_eval(request.args["formula"])}\n',
});

/** Model output that reaches a code, shell or SQL sink; reported in place of the sink's own rule, with that rule's CWE. */
export const modelOutputRun: Rule = defineRule({
  id: 'CODE-W1-AI-603',
  cwe: 'CWE-95',
  severity: 'critical',
  confidence: 'high',
  title: 'Model output is executed',
  message: '{what} is executed through {sink}.',
  remediation: 'Let the model choose among fixed actions, and parse its answer as data against a schema.',
  owasp: ['LLM02'],
  tags: ['ai'],
  why: 'A model says what its input makes it say, and part of that input usually comes from strangers. '
    + 'Running its answer hands them the process. A schema and a list of allowed actions keep the answer data.',
  bad: 'from openai import OpenAI\n\nclient = OpenAI()\n\ndef solve(task):\n'
    + '    answer = client.responses.create(model="m", input=task)\n    return eval(answer.output_text)\n',
  good: 'import json\nfrom openai import OpenAI\n\nclient = OpenAI()\n\ndef solve(task):\n'
    + '    answer = client.responses.create(model="m", input=task)\n    return json.loads(answer.output_text)["sum"]\n',
});

/** As `reportFlow`, but a value that comes out of a model is reported as AI-603 with the sink's CWE and rule as tag. */
export const reportExecution = (event: CallEvent, rule: Rule, value: CallEvent['receiver'], options: FlowOptions): boolean => {
  if (value === undefined || !hasFlag(value, 'llm') || flowLevel(value, options.kind) === 0) return reportFlow(event, rule, value, options);
  const { at, tags = [] } = options;
  reportRule(event, modelOutputRun, { value, cwe: options.cwe ?? rule.cwe, tags: [rule.id, ...tags], ...(at ? { at } : {}) });
  return true;
};

/** Everything that runs statements given as text. */
const execNames = new Set([
  'exec', 'builtins.exec', '__builtin__.exec', 'execfile', 'code.InteractiveInterpreter().runsource',
  'code.InteractiveInterpreter().runcode',
  'code.InteractiveConsole().push', 'code.InteractiveConsole().runsource', 'code.InteractiveConsole().runcode', 'cProfile.run',
  'profile.run',
  'timeit.timeit', 'timeit.repeat', 'js2py.eval_js', 'six.exec_', '_testcapi.run_in_subinterp', 'test.support.run_in_subinterp',
  '_xxsubinterpreters.run_string', '_interpreters.run_string', '_interpreters.exec',
]);
/** These take the interpreter first. */
const textSecond = /^_(?:xxsub)?interpreters\./;
/** sympify and numexpr hand their text to eval. */
const evalNames = new Set([
  'eval', 'builtins.eval', '__builtin__.eval', 'pandas.eval', 'numexpr.evaluate', 'sympy.sympify', 'sympy.parsing.sympy_parser.parse_expr',
]);
const frameMethods = new Set(['query', 'eval']);

/**
 * Running text of unknown origin in a namespace that exists (a frame's, a module's) is what debuggers, REPLs and code
 * generators are for; a namespace written down for the call is an attempt at a sandbox, and none at all is carelessness.
 */
const isTool = (event: CallEvent): boolean => {
  const namespace: PyExpr | undefined = event.argNode(1, 'globals')?.value;
  return namespace !== undefined && namespace.type !== 'Dict';
};

/** L3-001 and L3-002; DataFrame.query and eval only where the frame is known to be one. */
const execMatcher: Matcher = {
  calls: lastSegments([...execNames, ...evalNames, 'compile', 'query', 'listen']),
  onCall(event) {
    const name = calleeOf(event);
    const first = event.arg(textSecond.test(name) ? 1 : 0);
    if (evalNames.has(name)) {
      // Evaluating a code object runs what compile was given; compile is looked at itself.
      const compiled = nameOf(first) === 'compile()';
      const plain = name.endsWith('eval') && !compiled && !isTool(event);
      reportExecution(event, evalText, first, { kind: 'code', low: true, ...(plain ? { unknown: 'any' as const } : {}) });
    } else if (execNames.has(name)) {
      const plain = name.endsWith('exec') && !hasFlag(first, 'file') && nameOf(first) !== 'compile()' && !isTool(event);
      reportExecution(event, execText, first, { kind: 'code', low: true, ...(plain ? { unknown: 'any' as const } : {}) });
    } else if (name === 'compile' || name === 'builtins.compile') {
      if (!event.insideCalls.includes('exec') && !event.insideCalls.includes('eval')) reportFlow(event, execText, first, { kind: 'code' });
    } else if (name === 'logging.config.listen') {
      if (isNone(event.arg(1, 'verify')) || event.arg(1, 'verify') === undefined) reportAudit(event, execText);
    } else if (frameMethods.has(event.last) && /^(?:pandas|polars)\./.test(name)) {
      reportExecution(event, evalText, event.arg(0, 'expr'), { kind: 'code' });
    }
  },
};

/** L3-001, L3-002 and AI-603. */
export const codeRules: RuleSet = { rules: [execText, evalText, modelOutputRun], matchers: [execMatcher] };
