/** Attributes and methods of classes of the analysed module, through their bases. */
import type { ClassInfo, Value } from './model.types.ts';
import { joinBoth } from './join.ts';
import { makeValue } from './make-value.ts';
import type { NameNode } from './names.ts';
import { isNone } from './values.ts';
import type { Walk } from './walk.ts';
import type { ClassState } from './walk.types.ts';

/** Value of `instance.attr` or `Class.attr`; undefined when neither the class nor a base in this module has it. */
export const classAttribute = (walk: Walk, info: ClassInfo, attr: string, self: Value | undefined, seen = 0): Value | undefined => {
  const state = walk.classes.get(info);
  if (state === undefined || seen > 8) return undefined;
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
