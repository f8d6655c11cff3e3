import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readBundleFolder } from '../bundle/folder.ts';
import { layout } from '../bundle/layout.ts';
import { inspectBundle } from '../verdict/inspect.ts';
import type { Inspected } from '../verdict/inspect.ts';

type Entry = { readonly stamp: string; readonly weight: number; readonly inspected: Inspected };

/** What is remembered is the manifest, so its bytes are counted. */
const MAX_WEIGHT = 8 * 1024 * 1024;
const OWN_WEIGHT = 2048;

const cache = new Map<string, Entry>();
let weight = 0;

/**
 * What `inspectBundle` says of a bundle's folder, out of memory while no file of it changed in size, times or inode. For
 * lists alone: whoever is about to show or move a payload reads it anew.
 */
export function inspectCached(folder: string): Inspected {
  const stamp = stampOf(folder);
  const known = cache.get(folder);
  if (known !== undefined && known.stamp === stamp?.text) return known.inspected;
  if (known !== undefined) forget(folder, known);
  const inspected = inspectBundle(readBundleFolder(folder));
  if (stamp !== undefined) {
    const entry = { stamp: stamp.text, weight: stamp.manifestBytes + OWN_WEIGHT, inspected };
    cache.set(folder, entry);
    weight += entry.weight;
    for (const [oldest, its] of cache) {
      if (weight <= MAX_WEIGHT) break;
      forget(oldest, its);
    }
  }
  return inspected;
}

function forget(folder: string, entry: Entry): void {
  cache.delete(folder);
  weight -= entry.weight;
}

/** Everything that changes when somebody writes to a bundle; undefined for a folder that is being taken away. */
function stampOf(folder: string): { readonly text: string; readonly manifestBytes: number } | undefined {
  try {
    const names = readdirSync(folder);
    const items = names.includes(layout.items) ? readdirSync(path.join(folder, layout.items)).map((name) => path.join(layout.items, name)) : [];
    let manifestBytes = 0;
    const parts = ['.', ...names, ...items].map((name) => {
      const { size, mtimeMs, ctimeMs, ino } = lstatSync(path.join(folder, name));
      if (name === layout.manifest) manifestBytes = size;
      return `${name}\0${size} ${mtimeMs} ${ctimeMs} ${ino}`;
    });
    return { text: parts.join('\0'), manifestBytes };
  } catch {
    return undefined;
  }
}
