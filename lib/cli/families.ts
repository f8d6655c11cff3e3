import { gadriel } from '../families/gadriel/index.ts';
import { gage } from '../families/gage/index.ts';
import type { Family } from '../mcp/family.types.ts';
import { suggestion } from '../terminal/nearest.ts';
import { UsageError } from '../terminal/usage-error.ts';

/** A family of the command line: one that is part of the package, or a plugin's. */
export type FamilyEntry = {
  readonly name: string;
  /** Set for a plugin's: its words hold `--plugin`, which is not for its verbs. */
  readonly plugged?: true;
  /** The version of the family's own behaviour, beside that of toolwire. */
  readonly version?: string;
  /** A call as an example of `call`: a tool and its arguments. */
  readonly callExample?: string;
  /** Words behind the family's name that serve it alone, beside `mcp`. */
  readonly serveWords: readonly string[];
  load(): Family;
};

/** The built-in families, in the order of their tools. */
export const builtIns: readonly FamilyEntry[] = [
  { name: 'gadriel', serveWords: ['code mcp'], load: gadriel },
  { name: 'gage', version: '0.3.0', callExample: `gage_inbox '{"all": true}'`, serveWords: [], load: gage },
];

/** Families that a later version brings. */
const planned = ['gald3r', 'v12'];

/** The built-in family of this name, or undefined. */
export function findBuiltIn(name: string): FamilyEntry | undefined {
  return builtIns.find((family) => family.name === name);
}

/** The usage error for a name that is no family; `present` are the names that are. */
export function noSuchFamily(name: string, present: readonly string[], help?: string): UsageError {
  const list = `present: ${present.join(', ')}`;
  const message = planned.includes(name)
    ? `the family ${name} is not part of this version of toolwire; ${list}`
    : `there is no family ${JSON.stringify(name.slice(0, 80))}; ${list}${suggestion(name, present)}`;
  return new UsageError(message, help === undefined ? {} : { help });
}

/** Whether this name is one of a family, present or planned. */
export function isFamilyName(name: string): boolean {
  return planned.includes(name) || findBuiltIn(name) !== undefined;
}

/**
 * The families to use: the named ones, or all; families of plugins come last. A plugin's family may be named too,
 * which leaves out the built-in ones that are not named. Throws a UsageError for a name that is neither.
 */
export function selectFamilies(names: readonly string[], plugins: readonly Family[]): readonly Family[] {
  const present = [...builtIns.map((family) => family.name), ...plugins.map((family) => family.name)];
  const missing = names.find((name) => !present.includes(name));
  if (missing !== undefined) throw noSuchFamily(missing, present);
  const chosen = builtIns.filter((family) => names.length === 0 || names.includes(family.name));
  return [...chosen.map((family) => family.load()), ...plugins];
}
