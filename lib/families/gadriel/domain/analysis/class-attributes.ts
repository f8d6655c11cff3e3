/** Attributes and methods of classes of the analysed module, through their bases. */
import type { ClassInfo, InstanceShape, Value } from './model.types.ts';
import { joinBoth } from './join.ts';
import { makeValue, SAFE, UNKNOWN } from './make-value.ts';
import type { NameNode } from './names.ts';
import { buildString } from './strings.ts';
import { flagBit } from './value-bits.ts';
import { isNone } from './values.ts';
import type { Walk } from './walk.ts';
import type { ClassState, FunctionState } from './walk.types.ts';

/** Value of `instance.attr` or `Class.attr`; undefined when neither the class nor a base in this module has it. */
export const classAttribute = (walk: Walk, info: ClassInfo, attr: string, self: Value | undefined, seen = 0): Value | undefined => {
  const state = walk.classes.get(info);
  if (state === undefined || seen > 8) return undefined;
  const own = self?.shape?.type === 'Instance' && self.shape.given !== undefined && constructorOf(walk, self.shape.info)?.owner === state
    ? ownAttribute(state, self.shape.given, attr) : undefined;
  if (own !== undefined) return own;
  const method = state.methods.get(attr);
  const attribute = state.attributes.get(attr);
  if (method !== undefined && attribute === undefined) {
    if (method.kind === 'property') return method.summary?.returns;
    const shape = method.value.shape;
    if (shape?.type !== 'Function') return method.value;
    const bound = method.kind === 'static' ? undefined : method.kind === 'class' ? state.value : self;
    return makeValue(method.value.level, method.value.flags, 0, undefined, { type: 'Function', info: shape.info, self: bound }, undefined);
  }
  let inherited: Value | undefined;
  if (attribute === undefined || isNone(attribute)) {
    for (const base of state.bases) {
      if (!isClassState(base)) continue;
      inherited = classAttribute(walk, base.info, attr, self, seen + 1);
      if (inherited !== undefined) break;
    }
  }
  return attribute === undefined ? inherited : inherited === undefined ? attribute : joinBoth(attribute, inherited);
};

/** The `__init__` that makes instances of a class: its own, or that of a base in sight. */
export const constructorOf = (walk: Walk, info: ClassInfo): FunctionState | undefined => methodOf(walk, info, '__init__');

/** The method of this name, of the class or a base in sight. */
const methodOf = (walk: Walk, info: ClassInfo, name: string, seen = 0): FunctionState | undefined => {
  const state = walk.classes.get(info);
  if (state === undefined || seen > 8) return undefined;
  if (state.attributes.has(name)) return undefined;
  const own = state.methods.get(name);
  if (own !== undefined) return own;
  for (const base of state.bases) {
    const found = isClassState(base) ? methodOf(walk, base.info, name, seen + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The property of this name, of the class or a base in sight. */
export const propertyOf = (walk: Walk, info: ClassInfo, attr: string): FunctionState | undefined => {
  const method = methodOf(walk, info, attr);
  return method?.kind === 'property' ? method : undefined;
};

/** Value of `super().attr`: the first base of the class around that has it gives it, bound to the whole instance. */
export const inheritedAttribute = (walk: Walk, base: Value, shape: InstanceShape, attr: string): Value | undefined => {
  const { above, ...whole } = shape;
  const state = above === undefined ? undefined : walk.classes.get(above);
  const self = makeValue(base.level, base.flags, base.cleared, base.name, whole, base.trace);
  for (const each of state?.bases ?? []) {
    const found = isClassState(each) ? classAttribute(walk, each.info, attr, self) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};

/** What an instance got from its own constructor; undefined where it may have been written later, or is not known so exactly. */
const ownAttribute = (state: ClassState, given: readonly (Value | undefined)[], attr: string): Value | undefined => {
  const initial = state.rewritten.has(attr) ? undefined : state.initial.get(attr);
  const init = state.methods.get('__init__');
  const params = state.initialParams;
  if (initial === undefined || init === undefined || params === undefined) return undefined;
  const valueOf = (at: number): Value | undefined => given[at] ?? init.info.params[at]?.default;
  const inserted = withArguments(initial, params, valueOf);
  if (inserted !== undefined) return inserted;
  // Made of the arguments in some other way: harmless when they all are.
  const isSafe = params.every((_param, at) => at === 0 || (valueOf(at)?.level ?? UNKNOWN) === SAFE);
  return isSafe && initial.level === UNKNOWN && (initial.flags & flagBit.param) !== 0 ? makeValue(SAFE, initial.flags & ~flagBit.param, 0, initial.name, undefined, undefined) : undefined;
};

/** A value made of parameters, with the arguments in their place; undefined where it is made in a way that is not known. */
const withArguments = (value: Value, params: readonly Value[], valueOf: (at: number) => Value | undefined): Value | undefined => {
  const at = params.indexOf(value);
  // The same safe value may stand for several parameters.
  if (at > 0 && value.level > SAFE) return valueOf(at);
  if ((value.flags & flagBit.param) === 0) return value.level === SAFE || value.shape !== undefined ? value : undefined;
  if (value.shape?.type !== 'Built') return undefined;
  const parts = value.shape.parts.map((part) => (typeof part === 'string' ? part : withArguments(part, params, valueOf)));
  return parts.some((part) => part === undefined) ? undefined : buildString(value.shape.via, parts.filter((part) => part !== undefined));
};

/** Whether a base is a class of this module rather than a name of another. */
export const isClassState = (base: ClassState | NameNode): base is ClassState => 'methods' in base;

/** The first base that is imported, searched through bases in this module: what `self` is a kind of. */
export const importedBase = (state: Pick<ClassState, 'bases'>, seen = 0): NameNode | undefined => {
  if (seen > 8) return undefined;
  for (const base of state.bases) {
    const found = isClassState(base) ? importedBase(base, seen + 1) : base;
    if (found !== undefined) return found;
  }
  return undefined;
};
