/** Reading and making the engine's values. */
import type { PyConstant } from '../../../../syntax/python.types.ts';
import type { ClearKind, Flag, Level, QualifiedName, Shape, TraceStep, Value } from './model.types.ts';

/** The three levels by name. */
export const SAFE = 0;
export const UNKNOWN = 1;
export const TAINTED = 2;

const flagNames: readonly Flag[] = [
  'built', 'llm', 'secret', 'network', 'file', 'low', 'param', 'request', 'random', 'archive', 'derived', 'upload',
];
const clearNames: readonly ClearKind[] = ['sql', 'shell', 'path', 'html', 'url', 'log', 'regex', 'all'];

/** Bit of each flag in `Value.flags`. */
export const flagBit = Object.fromEntries(flagNames.map((name, index) => [name, 1 << index])) as Readonly<Record<Flag, number>>;
/** Bit of each kind in `Value.cleared`. */
export const clearBit = Object.fromEntries(clearNames.map((name, index) => [name, 1 << index])) as Readonly<Record<ClearKind, number>>;

/** Makes a value; every value has the same hidden class, which keeps the walk fast. */
export const makeValue = (
  level: Level, flags: number, cleared: number, name: QualifiedName | undefined, shape: Shape | undefined, trace: TraceStep | undefined,
): Value => ({ level, flags, cleared, name, shape, trace });

/** Safe but not constant: a number, a length, a sanitised value. */
export const safeValue: Value = makeValue(SAFE, 0, 0, undefined, undefined, undefined);
/** Nothing is known. */
export const unknownValue: Value = makeValue(UNKNOWN, 0, 0, undefined, undefined, undefined);

/** The level that counts for one use: 0 when a sanitizer or guard has cleared the value for it. */
export const levelFor = (value: Value | undefined, kind: ClearKind): Level => {
  if (value === undefined) return SAFE;
  const bits = clearBit[kind] | clearBit.all;
  if ((value.cleared & bits) !== 0) return SAFE;
  return value.level === TAINTED && (value.cleared >> loweredShift & bits) !== 0 ? UNKNOWN : value.level;
};

/** Above the bits of kinds that are clear stand those of kinds for which only the tainted parts are: level 1 for these. */
export const loweredShift = 8;
const kindBits = (1 << loweredShift) - 1;
const expanded = (cleared: number): number => ((cleared & clearBit.all) !== 0 ? kindBits : cleared & kindBits);

/** Flags that name an origin of concern; an unknown value without one matters for SQL and commands only. */
const originFlags = ['llm', 'network', 'file', 'low', 'request', 'archive', 'derived', 'upload'].reduce((bits, name) => bits | 1 << flagNames.indexOf(name as Flag), 0);
const strictKinds = clearBit.sql | clearBit.shell | clearBit.all;

/**
 * `cleared` of a whole made of parts: clear for a kind when every part is. For kinds other than SQL and shell a part of
 * no known origin next to a cleared one of concern does not count, since alone it would not be reported either.
 */
export const clearedOf = (parts: Iterable<Value>): number => {
  let every = kindBits;
  let concerned = kindBits;
  let tainted = kindBits;
  let anyConcern = false;
  let anyTainted = false;
  let any = false;
  for (const part of parts) {
    if (part.level === SAFE) continue;
    any = true;
    const bits = expanded(part.cleared);
    every &= bits;
    if (part.level === TAINTED || (part.flags & originFlags) !== 0) {
      anyConcern = true;
      concerned &= bits;
    }
    if (part.level === TAINTED) {
      anyTainted = true;
      tainted &= bits | part.cleared >> loweredShift;
    }
  }
  if (!any) return 0;
  return every | (anyConcern ? concerned & ~strictKinds : 0) | (anyTainted ? tainted << loweredShift : 0);
};

/** Whether the value carries the flag. */
export const hasFlag = (value: Value | undefined, flag: Flag): boolean => value !== undefined && (value.flags & flagBit[flag]) !== 0;

/** The constant node of a constant value, else undefined. */
export const constantOf = (value: Value | undefined): PyConstant | undefined =>
  value?.shape?.type === 'Constant' ? value.shape : undefined;

/** The text of a constant str or bytes, else undefined. */
export const stringOf = (value: Value | undefined): string | undefined => {
  const constant = constantOf(value);
  return constant !== undefined && (constant.kind === 'str' || constant.kind === 'bytes') ? constant.value : undefined;
};

/** The number of a constant int or float, or 1 / 0 of a bool; else undefined. */
export const numberOf = (value: Value | undefined): number | undefined => {
  const constant = constantOf(value);
  if (constant === undefined) return undefined;
  if (constant.kind === 'int' || constant.kind === 'float') return constant.value;
  return constant.kind === 'bool' ? Number(constant.value) : undefined;
};

/** Python's truth of a value where it is known: constants and containers; else undefined. */
export const truthOf = (value: Value | undefined): boolean | undefined => {
  const shape = value?.shape;
  switch (shape?.type) {
    case 'Constant': return shape.kind === 'ellipsis' ? true : Boolean(shape.value);
    case 'Sequence': return shape.elements.length > 0 ? true : shape.open ? undefined : false;
    case 'Mapping': return shape.entries.size > 0 ? true : shape.open ? undefined : false;
    case 'Function': case 'Class': return true;
    default: return undefined;
  }
};

/** Whether the value is the constant None. */
export const isNone = (value: Value | undefined): boolean => constantOf(value)?.kind === 'none';

/**
 * The parts of a text in order: constants as strings, everything else as values. A constant is one string, a value of
 * unknown make is itself; nested built strings are flattened.
 */
export const partsOf = (value: Value | undefined): readonly (string | Value)[] => {
  if (value === undefined) return [];
  const text = stringOf(value);
  if (text !== undefined) return [text];
  return value.shape?.type === 'Built' ? value.shape.parts : [value];
};

/** The parts that are not safe for a use. Empty when the whole value was cleared for it. */
export const dynamicParts = (value: Value | undefined, kind: ClearKind): readonly Value[] => {
  if (levelFor(value, kind) === SAFE) return [];
  return partsOf(value).filter((part): part is Value => typeof part !== 'string' && levelFor(part, kind) !== SAFE);
};

/** The constant text that a value surely starts with: all of a constant, the first text of a built string, else ''. */
export const literalPrefix = (value: Value | undefined): string => {
  const first = partsOf(value)[0];
  return typeof first === 'string' ? first : '';
};

/** The constant text of a built string, dynamic parts replaced by `hole` (default one NUL); for looking at SQL or shell text. */
export const literalText = (value: Value | undefined, hole = '\0'): string =>
  partsOf(value).map((part) => (typeof part === 'string' ? part : hole)).join('');

/** Elements of a list, tuple or set, else undefined. */
export const elementsOf = (value: Value | undefined): readonly Value[] | undefined =>
  value?.shape?.type === 'Sequence' ? value.shape.elements : undefined;

/** The entry of a dict under a constant key, else undefined. */
export const entryOf = (value: Value | undefined, key: string): Value | undefined =>
  value?.shape?.type === 'Mapping' ? value.shape.entries.get(key) : undefined;

/** The qualified name as text: `nameOf(value) === 'ssl.CERT_NONE'`. */
export const nameOf = (value: Value | undefined): string | undefined => value?.name?.path;
