/** Matchers by the last name segment they wait for, so that most calls and assignments cost one map look-up. */
import type { Matcher, Profile, Value } from './model.types.ts';
import { pythonBuiltins } from './name-tables.ts';
import type { NameTable } from './names.ts';
import { flagBit } from './value-bits.ts';

export type MatcherIndex = {
  readonly calls: ReadonlyMap<string, readonly Matcher[]>;
  readonly everyCall: readonly Matcher[];
  readonly byKeyword: ReadonlyMap<string, readonly Matcher[]>;
  readonly assigns: ReadonlyMap<string, readonly Matcher[]>;
  readonly everyAssign: readonly Matcher[];
  /** Bits of all flags that some matcher waits for on assigned values, and those matchers with their bits. */
  readonly assignFlags: number;
  readonly byFlag: readonly (readonly [bits: number, matcher: Matcher])[];
  readonly returns: readonly Matcher[];
  readonly functions: readonly Matcher[];
  readonly classes: readonly Matcher[];
  readonly compares: readonly Matcher[];
  readonly builtins: ReadonlyMap<string, Value>;
};

/** Sorts the matchers of a profile by what they wait for. */
export const indexMatchers = (all: readonly Matcher[], profile: Profile, names: NameTable): MatcherIndex => {
  const matchers = all.filter((matcher) => matcher.profile === undefined || matcher.profile === profile);
  const byName = (keys: (matcher: Matcher) => readonly string[] | undefined): Map<string, Matcher[]> => {
    const index = new Map<string, Matcher[]>();
    for (const matcher of matchers) {
      for (const key of new Set(keys(matcher))) {
        const list = index.get(key);
        if (list === undefined) index.set(key, [matcher]);
        else list.push(matcher);
      }
    }
    return index;
  };
  const calls = byName((matcher) => (matcher.onCall === undefined ? undefined : matcher.calls));
  const assigns = byName((matcher) => (matcher.onAssign === undefined ? undefined : matcher.assigns));
  const byFlag = matchers.filter((matcher) => matcher.onAssign !== undefined && matcher.assignFlags !== undefined)
    .map((matcher) => [(matcher.assignFlags ?? []).reduce((bits, flag) => bits | flagBit[flag], 0), matcher] as const);
  return {
    byKeyword: byName((matcher) => (matcher.onCall === undefined ? undefined : matcher.keywords)),
    byFlag, assignFlags: byFlag.reduce((bits, [each]) => bits | each, 0),
    calls, everyCall: calls.get('*') ?? [],
    assigns, everyAssign: assigns.get('*') ?? [],
    returns: matchers.filter((matcher) => matcher.onReturn !== undefined),
    functions: matchers.filter((matcher) => matcher.onFunction !== undefined),
    classes: matchers.filter((matcher) => matcher.onClass !== undefined),
    compares: matchers.filter((matcher) => matcher.onCompare !== undefined),
    builtins: new Map([...pythonBuiltins].map((name) => [name, names.top(name).value])),
  };
};
