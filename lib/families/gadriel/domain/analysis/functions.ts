/** Functions and classes of the analysed module: definition, walking a body, summaries at calls. */
import type { PyCall, PyClassDef, PyExpr, PyFunctionDef } from '../../../../syntax/python.types.ts';
import type { ClassInfo, DecoratorInfo, FunctionInfo, FunctionShape, ParamInfo, Value } from './model.types.ts';
import { importedBase } from './class-attributes.ts';
import { functionEvent } from './events.ts';
import type { CallParts } from './events.ts';
import { containerValue, derive, evaluate, sequenceValue } from './expressions.ts';
import { joinBoth } from './join.ts';
import type { NameNode } from './names.ts';
import { annotationName, parameterValue, routeOf } from './routes.ts';
import { Scope } from './scope.ts';
import { walkBlock } from './statements.ts';
import { flagBit, makeValue, SAFE, safeValue, TAINTED, UNKNOWN, unknownValue } from './values.ts';
import { BudgetSpent, nodeOf, pathOf } from './walk.ts';
import type { ClassState, FunctionState, Summary, Walk } from './walk.ts';

const maximumCallDepth = 4;
const maximumSignatures = 12;
/** Nested walks start only while enough of the depth limit is left for the callee. */
const maximumDepthForCalls = 140;

/** Evaluates decorators and defaults of a `def`, tells matchers, binds its name, and notes it for a walk of its own. */
export const defineFunction = (walk: Walk, node: PyFunctionDef): void => {
  const decorators = node.decorators.map((decorator) => decoratorInfo(walk, decorator));
  const owner = walk.scope.kind === 'class' ? walk.class : undefined;
  const params: ParamInfo[] = node.params.map((param) => ({
    node: param, name: param.name,
    annotation: annotationName(walk, param.annotation),
    default: param.default === undefined ? undefined : evaluate(walk, param.default),
  }));
  const parent = walk.frame.state?.info;
  const info: FunctionInfo = {
    name: node.name,
    qualifiedName: owner !== undefined ? `${owner.info.name}.${node.name}` : parent !== undefined ? `${parent.qualifiedName}.${node.name}` : node.name,
    node, params, decorators, class: owner?.info, parent,
    route: routeOf(walk, node, decorators, owner),
  };
  const state: FunctionState = {
    info, home: walk, scope: walk.scope, owner, kind: kindOf(decorators), summary: undefined, calls: new Map(), active: false,
    value: makeValue(SAFE, 0, 0, undefined, { type: 'Function', info, self: undefined }, undefined),
  };
  walk.functions.set(info, state);
  if (walk.callDepth === 0) walk.queue.set(node, state);
  if (owner !== undefined) owner.methods.set(node.name, state);
  // A decorator of a library that makes something else of the function hides it.
  walk.bind(node.name, state.value);
  if (walk.quiet === 0) functionEvent(walk, node, info);
};

const kindOf = (decorators: readonly DecoratorInfo[]): FunctionState['kind'] => {
  for (const { last } of decorators) {
    if (last === 'staticmethod') return 'static';
    if (last === 'classmethod') return 'class';
    if (last === 'property' || last === 'cached_property') return 'property';
  }
  return 'plain';
};

const decoratorInfo = (walk: Walk, node: PyExpr): DecoratorInfo => {
  const call = node.type === 'Call' ? node : undefined;
  const func = call === undefined ? node : call.func;
  evaluate(walk, node);
  const last = func.type === 'Attribute' ? func.attr : func.type === 'Name' ? func.id : '';
  return walk.quietly(() => {
    const name = evaluate(walk, func).name?.path;
    const args: Value[] = [];
    const keywords = new Map<string, Value>();
    for (const argument of call?.args ?? []) {
      const value = evaluate(walk, argument.value);
      if (argument.kind === 'keyword') keywords.set(argument.name, value);
      else if (argument.kind === 'positional') args.push(value);
    }
    return { start: node.start, end: node.end, name, last, args, keywords };
  });
};

/** Walks a class body; methods are noted, `__init__` first, and walked later. */
export const defineClass = (walk: Walk, node: PyClassDef): void => {
  const decorators = node.decorators.map((decorator) => decoratorInfo(walk, decorator));
  const bases: (ClassState | NameNode)[] = [];
  const baseNames: string[] = [];
  for (const base of node.bases) {
    const value = evaluate(walk, base.value);
    if (base.kind === 'keyword') continue;
    const local = value.shape?.type === 'Class' ? walk.classes.get(value.shape.info) : undefined;
    const name = nodeOf(value.name);
    if (local !== undefined) {
      bases.push(local);
      baseNames.push(`.${local.info.name}`, ...local.info.bases);
    } else if (name !== undefined) {
      bases.push(name);
      baseNames.push(name.path);
    }
  }
  const info: ClassInfo = { name: node.name, node, bases: baseNames.slice(0, 32), decorators, parent: walk.frame.state?.info };
  const imported = importedBase({ bases });
  const type = imported === undefined ? undefined : walk.names.result(imported);
  const state: ClassState = {
    info, bases, attributes: new Map(), methods: new Map(),
    value: makeValue(SAFE, 0, 0, imported, { type: 'Class', info }, undefined),
    instance: makeValue(UNKNOWN, 0, 0, type, { type: 'Instance', info }, undefined),
  };
  walk.classes.set(info, state);
  const { scope, class: outer } = walk;
  const waiting = walk.queue;
  walk.queue = new Map();
  walk.scope = new Scope(scope, 'class');
  walk.class = state;
  walkBlock(walk, node.body);
  for (const [name, value] of walk.scope.vars) if (value.shape?.type !== 'Function') state.attributes.set(name, value);
  walk.scope = scope;
  walk.class = outer;
  const methods = [...walk.queue];
  for (const [each, method] of [...methods.filter(([each]) => each.name === '__init__'), ...methods]) if (!waiting.has(each)) waiting.set(each, method);
  walk.queue = waiting;
  walk.bind(node.name, state.value);
  if (walk.quiet === 0 && walk.callDepth === 0) walk.definedClasses.push({ node, state, frame: walk.frame, statement: walk.statement });
};

/** Walks a function with unknown parameters, once. */
export const summarise = (walk: Walk, state: FunctionState): Summary => {
  if (state.summary !== undefined) return state.summary;
  const { info } = state;
  const first = info.params[0];
  const self = state.owner === undefined || state.kind === 'static' || first === undefined ? undefined
    : state.kind === 'class' || info.name === '__new__' ? state.owner.value : state.owner.instance;
  const outer = walk.callDepth;
  walk.callDepth = 0;
  const summary = walkFunction(walk, state, (param, at) => (at === 0 && self !== undefined ? self : parameterValue(walk, info, param, at)));
  walk.callDepth = outer;
  state.summary = summary;
  return summary;
};

const walkFunction = (walk: Walk, state: FunctionState, valueOf: (param: ParamInfo, at: number) => Value): Summary => {
  const outer = walk.place();
  const { params, node } = state.info;
  const scope = new Scope(state.scope, 'function');
  const mark = walk.branches.length;
  state.active = true;
  walk.touched = false;
  walk.enterFunction(state, scope);
  params.forEach((param, at) => {
    const value = valueOf(param, at);
    scope.vars.set(param.name, value);
    walk.frame.given.push(value);
  });
  walkBlock(walk, node.body);
  if (!walk.ended) noteExit(walk);
  const { frame, touched } = walk;
  state.active = false;
  walk.branches.forget(mark);
  walk.restore(outer);
  walk.touched = outer.touched || touched;
  return {
    returns: frame.returns ?? (frame.returned ? noneReturned : unknownValue),
    ends: !frame.returned && frame.returns === undefined,
    checked: frame.checked ?? [],
    touched,
  };
};

const noneReturned: Value = makeValue(SAFE, 0, 0, undefined, { type: 'Constant', kind: 'none', value: null, start: 0, end: 0 }, undefined);

const noChecks: readonly number[] = [];

/** At a way out of a function: which parameters were checked for what on it. */
export const noteExit = (walk: Walk): void => {
  const { frame } = walk;
  frame.returned = true;
  const params = frame.state?.info.params;
  if (params === undefined) return;
  if (!frame.refined) {
    frame.checked = noChecks;
    return;
  }
  const checked = params.map((param, at) => {
    const value = frame.scope.vars.get(param.name);
    const before = frame.given[at];
    // A parameter that was assigned anew says nothing of what the caller passed.
    const same = value !== undefined && before !== undefined && value.level === before.level && value.name === before.name && value.trace === before.trace && value.flags === before.flags;
    return same && value.level !== SAFE ? value.cleared & ~before.cleared & 0xff : 0;
  });
  frame.checked = frame.checked === undefined ? checked : frame.checked.map((bits, at) => bits & (checked[at] ?? 0));
};

/** Kinds of value that are worth walking a callee again for. */
const carried = flagBit.network | flagBit.archive | flagBit.llm | flagBit.upload;

/** Result of calling a function whose code is known: from its summary, or by walking it with these arguments. */
export const callFunction = (walk: Walk, shape: FunctionShape, parts: CallParts, node: PyCall): Value => {
  const state = walk.functions.get(shape.info);
  if (state === undefined || state.active || walk.depth > maximumDepthForCalls || walk.lazyDepth >= maximumCallDepth && state.summary === undefined) return throughUnseen(parts);
  const plain = state.home === walk ? plainSummary(walk, state) : abroad(walk, state.home, () => summarise(state.home, state));
  if (plain === undefined) return throughUnseen(parts);
  const given = bindArguments(state, shape.self, parts);
  if (plain.ends) walk.callEnds = true;
  const summary = worthWalking(walk, plain, given) ? walkWith(walk, state, given, node, plain) : plain;
  walk.touched ||= summary.touched;
  markChecked(walk, state, summary, node, shape.self !== undefined);
  return resultOf(summary, plain, given, walk, state, node);
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

const worthWalking = (walk: Walk, plain: Summary, given: readonly (Value | undefined)[]): boolean => {
  if (walk.quiet > 0 || walk.callDepth >= maximumCallDepth) return false;
  if (!plain.touched && plain.returns.level === SAFE) return false;
  return given.some((value) => value !== undefined && (value.level === TAINTED || (value.flags & carried) !== 0
    || plain.touched && value.level === UNKNOWN && (value.flags & flagBit.built) !== 0));
};

const walkWith = (walk: Walk, state: FunctionState, given: readonly (Value | undefined)[], node: PyCall, plain: Summary): Summary => {
  const signature = given.map(letterOf).join(' ');
  const known = state.calls.get(signature);
  if (known !== undefined) return known;
  if (state.calls.size >= maximumSignatures) return plain;
  const { home } = state;
  walk.callDepth += 1;
  const run = (): Summary => walkFunction(home, state, (param, at) => {
    const value = given[at] ?? param.default ?? unknownValue;
    return value.level < TAINTED && value.trace === undefined ? value
      : makeValue(value.level, value.flags, value.cleared, value.name, value.shape, walk.step(node.start, `passed to ${state.info.qualifiedName}() as ${param.name}`, value.trace));
  });
  const summary = home === walk ? run() : abroad(walk, home, run) ?? plain;
  walk.callDepth -= 1;
  state.calls.set(signature, summary);
  return summary;
};

const letterOf = (value: Value | undefined): string => {
  if (value === undefined) return '-';
  if (value.level > SAFE) return `${value.level}.${value.flags}.${value.cleared}`;
  const shape = value.shape;
  return shape?.type === 'Constant' && (shape.kind === 'bool' || shape.kind === 'none' || shape.kind === 'int') ? String(shape.value) : 's';
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
      return containerValue([...entries.values(), ...(rest === undefined ? [] : [rest])], { type: 'Mapping', entries, open: parts.openKeywords });
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
    const at = argument.kind === 'positional' ? next++ : argument.kind === 'keyword' ? state.info.params.findIndex((param) => param.name === argument.name) : -1;
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

const resultOf = (summary: Summary, plain: Summary, given: readonly (Value | undefined)[], walk: Walk, state: FunctionState, node: PyCall): Value => {
  const { returns } = summary;
  // What depends on parameters alone is safe when they are.
  if (summary === plain && returns.level === UNKNOWN && (returns.flags & flagBit.param) !== 0
    && given.every((value) => value === undefined || value.level === SAFE || value.shape?.type === 'Instance')) {
    return makeValue(SAFE, returns.flags & ~flagBit.param, 0, returns.name, undefined, undefined);
  }
  if (returns.level < TAINTED) return returns;
  return makeValue(returns.level, returns.flags, returns.cleared, returns.name, returns.shape, walk.step(node.start, `returned by ${state.info.qualifiedName}()`, returns.trace));
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
  const init = state.methods.get('__init__');
  if (init?.value.shape?.type === 'Function') {
    callFunction(walk, { type: 'Function', info: init.info, self: state.instance }, parts, node);
    return state.instance;
  }
  const all = containerValue([...parts.args, ...parts.keywords.values()], undefined);
  return all.level < TAINTED ? state.instance : makeValue(all.level, derive(all).flags, all.cleared, state.instance.name, state.instance.shape, all.trace);
};

/** Joins a returned value into the function being walked. */
export const noteReturn = (walk: Walk, value: Value): void => {
  const { frame } = walk;
  frame.returns = frame.returns === undefined ? value : joinBoth(frame.returns, value);
  noteExit(walk);
};
