/** Statements in order: branches, loops, handlers, and the ends of ways. */
import type { PyAugAssign, PyExpr, PyFor, PyIf, PyMatch, PyStmt, PyTry, PyWhile, PyWith } from '../../../../syntax/python.types.ts';
import type { Value } from './model.types.ts';
import { noteAnswer } from './answers.ts';
import { derive } from './containers.ts';
import { callFunction } from './local-calls.ts';
import { defineClass, defineFunction } from './definitions.ts';
import { returnEvent } from './events.ts';
import { evaluate } from './expressions.ts';
import { noteReturn } from './functions.ts';
import { applyChecks, checksOf, statementChecks } from './guards.ts';
import { walkImport, walkImportFrom } from './imports.ts';
import { makeValue, SAFE, TAINTED, UNKNOWN } from './make-value.ts';
import { elementOf } from './members.ts';
import { neverReturns, neverReturnsUnresolved } from './name-tables.ts';
import { binaryValue } from './operators.ts';
import { pathOf } from './paths.ts';
import { typedValue } from './routes.ts';
import type { Changes } from './scope.ts';
import { bindTarget } from './targets.ts';
import { clearBit, flagBit } from './value-bits.ts';
import { constantOf, truthOf } from './values.ts';
import type { Walk } from './walk.ts';
import type { LoopFrame } from './walk.types.ts';

/** Walks statements; after one that ends the way the rest is still looked at, as code of its own. */
export const walkBlock = (walk: Walk, body: readonly PyStmt[]): void => {
  const outer = walk.statement;
  for (const statement of body) {
    if (!walk.down()) break;
    walk.statement = statement;
    walkStatement(walk, statement);
    walk.up();
  }
  walk.statement = outer;
};

const walkStatement = (walk: Walk, statement: PyStmt): void => {
  switch (statement.type) {
    case 'Expr': walkExpression(walk, statement.value); break;
    case 'Assign': {
      const value = valueFor(walk, statement.targets, statement.value);
      for (const target of statement.targets) bindTarget(walk, target, value, statement.value, { node: statement.value, operator: undefined });
      break;
    }
    case 'AugAssign': walkAugmented(walk, statement); break;
    case 'AnnAssign': {
      if (statement.value !== undefined) {
        const value = annotated(walk, valueFor(walk, [statement.target], statement.value), statement.annotation);
        bindTarget(walk, statement.target, value, statement.value, { node: statement.value, operator: undefined });
      } else if (statement.target.type === 'Name') {
        const typed = typedValue(walk, statement.annotation);
        if (typed !== undefined) walk.bind(statement.target.id, typed);
      }
      break;
    }
    case 'Return': {
      if (statement.value !== undefined) {
        const value = evaluateAs(walk, 'returned', statement.value);
        if (walk.quiet === 0) returnEvent(walk, statement, statement.value, value);
        noteReturn(walk, value);
      } else {
        noteReturn(walk, noneValue);
      }
      noteAnswer(walk, statement.value);
      walk.ended = true;
      break;
    }
    case 'Raise':
      if (statement.exc !== undefined) evaluate(walk, statement.exc);
      if (statement.cause !== undefined) evaluate(walk, statement.cause);
      walk.ended = true;
      break;
    case 'Assert':
      evaluate(walk, statement.test);
      if (statement.message !== undefined) {
        const { message, test } = statement;
        const { ended } = walk;
        branch(walk, () => {
          applyChecks(walk, checksOf(walk, test, false));
          evaluate(walk, message);
        });
        walk.ended = ended;
      }
      applyChecks(walk, checksOf(walk, statement.test, true));
      break;
    case 'Delete':
      for (const target of statement.targets) if (target.type === 'Name') walk.branches.set(walk.target(target.id), target.id, undefined);
      break;
    case 'Global':
      for (const name of statement.names) (walk.scope.globals ??= new Set()).add(name);
      break;
    case 'Nonlocal':
      for (const name of statement.names) (walk.scope.nonlocals ??= new Set()).add(name);
      break;
    case 'Break': case 'Continue': {
      const ways = statement.type === 'Break' ? walk.frame.loop?.breaks : walk.frame.loop?.continues;
      // A bound on the ways that are told apart keeps a loop of many jumps linear.
      if (ways !== undefined && ways.length < maximumJumps) ways.push(walk.branches.changes(walk.frame.loop?.mark ?? 0));
      walk.ended = true;
      break;
    }
    case 'Import': walkImport(walk, statement); break;
    case 'ImportFrom': walkImportFrom(walk, statement); break;
    case 'If': walkIf(walk, statement); break;
    case 'While': walkWhile(walk, statement); break;
    case 'For': walkFor(walk, statement); break;
    case 'With': walkWith(walk, statement); break;
    case 'Try': walkTry(walk, statement); break;
    case 'Match': walkMatch(walk, statement); break;
    case 'FunctionDef': defineFunction(walk, statement); break;
    case 'ClassDef': defineClass(walk, statement); break;
    case 'ErrorStmt':
      for (const child of statement.children) evaluate(walk, child);
      break;
    case 'TypeAlias': case 'Pass': break;
  }
};

/** A value of which nothing is known is what its annotation says: `r: Reader = make()`. */
const annotated = (walk: Walk, value: Value, annotation: PyExpr): Value => {
  if (value.level !== UNKNOWN || value.shape !== undefined || value.name !== undefined) return value;
  const typed = typedValue(walk, annotation);
  return typed === undefined ? value : makeValue(value.level, value.flags, value.cleared, typed.name, typed.shape, value.trace);
};

const maximumJumps = 24;

const noneValue: Value = { level: SAFE, flags: 0, cleared: 0, name: undefined,
  shape: { type: 'Constant', kind: 'none', value: null, start: 0, end: 0 }, trace: undefined };

const evaluateAs = (walk: Walk, use: Walk['use'], node: PyExpr): Value => {
  walk.use = use;
  const value = evaluate(walk, node);
  walk.use = 'other';
  return value;
};

/** Evaluates the right side of an assignment; calls in it hear what they feed. */
const valueFor = (walk: Walk, targets: readonly PyExpr[], node: PyExpr): Value => {
  const count = walk.feeds.length;
  for (const target of targets) {
    const path = target.type === 'Name' ? target.id : pathOf(target)?.path;
    if (path !== undefined) walk.feeds.push(path);
    else if (target.type === 'Tuple') for (const each of target.elements) if (each.type === 'Name') walk.feeds.push(each.id);
  }
  const value = evaluateAs(walk, 'assigned', node);
  walk.feeds.length = count;
  return value;
};

const walkExpression = (walk: Walk, node: PyExpr): void => {
  if (node.type === 'Constant') return;
  walk.callEnds = false;
  evaluateAs(walk, 'discarded', node);
  const call = node.type === 'Await' ? node.value : node;
  if (call.type !== 'Call') return;
  if (walk.callEnds) walk.ended = true;
  const func = call.func;
  if (func.type !== 'Name' && func.type !== 'Attribute') return;
  const last = func.type === 'Name' ? func.id : func.attr;
  const callee = walk.lastCallee;
  const name = callee.name?.path;
  if (name !== undefined && neverReturns.has(name) || callee.shape === undefined && neverReturnsUnresolved.has(last)) walk.ended = true;
  applyChecks(walk, statementChecks(walk, call, name));
};

const walkAugmented = (walk: Walk, statement: PyAugAssign): void => {
  const old = evaluate(walk, statement.target);
  const right = valueFor(walk, [statement.target], statement.value);
  const node = { type: 'BinOp', op: statement.op, left: statement.target, right: statement.value, start: statement.start,
    end: statement.end } as const;
  const value = binaryValue(walk, statement.op, old, right, node);
  bindTarget(walk, statement.target, value, statement.value, { node: statement.value, operator: statement.op });
};

/** Walks a branch from the state now and takes its end away; undefined = the way ended inside. */
const branch = (walk: Walk, run: () => void): { readonly end: Changes; readonly ended: boolean } => {
  const mark = walk.branches.enter();
  walk.ended = false;
  run();
  const result = { end: walk.branches.changes(mark), ended: walk.ended };
  walk.branches.leave(mark);
  walk.ended = false;
  return result;
};

/** Joins the ends of branches; none that goes on = the way ends here. */
const rejoin = (walk: Walk, ends: readonly { readonly end: Changes; readonly ended: boolean }[]): void => {
  const live = ends.filter((each) => !each.ended);
  walk.branches.merge((live.length === 0 ? ends : live).map((each) => each.end));
  walk.ended = live.length === 0;
};

const walkIf = (walk: Walk, statement: PyIf): void => {
  // `elif` chains in a loop: each is one more branch under the negation of all before it.
  const ends: { readonly end: Changes; readonly ended: boolean }[] = [];
  const ended = walk.ended;
  const marks: number[] = [];
  let at: PyIf | undefined = statement;
  let rest: readonly PyStmt[] = [];
  while (at !== undefined) {
    const { test, body, orelse }: PyIf = at;
    evaluate(walk, test);
    const main = walk.inMain;
    if (isMainTest(test)) walk.inMain = true;
    const path = marks.length === 0 ? undefined : marks[0];
    const own = branch(walk, () => {
      applyChecks(walk, checksOf(walk, test, true));
      walkBlock(walk, body);
    });
    walk.inMain = main;
    ends.push(path === undefined ? own : { ...own, end: mergeChanges(walk.branches.changes(path), own.end) });
    marks.push(walk.branches.enter());
    applyChecks(walk, checksOf(walk, test, false));
    const next: PyStmt | undefined = orelse.length === 1 ? orelse[0] : undefined;
    // In chunks, since every arm costs what the arms before it have checked.
    if (next?.type === 'If' && marks.length < 64) {
      at = next;
      walk.statement = next;
    } else {
      at = undefined;
      rest = orelse;
    }
  }
  walk.ended = false;
  walkBlock(walk, rest);
  ends.push({ end: walk.branches.changes(marks[0] ?? 0), ended: walk.ended });
  for (const mark of marks.reverse()) walk.branches.leave(mark);
  rejoin(walk, ends);
  walk.ended ||= ended;
};

/** Later changes over earlier ones. */
const mergeChanges = (first: Changes, second: Changes): Changes => {
  for (const [scope, keys] of second) {
    const into = first.get(scope);
    if (into === undefined) first.set(scope, keys);
    else for (const [key, value] of keys) into.set(key, value);
  }
  return first;
};

const isMainTest = (test: PyExpr): boolean =>
  test.type === 'Compare' ? test.left.type === 'Name' && test.left.id === '__name__'
    : (test.type === 'Name' ? test.id : test.type === 'Attribute' ? test.attr : '') === 'TYPE_CHECKING';

/**
 * A body that may run again. It is walked a second time only when the first has made some variable worse than it was
 * before: then code early in the body meets what code late in it has stored.
 */
const loopBody = (walk: Walk, run: () => void): Changes[] => {
  const outer = walk.frame.loop;
  const breaks: Changes[] = [];
  for (let round = 0; round < 2; round += 1) {
    const mark = walk.branches.enter();
    const loop: LoopFrame = { mark, breaks, continues: [] };
    walk.frame.loop = loop;
    walk.loopDepth += 1;
    walk.ended = false;
    run();
    walk.loopDepth -= 1;
    const end = walk.branches.changes(mark);
    const ends = walk.ended ? loop.continues : [...loop.continues, end];
    walk.branches.leave(mark);
    walk.ended = false;
    const worse = round === 0 && walk.loopDepth < 3 && ends.some((each) => makesWorse(each));
    walk.branches.merge([emptyChanges, ...ends]);
    if (!worse) break;
  }
  walk.frame.loop = outer;
  return breaks;
};

const emptyChanges: Changes = new Map();

/** Whether a variable that existed before is tainted, or newly built of unknown parts, at the end of the body. */
const makesWorse = (end: Changes): boolean => {
  for (const [scope, keys] of end) {
    for (const [key, value] of keys) {
      const before = scope.vars.get(key);
      if (value === undefined || before === undefined) continue;
      if (value.level === TAINTED && before.level < TAINTED || (value.flags & ~before.flags & flagBit.built) !== 0) return true;
    }
  }
  return false;
};

const walkFor = (walk: Walk, statement: PyFor): void => {
  const { ended } = walk;
  const iterated = evaluate(walk, statement.iter);
  const breaks = loopBody(walk, () => {
    bindTarget(walk, statement.target, elementOf(walk, iterated, statement.iter.end), statement.iter, undefined);
    walkBlock(walk, statement.body);
  });
  afterLoop(walk, statement.orelse, breaks, false);
  walk.ended ||= ended;
};

const walkWhile = (walk: Walk, statement: PyWhile): void => {
  const { ended } = walk;
  const test = evaluate(walk, statement.test);
  const forever = truthOf(test) === true && constantOf(test) !== undefined;
  const breaks = loopBody(walk, () => {
    applyChecks(walk, checksOf(walk, statement.test, true));
    walkBlock(walk, statement.body);
    if (statement.test.type !== 'Constant') evaluate(walk, statement.test);
  });
  if (!forever) applyChecks(walk, checksOf(walk, statement.test, false));
  afterLoop(walk, statement.orelse, breaks, forever);
  walk.ended ||= ended;
};

/** The `else` of a loop, and the ways that left it by `break`. */
const afterLoop = (walk: Walk, orelse: readonly PyStmt[], breaks: readonly Changes[], forever: boolean): void => {
  const normal = branch(walk, () => walkBlock(walk, orelse));
  const left = breaks.map((end) => ({ end, ended: false }));
  rejoin(walk, [forever ? { ...normal, ended: true } : normal, ...left]);
};

/** What `as` gets of a context manager of this module: what its `__enter__` returns, where that is known. */
const enteredValue = (walk: Walk, manager: Value, node: PyExpr): Value => {
  const info = manager.shape?.type === 'Instance' ? manager.shape.info : undefined;
  const enter = info === undefined || node.type !== 'Call' ? undefined : walk.classes.get(info)?.methods.get('__enter__');
  if (enter === undefined || node.type !== 'Call') return manager;
  const none = { args: [], keywords: new Map<string, Value>(), openArgs: false, openKeywords: false };
  const parts = { callee: enter.value, receiver: manager, last: '__enter__', ...none };
  const entered = callFunction(walk, { type: 'Function', info: enter.info, self: manager }, parts, node);
  return entered.name === undefined && entered.shape === undefined ? manager : entered;
};

const walkWith = (walk: Walk, statement: PyWith): void => {
  for (const item of statement.items) {
    const value = evaluateAs(walk, 'with', item.context);
    if (item.target !== undefined) bindTarget(walk, item.target, enteredValue(walk, value, item.context), item.context, undefined);
  }
  walkBlock(walk, statement.body);
};

const walkTry = (walk: Walk, statement: PyTry): void => {
  const { ended } = walk;
  let partial: Changes = new Map();
  const body = branch(walk, () => {
    const mark = walk.branches.enter();
    walk.tryDepth += 1;
    walkBlock(walk, statement.body);
    walk.tryDepth -= 1;
    partial = walk.branches.changes(mark);
    // Not `leave`: what the body did stays in force for `else` and the end of the outer branch.
    walk.branches.keep();
    if (!walk.ended) walkBlock(walk, statement.orelse);
  });
  const handlers = statement.handlers.map((handler) => branch(walk, () => {
    // The body may have been left anywhere.
    walk.branches.merge([emptyChanges, partial]);
    if (handler.exception !== undefined) evaluate(walk, handler.exception);
    if (handler.name !== undefined) walk.bind(handler.name, exceptionValue);
    walkBlock(walk, handler.body);
  }));
  rejoin(walk, [body, ...handlers]);
  const after = walk.ended;
  walkBlock(walk, statement.finalbody);
  walk.ended ||= after || ended;
};

/** A caught exception: its text may hold anything, of no known origin. */
const exceptionValue: Value = { level: 1, flags: 0, cleared: 0, name: undefined, shape: undefined, trace: undefined };

const walkMatch = (walk: Walk, statement: PyMatch): void => {
  const { ended } = walk;
  const subject = evaluate(walk, statement.subject);
  const path = pathOf(statement.subject);
  const ends: { readonly end: Changes; readonly ended: boolean }[] = [];
  let open = true;
  for (const each of statement.cases) {
    ends.push(branch(walk, () => {
      for (const value of each.values) evaluate(walk, value);
      for (const name of each.binds) walk.bind(name, derive(subject));
      // A case that compares with constants alone is a check.
      if (path !== undefined && each.values.length > 0 && each.binds.length === 0 && each.values.every((value) => value.type === 'Constant')) {
        applyChecks(walk, [{ ...path, bits: clearBit.all, node: statement.subject }]);
      }
      if (each.guard !== undefined) {
        evaluate(walk, each.guard);
        applyChecks(walk, checksOf(walk, each.guard, true));
      }
      walkBlock(walk, each.body);
    }));
    if (each.values.length === 0 && each.guard === undefined && each.binds.length <= 1) open = false;
  }
  if (open) ends.push({ end: new Map(), ended: false });
  rejoin(walk, ends);
  walk.ended ||= ended;
};
