/** Calls: callee, arguments, the event, and what the result is worth. */
import type { PyCall, PyExpr } from '../../../../syntax/python.types.ts';
import type { Value } from './model.types.ts';
import { callEvent } from './call-event.ts';
import type { CallParts } from './call-event.ts';
import { containerValue, derive } from './containers.ts';
import { deferredCall, unbound } from './deferred-calls.ts';
import { evaluate } from './expressions.ts';
import { specialCall } from './library-calls.ts';
import { callFunction, instantiate } from './local-calls.ts';
import { makeValue, SAFE, safeValue, TAINTED, UNKNOWN, unknownValue } from './make-value.ts';
import { attributeOf, namedValue } from './members.ts';
import { methodCall, namesLanguageModel, safeMethods } from './method-calls.ts';
import { nodeOf } from './names.ts';
import type { NameNode } from './names.ts';
import { pathOf } from './paths.ts';
import { clearBit, flagBit, settled } from './value-bits.ts';
import type { Walk } from './walk.ts';

const noArguments: readonly Value[] = [];
const noKeywords: ReadonlyMap<string, Value> = new Map();

/** Value of a call's result; matchers hear of the call first. */
export const evaluateCall = (walk: Walk, node: PyCall): Value => {
  const use = walk.use;
  walk.use = 'other';
  const func = node.func;
  let receiver: Value | undefined;
  let callee: Value;
  let last = '';
  if (func.type === 'Attribute') {
    receiver = evaluate(walk, func.value);
    callee = heldPath(walk, func) ?? attributeOf(walk, receiver, func.attr, func.end);
    last = callee.name?.last ?? func.attr;
  } else {
    callee = evaluate(walk, func);
    last = callee.name?.last ?? (func.type === 'Name' ? func.id : '');
  }
  const given = evaluateArguments(walk, node, callee, receiver, last);
  const parts = callee.shape?.type === 'Bound' ? unbound(given) : given;
  if (walk.quiet === 0) callEvent(walk, node, parts, use);
  const later = walk.quiet === 0 ? deferredCall(walk, node, parts) : undefined;
  if (later !== undefined) laterCall(walk, later.node, unbound(later.parts));
  walk.use = use;
  const result = callResult(walk, node, parts);
  walk.lastCallee = callee;
  return result;
};

/** A call that a thread or executor will make. */
const laterCall = (walk: Walk, node: PyCall, parts: CallParts): void => {
  const { callEnds } = walk;
  callEvent(walk, node, parts, 'discarded');
  if (parts.callee.shape?.type === 'Function') callFunction(walk, parts.callee.shape, parts, node);
  walk.callEnds = callEnds;
};

const heldPath = (walk: Walk, func: PyExpr): Value | undefined => {
  if (walk.scope.roots === undefined) return undefined;
  const path = pathOf(func);
  return path === undefined ? undefined : walk.lookupPath(path.path, path.root);
};

const evaluateArguments = (walk: Walk, node: PyCall, callee: Value, receiver: Value | undefined, last: string): CallParts => {
  if (node.args.length === 0) return { callee, receiver, last, args: noArguments, keywords: noKeywords, openArgs: false, openKeywords: false };
  const args: Value[] = [];
  let keywords: Map<string, Value> | undefined;
  let openArgs = false;
  let openKeywords = false;
  walk.insideCalls.push(last);
  walk.use = 'argument';
  for (const argument of node.args) {
    if (argument.kind === 'positional') {
      args.push(evaluate(walk, argument.value));
    } else if (argument.kind === 'keyword') {
      walk.feeds.push(argument.name);
      const value = evaluate(walk, argument.value);
      walk.feeds.pop();
      (keywords ??= new Map()).set(argument.name, value);
    } else {
      const spread = evaluate(walk, argument.value);
      const shape = spread.shape;
      if (argument.kind === 'star' && shape?.type === 'Sequence') {
        args.push(...shape.elements);
        openArgs ||= shape.open;
      } else if (argument.kind === 'doublestar' && shape?.type === 'Mapping') {
        keywords ??= new Map();
        for (const [key, value] of shape.entries) keywords.set(key, value);
        openKeywords ||= shape.open;
        // What the rest of the dict may hold counts as one more value.
        if (shape.open && spread.level === TAINTED) keywords.set('**', derive(spread));
      } else if (argument.kind === 'star') {
        if (spread.level > SAFE) args.push(derive(spread));
        openArgs = true;
      } else {
        if (spread.level > SAFE) (keywords ??= new Map()).set('**', derive(spread));
        openKeywords = true;
      }
    }
  }
  walk.insideCalls.pop();
  walk.use = 'other';
  return { callee, receiver, last, args, keywords: keywords ?? noKeywords, openArgs, openKeywords };
};

const callResult = (walk: Walk, node: PyCall, parts: CallParts): Value => {
  const { callee, receiver } = parts;
  const shape = callee.shape;
  if (shape?.type === 'Function') return callFunction(walk, shape, parts, node);
  if (shape?.type === 'Class') return instantiate(walk, shape.info, parts, node);
  const name = nodeOf(callee.name);
  if (receiver !== undefined && node.func.type === 'Attribute') {
    const result = methodCall(walk, node.func, receiver, parts, name);
    if (result !== undefined) return result;
  }
  if (name !== undefined) {
    const special = specialCall(walk, name, node, parts);
    if (special !== undefined) return special;
    const result = walk.names.result(name);
    if (result !== undefined) return namedResult(walk, name, result, node, parts);
  }
  if (callee.level === TAINTED) return safeMethods.has(parts.last) ? safeValue : derive(callee);
  return opaque(walk, undefined, node, parts);
};

/** The result of a library's function by the tables: source, sanitizer, propagation. */
const namedResult = (walk: Walk, name: NameNode, result: NameNode, node: PyCall, parts: CallParts): Value => {
  const { callee, receiver } = parts;
  if (result.source !== undefined) {
    // The argument's taint does not matter where the result is of another origin, but its level may.
    const value = namedValue(walk, result, callee.level === TAINTED ? callee : safeValue, node.start);
    // A document that the function is told to read is not one of the program's own.
    const told = ((parts.args[0]?.flags ?? 0) | (receiver?.flags ?? 0)) & flagBit.param;
    return told === 0 || (value.flags & flagBit.file) === 0 ? value
      : makeValue(value.level, value.flags | told, value.cleared, value.name, value.shape, value.trace);
  }
  if (callee.level === TAINTED && !safeMethods.has(parts.last)) {
    // `request.args.get('page', 1, type=int)`
    if ((parts.last === 'get' || parts.last === 'getlist') && isScalarType(parts.keywords.get('type') ?? parts.args[2])) return safeValue;
    return makeValue(TAINTED, callee.flags, callee.cleared | name.clears, result, undefined, callee.trace);
  }
  if (name.clears !== 0) return cleared(name, result, parts);
  if (name.effect === 'safe' || callee.level === TAINTED
    || plainAnswers.has(parts.last)) return makeValue(SAFE, result.sourceFlags, 0, result, undefined, undefined);
  if (name.effect === 'pass') {
    const all = containerValue(inputs(receiver, parts), undefined);
    return makeValue(all.level, all.flags, all.cleared, result, undefined, all.trace);
  }
  return opaque(walk, result, node, parts);
};

/** Methods of library objects that answer with a truth or a digest. */
const plainAnswers: ReadonlySet<string> = new Set(['hexdigest', 'digest', 'startswith', 'endswith', 'isdigit', 'exists', 'is_file', 'is_dir']);

/** Receiver (where it is a thing and not a module) and arguments. */
const inputs = (receiver: Value | undefined, parts: CallParts): readonly Value[] => {
  const thing = receiver !== undefined && (receiver.level === TAINTED || nodeOf(receiver.name)?.dynamic === true || receiver.name === undefined);
  return [...(thing ? [receiver] : []), ...parts.args, ...parts.keywords.values()];
};

/** `int`, `uuid.UUID`, an Enum of this module: whatever they make cannot be injected. */
const isScalarType = (type: Value | undefined): boolean => {
  const shape = type?.shape;
  if (shape?.type === 'Class') return shape.info.bases.some((base) => base.startsWith('enum.'));
  const node = nodeOf(type?.name);
  return node !== undefined && (node.effect === 'safe' || (node.clears & clearBit.all) !== 0);
};

const cleared = (name: NameNode, result: NameNode, parts: CallParts): Value => {
  if ((name.clears & clearBit.all) !== 0) return makeValue(SAFE, 0, 0, result, undefined, undefined);
  const all = containerValue(inputs(parts.receiver, parts), undefined);
  return makeValue(all.level, all.flags, all.level === SAFE ? 0 : settled(all.cleared | name.clears), result, undefined, all.trace);
};

/** The result of code that is not seen: unknown, and it remembers whether something tainted went in. */
const opaque = (walk: Walk, result: NameNode | undefined, node: PyCall, parts: CallParts): Value => {
  let flags = 0;
  let clear = 0;
  let trace: Value['trace'];
  const receiver = parts.receiver;
  if (receiver !== undefined) {
    flags |= receiver.flags & ~flagBit.built;
    clear = receiver.cleared;
  }
  for (const value of parts.args) {
    if (value.level === TAINTED) {
      flags |= flagBit.derived | (value.flags & ~flagBit.built & ~flagBit.secret);
      clear = 0;
      trace = value.trace;
    }
  }
  for (const value of parts.keywords.values()) {
    if (value.level === TAINTED) {
      flags |= flagBit.derived;
      clear = 0;
      trace = value.trace;
    }
  }
  if (result === undefined) {
    if (namesLanguageModel(node)) {
      return makeValue(TAINTED, flags | flagBit.llm, 0, undefined, undefined, walk.step(node.start, 'written by a language model', undefined));
    }
    return flags === 0 ? unknownValue : makeValue(UNKNOWN, flags, clear, undefined, undefined, trace);
  }
  return flags === 0 ? result.value : makeValue(UNKNOWN, flags, clear, result, undefined, trace);
};
