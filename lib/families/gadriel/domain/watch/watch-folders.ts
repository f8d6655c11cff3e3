import { lstatSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildFolders, vendoredFolders } from '../../../../files/list-files.ts';
import { ToolFailed } from '../tool-failed.ts';

/** An editor writes several times and a checkout many files: wait until it is quiet for this long, but not for ever. */
const quietMs = 200;
const mostQuietTurns = 25;
/** New folders that are watched before anything in them counts; an unpacked package has thousands. */
const maxNewFolders = 1_000;

/** Watches folders for changes. */
export type FolderWatch = {
  /** Resolves once something has changed since the last call and it is quiet again; rejects when the signal fires. */
  changed(): Promise<void>;
  /** Watches these folders (absolute), and what was made below them since, instead of the ones before. Throws ToolFailed where they are too many. */
  follow(folders: readonly string[]): void;
  close(): void;
};

/** Starts a watch that follows nothing yet. Folders are watched one by one: what is ignored or vendored costs nothing. */
export function watchFolders(signal: AbortSignal): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  const made = new Set<string>();
  let dirty = false;
  let wake: (() => void) | undefined;

  signal.addEventListener('abort', () => wake?.(), { once: true });

  const touch = (folder: string, name: string | null): void => {
    if (name !== null && isOurs(name)) return;
    if (name !== null && made.size < maxNewFolders) made.add(path.join(folder, name));
    dirty = true;
    wake?.();
  };

  // Without the signal as an option: one listener a folder on one signal is what Node warns of.
  const add = (folder: string): void => {
    if (watchers.has(folder)) return;
    try {
      const watcher = watch(folder, (_event, name) => touch(folder, name));
      // A folder that goes away; its parent tells.
      watcher.on('error', () => undefined);
      watchers.set(folder, watcher);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EMFILE') throw new ToolFailed(`more folders than this system can watch (${watchers.size} are); watch a part of the repository`, { cause: error });
      if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'ENOTDIR') throw error;
    }
  };

  return {
    async changed() {
      while (!dirty) {
        signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      for (let turn = 0; dirty && turn < mostQuietTurns; turn++) {
        dirty = false;
        await sleep(quietMs, undefined, { signal });
      }
      dirty = false;
    },
    follow(folders) {
      // What git lists has files in it; a new folder is watched before its first one comes.
      const below = [...made].flatMap((entry) => foldersAt(entry));
      made.clear();
      for (const folder of below.slice(0, maxNewFolders)) made.add(folder);
      const wanted = new Set([...folders, ...made]);
      for (const [folder, watcher] of watchers) {
        if (wanted.has(folder)) continue;
        watcher.close();
        watchers.delete(folder);
      }
      for (const folder of wanted) add(folder);
    },
    close() {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

/** What this program and git write themselves, also while they replace a file. */
const isOurs = (name: string): boolean => name === '.security' || name === '.git' || name.startsWith('.toolwire-');

/** A folder and those below it, without links and without those whose files never count; nothing for a file. */
function foldersAt(entry: string, budget = { left: maxNewFolders }): readonly string[] {
  const name = path.basename(entry);
  if (vendoredFolders.has(name) || buildFolders.has(name) || budget.left <= 0) return [];
  try {
    if (!lstatSync(entry).isDirectory()) return [];
    budget.left--;
    const children = readdirSync(entry, { withFileTypes: true }).filter((child) => child.isDirectory());
    return [entry, ...children.flatMap((child) => foldersAt(path.join(entry, child.name), budget))];
  } catch {
    return [];
  }
}
