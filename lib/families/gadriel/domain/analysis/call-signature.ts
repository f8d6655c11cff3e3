/** What of a call's values makes its callee worth walking again, and how such calls are told apart. */
import type { ClassInfo, FunctionInfo, TraceStep, Value } from './model.types.ts';
import { isClassState } from './class-attributes.ts';
import { SAFE, TAINTED, UNKNOWN } from './make-value.ts';
import { nodeOf } from './names.ts';
import { flagBit } from './value-bits.ts';
import type { Walk } from './walk.ts';
import type { ClassState, FunctionState, Summary } from './walk.types.ts';

const maximumCallDepth = 4;

const maximumNesting = 3;

/** Kinds of value that are worth walking a callee again for. */
const carried = flagBit.network | flagBit.archive | flagBit.llm | flagBit.upload;

type SummaryOf = (walk: Walk, state: FunctionState) => Summary | undefined;

/** Whether the callee does something else with these values than with unknown ones. */
export const worthWalking = (walk: Walk, state: FunctionState, plain: Summary, given: readonly (Value | undefined)[], summaryOf: SummaryOf): boolean => {
  if (walk.quiet > 0 || walk.callDepth >= maximumCallDepth) return false;
  const override = overridden(walk, state, given[0], summaryOf);
  if (override === 'sink') return true;
  // An object that was made with harmless things is not what the worst of its class is.
  if (plain.returns.level === TAINTED && given[0]?.shape?.type === 'Instance' && given[0].shape.given !== undefined) return true;
  // What an object or function that is passed does, nobody has seen yet.
  const isOpen = given.some((value, at) => value !== undefined && brings(value, at > 0 || state.owner === undefined));
  if (!isOpen && !plain.touched && plain.returns.level === SAFE) return false;
  return override === 'source' || given.some((value, at) => value !== undefined && (carries(value) || at > 0 && isRequest(value)
    || plain.touched && value.level === UNKNOWN && (value.flags & flagBit.built) !== 0));
};

/** Whether something that a stranger chose is in the value, in what an object was made with, or among the members of a request. */
export const carries = (value: Value, depth = 0): boolean => {
  if (value.level === TAINTED || (value.flags & carried) !== 0) return true;
  const shape = value.shape;
  if (shape === undefined) return isRequest(value);
  return shape.type === 'Instance' && depth < maximumNesting && shape.given?.some((each) => each !== undefined && carries(each, depth + 1)) === true;
};

/** Whether the callee can call code through the value that walking it with unknown values has not seen. */
const brings = (value: Value, isArgument: boolean): boolean => {
  const shape = value.shape;
  if (shape?.type === 'Function') return isArgument;
  return shape?.type === 'Instance' && (isArgument || shape.given?.some((each, at) => at > 0 && each !== undefined && brings(each, true)) === true);
};

const isRequest = (value: Value): boolean => nodeOf(value.name)?.holdsRequest === true;

/** Tells apart calls that may come out differently: equal texts = the same summary serves. */
export const signatureOf = (state: FunctionState, given: readonly (Value | undefined)[]): string => {
  const letters = given.map((value, at) => letterOf(value, 0, at > 0 || state.owner === undefined));
  const shape = given[0]?.shape;
  if (shape?.type === 'Instance' && state.owner !== undefined && shape.info !== state.owner.info) letters.push(`as ${numberOf(shape.info)}`);
  return letters.join(' ');
};

const letterOf = (value: Value | undefined, depth = 0, isArgument = false): string => {
  if (value === undefined) return '-';
  const shape = value.shape;
  if (shape?.type === 'Function') return `f${numberOf(shape.info)}`;
  const kind = isArgument && shape?.type === 'Instance' ? `@${numberOf(shape.info)}` : '';
  const request = isRequest(value) ? `:${value.name?.path ?? ''}` : '';
  if (shape?.type === 'Instance' && shape.given !== undefined && depth < maximumNesting) {
    return `${value.level}.${value.flags}.${value.cleared}${request}@${numberOf(shape.info)}(${shape.given.map((each) => letterOf(each, depth + 1, true)).join(' ')})`;
  }
  if (value.level > SAFE) return `${value.level}.${value.flags}.${value.cleared}${request}${kind}`;
  return shape?.type === 'Constant' && (shape.kind === 'bool' || shape.kind === 'none' || shape.kind === 'int') ? String(shape.value) : `s${request}${kind}`;
};

const numbers = new WeakMap<ClassInfo | FunctionInfo, number>();
let count = 0;

const numberOf = (info: ClassInfo | FunctionInfo): number => {
  const number = numbers.get(info) ?? (count += 1);
  numbers.set(info, number);
  return number;
};

/** Traces of what objects were made with, in an order that equal signatures share. */
export const tracesWithin = (given: readonly (Value | undefined)[], depth = 0): readonly (TraceStep | undefined)[] =>
  given.flatMap((value) => (value?.shape?.type !== 'Instance' || value.shape.given === undefined || depth >= maximumNesting ? []
    : [...value.shape.given.map((each) => each?.trace), ...tracesWithin(value.shape.given, depth + 1)]));

/**
 * Whether a method meets, through an instance of a class that inherits it, other members than it meets in its own class:
 * one that gives what a stranger chose, or one that does something itself.
 */
const overridden = (walk: Walk, state: FunctionState, self: Value | undefined, summaryOf: SummaryOf): 'source' | 'sink' | undefined => {
  const shape = self?.shape;
  if (state.owner === undefined || shape?.type !== 'Instance' || shape.info === state.owner.info || state.kind === 'static') return undefined;
  const used = membersUsed(state);
  let result: 'source' | undefined;
  for (const below of classesBelow(walk, shape.info, state.owner)) {
    for (const name of used) {
      const method = below.methods.get(name);
      const summary = method === undefined ? undefined : summaryOf(walk, method);
      if (summary?.touched === true) return 'sink';
      const value = method === undefined ? below.attributes.get(name) : summary?.returns;
      if (value !== undefined && carries(value)) result = 'source';
    }
  }
  return result;
};

/** The class and its bases as far as the class that defines the method. */
const classesBelow = (walk: Walk, info: ClassInfo, owner: ClassState): readonly ClassState[] => {
  const first = walk.classes.get(info);
  const found: ClassState[] = first === undefined ? [] : [first];
  for (let at = 0; at < found.length && found.length < 16; at += 1) {
    for (const base of found[at]?.bases ?? []) if (isClassState(base) && base !== owner && !found.includes(base)) found.push(base);
  }
  return found;
};

const usedMembers = new WeakMap<FunctionInfo, ReadonlySet<string>>();

/** Names that the method's text takes of its first parameter. */
const membersUsed = (state: FunctionState): ReadonlySet<string> => {
  const known = usedMembers.get(state.info);
  if (known !== undefined) return known;
  const { node, params } = state.info;
  const self = `${params[0]?.name ?? ''}.`;
  const names = new Set<string>();
  const text = state.home.info.module.text;
  for (let at = text.indexOf(self, node.start); at >= 0 && at < node.end; at = text.indexOf(self, at + self.length)) {
    const from = at + self.length;
    const name = /^\w+/.exec(text.slice(from, from + 64))?.[0];
    if (name !== undefined) names.add(name);
  }
  usedMembers.set(state.info, names);
  return names;
};
