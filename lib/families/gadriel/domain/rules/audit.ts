/** What only the audit profile looks at in every call: any shell=True, fixed temporary paths, SQL text given away. */
import type { Matcher, Scene, Value } from '../analysis/model.types.ts';
import { stringOf, truthOf } from '../analysis/values.ts';
import { isSubprocess } from './command.ts';
import { sinkName } from './event-names.ts';
import { reportAudit } from './report.ts';
import type { Rule, RuleSet } from './rule.types.ts';
import { isBuiltSql } from './sql.ts';

const temporaryPath = /^\/(?:tmp|var\/tmp|dev\/shm)(?:\/|$)/;

/** The matcher needs the rules it reports; they belong to other topics. */
export const auditRules = (shell: Rule, temporary: Rule, sql: Rule): RuleSet => {
  const checkText = (scene: Scene, value: Value, sink: string): void => {
    const text = stringOf(value);
    if (text !== undefined) {
      if (temporaryPath.test(text)) reportAudit(scene, temporary, { sink });
    } else if (isBuiltSql(value)) {
      reportAudit(scene, sql, { value, sink });
    }
  };
  const matcher: Matcher = {
    profile: 'audit',
    calls: ['*'],
    onCall(event) {
      const sink = sinkName(event);
      for (const value of event.args) checkText(event, value, sink);
      for (const value of event.keywords.values()) checkText(event, value, sink);
      if (truthOf(event.keywords.get('shell')) === true && !isSubprocess(event.name)) reportAudit(event, shell, { sink });
    },
    assigns: ['*'],
    onAssign(event) {
      checkText(event, event.value, event.target);
    },
    onReturn(event) {
      checkText(event, event.value, 'a return value');
    },
  };
  return { rules: [], matchers: [matcher] };
};
