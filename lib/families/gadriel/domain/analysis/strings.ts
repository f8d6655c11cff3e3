/** Strings put together of constant and other parts. */
import type { BuiltShape, TraceStep, Value } from './model.types.ts';
import { maximumText, textValue } from './constants.ts';
import { makeValue, SAFE } from './make-value.ts';
import { clearBit, clearedOf, flagBit, settled } from './value-bits.ts';
import { partsOf } from './values.ts';

const maximumParts = 64;

/** Puts parts together; nested built strings are flattened, neighbouring texts joined. A string of texts only is a constant. */
export const buildString = (via: BuiltShape['via'], pieces: readonly (string | Value)[]): Value => {
  const parts: (string | Value)[] = [];
  let length = 0;
  for (const piece of pieces) {
    for (const part of typeof piece === 'string' ? [piece] : partsOf(piece)) {
      const last = parts.length - 1;
      if (typeof part === 'string') {
        if (part === '' || length > maximumText) continue;
        length += part.length;
        if (typeof parts[last] === 'string') parts[last] += part;
        else if (parts.length < maximumParts) parts.push(part);
      } else if (parts.length < maximumParts) {
        parts.push(part);
      } else if (part.level > SAFE) {
        // The worst part must not be lost to the limit.
        parts[last] = part;
      }
    }
  }
  if (parts.length === 0) return textValue('');
  if (parts.length === 1 && typeof parts[0] === 'string') return textValue(parts[0]);
  return fromParts(via, parts);
};

/** Behind other text a path cannot be absolute, so without a way up it stays below the folder before it. */
const behindText = (part: Value): Value =>
  makeValue(part.level, part.flags, settled(part.cleared | clearBit.rooted), part.name, part.shape, part.trace);

const fromParts = (via: BuiltShape['via'], parts: readonly (string | Value)[]): Value => {
  let level: Value['level'] = SAFE;
  let flags = 0;
  let trace: TraceStep | undefined;
  for (const part of parts) {
    if (typeof part === 'string') continue;
    flags |= part.flags;
    if (part.level === SAFE) continue;
    if (part.level > level || trace === undefined) trace = part.trace ?? trace;
    if (part.level > level) level = part.level;
  }
  if (level === SAFE) return makeValue(SAFE, flags, 0, undefined, { type: 'Built', via, parts }, undefined);
  const kept = parts.map((part, at) => (at > 0 && typeof part !== 'string' && (part.cleared & clearBit.up) !== 0 ? behindText(part) : part));
  const cleared = clearedOf(kept.filter((part): part is Value => typeof part !== 'string'));
  return makeValue(level, flags | flagBit.built, cleared, undefined, { type: 'Built', via, parts: kept }, trace);
};
