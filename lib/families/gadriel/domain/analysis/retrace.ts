/** Traces of a result that was worked out for another call: the part before the call is put in place of the other caller's. */
import type { Shape, TraceStep, Value } from './model.types.ts';
import { makeValue } from './make-value.ts';
import type { Walk } from './walk.ts';

/** Steps by which arguments came in: those of the call that was walked, and those of the call at hand. */
export type Entries = { readonly old: readonly (TraceStep | undefined)[]; readonly own: readonly (TraceStep | undefined)[] };

const maximumShapeDepth = 3;

/** The value with the traces of the caller at hand, those of its parts included. */
export const retraced = (walk: Walk, value: Value, entries: Entries, depth = 0): Value => {
  const trace = retracedSteps(walk, value.trace, entries);
  const shape = depth < maximumShapeDepth ? retracedShape(walk, value.shape, entries, depth) : value.shape;
  return trace === value.trace && shape === value.shape ? value
    : makeValue(value.level, value.flags, value.cleared, value.name, shape, trace);
};

const retracedShape = (walk: Walk, shape: Shape | undefined, entries: Entries, depth: number): Shape | undefined => {
  const again = (value: Value): Value => retraced(walk, value, entries, depth + 1);
  switch (shape?.type) {
    case 'Built': return { ...shape, parts: shape.parts.map((part) => (typeof part === 'string' ? part : again(part))) };
    case 'Sequence': return { ...shape, elements: shape.elements.map(again) };
    case 'Mapping': return { ...shape, entries: new Map([...shape.entries].map(([key, value]) => [key, again(value)])) };
    default: return shape;
  }
};

const retracedSteps = (walk: Walk, newest: TraceStep | undefined, { old, own }: Entries): TraceStep | undefined => {
  const later: TraceStep[] = [];
  for (let at = newest; at !== undefined; at = at.previous) {
    const index = old.indexOf(at);
    if (index >= 0) return later.reduceRight<TraceStep | undefined>((trace, step) => walk.step(step.offset, step.note, trace, step.module), own[index]);
    later.push(at);
  }
  return newest;
};
