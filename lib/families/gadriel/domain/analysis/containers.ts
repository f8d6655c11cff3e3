/** Values of lists, tuples, sets and dicts, and of what comes out of something of which only the level is known. */
import type { SequenceShape, Value } from './model.types.ts';
import { makeValue, SAFE, safeValue, UNKNOWN, unknownValue } from './make-value.ts';
import { clearedOf } from './value-bits.ts';

export const maximumElements = 128;

/** A part of a value of which only level and flags are known. */
export const derive = (base: Value, flags = 0): Value => {
  if (base.level === SAFE && base.flags === 0 && flags === 0) return base.shape === undefined && base.name === undefined ? base : safeValue;
  if (base.level === UNKNOWN && (base.flags | flags) === 0 && base.trace === undefined) return unknownValue;
  return makeValue(base.level, base.flags | flags, base.cleared, undefined, undefined, base.trace);
};

/** A list, tuple or set; its level and flags are the worst of its elements. */
export const sequenceValue = (kind: SequenceShape['kind'], elements: readonly Value[], open: boolean): Value => {
  const kept = elements.length > maximumElements ? elements.slice(0, maximumElements) : elements;
  return containerValue(elements, { type: 'Sequence', kind, elements: kept, open: open || kept !== elements });
};

/** A container with the level, flags and clearances of what is in it. */
export const containerValue = (contents: readonly Value[], shape: Value['shape']): Value => {
  let level: Value['level'] = SAFE;
  let flags = 0;
  let trace: Value['trace'];
  for (const content of contents) {
    flags |= content.flags;
    if (content.level === SAFE) continue;
    if (content.level > level) {
      level = content.level;
      trace = content.trace;
    }
  }
  return makeValue(level, flags, level === SAFE ? 0 : clearedOf(contents), undefined, shape, trace);
};
