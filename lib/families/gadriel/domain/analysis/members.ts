/** What a value gives when one of its attributes or elements is taken. */
import type { Value } from './model.types.ts';
import { carries } from './call-signature.ts';
import { classAttribute, inheritedAttribute, propertyOf } from './class-attributes.ts';
import { derive } from './containers.ts';
import { joinBoth } from './join.ts';
import { callFunction } from './local-calls.ts';
import { makeValue, SAFE, safeValue, TAINTED } from './make-value.ts';
import { modelField } from './model-fields.ts';
import { nodeOf } from './names.ts';
import type { NameNode } from './names.ts';
import { secretName } from './secret-names.ts';
import { flagBit } from './value-bits.ts';
import type { Walk } from './walk.ts';
import type { FunctionState } from './walk.types.ts';

/** `base.attr`: a library's name, an attribute of a class of this module, or something derived from `base`. */
export const attributeOf = (walk: Walk, base: Value, attr: string, offset: number): Value => {
  const shape = base.shape;
  if (shape?.type === 'Instance' || shape?.type === 'Class') {
    const field = base.level === TAINTED ? modelField(walk, base, shape.info, attr) : undefined;
    if (field !== undefined) return field;
    const property = shape.type === 'Instance' && carries(base) ? propertyOf(walk, shape.info, attr) : undefined;
    if (property !== undefined) return readProperty(walk, property, base, offset);
    const found = shape.type === 'Instance' && shape.above !== undefined ? inheritedAttribute(walk, base, shape, attr)
      : classAttribute(walk, shape.info, attr, shape.type === 'Instance' ? base : undefined);
    if (found !== undefined) return found;
  }
  const secret = secretName(attr) ? flagBit.secret : 0;
  const name = nodeOf(base.name);
  if (name === undefined) return derive(base, secret);
  const child = walk.names.child(name, attr);
  if (child === undefined) return derive(base, secret);
  const own = ownNode(walk, child);
  if (own !== undefined) return namedValue(walk, own, base, offset, secret);
  // An attribute of a module of the same repository.
  const imported = child.known || child.dynamic ? undefined : walk.options.resolveImport?.(child.path);
  return imported ?? namedValue(walk, child, base, offset, secret);
};

/** What the user's settings call this name, which an import may say relative to its package. */
export const ownNode = (walk: Walk, node: NameNode): NameNode | undefined => {
  const own = walk.names.own.said(node.path, walk.info.path);
  return own === undefined ? undefined : walk.names.resolve(own);
};

/** What a property's function gives for this very instance. */
const readProperty = (walk: Walk, property: FunctionState, self: Value, offset: number): Value =>
  callFunction(walk, { type: 'Function', info: property.info, self }, { callee: property.value, receiver: self, last: property.info.name, args: [],
    keywords: new Map(), openArgs: false, openKeywords: false },
  { type: 'Call', func: { type: 'Name', id: property.info.name, start: offset, end: offset }, args: [], start: offset, end: offset });

/** The value of a name reached through `base`: a source, something of a tainted base, or the library's own thing. */
export const namedValue = (walk: Walk, node: NameNode, base: Value, offset: number, flags = 0): Value => {
  const source = node.source;
  if (source !== undefined && source.level >= base.level) {
    const all = node.sourceFlags | base.flags | flags;
    const trace = source.level === SAFE ? base.trace : walk.step(offset, `${node.path}: ${source.note}`, undefined);
    return makeValue(source.level, all, 0, node, undefined, trace);
  }
  const sourceFlags = node.sourceFlags | base.flags | flags;
  if (base.level === TAINTED || sourceFlags !== 0) {
    return makeValue(base.level === SAFE ? node.value.level : base.level, sourceFlags, base.cleared, node, node.value.shape, base.trace);
  }
  return node.value;
};

/** An element of `base`, as iteration gives it. */
export const elementOf = (walk: Walk, base: Value, offset: number): Value => {
  const shape = base.shape;
  if (shape?.type === 'Sequence') {
    const [first, ...rest] = shape.elements;
    if (first === undefined) return derive(base);
    return rest.reduce((joined, element) => joinBoth(joined, element), first);
  }
  if (shape?.type === 'Mapping') return shape.open ? derive(base) : safeValue;
  const name = nodeOf(base.name);
  const item = name === undefined ? undefined : walk.names.item(name);
  return item === undefined ? derive(base) : namedValue(walk, item, base, offset);
};
