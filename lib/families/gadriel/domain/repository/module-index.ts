import { posix } from 'node:path';
import { knownRoots } from '../analysis/name-tables.ts';

/** Finds the modules of a repository by the names that imports give them. */
export type ModuleIndex = {
  /** The file of a dotted module name (`pkg.mod`, `..db`) as seen from a file; undefined where it is not in the repository. */
  find(from: string, dotted: string): string | undefined;
  /** Whether a name is that of a well-known library, whatever the repository holds. */
  isForeign(dotted: string): boolean;
};

/** Folders that are tried for absolute imports, at most: a hostile tree must not make each name cost thousands of looks. */
const maxRoots = 40;

/**
 * Makes the index of a repository's Python files (paths with forward slashes). Absolute names are looked for beside a
 * script, in the folder above the importing file's outermost package, in the repository's root and in the folders of its
 * other packages. Names of well-known libraries stay theirs.
 */
export function createModuleIndex(paths: readonly string[]): ModuleIndex {
  const files = new Set(paths);
  const isPackage = (folder: string): boolean => files.has(join(folder, '__init__.py'));
  const above = new Map<string, string>();
  /** The first folder upwards that is no package. */
  const rootAbove = (folder: string): string => {
    let root = above.get(folder);
    if (root === undefined) {
      root = isPackage(folder) && folder !== '.' ? rootAbove(posix.dirname(folder)) : folder;
      above.set(folder, root);
    }
    return root;
  };
  const others = new Set<string>(['.', 'src', 'lib', 'app']);
  for (const path of paths) if (path.endsWith('/__init__.py')) others.add(rootAbove(posix.dirname(path)));
  const roots = [...others].sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1)).slice(0, maxRoots);
  const moduleAt = (folder: string, names: readonly string[]): string | undefined => {
    const base = names.length === 0 ? folder : join(folder, names.join('/'));
    return [join(base, '__init__.py'), ...(names.length === 0 ? [] : [`${base}.py`])].find((file) => files.has(file));
  };
  const isForeign = (dotted: string): boolean => knownRoots.has(dotted.split('.', 1)[0] as string);
  return {
    isForeign,
    find: (from, dotted) => {
      const dots = /^\.*/.exec(dotted)?.[0].length ?? 0;
      const names = dotted.slice(dots).split('.').filter((name) => name !== '');
      let folder = posix.dirname(from);
      if (dots > 0) {
        for (let up = 1; up < dots; up++) folder = posix.dirname(folder);
        return moduleAt(folder, names);
      }
      if (names.length === 0 || isForeign(dotted)) return undefined;
      for (const root of new Set([rootAbove(folder), ...roots])) {
        const found = moduleAt(root, names);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

const join = (folder: string, name: string): string => (folder === '.' || folder === '' ? name : `${folder}/${name}`);

const importPattern = /^[ \t]*(?:from[ \t]+([.\w]{1,200})[ \t]+import[ \t]*(\([^)]{0,4000}|[^\n#]{0,1000})|import[ \t]+([\w., \t]{1,1000}))/gm;

/** Names that a file imports, as `from` and `import` write them: modules, and for `from m import n` also `m.n`. Rough: it reads no strings apart. */
export function importedNames(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, from, list = '', plain] of text.matchAll(importPattern)) {
    if (from !== undefined) {
      names.add(from);
      const prefix = from.endsWith('.') ? from : `${from}.`;
      for (const [name] of list.replace(/#[^\n]{0,1000}/g, '').matchAll(/(?<!\bas[ \t]{1,8})\b(?!as\b)\w+/g)) names.add(prefix + name);
    }
    for (const part of plain?.split(',') ?? []) {
      const name = part.trim().split(/\s/, 1)[0] ?? '';
      if (name !== '') names.add(name);
    }
  }
  return names;
}
