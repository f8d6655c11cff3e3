/** Binary operators over values: folding of constants, building of strings, joining of paths and containers. */
import type { PyBinOp } from '../../../../syntax/python.types.ts';
import type { Value } from './model.types.ts';
import { intValue, textValue } from './constants.ts';
import { containerValue, derive, sequenceValue } from './containers.ts';
import { joinBoth } from './join.ts';
import { makeValue, SAFE, safeValue, TAINTED } from './make-value.ts';
import { formatPercent } from './string-formats.ts';
import { buildString } from './strings.ts';
import { flagBit } from './value-bits.ts';
import { constantOf, numberOf, stringOf } from './values.ts';
import type { Walk } from './walk.ts';

/** Value of `left op right`. */
export const binaryValue = (walk: Walk, op: string, left: Value, right: Value, node: PyBinOp): Value => {
  switch (op) {
    case '+': return plus(walk, left, right, node);
    case '%': return noted(walk, node.start, percent(left, right));
    case '*': return times(left, right);
    case '/': return slash(left, right);
    case '|': case '&': case '<<': case '>>': case '^': return bits(op, left, right);
    default: return arithmetic(op, left, right);
  }
};

const isText = (value: Value): boolean => value.shape?.type === 'Built' || stringOf(value) !== undefined;

const plus = (walk: Walk, left: Value, right: Value, node: PyBinOp): Value => {
  const a = left.shape;
  const b = right.shape;
  if (a?.type === 'Sequence' || b?.type === 'Sequence') {
    const [first, second] = [a?.type === 'Sequence' ? a.elements : [derive(left)], b?.type === 'Sequence' ? b.elements : [derive(right)]];
    const kind = a?.type === 'Sequence' ? a.kind : b?.type === 'Sequence' ? b.kind : 'list';
    const open = a?.type !== 'Sequence' || b?.type !== 'Sequence' || a.open || b.open;
    return sequenceValue(kind, [...first, ...second], open);
  }
  const one = numberOf(left);
  const two = numberOf(right);
  if (one !== undefined && two !== undefined) return intValue(one + two);
  if (left.level === SAFE && right.level === SAFE && !isText(left) && !isText(right) && (left.flags | right.flags) === 0) return safeValue;
  // A number added: neither side is text.
  if (one !== undefined || two !== undefined) return derive(one === undefined ? left : right);
  return noted(walk, node.start, buildString('concat', [left, right]));
};

/** A tainted text that was put together here remembers the place. */
export const noted = (walk: Walk, offset: number, built: Value): Value =>
  (built.level < TAINTED || built.shape?.type !== 'Built' ? built
    : makeValue(built.level, built.flags, built.cleared, built.name, built.shape, walk.step(offset, 'put into a string', built.trace)));

const percent = (left: Value, right: Value): Value => {
  if (isText(left)) return formatPercent(left, right);
  if (numberOf(left) !== undefined || numberOf(right) !== undefined && left.level < 2) return safeValue;
  if (right.shape?.type === 'Sequence' || right.shape?.type === 'Mapping' || left.level === 2 || right.level === 2) {
    return buildString('percent', [left, ...(right.shape?.type === 'Sequence' ? right.shape.elements : [derive(right)])]);
  }
  return derive(joinBoth(left, right));
};

const times = (left: Value, right: Value): Value => {
  const list = left.shape?.type === 'Sequence' ? left.shape : right.shape?.type === 'Sequence' ? right.shape : undefined;
  if (list !== undefined) return sequenceValue(list.kind, list.elements, true);
  const [text, count] = stringOf(left) === undefined ? [stringOf(right), numberOf(left)] : [stringOf(left), numberOf(right)];
  if (text !== undefined) {
    return count !== undefined && count >= 0 && text.length * count <= 4096
      ? textValue(text.repeat(count), constantOf(left)?.kind === 'bytes' ? 'bytes' : 'str') : safeValue;
  }
  const one = numberOf(left);
  const two = numberOf(right);
  if (one !== undefined && two !== undefined) return intValue(one * two);
  return isText(left) ? buildString('concat', [left]) : isText(right) ? buildString('concat', [right]) : derive(joinBoth(left, right));
};

/** Division, or `path / name` of pathlib. */
const slash = (left: Value, right: Value): Value => {
  const path = left.name?.path === 'pathlib.Path()' ? left.name : right.name?.path === 'pathlib.Path()' ? right.name : undefined;
  if (path === undefined && !isText(right) && right.level < 2 && left.level < 2) return derive(joinBoth(left, right));
  const joined = containerValue([left, right], undefined);
  const flags = joined.flags | (joined.level > SAFE ? flagBit.built : 0);
  return makeValue(joined.level, flags, joined.cleared, path ?? left.name, undefined, joined.trace);
};

const bits = (op: string, left: Value, right: Value): Value => {
  const a = left.shape;
  const b = right.shape;
  if (op === '|' && a?.type === 'Mapping' && b?.type === 'Mapping') {
    return containerValue([left, right], { type: 'Mapping', entries: new Map([...a.entries, ...b.entries]), open: a.open || b.open });
  }
  const one = numberOf(left);
  const two = numberOf(right);
  if (one === undefined || two === undefined || !Number.isInteger(one) || !Number.isInteger(two)) return derive(joinBoth(left, right));
  // 32-bit operators of JavaScript only where they are exact.
  if (one < 0 || two < 0 ? Math.abs(one) > 0x3fffffff || Math.abs(two) > 0x3fffffff : one > 0x7fffffff || two > 0x7fffffff) return safeValue;
  switch (op) {
    case '|': return intValue(one | two);
    case '&': return intValue(one & two);
    case '^': return intValue(one ^ two);
    case '<<': return two >= 0 && two < 53 ? intValue(one * 2 ** two) : safeValue;
    default: return two >= 0 && two < 53 ? intValue(Math.floor(one / 2 ** two)) : safeValue;
  }
};

const arithmetic = (op: string, left: Value, right: Value): Value => {
  const one = numberOf(left);
  const two = numberOf(right);
  if (one !== undefined && two !== undefined) {
    if (op === '-') return intValue(one - two);
    if (op === '**' && two >= 0 && two < 64) return intValue(one ** two);
    if (op === '//' && two !== 0) return intValue(Math.floor(one / two));
    return safeValue;
  }
  // Set difference keeps its elements; of numbers nothing dangerous is left.
  return op === '-' && (left.level === 2 || left.shape?.type === 'Sequence') ? derive(left) : safeValue;
};
