import path from 'node:path';
import { checkItemName } from '../bundle/checks.ts';
import { limits } from '../bundle/limits.ts';
import type { ItemKind } from '../bundle/manifest.types.ts';
import { foldName } from '../identity/names.ts';
import { Refused } from '../refused.ts';
import { readForSending } from './read-file.ts';
import { isInside } from '../../../../files/inside.ts';
import { realFolder, realOf, showPath, type SendRoots } from '../roots/send-roots.ts';
import { walkFolder } from './walk.ts';

/** The five lists of paths that a bundle is made of; relative ones start at the working folder. */
export type SendLists = Readonly<Partial<Record<'files' | 'dirs' | 'prompts' | 'decisions' | 'memories', readonly string[]>>>;

/** One item to send; `file` is the real path it came from. */
export type CollectedItem = { readonly name: string; readonly kind: ItemKind; readonly bytes: Uint8Array; readonly file: string };

/** Where names start: at the send root that holds a file, or at the working folder, as at a shell. */
export type NamesFrom = 'root' | 'cwd';

/** What to read: paths, as they were named, with the kind of their items. */
type Wanted = { readonly file: string; readonly kind: ItemKind };

/** More skipped names than these are counted only. */
const maxShown = 20;

/**
 * Reads what is to be sent, in the order files, dirs, prompts, decisions, memories, each as given. Throws Refused for what may
 * not be sent, for two items of one name, and over the limits of a bundle; `warnings` lists what of `dirs` was left out.
 */
export function collectItems(lists: SendLists, { roots, cwd, namesFrom }: { readonly roots: SendRoots; readonly cwd: string; readonly namesFrom: NamesFrom }): {
  readonly items: readonly CollectedItem[];
  readonly warnings: readonly string[];
} {
  const { wanted, warnings } = expand(lists, roots, cwd);
  if (wanted.length > limits.items) throw new Refused(`there are ${wanted.length} items; a bundle may have ${limits.items}`);
  const here = realOf(cwd);
  const items: CollectedItem[] = [];
  const names = new Map<string, string>();
  let total = 0;
  for (const { file, kind } of wanted) {
    const { bytes, real, root } = readForSending(file, cwd, roots, limits.itemBytes);
    const name = nameOf(real, root, namesFrom === 'cwd' ? here : undefined);
    const problem = checkItemName(name);
    if (problem !== undefined) throw new Refused(`the file ${showPath(file)} can not be an item under its name, which ${problem}; rename it`);
    const key = foldName(name);
    const other = names.get(key);
    if (other !== undefined) {
      const why = other !== file && other.normalize('NFC') === file.normalize('NFC') ? ', as they differ in their Unicode form alone' : '';
      throw new Refused(`${showPath(other)} and ${showPath(file)} would both be the item ${showPath(name)}${why}; send them in two bundles`);
    }
    names.set(key, file);
    total += bytes.length;
    if (total > limits.totalBytes) throw new Refused(`the items have more than ${limits.totalBytes} bytes together, the limit of a bundle; send them in parts`);
    items.push({ name, kind, bytes, file: real });
  }
  return { items, warnings };
}

/** All files in order; folders give those in them. */
function expand({ files = [], dirs = [], prompts = [], decisions = [], memories = [] }: SendLists, roots: SendRoots, cwd: string): { readonly wanted: readonly Wanted[]; readonly warnings: readonly string[] } {
  const each = (list: readonly string[], kind: ItemKind): Wanted[] => list.map((file) => ({ file, kind }));
  const warnings: string[] = [];
  // Before any is walked, as the list may be of any length.
  if (dirs.length > limits.items) throw new Refused(`there are ${dirs.length} folders; a bundle may have ${limits.items} items`);
  const walked = dirs.flatMap((dir) => {
    const folder = realFolder(dir, cwd, { roots: () => roots, noFolder: 'name it as a file' });
    const { files: found, skipped } = walkFolder(folder, { maxFiles: limits.items });
    const inFolder = (file: string): string => showPath(path.relative(folder, file));
    warnings.push(...skipped.slice(0, maxShown).map(({ file, why }) => `left out of ${showPath(dir)}: ${inFolder(file)}, as ${why}`));
    if (skipped.length > maxShown) warnings.push(`left out of ${showPath(dir)}: ${skipped.length - maxShown} more`);
    if (found.length === 0) warnings.push(`nothing in ${showPath(dir)} is to be sent`);
    return found.map((file): Wanted => ({ file: path.join(dir, path.relative(folder, file)), kind: 'file' }));
  });
  return {
    wanted: [...each(files, 'file'), ...walked, ...each(prompts, 'prompt'), ...each(decisions, 'decision'), ...each(memories, 'memory')],
    warnings,
  };
}

/** The name that the receiver sees, with `/`; a file outside of the working folder of a shell has its own name alone. */
function nameOf(real: string, root: string, cwd: string | undefined): string {
  const from = cwd ?? root;
  const name = isInside(from, real) ? path.relative(from, real) : path.basename(real);
  return name.split(path.sep).join('/').normalize('NFC');
}
