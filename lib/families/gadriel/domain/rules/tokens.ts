/** Signed tokens that are not verified (CONFIG-005). */
import type { CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { elementsOf, entryOf, isNone, stringOf, truthOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf } from './event-names.ts';
import { mentions } from './mentions.ts';
import { reportAudit, reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { isBool, textOf } from './value-facts.ts';

const unverifiedToken = defineRule({
  id: 'CODE-W1-CONFIG-005',
  cwe: 'CWE-347',
  severity: 'critical',
  confidence: 'high',
  title: 'Token signature is not verified',
  message: '{sink} takes the claims of a token without a valid signature.',
  remediation: 'Verify with one fixed algorithm: jwt.decode(token, key, algorithms=["RS256"]).',
  owasp: ['A07:2021'],
  why: 'Without the signature check anyone can write a token for any user. '
    + 'The algorithm "none" switches the check off, and HS beside RS lets the public key be used as the secret.',
  bad: 'import jwt\n\ndef user(token):\n    return jwt.decode(token, options={"verify_signature": False})["sub"]\n',
  good: 'import jwt\n\ndef user(token, key):\n    return jwt.decode(token, key, algorithms=["RS256"])["sub"]\n',
});

const jwtName = /^(?:jwt|jose|authlib|python_jwt|jwcrypto|flask_jwt_extended)\b/;

const algorithmsOf = (value: Value | undefined): readonly string[] => {
  const single = stringOf(value);
  return (single === undefined ? (elementsOf(value) ?? []).map((element) => textOf(element)) : [single]).map((name) => name.toLowerCase());
};

/** "none", or one list with both a shared-secret and a public-key algorithm. */
const weakAlgorithms = (names: readonly string[]): boolean =>
  names.includes('none') || (names.some((name) => name.startsWith('hs')) && names.some((name) => /^(?:rs|es|ps|ed)/.test(name)));

const checkDecode = (event: CallEvent): void => {
  const options = event.arg(-1, 'options') ?? (event.args[3]?.shape?.type === 'Mapping' ? event.args[3] : undefined);
  const off = isBool(event.keywords.get('verify'), false) || isBool(event.args[2], false)
    || isBool(event.keywords.get('verify_signature'), false)
    || truthOf(entryOf(options, 'verify_signature')) === false;
  const algorithms = event.keywords.get('algorithms') ?? event.args[2];
  if (off || weakAlgorithms(algorithmsOf(algorithms))) reportRule(event, unverifiedToken);
  else if (algorithms === undefined || isNone(algorithms)) reportAudit(event, unverifiedToken);
};

/** CONFIG-005 for the JWT libraries and itsdangerous. */
const tokenMatcher: Matcher = {
  calls: ['decode', 'decode_complete', 'encode', 'verify', 'verify_jwt', 'process_jwt', 'get_unverified_claims', 'loads_unsafe'],
  onCall(event) {
    const { last } = event;
    const name = calleeOf(event);
    if (!(jwtName.test(name) || name.startsWith('itsdangerous.'))) return;
    if (last === 'loads_unsafe') {
      reportRule(event, unverifiedToken, { severity: 'high' });
    } else if (last === 'decode' || last === 'decode_complete') {
      checkDecode(event);
    } else if (last === 'encode') {
      const algorithm = event.arg(2, 'algorithm');
      if (stringOf(algorithm)?.toLowerCase() === 'none' || (algorithm !== undefined && isNone(algorithm)))
        reportRule(event, unverifiedToken);
    } else if (last === 'verify' && isBool(event.arg(-1, 'verify'), false)) {
      reportRule(event, unverifiedToken);
    } else if (last === 'verify' || last === 'verify_jwt') {
      if (weakAlgorithms(algorithmsOf(event.arg(2, last === 'verify' ? 'algorithms' : 'allowed_algs')))) reportRule(event, unverifiedToken);
    } else if (name === 'python_jwt.process_jwt' && !mentions(event, 'module', /verify_jwt/)) {
      reportRule(event, unverifiedToken, { confidence: 'medium' });
    } else if (last === 'get_unverified_claims') {
      reportRule(event, unverifiedToken, { severity: 'high', confidence: 'medium' });
    }
  },
};

/** CONFIG-005. */
export const tokenRules: RuleSet = { rules: [unverifiedToken], matchers: [tokenMatcher] };
