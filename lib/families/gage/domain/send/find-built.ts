import { readdirSync } from 'node:fs';
import type { Home } from '../home/home.ts';
import { Refused } from '../refused.ts';

/**
 * The folder of a built bundle in the outbox by its id in any case, whole or its first 12 or more digits; undefined for what is no id or
 * is not there. Throws Refused where several begin so.
 */
export function findBuilt(home: Home, word: string): string | undefined {
  const id = word.toLowerCase();
  if (!/^[0-9a-f]{12,64}$/.test(id)) return undefined;
  let names: readonly string[] = [];
  try {
    names = readdirSync(home.path('outbox')).filter((name) => /^[0-9a-f]{64}$/.test(name) && name.startsWith(id));
  } catch {
    // No outbox yet, or none that can be read: then the word is taken for a folder.
  }
  if (names.length > 1) throw new Refused(`${names.length} bundles of the outbox begin with ${id}; give more digits`);
  return names[0] === undefined ? undefined : home.path('outbox', names[0]);
}
