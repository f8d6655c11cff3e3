/** `def` and `class`: what they bind, and what is kept of them for later. */
import type { PyClassDef, PyExpr, PyFunctionDef } from '../../../../syntax/python.types.ts';
import type { ClassInfo, DecoratorInfo, FunctionInfo, ParamInfo, Value } from './model.types.ts';
import { importedBase } from './class-attributes.ts';
import { functionEvent } from './events.ts';
import { evaluate } from './expressions.ts';
import { makeValue, SAFE, safeValue, UNKNOWN } from './make-value.ts';
import { namedValue } from './members.ts';
import { nodeOf } from './names.ts';
import type { NameNode } from './names.ts';
import { annotationName, routeOf } from './routes.ts';
import { Scope } from './scope.ts';
import { walkBlock } from './statements.ts';
import type { Walk } from './walk.ts';
import type { ClassState, FunctionState } from './walk.types.ts';

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
    qualifiedName: owner === undefined && parent === undefined ? node.name : `${owner?.info.name ?? parent?.qualifiedName ?? ''}.${node.name}`,
    node, params, decorators, class: owner?.info, parent,
    route: routeOf(walk, node, decorators, owner),
  };
  const state: FunctionState = {
    info, home: walk, scope: walk.scope, owner, kind: kindOf(decorators), summary: undefined, calls: new Map(), active: false, answers: undefined,
    value: makeValue(SAFE, 0, 0, undefined, { type: 'Function', info, self: undefined }, undefined),
  };
  walk.functions.set(info, state);
  if (walk.callDepth === 0) walk.queue.set(node, state);
  if (owner !== undefined) owner.methods.set(node.name, state);
  // A decorator of a library that makes something else of the function hides it.
  walk.bind(node.name, ownValue(walk, node) ?? state.value);
  if (walk.quiet === 0) functionEvent(walk, node, info);
};

/** What the user's settings say of a function of the module: they know better than its body. */
const ownValue = (walk: Walk, node: PyFunctionDef): Value | undefined => {
  const own = walk.scope === walk.moduleScope ? walk.names.own.definedIn(walk.info.path, node.name) : undefined;
  const name = own === undefined ? undefined : walk.names.resolve(own.replace(/(?:\(\)|\[\])+$/, ''));
  return name === undefined ? undefined : namedValue(walk, name, safeValue, node.start);
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
    info, bases, attributes: new Map(), methods: new Map(), initial: new Map(), initialParams: undefined, rewritten: new Set(),
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
  const first = methods.filter(([each]) => each.name === '__init__');
  for (const [each, method] of [...first, ...methods]) if (!waiting.has(each)) waiting.set(each, method);
  walk.queue = waiting;
  walk.bind(node.name, state.value);
  if (walk.quiet === 0 && walk.callDepth === 0) walk.definedClasses.push({ node, state, frame: walk.frame, statement: walk.statement });
};
