import { readdirSync, readFileSync, type Dirent } from 'node:fs';
import path from 'node:path';
import { parseIgnoreRules, type IgnoreRules } from './ignore-rules.ts';

/** Rules in force, with the number of names above the folder that they hold for; the nearest come last. */
type Layer = { readonly rules: IgnoreRules; readonly depth: number };

/** More than this of a .gitignore is not read, in characters. */
const maxIgnoreLength = 1024 * 1024;
const maxDepth = 200;

/** Left out without being entered: version control, and what is always somebody else's. */
const neverEntered: ReadonlyMap<string, 'vendored' | undefined> = new Map([
  ['.git', undefined], ['.hg', undefined], ['.svn', undefined], ['node_modules', 'vendored'], ['vendor', 'vendored'], ['third_party', 'vendored'],
]);

/**
 * The files at or below `under` (relative, forward slashes, '' for all) that no .gitignore of the tree names; links are
 * counted, not followed. Folders that are the caller's own are not entered.
 */
export function walkFiles(
  root: string, under: string, skip: (reason: 'ignored' | 'vendored' | 'symlink' | 'unreadable', path: string) => void,
  isOwn: (path: string) => boolean = () => false,
): { path: string; tracked: false }[] {
  const files: { path: string; tracked: false }[] = [];
  const wanted = under === '' ? [] : under.split('/');
  const visit = (names: readonly string[], above: readonly Layer[]): void => {
    const folder = path.join(root, ...names);
    const entries = entriesOf(folder);
    if (entries === undefined) return skip('unreadable', names.join('/'));
    const layers = entries.some((entry) => entry.name === '.gitignore' && entry.isFile()) ? [...above, readLayer(folder, names.length)] : above;
    for (const entry of entries) {
      const inner = [...names, entry.name];
      // On the way to the wanted folder nothing else is looked at.
      const next = wanted[names.length];
      if (next !== undefined && next !== entry.name) continue;
      const name = inner.join('/');
      if (isOwn(name)) continue;
      if (neverEntered.has(entry.name)) {
        if (neverEntered.get(entry.name) !== undefined) skip('vendored', name);
      } else if (isIgnored(layers, inner, entry.isDirectory())) skip('ignored', name);
      else if (entry.isSymbolicLink()) skip('symlink', name);
      else if (!entry.isDirectory()) files.push({ path: name, tracked: false });
      else if (inner.length > maxDepth) skip('unreadable', name);
      else visit(inner, layers);
    }
  };
  visit([], []);
  return files;
}

function entriesOf(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return undefined;
  }
}

function readLayer(folder: string, depth: number): Layer {
  try {
    return { rules: parseIgnoreRules(readFileSync(path.join(folder, '.gitignore'), 'utf8').slice(0, maxIgnoreLength)), depth };
  } catch {
    return { rules: parseIgnoreRules(''), depth };
  }
}

/** The nearest file that has a word on a path decides. */
function isIgnored(layers: readonly Layer[], names: readonly string[], isFolder: boolean): boolean {
  for (let index = layers.length - 1; index >= 0; index--) {
    const { rules, depth } = layers[index] as Layer;
    const verdict = rules.verdict(names.slice(depth), isFolder);
    if (verdict !== undefined) return verdict;
  }
  return false;
}
