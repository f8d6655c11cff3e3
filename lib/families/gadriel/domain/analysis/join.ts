/** The value after two ways of the program have come together. */
import type { Shape, Value } from './model.types.ts';
import { makeValue } from './make-value.ts';
import { clearedOf } from './value-bits.ts';
import { isNone, literalPrefix } from './values.ts';

const maximumElements = 64;

/** Join of two values that a name may have; undefined (not bound on one way) gives the other. */
export const joinValues = (a: Value | undefined, b: Value | undefined, depth = 0): Value | undefined => {
  if (a === b || b === undefined) return a;
  if (a === undefined) return b;
  return joinBoth(a, b, depth);
};

/** As `joinValues` where both are bound. */
export const joinBoth = (a: Value, b: Value, depth = 0): Value => {
  if (a === b) return a;
  const worse = b.level > a.level ? b : a;
  // A safe side is clear for everything, so only the other side's clearances count.
  const cleared = a.level === 0 ? b.cleared : b.level === 0 || a.cleared === b.cleared ? a.cleared : clearedOf([a, b]);
  return makeValue(worse.level, a.flags | b.flags, cleared, joinNames(a, b), joinShapes(a, b, depth), worse.trace ?? a.trace ?? b.trace);
};

const joinNames = (a: Value, b: Value): Value['name'] => {
  if (a.name === b.name) return a.name;
  // `x = None` first and a real thing later: the name that is known is the one that acts.
  return a.name ?? b.name;
};

const joinShapes = (a: Value, b: Value, depth: number): Shape | undefined => {
  const one = a.shape;
  const two = b.shape;
  if (one === two) return one;
  if (isNone(a) && two?.type !== 'Constant') return two;
  if (isNone(b) && one?.type !== 'Constant') return one;
  if (one === undefined || two === undefined) {
    // Two equally bad values of which one has unknown make: its make must not be taken as known (fixed prefix of a URL).
    if (a.level === b.level) return undefined;
    return a.level > b.level ? one : two;
  }
  if (one.type === 'Constant' && two.type === 'Constant') return one.kind === two.kind && one.value === two.value ? one : undefined;
  if (one.type === 'Sequence' && two.type === 'Sequence' && depth < 3) {
    const [short, long] = one.elements.length <= two.elements.length ? [one, two] : [two, one];
    const elements = long.elements.slice(0, maximumElements).map((element, at) => joinValues(element, short.elements[at], depth + 1) ?? element);
    return { type: 'Sequence', kind: one.kind, elements, open: one.open || two.open || short.elements.length !== long.elements.length };
  }
  if (one.type === 'Mapping' && two.type === 'Mapping' && depth < 3) {
    const entries = new Map(one.entries);
    for (const [key, value] of two.entries) {
      if (entries.size >= maximumElements && !entries.has(key)) break;
      entries.set(key, joinValues(entries.get(key), value, depth + 1) ?? value);
    }
    return { type: 'Mapping', entries, open: one.open || two.open || one.entries.size !== two.entries.size };
  }
  if (one.type === 'Built' && two.type === 'Built' && a.level === b.level) return literalPrefix(a).length <= literalPrefix(b).length ? one : two;
  if (a.level !== b.level) return a.level > b.level ? one : two;
  if (one.type === 'Instance' && two.type === 'Instance' && one.info === two.info) return { type: 'Instance', info: one.info };
  // Of two functions or classes the first stands for both.
  return one.type === two.type && (one.type === 'Function' || one.type === 'Class' || one.type === 'Instance') ? one : undefined;
};
