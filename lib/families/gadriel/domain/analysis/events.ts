/** Events of assignments, returns, definitions and comparisons; made only when some matcher waits for them. */
import type { PyClassDef, PyCompare, PyExpr, PyFunctionDef, PyReturn, PySpan } from '../../../../syntax/python.types.ts';
import type { AssignEvent, ClassEvent, ClassInfo, CompareEvent, FunctionEvent, FunctionInfo, ReturnEvent, RouteInfo,
  Value } from './model.types.ts';
import { withMore } from './call-event.ts';
import { classAttribute } from './class-attributes.ts';
import { pathOf } from './paths.ts';
import { deliver, SceneAt } from './scene.ts';
import type { AssignSource } from './targets.ts';
import type { Walk } from './walk.ts';

class AssignAt extends SceneAt implements AssignEvent {
  readonly kind = 'assign';
  readonly form: AssignEvent['form'];
  readonly last: string;
  readonly owner: Value | undefined;
  readonly key: Value | undefined;
  readonly value: Value;
  readonly valueNode: PyExpr;
  readonly targetNode: PyExpr;
  readonly level: AssignEvent['level'];
  readonly operator: string | undefined;

  constructor(walk: Walk, target: PyExpr, form: AssignEvent['form'], last: string, owner: Value | undefined, key: Value | undefined,
    value: Value, source: AssignSource) {
    super(walk, target);
    this.form = form;
    this.last = last;
    this.owner = owner;
    this.key = key;
    this.value = value;
    this.valueNode = source.node;
    this.targetNode = target;
    this.operator = source.operator;
    this.level = walk.scope.kind === 'class' ? 'class' : walk.scope.kind === 'module' ? 'module' : 'function';
  }

  get target(): string {
    return dotted(this.targetNode);
  }
}

/** `app.config.DEBUG` for `app.config['DEBUG']`; '' when it is no chain of names. */
const dotted = (node: PyExpr): string => {
  const path = pathOf(node)?.path ?? '';
  return path.replaceAll('[', '.').replaceAll(']', '');
};

/** Tells matchers of an assignment. */
export const assignEvent = (
  walk: Walk, target: PyExpr, form: AssignEvent['form'], last: string, owner: Value | undefined, key: Value | undefined, value: Value,
    source: AssignSource,
): void => {
  if (walk.quiet > 0) return;
  let matchers = walk.index.assigns.get(last);
  if ((value.flags & walk.index.assignFlags) !== 0) matchers = withMore(matchers,
    walk.index.byFlag.filter(([bits]) => (value.flags & bits) !== 0).map(([, matcher]) => matcher));
  if (matchers === undefined && walk.index.everyAssign.length === 0) return;
  const event = new AssignAt(walk, target, form, last, owner, key, value, source);
  deliver(walk, matchers, (matcher) => matcher.onAssign?.(event));
  deliver(walk, walk.index.everyAssign, (matcher) => matcher.onAssign?.(event));
};

class ReturnAt extends SceneAt implements ReturnEvent {
  readonly kind = 'return';
  readonly value: Value;
  readonly node: PyExpr;
  readonly route: RouteInfo | undefined;

  constructor(walk: Walk, span: PyReturn, node: PyExpr, value: Value) {
    super(walk, span);
    this.value = value;
    this.node = node;
    this.route = walk.frame.state?.info.route;
  }
}

/** Tells matchers of a `return` with a value. */
export const returnEvent = (walk: Walk, statement: PyReturn, node: PyExpr, value: Value): void => {
  if (walk.index.returns.length === 0) return;
  const event = new ReturnAt(walk, statement, node, value);
  deliver(walk, walk.index.returns, (matcher) => matcher.onReturn?.(event));
};

class FunctionAt extends SceneAt implements FunctionEvent {
  readonly kind = 'function';
  readonly info: FunctionInfo;

  constructor(walk: Walk, node: PyFunctionDef, info: FunctionInfo) {
    super(walk, node);
    this.info = info;
  }
}

/** Tells matchers of a function's definition. */
export const functionEvent = (walk: Walk, node: PyFunctionDef, info: FunctionInfo): void => {
  if (walk.index.functions.length === 0) return;
  const event = new FunctionAt(walk, node, info);
  deliver(walk, walk.index.functions, (matcher) => matcher.onFunction?.(event));
};

class ClassAt extends SceneAt implements ClassEvent {
  readonly kind = 'class';
  readonly info: ClassInfo;

  constructor(walk: Walk, node: PyClassDef, info: ClassInfo) {
    super(walk, node);
    this.info = info;
  }

  attribute(name: string): Value | undefined {
    return classAttribute(this.walk, this.info, name, undefined);
  }
}

/** Tells matchers of a class, after its body. */
export const classEvent = (walk: Walk, node: PyClassDef, info: ClassInfo): void => {
  if (walk.index.classes.length === 0) return;
  const event = new ClassAt(walk, node, info);
  deliver(walk, walk.index.classes, (matcher) => matcher.onClass?.(event));
};

class CompareAt extends SceneAt implements CompareEvent {
  readonly kind = 'compare';
  readonly op: string;
  readonly left: Value;
  readonly right: Value;
  readonly leftNode: PyExpr;
  readonly rightNode: PyExpr;

  constructor(walk: Walk, span: PySpan, op: string, left: Value, right: Value, leftNode: PyExpr, rightNode: PyExpr) {
    super(walk, span);
    this.op = op;
    this.left = left;
    this.right = right;
    this.leftNode = leftNode;
    this.rightNode = rightNode;
  }
}

/** Tells matchers of one comparison. */
export const compareEvent = (walk: Walk, node: PyCompare, op: string, left: Value, right: Value, leftNode: PyExpr, rightNode: PyExpr): void => {
  const event = new CompareAt(walk, node, op, left, right, leftNode, rightNode);
  deliver(walk, walk.index.compares, (matcher) => matcher.onCompare?.(event));
};
