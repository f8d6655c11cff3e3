/** Events as matchers see them; made only when some matcher waits for the name. */
import type { PyArgument, PyCall, PyCompare, PyExpr, PyFunctionDef, PyClassDef, PyReturn, PySpan, PyStmt } from '../../../../syntax/python.types.ts';
import type {
  AssignEvent, CallEvent, ClassEvent, ClassInfo, CompareEvent, FunctionEvent, FunctionInfo, Matcher, ModuleInfo, Report, ReturnEvent, RouteInfo, Scene, Value,
} from './model.types.ts';
import { classAttribute } from './class-attributes.ts';
import { evaluate } from './expressions.ts';
import { secretName } from './secret-names.ts';
import type { AssignSource } from './targets.ts';
import { flagBit, makeValue } from './values.ts';
import { BudgetSpent, nodeOf, pathOf } from './walk.ts';
import type { Walk } from './walk.ts';

class SceneAt implements Scene, PySpan {
  readonly start: number;
  readonly end: number;
  readonly module: ModuleInfo;
  readonly function: FunctionInfo | undefined;
  readonly class: ClassInfo | undefined;
  readonly inLoop: boolean;
  readonly inMain: boolean;
  readonly inTry: boolean;
  readonly inCall: boolean;
  readonly statement: PyStmt;
  protected readonly walk: Walk;

  constructor(walk: Walk, span: PySpan) {
    this.walk = walk;
    this.start = span.start;
    this.end = span.end;
    this.module = walk.info;
    this.function = walk.frame.state?.info;
    this.class = walk.class?.info;
    this.inLoop = walk.loopDepth > 0;
    this.inMain = walk.inMain;
    this.inTry = walk.tryDepth > 0;
    this.inCall = walk.callDepth > 0;
    // Events only come up inside statements.
    this.statement = walk.statement as PyStmt;
  }

  get feeds(): readonly string[] {
    return [...this.walk.feeds];
  }

  get insideCalls(): readonly string[] {
    return [...this.walk.insideCalls].reverse();
  }

  lookup(name: string): Value | undefined {
    return this.walk.lookup(name);
  }

  valueOf(node: PyExpr): Value {
    return this.walk.quietly(() => {
      const value = evaluate(this.walk, node);
      // A plain name may be a secret by its name alone.
      return node.type === 'Name' && secretName(node.id) && (value.flags & flagBit.secret) === 0
        ? makeValue(value.level, value.flags | flagBit.secret, value.cleared, value.name, value.shape, value.trace) : value;
    });
  }

  report(report: Report): void {
    this.walk.findings.add(report, this);
  }
}

/** A callee and its arguments as evaluated. */
export type CallParts = {
  readonly callee: Value;
  readonly receiver: Value | undefined;
  readonly last: string;
  readonly args: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
  readonly openArgs: boolean;
  readonly openKeywords: boolean;
};

class CallAt extends SceneAt implements CallEvent {
  readonly kind = 'call';
  readonly node: PyCall;
  readonly name: string | undefined;
  readonly last: string;
  readonly receiver: Value | undefined;
  readonly receiverUnknown: boolean;
  readonly args: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
  readonly openArgs: boolean;
  readonly openKeywords: boolean;
  readonly use: CallEvent['use'];

  constructor(walk: Walk, node: PyCall, parts: CallParts, use: CallEvent['use']) {
    super(walk, node);
    this.node = node;
    this.name = calleeName(parts.callee);
    this.last = parts.last;
    this.receiver = parts.receiver;
    this.receiverUnknown = parts.receiver !== undefined && unknownReceiver(parts.callee, parts.receiver);
    this.args = parts.args;
    this.keywords = parts.keywords;
    this.openArgs = parts.openArgs;
    this.openKeywords = parts.openKeywords;
    this.use = use;
  }

  get written(): string {
    return pathOf(this.node.func)?.path ?? '';
  }

  arg(index: number, keyword?: string): Value | undefined {
    const positional = index < 0 ? undefined : this.args[index];
    return positional ?? (keyword === undefined ? undefined : this.keywords.get(keyword));
  }

  argNode(index: number, keyword?: string): PyArgument | undefined {
    let at = 0;
    for (const argument of this.node.args) {
      if (argument.kind === 'keyword' ? argument.name === keyword : argument.kind === 'positional' && at === index) return argument;
      if (argument.kind === 'positional' || argument.kind === 'star') at += 1;
    }
    return undefined;
  }
}

/** A local function is `.name`, a method of a local class `.Class.name`; else the library's path. */
const calleeName = (callee: Value): string | undefined => {
  if (callee.name !== undefined) return callee.name.path;
  const shape = callee.shape;
  if (shape?.type === 'Function' || shape?.type === 'Class') return `.${'qualifiedName' in shape.info ? shape.info.qualifiedName : shape.info.name}`;
  return undefined;
};

const unknownReceiver = (callee: Value, receiver: Value): boolean => {
  const shape = receiver.shape;
  if (shape?.type === 'Instance' || shape?.type === 'Class') return callee.shape === undefined && callee.name === undefined;
  if (shape !== undefined && shape.type !== 'Built') return false;
  const name = nodeOf(receiver.name);
  return name === undefined || !name.known;
};

/** Tells matchers of a call. */
export const callEvent = (walk: Walk, node: PyCall, parts: CallParts, use: CallEvent['use']): void => {
  const { index } = walk;
  let matchers = index.calls.get(parts.last);
  if (index.byKeyword.size > 0) {
    for (const name of parts.keywords.keys()) matchers = withMore(matchers, name === '**' ? undefined : index.byKeyword.get(name));
    const spread = index.byKeyword.get('**');
    if (spread !== undefined && node.args.some((argument) => argument.kind === 'doublestar')) matchers = withMore(matchers, spread);
  }
  if (matchers === undefined && index.everyCall.length === 0) return;
  walk.touched = true;
  const event = new CallAt(walk, node, parts, use);
  deliver(walk, matchers, (matcher) => matcher.onCall?.(event));
  deliver(walk, index.everyCall, (matcher) => matcher.onCall?.(event));
};

/** Both lists without repeats. */
const withMore = (first: readonly Matcher[] | undefined, more: readonly Matcher[] | undefined): readonly Matcher[] | undefined => {
  if (first === undefined || more === undefined) return first ?? more;
  return [...first, ...more.filter((matcher) => !first.includes(matcher))];
};

/** Runs matchers; one that fails must neither disturb the walk nor lose what others find, so its error is kept to be told. */
const deliver = (walk: Walk, matchers: readonly Matcher[] | undefined, run: (matcher: Matcher) => void): void => {
  if (matchers === undefined) return;
  const { depth, quiet } = walk;
  for (const matcher of matchers) {
    try {
      run(matcher);
    } catch (error) {
      if (error instanceof BudgetSpent) throw error;
      walk.failure ??= String(error);
      walk.depth = depth;
      walk.quiet = quiet;
    }
  }
};

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

  constructor(walk: Walk, target: PyExpr, form: AssignEvent['form'], last: string, owner: Value | undefined, key: Value | undefined, value: Value, source: AssignSource) {
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
  walk: Walk, target: PyExpr, form: AssignEvent['form'], last: string, owner: Value | undefined, key: Value | undefined, value: Value, source: AssignSource,
): void => {
  if (walk.quiet > 0) return;
  let matchers = walk.index.assigns.get(last);
  if ((value.flags & walk.index.assignFlags) !== 0) matchers = withMore(matchers, walk.index.byFlag.filter(([bits]) => (value.flags & bits) !== 0).map(([, matcher]) => matcher));
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
