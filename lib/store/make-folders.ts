import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder and those above it that are missing; returns the topmost one it made, undefined where all were there.
 * Throws the system's error.
 *
 * One level at a time: Node's own recursive way never ends where a file system lets nobody make folders and says that
 * there is no such place, as /proc does.
 */
export function makeFolders(folder: string, mode: number = 0o777): string | undefined {
  try {
    return makeOne(folder, mode);
  } catch (error) {
    const parent = path.dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    const first = makeFolders(parent, mode);
    return first === undefined ? makeOne(folder, mode) : (makeOne(folder, mode), first);
  }
}

/** The folder if it had to be made; another process may be making it too. */
function makeOne(folder: string, mode: number): string | undefined {
  try {
    mkdirSync(folder, mode);
    return folder;
  } catch (error) {
    // Some systems say of a folder that is there that nobody may make it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return undefined;
    throw error;
  }
}
