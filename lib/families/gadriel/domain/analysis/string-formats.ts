/** `%`, `format` and `join`: which value stands where in the text. */
import type { Value } from './model.types.ts';
import { textValue, withoutShape } from './constants.ts';
import { makeValue, SAFE, safeValue, unknownValue } from './make-value.ts';
import { buildString } from './strings.ts';
import { clearBit } from './value-bits.ts';
import { partsOf, stringOf } from './values.ts';

const conversions = /%(?:\(([^()]*)\))?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?([a-zA-Z%])/g;

/** `template % right`. Numeric conversions make their value safe; `%r` is clear for logs. */
export const formatPercent = (template: Value, right: Value): Value => {
  const shape = right.shape;
  const positional = shape?.type === 'Sequence' && shape.kind === 'tuple' ? shape : undefined;
  const mapping = shape?.type === 'Mapping' ? shape : undefined;
  let next = 0;
  const pieces: (string | Value)[] = [];
  for (const part of partsOf(template)) {
    if (typeof part !== 'string') {
      pieces.push(part);
      continue;
    }
    let from = 0;
    for (const match of part.matchAll(conversions)) {
      pieces.push(part.slice(from, match.index));
      from = match.index + match[0].length;
      const letter = match[2] ?? '';
      if (letter === '%') {
        pieces.push('%');
        continue;
      }
      const key = match[1];
      const value = key !== undefined ? mapping?.entries.get(key) ?? withoutShape(right)
        : positional === undefined ? right : positional.elements[next] ?? (positional.open ? withoutShape(right) : unknownValue);
      if (key === undefined) next += 1;
      pieces.push(converted(value, letter));
    }
    pieces.push(part.slice(from));
  }
  return buildString('percent', pieces);
};

const converted = (value: Value, letter: string): Value => {
  if ('diouxXeEfFgGc'.includes(letter)) return stringOf(value) === undefined && value.level === SAFE ? value.shape?.type === 'Constant'
    ? shown(value) : safeValue : safeValue;
  return letter === 'r' || letter === 'a' ? quotedValue(value) : shown(value);
};

/** A value as `str()` shows it: constant numbers become text. */
const shown = (value: Value): Value => {
  const shape = value.shape;
  if (shape?.type !== 'Constant') return value;
  if (shape.kind === 'int' && Number.isInteger(shape.value)) return textValue(String(shape.value));
  if (shape.kind === 'bool') return textValue(shape.value ? 'True' : 'False');
  return shape.kind === 'none' ? textValue('None') : shape.kind === 'str' ? value : shape.kind === 'bytes' ? value : safeValue;
};

/** A value through `repr`: line ends cannot forge log lines. Its text content is no longer known. */
const quotedValue = (value: Value): Value =>
  value.level === SAFE ? safeValue : makeValue(value.level, value.flags, value.cleared | clearBit.log, value.name, undefined, value.trace);

/** One `{value!conversion:spec}`: the spec decides whether it can be anything but a number. */
export const formatField = (value: Value, conversion: string, spec: string | undefined): Value => {
  if (conversion === 'r' || conversion === 'a') return quotedValue(value);
  if (spec === undefined || spec === '' || spec === 's') return shown(value);
  return /[bcdeEfFgGnxX%]$/.test(spec) && !/[a-zA-Z]{2}/.test(spec) ? safeValue : withoutShape(value);
};

const fields = /\{\{|\}\}|\{([^{}!:]*)(?:!([rsa]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}/g;

/** `template.format(*args, **keywords)`; `rest` stands for arguments that are not known one by one. */
export const formatMethod = (template: Value, args: readonly Value[], keywords: ReadonlyMap<string, Value>, rest: Value | undefined): Value => {
  let next = 0;
  const pieces: (string | Value)[] = [];
  for (const part of partsOf(template)) {
    if (typeof part !== 'string') {
      // A template that is not known may use every argument.
      pieces.push(part, ...args, ...keywords.values());
      continue;
    }
    let from = 0;
    for (const match of part.matchAll(fields)) {
      pieces.push(part.slice(from, match.index));
      from = match.index + match[0].length;
      if (match[0] === '{{' || match[0] === '}}') {
        pieces.push(match[0].slice(1));
        continue;
      }
      const field = match[1] ?? '';
      const base = /^[^.[]*/.exec(field)?.[0] ?? '';
      const index = base === '' ? next : /^\d+$/.test(base) ? Number(base) : undefined;
      if (base === '') next += 1;
      const given = index === undefined ? keywords.get(base) : args[index];
      // Without its argument the call throws.
      const value = given ?? rest ?? safeValue;
      pieces.push(formatField(base.length === field.length ? value : withoutShape(value), match[2] ?? '', match[3]));
    }
    pieces.push(part.slice(from));
  }
  return buildString('format', pieces);
};

/** `separator.join(items)`. */
export const joinStrings = (separator: Value, items: Value): Value => {
  const shape = items.shape;
  if (shape?.type !== 'Sequence') return buildString('join', [items.shape === undefined ? items : withoutShape(items)]);
  const pieces: (string | Value)[] = [];
  shape.elements.forEach((element, at) => {
    if (at > 0 || shape.open) pieces.push(...(at > 0 ? [separator] : []));
    pieces.push(element);
  });
  // More elements than listed: like those that are, so the text repeats and is no constant.
  if (shape.open) pieces.push(separator, safeValue);
  return buildString('join', pieces);
};
