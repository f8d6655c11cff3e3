/** Folded constants. */
import type { PyConstant } from '../../../../syntax/python.types.ts';
import type { Value } from './model.types.ts';
import { makeValue, SAFE, safeValue } from './make-value.ts';

export const maximumText = 8192;

/** A folded constant string. Over-long ones become safe values without content, so that doubling cannot fill the memory. */
export const textValue = (value: string, kind: 'str' | 'bytes' = 'str'): Value => {
  if (value.length > maximumText) return safeValue;
  return makeValue(SAFE, 0, 0, undefined, { type: 'Constant', kind, value, start: 0, end: 0 }, undefined);
};

/** A folded constant number, bool or None. */
export const constantValue = (shape: PyConstant): Value => makeValue(SAFE, 0, 0, undefined, shape, undefined);

/** A folded integer; beyond 2^53 its content is dropped. */
export const intValue = (value: number): Value =>
  Number.isSafeInteger(value) ? constantValue({ type: 'Constant', kind: 'int', value, text: String(value), start: 0, end: 0 }) : safeValue;

/** The value without what is known of its make. */
export const withoutShape = (value: Value): Value =>
  value.shape === undefined ? value : makeValue(value.level, value.flags, value.cleared, value.name, undefined, value.trace);
