import { opendirSync, type Dirent } from 'node:fs';
import path from 'node:path';
import { systemReason } from '../../../../text/system-error.ts';
import { Refused } from '../refused.ts';
import { holdsIdentity } from '../roots/homes.ts';
import { showPath } from '../roots/send-roots.ts';

/** What a folder holds to send, as absolute paths, and what was left out, with the reason. */
export type Walked = { readonly files: readonly string[]; readonly skipped: readonly { readonly file: string; readonly why: string }[] };

const keyName = /(?:\.pem|\.p12|\.key)$|^id_/i;

/**
 * The files below a folder, sorted by UTF-16 code units of their path with `/`. Left out: names that begin with a dot, names
 * that keys have (`*.pem`, `*.p12`, `*.key`, `id_*`), links, what is no regular file, and homes of gage. Throws Refused where it
 * can not be read, has more than `maxFiles` files, or so many entries that it is no folder to send.
 */
export function walkFolder(folder: string, { maxFiles, maxEntries = 20_000 }: { readonly maxFiles: number; readonly maxEntries?: number }): Walked {
  const files: string[] = [];
  const skipped: { file: string; why: string }[] = [];
  let entries = 0;
  const waiting = [folder];
  for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
    for (const entry of entriesOf(current)) {
      const file = path.join(current, entry.name);
      const why = reasonToSkip(entry, file);
      if (++entries > maxEntries) throw new Refused(`the folder ${showPath(folder)} has more than ${maxEntries} entries; name a smaller one`);
      if (why !== undefined) skipped.push({ file, why });
      else if (entry.isDirectory()) waiting.push(file);
      else files.push(file);
      if (files.length > maxFiles) throw new Refused(`the folder ${showPath(folder)} has more than ${maxFiles} files to send, the limit of a bundle; name a smaller one`);
    }
  }
  return { files: files.sort(byPath), skipped: skipped.sort((a, b) => byPath(a.file, b.file)) };
}

function* entriesOf(folder: string): Generator<Dirent> {
  let opened;
  try {
    opened = opendirSync(folder);
  } catch (error) {
    throw new Refused(`the folder ${showPath(folder)} can not be read: ${systemReason(error)}`, { cause: error });
  }
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) yield entry;
  } finally {
    opened.closeSync();
  }
}

function reasonToSkip(entry: Dirent, file: string): string | undefined {
  if (entry.name.startsWith('.')) return 'its name begins with a dot';
  if (entry.isSymbolicLink()) return 'it is a link';
  if (entry.isDirectory()) return holdsIdentity(file) ? 'it is a home of gage' : undefined;
  if (!entry.isFile()) return 'it is no regular file';
  return keyName.test(entry.name) ? 'its name is that of a key' : undefined;
}

/** By UTF-16 code units, as every machine sorts alike; a folder's separator counts as `/`. */
function byPath(left: string, right: string): number {
  const [a, b] = [left.replaceAll(path.sep, '/'), right.replaceAll(path.sep, '/')];
  return a < b ? -1 : a > b ? 1 : 0;
}
