/** Reading the engine's values. */
import type { PyConstant } from '../../../../syntax/python.types.ts';
import type { ClearKind, Flag, Level, Value } from './model.types.ts';
import { SAFE, TAINTED, UNKNOWN } from './make-value.ts';
import { clearBit, flagBit, loweredShift } from './value-bits.ts';

/** Text that means nothing to any language, though it may still name a file or a host. */
const plainText = clearBit.sql | clearBit.shell | clearBit.html | clearBit.log | clearBit.regex | clearBit.code;

/** The level that counts for one use: 0 when a sanitizer or guard has cleared the value for it. */
export const levelFor = (value: Value | undefined, kind: ClearKind): Level => {
  if (value === undefined) return SAFE;
  const bits = clearBit[kind] | clearBit.all;
  if ((value.cleared & bits) !== 0 || kind === 'all' && (value.cleared & plainText) === plainText) return SAFE;
  return value.level === TAINTED && (value.cleared >> loweredShift & bits) !== 0 ? UNKNOWN : value.level;
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
