/** What only the audit profile looks at everywhere: any shell=True, fixed temporary paths and passwords, SQL text given away. */
import type { PyExpr, PySpan } from '../../../../syntax/python.types.ts';
import type { Matcher, Scene, Value } from '../analysis/model.types.ts';
import { constantOf, stringOf, truthOf } from '../analysis/values.ts';
import { isSubprocess } from './command.ts';
import { calleeOf, sinkName } from './event-names.ts';
import { reportAudit } from './report.ts';
import type { Rule, RuleSet } from './rule.types.ts';
import { isBuiltSql } from './sql.ts';
import { isCredentialName } from './words.ts';

/** The rules reported; they belong to other topics. */
export type AuditedRules = { readonly shell: Rule; readonly temporary: Rule; readonly sql: Rule; readonly password: Rule; readonly address: Rule };

const temporaryPath = /^\/(?:tmp|var\/tmp|dev\/shm)(?:\/|$)/;

/** What a name or a key is called, '' for other expressions. */
const wordOf = (node: PyExpr): string => {
  switch (node.type) {
    case 'Name': return node.id;
    case 'Attribute': return node.attr;
    case 'Subscript': return node.index.type === 'Constant' && node.index.kind === 'str' ? node.index.value : '';
    default: return '';
  }
};

/** Matchers over every call, assignment, return, comparison and signature. */
export const auditRules = ({ shell, temporary, sql, password, address }: AuditedRules): RuleSet => {
  const fixed: Rule = { ...password, message: '{sink} has a password that is written into the code.' };
  const checkText = (scene: Scene, value: Value, sink: string): void => {
    const text = stringOf(value);
    if (text === undefined) {
      if (isBuiltSql(value)) reportAudit(scene, sql, { value, sink });
    } else if (temporaryPath.test(text)) reportAudit(scene, temporary, { sink });
    else if (text === '0.0.0.0') reportAudit(scene, address, { sink });
  };
  const checkPassword = (scene: Scene, name: string, value: Value | undefined, at: PySpan): void => {
    const constant = constantOf(value);
    if (constant?.kind === 'str' && constant.value !== '' && isCredentialName(name)) reportAudit(scene, fixed, { sink: name, at, cwe: 'CWE-259' });
  };
  const matcher: Matcher = {
    profile: 'audit',
    calls: ['*'],
    onCall(event) {
      const sink = sinkName(event);
      // The folder that tempfile makes its files in may well be /tmp.
      if (!calleeOf(event).startsWith('tempfile.')) for (const value of [...event.args, ...event.keywords.values()]) checkText(event, value, sink);
      for (const [name, value] of event.keywords) checkPassword(event, name, value, event.argNode(-1, name)?.value ?? event);
      if (truthOf(event.keywords.get('shell')) === true && !isSubprocess(event.name)) reportAudit(event, shell, { sink });
    },
    assigns: ['*'],
    onAssign(event) {
      checkText(event, event.value, event.target);
      // `password = other` tells nothing new of a constant that was named before.
      if (event.valueNode.type === 'Constant') checkPassword(event, event.last, event.value, event.valueNode);
    },
    onReturn(event) {
      checkText(event, event.value, 'a return value');
    },
    onCompare(event) {
      if (event.op !== '==' && event.op !== '!=') return;
      const { leftNode, rightNode, left, right } = event;
      if (rightNode.type === 'Constant') checkPassword(event, wordOf(leftNode), right, event);
      else if (leftNode.type === 'Constant') checkPassword(event, wordOf(rightNode), left, event);
    },
    onFunction(event) {
      for (const param of event.info.params) checkPassword(event, param.name, param.default, param.node);
    },
  };
  return { rules: [], matchers: [matcher] };
};
