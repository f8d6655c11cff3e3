/** Predictable random numbers where a secret is made (CRYPTO-004). */
import type { AssignEvent, CallEvent, Matcher, ReturnEvent } from '../analysis/model.types.ts';
import { hasFlag } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { functionName } from './event-names.ts';
import { reportAudit, reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { nameText } from './value-facts.ts';
import { isUnguessableName, wordsOf } from './words.ts';

const predictable = defineRule({
  id: 'CODE-W1-CRYPTO-004',
  cwe: 'CWE-330',
  severity: 'high',
  confidence: 'high',
  title: 'Secret made by a predictable generator',
  message: '{sink} makes a secret from numbers that can be predicted.',
  remediation: 'Use the secrets module: secrets.token_urlsafe(), secrets.choice(), secrets.randbelow().',
  owasp: ['A02:2021'],
  why: 'The state of the random module can be computed from about 600 outputs, and often from the time it was seeded. '
    + 'Tokens made with it can then be guessed. The secrets module asks the operating system.',
  bad: 'import random\n\ndef reset_token():\n    token = "%030x" % random.getrandbits(128)\n    return token\n',
  good: 'import secrets\n\ndef reset_token():\n    token = secrets.token_hex(16)\n    return token\n',
});

const methods = [
  'random', 'randint', 'choice', 'choices', 'sample', 'randrange', 'getrandbits', 'uniform', 'randbytes', 'shuffle', 'triangular', 'rand',
  'bytes', 'integers', 'Random',
];
const generator = /^(?:random|random\.Random\(\)|numpy\.random|numpy\.random\.default_rng\(\)|numpy\.random\.RandomState\(\))\.[a-z]+$/;

/** `token = random.choice(tokens)` picks one of things that exist; nothing is made. */
const picksOne = (event: CallEvent, name: string): boolean => {
  if (event.last !== 'choice' && event.last !== 'sample' && event.last !== 'choices') return false;
  const node = event.argNode(0)?.value;
  const written = node?.type === 'Name' ? node.id : node?.type === 'Attribute' ? node.attr : undefined;
  if (written === undefined) return false;
  const words = wordsOf(written);
  return words.some((word) => word.endsWith('s') && wordsOf(name).includes(word.slice(0, -1)));
};

const harmlessWords = new Set(['boundary', 'fake', 'mock', 'dummy', 'sample', 'demo', 'test']);

/** Separators in messages and test data need to be unlikely, not secret. */
const isHarmless = (event: CallEvent): boolean =>
  event.module.isTest || wordsOf(functionName(event)).some((word) => harmlessWords.has(word));

const targetOf = (event: CallEvent): string | undefined =>
  [...event.feeds, ...event.insideCalls].find((name) => isUnguessableName(name))
  ?? (event.use !== 'assigned' && event.feeds.length === 0 ? event.function?.name : undefined);

/** CRYPTO-004 where the secret is made, or where a value made before becomes one. */
const randomMatcher: Matcher = {
  calls: methods,
  onCall(event) {
    if (event.name === undefined || !(generator.test(event.name) || event.name === 'random.Random')) return;
    const target = targetOf(event);
    if (target !== undefined && isUnguessableName(target) && event.name !== 'random.Random' && event.last !== 'shuffle'
      && !picksOne(event, target) && !isHarmless(event))
      reportRule(event, predictable);
    else reportAudit(event, predictable);
  },
  assignFlags: ['random'],
  onAssign(event) {
    if (event.form !== 'name' && isUnguessableName(event.last))
      reportLater(event, event.valueNode.type === 'Name' ? event.valueNode.id : undefined, event.target);
  },
  onReturn(event) {
    const { node } = event;
    if (node.type === 'Name' && hasFlag(event.value, 'random') && isUnguessableName(functionName(event)))
      reportLater(event, node.id, functionName(event));
  },
};

/** The value was made under a plain name and is used as a secret here; a secret-like name was reported where it was made. */
const reportLater = (event: AssignEvent | ReturnEvent, from: string | undefined, sink: string): void => {
  if (from === undefined || isUnguessableName(from) || (nameText(event.value)).startsWith('secrets.')) return;
  reportRule(event, predictable, { value: event.value, sink, confidence: 'medium' });
};

/** CRYPTO-004. */
export const randomnessRules: RuleSet = { rules: [predictable], matchers: [randomMatcher] };
