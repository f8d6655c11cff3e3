/** What every topic of rules needs: making a rule, deciding by profile whether a sink is reported, and saying so. */
import type { PySpan } from '../../../../syntax/python.types.ts';
import type { CallEvent, ClearKind, Confidence, Level, Scene, Severity, Value } from '../analysis/model.types.ts';
import { constantOf, dynamicParts, hasFlag, levelFor, stringOf } from '../analysis/values.ts';
import type { Rule } from './rule.types.ts';

/** Makes a rule of a row: the fields that are the same for all of them are filled in. */
export const defineRule = (row: Omit<Rule, 'pillar' | 'scanType' | 'tags'> & { readonly tags?: readonly string[] }): Rule =>
  ({ pillar: 'security', scanType: 'sast', tags: [], ...row });

/** How a sink takes values that are not known to be an attacker's. */
export type FlowOptions = {
  /** The use that sanitizers and guards may have cleared the value for. */
  readonly kind: ClearKind;
  /** Values of unknown origin in the default profile: never (the default), only inside built text, or always. */
  readonly unknown?: 'built' | 'any';
  /** Whether a value that only the starter of the program controls is worth a finding (at medium confidence). */
  readonly low?: boolean;
  readonly sink?: string;
  readonly at?: PySpan;
  readonly severity?: Severity;
  readonly confidence?: Confidence;
  readonly cwe?: string;
  readonly tags?: readonly string[];
};

const whatIs = (value: Value | undefined, level: Level): string => {
  if (level === 0) return 'A constant or cleaned value';
  if (hasFlag(value, 'llm')) return 'Model output';
  if (hasFlag(value, 'upload')) return 'An uploaded file or its name';
  if (hasFlag(value, 'request')) return 'Request data';
  if (hasFlag(value, 'archive')) return 'A name out of an archive';
  if (hasFlag(value, 'low')) return 'A command-line or environment value';
  if (hasFlag(value, 'network')) return 'Data from the network';
  if (level === 2) return 'Untrusted input';
  return hasFlag(value, 'built') ? 'Text built from a value that is not constant' : 'A value that is not constant';
};

/** The called thing as people know it: the resolved name without call marks, else as written. */
export const sinkName = (event: CallEvent): string =>
  (event.name ?? (event.written || event.last)).replaceAll('()', '').replaceAll('[]', '').replace(/^\.+/, '');

type Facts = {
  readonly value?: Value | undefined;
  readonly level?: Level;
  readonly sink?: string;
  readonly at?: PySpan;
  readonly severity?: Severity;
  readonly confidence?: Confidence;
  readonly cwe?: string;
  readonly tags?: readonly string[];
};

const isCall = (scene: Scene): scene is CallEvent => 'kind' in scene && scene.kind === 'call';

/** Reports a rule at an event; the message is the rule's with what is known of the value and, for a call, its name. */
export const reportRule = (scene: Scene, rule: Rule, facts: Facts = {}): void => {
  const { value, level = value?.level ?? 0, sink = isCall(scene) ? sinkName(scene) : '', ...rest } = facts;
  const message = rule.message.replace('{what}', whatIs(value, level)).replace('{sink}', sink);
  scene.report({ ruleId: rule.id, message, ...(value === undefined ? {} : { value }), ...rest });
};

/** A rule found in the audit profile only: at severity low. */
export const reportAudit = (scene: Scene, rule: Rule, facts: Facts = {}): void => {
  if (scene.module.profile === 'audit') reportRule(scene, rule, { ...facts, severity: 'low', confidence: 'low' });
};

/**
 * The level of a value for a use, looking into built text: a text whose dynamic parts are all cleared is safe even where
 * the whole was not marked so.
 */
export const flowLevel = (value: Value | undefined, kind: ClearKind): Level => {
  const level = levelFor(value, kind);
  if (level === 0 || value?.shape?.type !== 'Built') return level;
  return dynamicParts(value, kind).reduce<Level>((most, part) => (part.level > most ? part.level : most), 0);
};

/** Only those who start the program control the value: no part of it comes from anywhere else. */
const isLow = (value: Value | undefined): boolean =>
  hasFlag(value, 'low') && !hasFlag(value, 'request') && !hasFlag(value, 'llm') && !hasFlag(value, 'network');

/**
 * Reports `rule` when `value` reaches the sink in a way that the profile wants to hear of, and says whether it did in the
 * default sense: tainted always; unknown as `options.unknown` says, at medium confidence; everything else in audit, low.
 */
export const reportFlow = (event: CallEvent | (Scene & PySpan), rule: Rule, value: Value | undefined, options: FlowOptions): boolean => {
  if (value === undefined) return false;
  const { kind, unknown, low, ...rest } = options;
  const level = flowLevel(value, kind);
  const facts: Facts = { ...rest, value, level };
  const wanted = level === 2
    ? !isLow(value) || low === true
    : level === 1 && (unknown === 'any' || (unknown === 'built' && hasFlag(value, 'built')));
  if (wanted) {
    const sure = level === 2 && !isLow(value);
    reportRule(event, rule, sure ? facts : { ...facts, confidence: options.confidence === 'low' ? 'low' : 'medium' });
    return true;
  }
  reportAudit(event, rule, facts);
  return false;
};

/** The resolved name of the called thing, '' when it has none: no table holds that. */
export const calleeOf = (event: CallEvent): string => event.name ?? '';

/** The qualified name of a value as text, '' when it has none. */
export const nameText = (value: Value | undefined): string => value?.name?.path ?? '';

/** The text of a constant, '' for anything else. */
export const textOf = (value: Value | undefined): string => stringOf(value) ?? '';

/** Name of the function an event stands in, '' at module level. */
export const functionName = (scene: Scene): string => scene.function?.name ?? '';

/** Name of the class an event stands in, '' outside. */
export const className = (scene: Scene): string => scene.class?.name ?? '';

/** The distinct last segments of qualified names: the index keys of a matcher. */
export const lastSegments = (names: Iterable<string>): readonly string[] =>
  [...new Set([...names].map((name) => name.slice(name.lastIndexOf('.') + 1)))];

/** Whether the value is the constant True, False… given as a literal or folded one. */
export const isBool = (value: Value | undefined, wanted: boolean): boolean => {
  const constant = constantOf(value);
  return constant?.kind === 'bool' ? constant.value === wanted : false;
};
