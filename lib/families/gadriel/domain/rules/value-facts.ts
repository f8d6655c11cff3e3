/** Short questions about values that most rules ask. */
import type { Value } from '../analysis/model.types.ts';
import { constantOf, stringOf } from '../analysis/values.ts';

/** The qualified name of a value as text, '' when it has none. */
export const nameText = (value: Value | undefined): string => value?.name?.path ?? '';

/** The text of a constant, '' for anything else. */
export const textOf = (value: Value | undefined): string => stringOf(value) ?? '';

/** Whether the value is the constant True, False… given as a literal or folded one. */
export const isBool = (value: Value | undefined, wanted: boolean): boolean => {
  const constant = constantOf(value);
  return constant?.kind === 'bool' ? constant.value === wanted : false;
};
