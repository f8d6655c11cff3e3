/** Calls of functions and classes whose code is known: by summary, or by walking the body with the values of the call. */
import type { PyCall } from '../../../../syntax/python.types.ts';
import type { ClassInfo, FunctionShape, TraceStep, Value } from './model.types.ts';
import type { CallParts } from './call-event.ts';
import { signatureOf, tracesWithin, worthWalking } from './call-signature.ts';
import { constructorOf } from './class-attributes.ts';
import { containerValue, derive, sequenceValue } from './containers.ts';
import { evaluate } from './expressions.ts';
import { summarise, walkFunction } from './functions.ts';
import { makeValue, SAFE, safeValue, TAINTED, UNKNOWN, unknownValue } from './make-value.ts';
import { pathOf } from './paths.ts';
import { retraced } from './retrace.ts';
import { flagBit } from './value-bits.ts';
import { BudgetSpent } from './walk.ts';
import type { Walk } from './walk.ts';
import type { FunctionState, Summary } from './walk.types.ts';

const maximumCallDepth = 4;

const maximumSignatures = 12;

/** Nested walks start only while enough of the depth limit is left for the callee. */
const maximumDepthForCalls = 140;

/** Result of calling a function whose code is known: from its summary, or by walking it with these arguments. */
export const callFunction = (walk: Walk, shape: FunctionShape, parts: CallParts, node: PyCall): Value => {
  const state = walk.functions.get(shape.info);
  if (state === undefined) return throughUnseen(parts);
  const plain = summaryOf(walk, state);
  if (plain === undefined) return throughUnseen(parts);
  const given = bindArguments(state, shape.self, parts);
  const summary = worthWalking(walk, state, plain, given, summaryOf) ? walkWith(walk, state, given, node, plain) : plain;
  if (summary.ends) walk.callEnds = true;
  walk.touched ||= summary.touched;
  markChecked(walk, state, summary, node, shape.self !== undefined);
  return resultOf(summary, plain, given, walk, state, node);
};

/** What a function does whatever it is called with; undefined where it is being walked, or that would go too deep. */
const summaryOf = (walk: Walk, state: FunctionState): Summary | undefined => {
  if (state.active || walk.depth > maximumDepthForCalls || walk.lazyDepth >= maximumCallDepth && state.summary === undefined) return undefined;
  return state.home === walk ? plainSummary(walk, state) : abroad(walk, state.home, () => plainAbroad(state));
};

const plainSummary = (walk: Walk, state: FunctionState): Summary => {
  walk.lazyDepth += 1;
  const fresh = state.summary === undefined;
  const summary = summarise(walk, state);
  // Called while the module is still being defined: names that come later were not known yet, so it is walked again.
  if (fresh && walk.frame.state === undefined) state.summary = undefined;
  walk.lazyDepth -= 1;
  return summary;
};

const plainAbroad = (state: FunctionState): Summary => {
  const fresh = state.summary === undefined;
  const summary = summarise(state.home, state);
  // As above, where modules import each other.
  if (fresh && state.home.defining) state.summary = undefined;
  return summary;
};

/** Works in another module's walk, as deep in calls as here; undefined when that module's budget is spent. */
const abroad = (walk: Walk, home: Walk, work: () => Summary): Summary | undefined => {
  const { callDepth, lazyDepth, quiet, depth } = home;
  home.callDepth = walk.callDepth;
  home.lazyDepth = walk.lazyDepth + 1;
  home.quiet = walk.quiet;
  home.depth = walk.depth;
  const place = home.place();
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    home.restore(place);
    return undefined;
  } finally {
    Object.assign(home, { callDepth, lazyDepth, quiet, depth });
  }
};

const walkWith = (walk: Walk, state: FunctionState, given: readonly (Value | undefined)[], node: PyCall, plain: Summary): Summary => {
  const signature = signatureOf(state, given);
  const known = state.calls.get(signature);
  const entry = (value: Value, at: number): TraceStep => walk.step(node.start, `passed to ${state.info.qualifiedName}() as ${state.info.params[at]?.name ?? ''}`, value.trace);
  if (known !== undefined) {
    if (known.returns.level < TAINTED) return known;
    const own = given.map((value, at) => (value === undefined || value.level < TAINTED && value.trace === undefined ? undefined : entry(value, at)));
    return { ...known, returns: retraced(walk, known.returns, { old: known.entries ?? [], own: [...own, ...tracesWithin(given)] }) };
  }
  if (state.calls.size >= maximumSignatures) return plain;
  const { home } = state;
  walk.callDepth += 1;
  const entries: (TraceStep | undefined)[] = [];
  const run = (): Summary => walkFunction(home, state, (param, at) => {
    const value = given[at] ?? param.default ?? unknownValue;
    if (value.level < TAINTED && value.trace === undefined) return value;
    return makeValue(value.level, value.flags, value.cleared, value.name, value.shape, entries[at] = entry(value, at));
  });
  const walked = home === walk ? run() : abroad(walk, home, run);
  walk.callDepth -= 1;
  const summary = walked === undefined ? plain : { ...walked, entries: [...given.map((_value, at) => entries[at]), ...tracesWithin(given)] };
  state.calls.set(signature, summary);
  return summary;
};

/** Values of the parameters in order; undefined = not given. */
const bindArguments = (state: FunctionState, self: Value | undefined, parts: CallParts): (Value | undefined)[] => {
  const positional = self === undefined ? parts.args : [self, ...parts.args];
  const { params } = state.info;
  const rest = parts.keywords.get('**');
  let next = 0;
  const given = params.map((param): Value | undefined => {
    if (param.node.kind === 'star') {
      const more = positional.slice(next);
      next = positional.length;
      return sequenceValue('tuple', more, parts.openArgs);
    }
    if (param.node.kind === 'doublestar') {
      const names = new Set(params.map((each) => each.name));
      const entries = new Map([...parts.keywords].filter(([key]) => !names.has(key) && key !== '**'));
      return containerValue([...entries.values(), ...(rest === undefined ? [] : [rest])],
        { type: 'Mapping', entries, open: parts.openKeywords });
    }
    const value = param.node.kind === 'keyword' ? parts.keywords.get(param.name) : positional[next++] ?? parts.keywords.get(param.name);
    return value ?? rest ?? (parts.openArgs || parts.openKeywords ? unknownValue : undefined);
  });
  return given;
};

/** `check(x)` that returns only when x is fine clears x in the caller. */
const markChecked = (walk: Walk, state: FunctionState, summary: Summary, node: PyCall, bound: boolean): void => {
  if (summary.checked.every((bits) => bits === 0)) return;
  let next = bound ? 1 : 0;
  for (const argument of node.args) {
    const at = argument.kind === 'positional' ? next++ : argument.kind === 'keyword'
      ? state.info.params.findIndex((param) => param.name === argument.name) : -1;
    const bits = at < 0 ? 0 : summary.checked[at] ?? 0;
    const path = bits === 0 ? undefined : pathOf(argument.value);
    if (path === undefined) continue;
    const value = walk.quietly(() => evaluate(walk, argument.value));
    if (value.level === SAFE || (bits & ~value.cleared) === 0) continue;
    const clear = makeValue(value.level, value.flags, value.cleared | bits, value.name, value.shape, value.trace);
    if (path.path === path.root) walk.bind(path.root, clear);
    else walk.bindPath(path.path, path.root, clear);
  }
};

const resultOf = (summary: Summary, plain: Summary, given: readonly (Value | undefined)[], walk: Walk, state: FunctionState,
  node: PyCall): Value => {
  const { returns } = summary;
  // What depends on parameters alone is safe when they are.
  if (summary === plain && returns.level === UNKNOWN && (returns.flags & flagBit.param) !== 0
    && given.every((value) => value === undefined || value.level === SAFE || value.shape?.type === 'Instance')) {
    return makeValue(SAFE, returns.flags & ~flagBit.param, 0, returns.name, undefined, undefined);
  }
  if (returns.level < TAINTED) return returns;
  return makeValue(returns.level, returns.flags, returns.cleared, returns.name, returns.shape,
    walk.step(node.start, `returned by ${state.info.qualifiedName}()`, returns.trace));
};

/** A call whose body is not looked at: what went in may come out, but no longer surely. */
const throughUnseen = (parts: CallParts): Value => {
  const all = containerValue([...parts.args, ...parts.keywords.values()], undefined);
  return all.level < TAINTED ? unknownValue : makeValue(UNKNOWN, all.flags | flagBit.derived, 0, undefined, undefined, all.trace);
};

/** An instance of a class of this module. */
export const instantiate = (walk: Walk, info: ClassInfo, parts: CallParts, node: PyCall): Value => {
  const state = walk.classes.get(info);
  if (state === undefined) return unknownValue;
  if (info.bases.some((base) => base.startsWith('enum.'))) return safeValue;
  const init = constructorOf(walk, info);
  if (init !== undefined) {
    callFunction(walk, { type: 'Function', info: init.info, self: state.instance }, parts, node);
    if ((init.owner?.initial.size ?? 0) === 0 || parts.openArgs || parts.openKeywords) return state.instance;
    const { instance } = state;
    return makeValue(instance.level, instance.flags, 0, instance.name, { type: 'Instance', info, given: bindArguments(init, instance, parts) }, undefined);
  }
  const all = containerValue([...parts.args, ...parts.keywords.values()], undefined);
  return all.level < TAINTED ? state.instance
    : makeValue(all.level, derive(all).flags, all.cleared, state.instance.name, state.instance.shape, all.trace);
};
