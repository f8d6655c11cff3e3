import { createHash } from 'node:crypto';
import type { PlannedFile } from './repository.types.ts';

/** A Python file as plans see it: `imports` are paths of modules of the repository. */
export type PlannedModule = PlannedFile & { readonly size: number; readonly imports: readonly string[] };

/** Most text that is analysed as one unit, in bytes: its trees and values have to fit two workers' memory. */
const maxUnitBytes = 400_000;
/** From here on a unit of a large group may end. */
const minUnitBytes = 150_000;

/**
 * Groups modules into units: those that imports tie together, where they are not too much for one; else runs of such a
 * group in the order of paths. Where a run ends is decided by the names of files, so that adding one file moves few ends.
 */
export function planUnits(modules: readonly PlannedModule[]): PlannedModule[][] {
  const groups = new Map<PlannedModule, PlannedModule[]>();
  const find = makeUnions(modules);
  for (const module of modules) {
    const head = find(module);
    const group = groups.get(head);
    if (group === undefined) groups.set(head, [module]);
    else group.push(module);
  }
  return [...groups.values()].flatMap(splitGroup);
}

/** The files that can call code of some files through imports, as far as the analysis follows calls. */
export function importersOf(modules: readonly PlannedModule[], paths: ReadonlySet<string>): Set<string> {
  const reached = new Set(paths);
  for (let step = 0; step < maxCallDepth; step++) {
    const before = reached.size;
    const next = modules.filter(({ path, imports }) => !reached.has(path) && imports.some((each) => reached.has(each)));
    for (const { path } of next) reached.add(path);
    if (reached.size === before) break;
  }
  return reached;
}

/** How many calls deep the analysis engine follows values, and a package's `__init__` between each two. */
const maxCallDepth = 8;

function makeUnions(modules: readonly PlannedModule[]): (module: PlannedModule) => PlannedModule {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const parents = new Map<PlannedModule, PlannedModule>();
  const find = (module: PlannedModule): PlannedModule => {
    let head = module;
    for (let parent = parents.get(head); parent !== undefined; parent = parents.get(head)) head = parent;
    // Shortens the way for the next look.
    for (let at = module; at !== head;) {
      const next = parents.get(at) as PlannedModule;
      parents.set(at, head);
      at = next;
    }
    return head;
  };
  for (const module of modules) {
    for (const path of module.imports) {
      const other = byPath.get(path);
      if (other === undefined) continue;
      const [a, b] = [find(module), find(other)];
      if (a !== b) parents.set(a.path < b.path ? b : a, a.path < b.path ? a : b);
    }
  }
  return find;
}

function splitGroup(group: readonly PlannedModule[]): PlannedModule[][] {
  if (group.reduce((sum, { size }) => sum + size, 0) <= maxUnitBytes) return [[...group]];
  const units: PlannedModule[][] = [];
  let unit: PlannedModule[] = [];
  let bytes = 0;
  for (const module of group) {
    if (unit.length > 0 && bytes + module.size > maxUnitBytes) {
      units.push(unit);
      [unit, bytes] = [[], 0];
    }
    unit.push(module);
    bytes += module.size;
    if (bytes >= minUnitBytes && endsRun(module.path)) {
      units.push(unit);
      [unit, bytes] = [[], 0];
    }
  }
  return unit.length > 0 ? [...units, unit] : units;
}

const endsRun = (path: string): boolean => (createHash('sha256').update(path).digest()[0] as number) % 4 === 0;
