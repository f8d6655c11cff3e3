/** Making the engine's values. */
import type { Level, QualifiedName, Shape, TraceStep, Value } from './model.types.ts';

/** The value, or unknown. */
export const orUnknown = (value: Value | undefined): Value => value ?? unknownValue;

/** The three levels by name. */
export const SAFE = 0;

export const UNKNOWN = 1;

export const TAINTED = 2;

/** Makes a value; every value has the same hidden class, which keeps the walk fast. */
export const makeValue = (
  level: Level, flags: number, cleared: number, name: QualifiedName | undefined, shape: Shape | undefined, trace: TraceStep | undefined,
): Value => ({ level, flags, cleared, name, shape, trace });

/** Safe but not constant: a number, a length, a sanitised value. */
export const safeValue: Value = makeValue(SAFE, 0, 0, undefined, undefined, undefined);

/** Nothing is known. */
export const unknownValue: Value = makeValue(UNKNOWN, 0, 0, undefined, undefined, undefined);
