/** Log records: forged lines (L3-033) and secrets in clear text (L3-034). */
import type { PyExpr } from '../../../../syntax/python.types.ts';
import type { CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { constantOf, hasFlag } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { mentions } from './mentions.ts';
import { flowLevel, reportFlow, reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { isSecretName } from './words.ts';

const forgedLine = defineRule({
  id: 'CODE-W1-L3-033',
  cwe: 'CWE-117',
  severity: 'low',
  confidence: 'medium',
  title: 'Untrusted text in a log line',
  message: '{what} is written into a log line by {sink}, line ends included.',
  remediation: 'Log the value with %r or {value!r}.',
  owasp: ['A09:2021'],
  why: 'A line end in the value starts what looks like a further record, so a log can be made to say anything. '
    + 'repr shows line ends as \\n.',
  bad: 'import logging\nfrom flask import request\n\ndef login():\n    logging.warning("login failed for " + request.form["user"])\n',
  good: 'import logging\nfrom flask import request\n\ndef login():\n    logging.warning("login failed for %r", request.form["user"])\n',
});

const loggedSecret = defineRule({
  id: 'CODE-W1-L3-034',
  cwe: 'CWE-532',
  severity: 'medium',
  confidence: 'medium',
  title: 'Secret written to a log',
  message: 'A value with the name of a secret is written out by {sink}.',
  remediation: 'Leave the secret out, or log that it is set.',
  owasp: ['A09:2021'],
  why: 'Logs are copied to other systems and read by more people than the secret is meant for. '
    + 'It then has to be changed everywhere.',
  bad: 'import logging\n\ndef connect(user, password):\n    logging.info("connecting as %s with %s", user, password)\n',
  good: 'import logging\n\ndef connect(user, password):\n    logging.info("connecting as %s, password set: %s", user, bool(password))\n',
});

const levels = ['debug', 'info', 'warning', 'warn', 'error', 'critical', 'exception', 'log', 'fatal'];
const loggerName = /^(?:logging\.|loguru\.logger\.|structlog\.|flask\.(?:Flask\(\)|current_app)\.logger\.|absl\.logging\.|twisted\.logger\.)/;
const loggerWord = /(?:^|[._])(?:log|logger|logging|_?log|LOG|LOGGER)\.\w+$/;

/** A logger by its type or, failing that, by its name. */
const isLogger = (event: CallEvent): boolean =>
  event.name !== undefined && loggerName.test(event.name) || (event.receiverUnknown && loggerWord.test(event.written));

/** `'…'.format(x)`, `str(x)` and `repr(x)` show what they are given. */
const keepsText = (callee: PyExpr): boolean =>
  callee.type === 'Attribute' ? callee.attr === 'format' : callee.type === 'Name' && (callee.id === 'str' || callee.id === 'repr');

/** Names and attributes that stand in a text as they are: not inside calls, lookups by key included. */
const namesIn = (node: PyExpr, found: (name: string, node: PyExpr) => void, depth = 0): void => {
  if (depth > 20) return;
  switch (node.type) {
    case 'Name': found(node.id, node); break;
    case 'Attribute': found(node.attr, node); break;
    case 'Subscript':
      if (node.index.type === 'Constant' && node.index.kind === 'str') found(node.index.value, node);
      break;
    case 'BinOp':
      if (node.op === '+' || node.op === '%') {
        namesIn(node.left, found, depth + 1);
        namesIn(node.right, found, depth + 1);
      }
      break;
    case 'Tuple': node.elements.forEach((element) => namesIn(element, found, depth + 1)); break;
    case 'JoinedStr':
      for (const part of node.parts) if (part.type === 'Formatted') namesIn(part.value, found, depth + 1);
      break;
    case 'Call':
      if (keepsText(node.func)) {
        node.args.forEach((argument) => namesIn(argument.value, found, depth + 1));
      }
      break;
  }
};

/** Where texts are taken apart, a token is a word. */
const grammarWords = /tokeni[sz]|lexer|\blex\b|grammar|syntax/i;

const findSecret = (event: CallEvent): { readonly name: string; readonly value: Value } | undefined => {
  let secret: { readonly name: string; readonly value: Value } | undefined;
  for (const argument of event.node.args) {
    if (argument.kind !== 'positional') continue;
    namesIn(argument.value, (name, node) => {
      if (secret !== undefined || !isSecretName(name) || name.toLowerCase() === 'token' && mentions(event, 'module', grammarWords)) return;
      const value = event.valueOf(node);
      const constant = constantOf(value);
      // Flags and constants named after a secret say nothing of it, and neither do numbers.
      const setting = constant === undefined && node.type === 'Attribute' && /^[A-Z_]+$/.test(name);
      if (setting || (constant !== undefined && constant.kind !== 'str')) return;
      if (value.shape?.type === 'Function' || value.shape?.type === 'Class') return;
      secret = { name, value };
    });
  }
  return secret;
};

/** L3-034 before L3-033: a secret in the clear is the worse of the two. */
const logMatcher: Matcher = {
  calls: [...levels, 'print', 'pprint'],
  onCall(event) {
    const print = event.name === 'print' || event.name === 'pprint.pprint';
    if (!print && !(levels.includes(event.last) && isLogger(event))) return;
    const secret = findSecret(event);
    if (secret !== undefined) {
      // A value printed on purpose (a generated password) is not a log line.
      reportRule(event, loggedSecret, { value: secret.value, ...(print ? { severity: 'low' as const, confidence: 'low' as const } : {}) });
      return;
    }
    const text = event.arg(event.last === 'log' ? 1 : 0, 'msg');
    if (!print && flowLevel(text, 'log') === 2 && hasFlag(text, 'request') && text?.shape?.type === 'Built')
      reportFlow(event, forgedLine, text, { kind: 'log' });
  },
};

/** L3-033, L3-034. */
export const loggingRules: RuleSet = { rules: [forgedLine, loggedSecret], matchers: [logMatcher] };
