import { suggestion } from './nearest.ts';
import { UsageError } from './usage-error.ts';

/** What a flag takes: nothing, one value, or one value each time it is given. */
export type FlagKind = 'switch' | 'value' | 'values';

/** The flags of a command by name, without the dashes. */
export type FlagTable = Readonly<Record<string, FlagKind>>;

/** What was given: a switch is true, a value its text, values their texts in order; what was not given is left out. */
export type Flags<T extends FlagTable> = {
  -readonly [Name in keyof T]?: T[Name] extends 'switch' ? true : T[Name] extends 'value' ? string : readonly string[];
};

/** Flags every command has. */
export const commonFlags = { help: 'switch' } as const;

/**
 * Splits words into flags and the rest. `--name value`, `--name=value`, `-h` for `--help`; `--` ends the flags; a
 * single `-` is a word. Throws a UsageError that names the nearest known flag, and for a second value where there is room for one:
 * which of the two was meant nobody can tell.
 */
export function parseFlags<const T extends FlagTable>(
  words: readonly string[],
  table: T,
  help: string,
): { readonly flags: Flags<T & typeof commonFlags>; readonly rest: readonly string[] } {
  const known = new Map<string, FlagKind>(Object.entries({ ...table, ...commonFlags }));
  const flags = new Map<string, true | string | string[]>();
  const rest: string[] = [];
  const queue = [...words];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === '--') {
      rest.push(...queue);
      break;
    }
    if (word === '-' || !word.startsWith('-')) {
      rest.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const given = equals < 0 ? word : word.slice(0, equals);
    const name = given === '-h' ? 'help' : given.slice(2);
    const kind = given === '-h' || given.startsWith('--') ? known.get(name) : undefined;
    if (kind === undefined) {
      throw new UsageError(`unknown flag ${given.slice(0, 80)}${suggestion(given, [...known.keys()].map((each) => `--${each}`))}`, { help });
    }
    if (kind === 'switch') {
      if (equals >= 0) throw new UsageError(`--${name} takes no value`, { help });
      flags.set(name, true);
      continue;
    }
    const value = equals < 0 ? queue.shift() : word.slice(equals + 1);
    if (value === undefined || value === '') throw new UsageError(`--${name} needs a value`, { help });
    if (kind === 'value' && flags.has(name)) throw new UsageError(`--${name} is given twice; it takes one value`, { help });
    if (kind === 'value') flags.set(name, value);
    else flags.set(name, [...((flags.get(name) as string[] | undefined) ?? []), value]);
  }
  return { flags: Object.fromEntries(flags) as Flags<T & typeof commonFlags>, rest };
}

/** Takes one valued flag out of words that someone else will parse: its values, and the words without it. `--` ends the search. */
export function takeFlag(words: readonly string[], name: string): { readonly values: readonly string[]; readonly rest: readonly string[] } {
  const values: string[] = [];
  const rest: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    const next = words[index + 1];
    if (word === '--') return { values, rest: [...rest, ...words.slice(index)] };
    if (word === `--${name}` && next !== undefined) {
      values.push(next);
      index++;
    } else if (word.startsWith(`--${name}=`)) {
      values.push(word.slice(name.length + 3));
    } else {
      rest.push(word);
    }
  }
  return { values, rest };
}
