/** Lambdas as functions whose body is one `return`. */
import type { PyLambda } from '../../../../syntax/python.types.ts';
import type { FunctionInfo, Value } from './model.types.ts';
import { makeValue, SAFE } from './make-value.ts';
import type { Walk } from './walk.ts';

/** The name that a lambda goes by. */
export const lambdaName = '<lambda>';

/** The value of a lambda: calls of it are walked. Its scope is where it stands. */
export const lambdaValue = (walk: Walk, node: PyLambda, defaults: readonly (Value | undefined)[]): Value => {
  const { start, end, body } = node;
  const info: FunctionInfo = {
    name: lambdaName, qualifiedName: lambdaName, decorators: [], class: undefined, parent: walk.frame.state?.info, route: undefined,
    node: { type: 'FunctionDef', name: lambdaName, params: node.params, decorators: [], async: false, start, end,
      body: [{ type: 'Return', value: body, start: body.start, end: body.end }] },
    params: node.params.map((param, at) => ({ node: param, name: param.name, annotation: undefined, default: defaults[at] })),
  };
  const value = makeValue(SAFE, 0, 0, undefined, { type: 'Function', info, self: undefined }, undefined);
  walk.functions.set(info, { info, home: walk, scope: walk.scope, owner: undefined, kind: 'plain', summary: undefined, calls: new Map(),
    active: false, answers: undefined, value });
  return value;
};
