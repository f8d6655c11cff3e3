/** Regular expressions that can take for ever (L3-036) and connections without a password (L3-045). */
import type { CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { elementsOf, hasFlag, isNone, stringOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf } from './event-names.ts';
import { flowLevel, reportFlow, reportRule } from './report.ts';
import type { Rule, RuleSet } from './rule.types.ts';

const slowPattern = defineRule({
  id: 'CODE-W1-L3-036',
  cwe: 'CWE-1333',
  severity: 'medium',
  confidence: 'low',
  title: 'Regular expression with exponential run time on untrusted text',
  message: '{what} meets a regular expression in {sink} that can take exponential time.',
  remediation: 'Write the pattern without a repetition inside a repetition, and limit the length of the text.',
  owasp: ['A03:2021'],
  why: 'A repetition around a repetition, such as (a+)+, can split the same text in exponentially many ways. '
    + 'Thirty characters are then enough to stop a worker. Patterns that come from outside have the same power.',
  bad: 'import re\nfrom flask import request\n\ndef check():\n    return {"ok": bool(re.match(r"^(\\w+\\s?)+$", request.args["name"]))}\n',
  good: 'import re\nfrom flask import request\n\ndef check():\n    return {"ok": bool(re.match(r"^[\\w ]+$", request.args["name"]))}\n',
});

/** The same rule where the pattern itself comes from outside: what is at fault is not the text. */
const givenPattern: Rule = {
  ...slowPattern,
  message: '{what} is used as a regular expression by {sink} and can be one that takes exponential time.',
};

/** L3-045, which the audit profile also reports for passwords written into the code. */
export const noPassword: Rule = defineRule({
  id: 'CODE-W1-L3-045',
  cwe: 'CWE-521',
  severity: 'low',
  confidence: 'low',
  title: 'Password that is empty or written into the code',
  message: '{sink} connects with an empty password.',
  remediation: 'Set a password for the account and read it from the environment.',
  owasp: ['A07:2021'],
  why: 'An account without a password gives its rights to every process that reaches the port. '
    + 'One in the code is known to all who can read the code, and stays the same everywhere.',
  bad: 'import pymysql\n\ndb = pymysql.connect(host="db", user="root", password="")\n',
  good: 'import os\nimport pymysql\n\ndb = pymysql.connect(host="db", user="app", password=os.environ["DB_PASSWORD"])\n',
});

const repeats = (text: string, at: number): boolean => {
  const next = text[at];
  if (next === '*' || next === '+') return text[at + 1] !== '+';
  return next === '{' && /^\{\d*,(?:\d{2,})?\}/.test(text.slice(at, at + 12));
};

/** What is known of an open group: of the alternative being read, and of those before it. */
type Group = { repeated: boolean; fixed: boolean; slow: boolean; allFixed: boolean };

const endAlternative = (group: Group): void => {
  group.slow ||= group.repeated && !group.fixed;
  group.allFixed &&= group.fixed;
  group.repeated = false;
  group.fixed = false;
};

/** Where a construct that starts at `at` ends: an escape, a class, a count, else the character itself. */
const endOf = (pattern: string, at: number): number => {
  if (pattern[at] === '\\') return at + 1;
  if (pattern[at] === '{') return Math.max(at, pattern.indexOf('}', at));
  if (pattern[at] !== '[') return at;
  let end = at + (pattern[at + 1] === '^' ? 2 : 1);
  if (pattern[end] === ']') end++;
  while (end < pattern.length && pattern[end] !== ']') end += pattern[end] === '\\' ? 2 : 1;
  return end;
};

/** Length of what may follow an opening bracket: `?:`, `?P<name>`, `?=`. */
const prefixLength = (pattern: string, at: number): number => {
  if (pattern[at + 1] !== '?') return 0;
  const name = /^\?P?<\w{1,40}>/.exec(pattern.slice(at + 1, at + 50));
  return name === null ? 2 : name[0].length;
};

/**
 * Whether a pattern repeats a group of which an alternative is a repetition with nothing fixed beside it: `(a+)+`,
 * `(\w+\s?)*`. One pass over the text with a stack of open groups.
 */
export const hasNestedRepetition = (pattern: string): boolean => {
  // Nobody writes longer ones by hand, and each use of the pattern asks again.
  if (pattern.length > 4096) return false;
  const open = (): Group => ({ repeated: false, fixed: false, slow: false, allFixed: true });
  const groups: Group[] = [open()];
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]!;
    const top = groups.at(-1)!;
    if (char === '(') {
      groups.push(open());
      at += prefixLength(pattern, at);
    } else if (char === '|') {
      endAlternative(top);
    } else if (!'?*+^$'.includes(char)) {
      const group = char === ')' && groups.length > 1 ? groups.pop()! : undefined;
      const around = groups.at(-1)!;
      const end = endOf(pattern, at);
      const optional = pattern[end + 1] === '?' || pattern[end + 1] === '*';
      if (group !== undefined) endAlternative(group);
      if (repeats(pattern, end + 1)) {
        if (group?.slow === true) return true;
        around.repeated = true;
      } else if (group !== undefined) {
        around.repeated ||= group.slow;
        around.fixed ||= group.allFixed && !optional;
      } else if (!optional && char !== '{') {
        around.fixed = true;
      }
      at = end;
    }
  }
  return false;
};

const functions = ['match', 'search', 'fullmatch', 'findall', 'finditer', 'sub', 'subn', 'split'];
/** The subject of a `re` function: text that tainted data can make long. */
const subjectOf = (event: CallEvent, first: number): Value | undefined =>
  event.arg(event.last.startsWith('sub') ? first + 1 : first, 'string');

/** L3-036: the pattern and the text have to meet; either alone is harmless. */
const regexMatcher: Matcher = {
  calls: ['compile', ...functions],
  onCall(event) {
    const { last } = event;
    const name = calleeOf(event);
    if (!name.startsWith('re.')) return;
    if (name === `re.${last}`) {
      const pattern = event.arg(0, 'pattern');
      const text = stringOf(pattern);
      if (flowLevel(pattern, 'regex') === 2 && hasFlag(pattern, 'request'))
        reportFlow(event, givenPattern, pattern, { kind: 'regex', confidence: 'low' });
      else if (last !== 'compile' && text !== undefined && hasNestedRepetition(text)) reportSlow(event, subjectOf(event, 1));
    } else if (name === `re.compile().${last}`) {
      const text = stringOf(elementsOf(event.receiver)?.[0]);
      if (text !== undefined && hasNestedRepetition(text)) reportSlow(event, subjectOf(event, 0));
    }
  },
};

const reportSlow = (event: CallEvent, subject: Value | undefined): void => {
  if (flowLevel(subject, 'regex') === 2 && !hasFlag(subject, 'low'))
    reportFlow(event, slowPattern, subject, { kind: 'regex', confidence: 'low' });
};

/** Clients that take a password by keyword. */
const connectName = new RegExp('^(?:psycopg2?|pymysql|MySQLdb|mysql|asyncpg|aiomysql|redis|pymongo|paramiko|ldap|ldap3|pyodbc|cx_Oracle|oracledb'
  + '|snowflake|pymssql|neo4j|pika|imaplib|smtplib)\\.');

/** L3-045; a default in a signature is no connection. */
const passwordMatcher: Matcher = {
  calls: [
    'connect', 'Connection', 'Connect', 'create_pool', 'MongoClient', 'simple_bind_s', 'simple_bind', 'bind_s', 'SnowflakeConnection',
  ],
  onCall(event) {
    const { last } = event;
    const name = calleeOf(event);
    const bind = last.includes('bind') && (/^ldap\./.test(name) || event.receiverUnknown && event.module.imports.has('ldap'));
    if (!bind && !connectName.test(name)) return;
    const password = bind ? event.arg(1, 'cred') : event.keywords.get('password') ?? event.keywords.get('passwd');
    if (password === undefined) return;
    // None asks other drivers to look elsewhere, and a bind with it is anonymous; these take it for an empty password.
    const none = isNone(password) && /^(?:pymysql|MySQLdb|mysql|aiomysql)\./.test(name);
    if (none || stringOf(password) === '') reportRule(event, noPassword);
  },
};

/** L3-036, L3-045. */
export const patternRules: RuleSet = { rules: [slowPattern, noPassword], matchers: [regexMatcher, passwordMatcher] };
