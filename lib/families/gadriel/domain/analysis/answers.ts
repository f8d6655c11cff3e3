/** Checks made by a function of the same repository that answers with a truth: `if not is_safe(x): return`. */
import type { PyCall, PyExpr } from '../../../../syntax/python.types.ts';
import type { FunctionShape } from './model.types.ts';
import { walkFunction } from './functions.ts';
import { applyChecks, checksOf } from './guards.ts';
import { makeValue, SAFE, TAINTED } from './make-value.ts';
import { flagBit, kindBits } from './value-bits.ts';
import { constantOf, truthOf } from './values.ts';
import { BudgetSpent } from './walk.ts';
import type { Walk } from './walk.ts';
import type { Answers, FunctionState } from './walk.types.ts';

const maximumCallDepth = 4;

/** An argument of a checking call, with the kinds it is clear for. */
export type Answered = { readonly node: PyExpr; readonly bits: number };

/** What is known of the arguments of a call of a function whose body is known, when its result is true or false. */
export const answeredBy = (walk: Walk, shape: FunctionShape, node: PyCall, truth: boolean): readonly Answered[] => {
  const state = walk.functions.get(shape.info);
  const answers = state === undefined ? undefined : answersOf(walk, state);
  const bits = truth ? answers?.whenTrue : answers?.whenFalse;
  if (bits === undefined) return [];
  const params = shape.info.params;
  let next = shape.self === undefined ? 0 : 1;
  return node.args.flatMap((argument) => {
    const at = argument.kind === 'positional' ? next++ : argument.kind === 'keyword' ? params.findIndex((param) => param.name === argument.name) : -1;
    const clear = bits[at] ?? 0;
    return clear === 0 ? [] : [{ node: argument.value, bits: clear }];
  });
};

/** Walks the body once with parameters that an attacker chose, without events, and notes what each truth says of them. */
const answersOf = (walk: Walk, state: FunctionState): Answers | undefined => {
  if (state.answers !== undefined || state.active || walk.callDepth >= maximumCallDepth) return state.answers;
  const { home } = state;
  const { callDepth, quiet, depth, touched } = home;
  const place = home.place();
  const answers: Answers = { whenTrue: undefined, whenFalse: undefined };
  home.callDepth = walk.callDepth + 1;
  home.quiet = quiet + 1;
  home.depth = walk.depth;
  home.answers = answers;
  try {
    walkFunction(home, state, (param, at) => (at === 0 && state.owner !== undefined && state.kind === 'plain' ? state.owner.instance
      : makeValue(TAINTED, flagBit.param, 0, undefined, undefined, home.step(param.node.start, param.name, undefined))));
  } catch (error) {
    if (!(error instanceof BudgetSpent) || home === walk) throw error;
    home.restore(place);
    state.active = false;
  }
  Object.assign(home, { callDepth, quiet, depth, touched });
  state.answers = answers;
  return answers;
};

/** At a way out of a function that is walked for its answers: what its being true, or false, says of the parameters. */
export const noteAnswer = (walk: Walk, node: PyExpr | undefined): void => {
  const { answers } = walk.frame;
  if (answers === undefined) return;
  const value = node === undefined ? undefined : walk.quietly(() => walk.evaluate(walk, node));
  const known = node === undefined ? false : constantOf(value) === undefined ? undefined : truthOf(value);
  for (const truth of [true, false]) {
    if (known === !truth) continue;
    const mark = walk.branches.enter();
    if (node !== undefined && known === undefined) applyChecks(walk, checksOf(walk, node, truth));
    const now = paramBits(walk);
    walk.branches.leave(mark);
    const before = truth ? answers.whenTrue : answers.whenFalse;
    const all = before === undefined ? now : before.map((bits, at) => bits & (now[at] ?? 0));
    if (truth) answers.whenTrue = all;
    else answers.whenFalse = all;
  }
};

/** Kinds that each parameter has been cleared for; none where it was assigned anew. */
const paramBits = (walk: Walk): readonly number[] => {
  const { frame } = walk;
  return (frame.state?.info.params ?? []).map((param, at) => {
    const value = frame.scope.vars.get(param.name);
    const before = frame.given[at];
    return value === undefined || before === undefined || value.level === SAFE || value.trace !== before.trace ? 0 : value.cleared & kindBits;
  });
};
