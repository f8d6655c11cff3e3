/** Walking the body of a function, and what is known of it afterwards. */
import type { ParamInfo, Value } from './model.types.ts';
import { noteAnswer } from './answers.ts';
import { joinBoth } from './join.ts';
import { makeValue, SAFE, unknownValue } from './make-value.ts';
import { parameterValue } from './routes.ts';
import { Scope } from './scope.ts';
import { kindBits } from './value-bits.ts';
import { walkBlock } from './statements.ts';
import type { Walk } from './walk.ts';
import type { FunctionState, Summary } from './walk.types.ts';

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

export const walkFunction = (walk: Walk, state: FunctionState, valueOf: (param: ParamInfo, at: number) => Value): Summary => {
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
  if (!walk.ended) {
    noteExit(walk);
    noteAnswer(walk, undefined);
  }
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
    const same = value !== undefined && before !== undefined && value.level === before.level && value.name === before.name
      && value.trace === before.trace && value.flags === before.flags;
    return same && value.level !== SAFE ? value.cleared & ~before.cleared & kindBits : 0;
  });
  frame.checked = frame.checked === undefined ? checked : frame.checked.map((bits, at) => bits & (checked[at] ?? 0));
};

/** Joins a returned value into the function being walked. */
export const noteReturn = (walk: Walk, value: Value): void => {
  const { frame } = walk;
  frame.returns = frame.returns === undefined ? value : joinBoth(frame.returns, value);
  noteExit(walk);
};
