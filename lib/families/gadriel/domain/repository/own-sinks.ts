import type { CallEvent, ClearKind, Matcher } from '../analysis/model.types.ts';
import { isModule } from '../analysis/own-names.ts';
import { cweFamilyOf } from '../cwe-families.ts';
import { ruleById } from '../rules/index.ts';
import { reportFlow } from '../rules/report.ts';
import type { OwnSink } from './settings.types.ts';

/** Which sanitizers clear a value for a sink of a CWE family; for the others only those that clear it for everything. */
const kindOfFamily: ReadonlyMap<string, ClearKind> = new Map([
  ['CWE-89', 'sql'], ['CWE-77', 'shell'], ['CWE-94', 'code'], ['CWE-22', 'path'], ['CWE-79', 'html'], ['CWE-918', 'url'],
  ['CWE-601', 'url'], ['CWE-117', 'log'], ['CWE-1333', 'regex'],
]);

/** Whether a call is of the sink: by its absolute name, or by its own in the module that defines it. */
const isCalled = (event: CallEvent, name: string): boolean => {
  if (event.name === undefined) return false;
  const dot = name.lastIndexOf('.');
  return event.name === name || event.name === `.${name}` || dot > 0 && event.name === `.${name.slice(dot + 1)}` && isModule(event.module.path, name.slice(0, dot));
};

/** Matchers for the calls that the user's settings call dangerous; a sink whose rule is no SAST rule has none. */
export function sinkMatchers(sinks: readonly OwnSink[]): Matcher[] {
  return sinks.flatMap(({ name, rule: id, argument }) => {
    const rule = ruleById(id);
    if (rule === undefined) return [];
    const kind = kindOfFamily.get(cweFamilyOf(rule.cwe)) ?? 'all';
    const onCall = (event: CallEvent): void => {
      if (!isCalled(event, name)) return;
      const value = typeof argument === 'number' ? event.arg(argument) : event.arg(-1, argument);
      reportFlow(event, rule, value, { kind, unknown: 'built' });
    };
    return [{ calls: [name.slice(name.lastIndexOf('.') + 1)], onCall }];
  });
}
