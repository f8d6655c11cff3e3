import path from 'node:path';
import { realOf } from '../roots/send-roots.ts';
import type { SecretFind } from './secret-check.ts';

/** A place that a person named: a file or a field of the manifest, and a line in it (from 1). */
export type NamedPlace = { readonly file: string; readonly line: number };

/** The parts of a manifest that are searched for secrets beside the items, by the words that stand for them. */
export const manifestFields = ['subject', 'type', 'agent', 'model', 'item names'] as const;
const fields: ReadonlySet<string> = new Set(manifestFields);

/** The place of an item as it is told and named. A file in the working folder that is called like a field is told from it by `./`. */
export const placeOfItem = (name: string): string => (fields.has(name) ? `./${name}` : name);

/**
 * The finds at a place that somebody named, by the words in which it is told, or by any path (relative ones from `cwd`) of the file
 * that the item was read from; `fileOf` gives the real path of that. A word for a field is never a path.
 */
export function findsAt({ file, line }: NamedPlace, finds: readonly SecretFind[], { cwd, fileOf }: { readonly cwd: string; fileOf(place: string): string | undefined }): readonly SecretFind[] {
  const inLine = finds.filter((find) => find.line === line);
  const told = inLine.filter(({ place }) => place === file);
  if (told.length > 0 || fields.has(file)) return told;
  const real = realOf(path.resolve(cwd, file));
  return inLine.filter(({ place }) => fileOf(place) === real);
}
