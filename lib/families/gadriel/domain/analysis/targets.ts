/** Assignment to names, attributes, elements and tuples of them. */
import type { PyAttribute, PyExpr, PySubscript } from '../../../../syntax/python.types.ts';
import type { Value } from './model.types.ts';
import { containerValue, derive } from './containers.ts';
import { assignEvent } from './events.ts';
import { evaluate } from './expressions.ts';
import { joinBoth } from './join.ts';
import { makeValue, SAFE, TAINTED } from './make-value.ts';
import { attributeOf, elementOf } from './members.ts';
import { pathOf } from './paths.ts';
import type { Scope } from './scope.ts';
import { secretName } from './secret-names.ts';
import { flagBit } from './value-bits.ts';
import { elementsOf, stringOf } from './values.ts';
import type { Walk } from './walk.ts';
import type { ClassState } from './walk.types.ts';

/** Where an assignment event is to be made: the value's node and the operator of `op=`; undefined = no event (loop targets). */
export type AssignSource = { readonly node: PyExpr; readonly operator: string | undefined };

/** Binds `target` to a value, with its events. */
export const bindTarget = (walk: Walk, target: PyExpr, value: Value, valueNode: PyExpr, source: AssignSource | undefined,
  scope?: Scope): void => {
  if (!walk.down()) return;
  switch (target.type) {
    case 'Name': {
      if (source !== undefined) assignEvent(walk, target, 'name', target.id, undefined, undefined, value, source);
      walk.bind(target.id, named(walk, target.id, value, target.start), scope ?? walk.target(target.id));
      if (source !== undefined) {
        noteOrigin(walk, target.id, valueNode);
        noteTest(walk, target.id, valueNode);
      }
      break;
    }
    case 'Attribute': bindAttribute(walk, target, value, source); break;
    case 'Subscript': bindElement(walk, target, value, source); break;
    case 'Tuple': case 'List': {
      const elements = elementsOf(value);
      const exact = elements !== undefined && value.shape?.type === 'Sequence' && !value.shape.open
        && !target.elements.some((each) => each.type === 'Starred');
      const literal = valueNode.type === 'Tuple' || valueNode.type === 'List' ? valueNode.elements : undefined;
      target.elements.forEach((each, at) => {
        const part = exact ? elements[at] : undefined;
        bindTarget(walk, each, part ?? elementOf(walk, value, target.start), literal?.[at] ?? valueNode, source, scope);
      });
      break;
    }
    case 'Starred': bindTarget(walk, target.value, derive(value), valueNode, source, scope); break;
    default: evaluate(walk, target);
  }
  walk.up();
};

/** The value as the variable holds it: a secret-like name marks it, a tainted one remembers the line. */
const named = (walk: Walk, name: string, value: Value, offset: number): Value => {
  const secret = secretName(name) ? flagBit.secret : 0;
  if (value.level !== TAINTED && (secret & ~value.flags) === 0) return value;
  const trace = value.level === TAINTED ? walk.step(offset, `assigned to ${name}`, value.trace) : value.trace;
  return makeValue(value.level, value.flags | secret, value.cleared, value.name, value.shape, trace);
};

const derivations = new Set(['urlparse', 'urlsplit', 'realpath', 'abspath', 'normpath', 'resolve', 'Path', 'absolute', 'commonpath',
  'splitext', 'lower', 'strip', 'urljoin']);

/** Remembers `parsed = urlparse(url)`, so that a check of `parsed` clears `url` too. */
const noteOrigin = (walk: Walk, name: string, node: PyExpr): void => {
  const from = originOf(node);
  const scope = walk.scope;
  if (from !== undefined && from !== name) (scope.origins ??= new Map()).set(name, from);
  else scope.origins?.delete(name);
};

const maximumTests = 8;

/** Remembers `ok = is_safe_url(url)`, so that a later `if ok` is the check; forgets conditions that speak of `name`. */
const noteTest = (walk: Walk, name: string, node: PyExpr): void => {
  const { scope } = walk;
  if (scope.tests !== undefined) {
    for (const [each, test] of scope.tests) if (each === name || test.text.includes(name)) scope.tests.delete(each);
  }
  if (node.type !== 'Call' && node.type !== 'Compare' && node.type !== 'BoolOp' || node.end - node.start > 300) return;
  scope.tests ??= new Map();
  if (scope.tests.size < maximumTests) scope.tests.set(name, { node, text: walk.info.module.text.slice(node.start, node.end) });
};

/** The variable that `urlparse(x).netloc`, `Path(base, x).resolve()` … speak of; undefined for anything else. */
export const originOf = (node: PyExpr): string | undefined => {
  let at = node;
  let derived = false;
  for (let links = 0; links < 8; links += 1) {
    if (at.type === 'Name') return derived ? at.id : undefined;
    if (at.type === 'Attribute') {
      at = at.value;
      continue;
    }
    if (at.type === 'Subscript') {
      at = at.value;
      continue;
    }
    if (at.type !== 'Call') return undefined;
    const last = at.func.type === 'Attribute' ? at.func.attr : at.func.type === 'Name' ? at.func.id : '';
    if (!derivations.has(last)) return undefined;
    derived = true;
    const argument = at.args.at(-1)?.value;
    if (argument?.type === 'List') return argument.elements.map((each) => (each.type === 'Name' ? each.id : undefined)).findLast((each) =>
      each !== undefined);
    if (argument !== undefined && argument.type !== 'Constant') at = argument;
    else if (at.func.type === 'Attribute') at = at.func.value;
    else return undefined;
  }
  return undefined;
};

const bindAttribute = (walk: Walk, target: PyAttribute, value: Value, source: AssignSource | undefined): void => {
  const owner = evaluate(walk, target.value);
  if (source !== undefined) assignEvent(walk, target, 'attribute', target.attr, owner, undefined, value, source);
  const held = named(walk, target.attr, value, target.start);
  if (owner.shape?.type === 'Instance' || owner.shape?.type === 'Class') {
    const state = walk.classes.get(owner.shape.info);
    const old = state?.attributes.get(target.attr);
    state?.attributes.set(target.attr, old === undefined ? held : joinBoth(old, held));
    if (state !== undefined) noteInitial(walk, state, owner, target.attr, held);
    // What a call passes here is seen by other methods, so the function is worth walking again for it.
    if ((held.flags & flagBit.param) !== 0) walk.touched = true;
  }
  const path = pathOf(target);
  if (path !== undefined) walk.bindPath(path.path, path.root, held);
};

/** Tells what every instance gets from its own constructor from what is written later. */
const noteInitial = (walk: Walk, state: ClassState, owner: Value, attr: string, held: Value): void => {
  const { frame } = walk;
  const init = frame.state !== undefined && frame.state.owner === state && frame.state.info.name === '__init__' && owner === frame.given[0];
  if (!init) {
    state.rewritten.add(attr);
    return;
  }
  if (walk.callDepth > 0) return;
  if (state.initialParams !== frame.given) {
    state.initial.clear();
    state.initialParams = frame.given;
  }
  state.initial.set(attr, joinBoth(held, state.initial.get(attr) ?? held));
};

const bindElement = (walk: Walk, target: PySubscript, value: Value, source: AssignSource | undefined): void => {
  const owner = evaluate(walk, target.value);
  const key = evaluate(walk, target.index);
  const text = stringOf(key);
  if (source !== undefined) assignEvent(walk, target, 'subscript', text ?? '', owner, key, value, source);
  const path = pathOf(target);
  if (owner.shape?.type === 'Mapping') {
    // A big table that is not made worse stays as it is: filling it must not cost the square of its size.
    if (owner.shape.entries.size >= 64 && owner.shape.open && value.level <= owner.level && (value.flags & ~owner.flags) === 0) return;
    const entries = new Map(owner.shape.entries);
    if (text !== undefined && (entries.has(text) || entries.size < 64)) entries.set(text, value);
    const shape = { type: 'Mapping' as const, entries, open: owner.shape.open || text === undefined || !entries.has(text) };
    // A known key replaces; for the level of the whole the old content still counts.
    store(walk, target.value, containerValue([owner, value], shape));
    return;
  }
  if (owner.name === undefined && value.level > owner.level) {
    store(walk, target.value, containerValue([owner, value], owner.shape?.type === 'Sequence' ? { ...owner.shape, open: true } : undefined));
  }
  // A known element is remembered by itself: the session of a web framework is not tainted by one entry.
  if (path !== undefined && (value.level > SAFE || walk.scope.roots?.has(path.root) === true)) walk.bindPath(path.path, path.root, value);
};

/** Gives the variable or path that `node` names a new value: after `x.append(y)` or `x['k'] = y`. */
export const store = (walk: Walk, node: PyExpr, value: Value): void => {
  if (node.type === 'Name') {
    if (walk.lookup(node.id) !== undefined) walk.bind(node.id, value, scopeOf(walk, node.id));
    return;
  }
  const path = pathOf(node);
  if (path === undefined) return;
  walk.bindPath(path.path, path.root, value);
  if (node.type !== 'Attribute') return;
  const owner = walk.quietly(() => evaluate(walk, node.value));
  if (owner.shape?.type !== 'Instance') return;
  const old = attributeOf(walk, owner, node.attr, node.end);
  walk.classes.get(owner.shape.info)?.attributes.set(node.attr, joinBoth(old, value));
};

/** The scope whose variable a method call changes. */
const scopeOf = (walk: Walk, name: string): Scope => {
  for (let scope: Scope | undefined = walk.scope; scope !== undefined; scope = scope.parent) if (scope.vars.has(name)) return scope;
  return walk.target(name);
};
