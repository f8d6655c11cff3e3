/** Deciding by profile whether a sink is reported, and saying so. */
import type { PySpan } from '../../../../syntax/python.types.ts';
import type { CallEvent, ClearKind, Confidence, Level, Scene, Severity, Value } from '../analysis/model.types.ts';
import { dynamicParts, hasFlag, levelFor } from '../analysis/values.ts';
import { sinkName } from './event-names.ts';
import type { Rule } from './rule.types.ts';

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
  if (hasFlag(value, 'file')) return 'The content of a file';
  return hasFlag(value, 'built') ? 'Text built from a value that is not constant' : 'A value that is not constant';
};

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
  const message = rule.message.replace('{what}', whatIs(value, level)).replace('{sink}', () => sink);
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
