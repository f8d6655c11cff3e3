import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Family } from '../mcp/family.types.ts';

/** Refuses what is no Family. Handed in, since this module is loaded beside the bundled server and not with it. */
export type CheckFamily = (value: unknown) => asserts value is Family;

/**
 * Loads the families of one plugin, which is a file, or a package as seen from `cwd` or from beside toolwire.
 *
 * Its export `family` or `families` is a Family, an array of them, or a function that makes either. Throws the reason
 * why it can't be loaded, be it the plugin's own error.
 */
export async function loadPlugin(plugin: string, cwd: string, check: CheckFamily): Promise<readonly Family[]> {
  const loaded = (await import(locatePlugin(plugin, cwd))) as Record<string, unknown>;
  return familiesOf(loaded, check);
}

async function familiesOf(loaded: Record<string, unknown>, check: CheckFamily): Promise<readonly Family[]> {
  // The named exports of a CommonJS module may be seen through its default export alone.
  const sources = [loaded, loaded['default'] as Record<string, unknown> | undefined];
  const exported = sources.map((source) => source?.['families'] ?? source?.['family']).find((value) => value !== undefined);
  if (exported === undefined) throw new TypeError('the module exports neither family nor families');
  const made: unknown = typeof exported === 'function' ? await (exported as () => unknown)() : exported;
  const families: unknown[] = [];
  for (const each of Array.isArray(made) ? made : [made]) {
    const family: unknown = typeof each === 'function' ? await (each as () => unknown)() : each;
    check(family);
    families.push(family);
  }
  if (families.length === 0) throw new TypeError('the module exports no family');
  return families as readonly Family[];
}

/** The URL of a plugin's module. */
export function locatePlugin(plugin: string, cwd: string): string {
  const file = path.resolve(cwd, plugin);
  if (/^[./\\]|^[a-zA-Z]:[/\\]/.test(plugin) || existsSync(file)) {
    if (!existsSync(file)) throw new Error('there is no such file');
    return pathToFileURL(file).href;
  }
  const from = createRequire(path.join(cwd, 'plugin.js'));
  try {
    return pathToFileURL(from.resolve(plugin)).href;
  } catch (error) {
    // `require.resolve` does not see packages whose exports are for import alone.
    for (const folder of [...(from.resolve.paths(plugin) ?? []), ...(createRequire(import.meta.url).resolve.paths(plugin) ?? [])]) {
      const entry = entryOf(path.join(folder, plugin));
      if (entry !== undefined) return pathToFileURL(entry).href;
    }
    throw new Error(`there is no such file, and no package of this name is installed for ${cwd}`, { cause: error });
  }
}

/** The module that `import` of a package folder would load; undefined where there is no package. */
function entryOf(folder: string): string | undefined {
  const manifest = path.join(folder, 'package.json');
  if (!existsSync(manifest)) return undefined;
  const { exports: exported, main } = JSON.parse(readFileSync(manifest, 'utf8')) as { exports?: unknown; main?: unknown };
  const target = targetOf(exported) ?? (typeof main === 'string' ? main : 'index.js');
  return fileURLToPath(new URL(target, pathToFileURL(`${folder}${path.sep}`)));
}

/** The target of `.` in an exports field, for the conditions node, import and default. */
function targetOf(exported: unknown): string | undefined {
  if (typeof exported === 'string') return exported;
  if (typeof exported !== 'object' || exported === null) return undefined;
  for (const [key, value] of Object.entries(exported)) {
    if (!['.', 'node', 'import', 'default'].includes(key)) continue;
    const target = targetOf(value);
    if (target !== undefined) return target;
  }
  return undefined;
}
