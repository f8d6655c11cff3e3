/** Flags and clearances of values as bits, and how those of a whole follow from its parts. */
import type { ClearKind, Flag, Value } from './model.types.ts';
import { SAFE, TAINTED } from './make-value.ts';

const flagNames: readonly Flag[] = [
  'built', 'llm', 'secret', 'network', 'file', 'low', 'param', 'request', 'random', 'archive', 'derived', 'upload',
];

const clearNames: readonly ClearKind[] = [
  'sql', 'shell', 'path', 'html', 'url', 'log', 'regex', 'all', 'option', 'code', 'up', 'rooted', 'resolved',
];

/** Bit of each flag in `Value.flags`. */
export const flagBit = Object.fromEntries(flagNames.map((name, index) => [name, 1 << index])) as Readonly<Record<Flag, number>>;

/** Bit of each kind in `Value.cleared`. */
export const clearBit = Object.fromEntries(clearNames.map((name, index) => [name, 1 << index])) as Readonly<Record<ClearKind, number>>;

/** Above the bits of kinds that are clear stand those of kinds for which only the tainted parts are: level 1 for these. */
export const loweredShift = clearNames.length;

/** The bits of kinds that are clear. */
export const kindBits = (1 << loweredShift) - 1;

const expanded = (cleared: number): number => ((cleared & clearBit.all) !== 0 ? kindBits : cleared & kindBits);

/** Flags that name an origin of concern; an unknown value without one matters for SQL and commands only. */
const originFlags = ['llm', 'network', 'file', 'low', 'request', 'archive', 'derived',
  'upload'].reduce((bits, name) => bits | 1 << flagNames.indexOf(name as Flag), 0);

const strictKinds = clearBit.sql | clearBit.shell | clearBit.code | clearBit.all;

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

/** `cleared` with what follows from it: a relative path without a way up stays below its folder. */
export const settled = (cleared: number): number =>
  ((cleared & clearBit.up) !== 0 && (cleared & clearBit.rooted) !== 0 ? cleared | clearBit.path : cleared);
