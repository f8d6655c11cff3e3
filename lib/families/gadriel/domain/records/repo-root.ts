import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isMissing, systemReason } from '../../../../text/system-error.ts';
import { findRoot } from '../../../../store/root.ts';
import { InvalidParams } from '../../../../domain/invalid-params.ts';
import { ToolFailed } from '../tool-failed.ts';

/**
 * The root of the repository that a path is in: the nearest folder at or above it that holds `.git`, else the folder itself
 * (of a file: the one it is in). `given` is absolute or relative to `cwd`; the result is absolute, with links followed.
 * Throws ToolFailed where nothing is there.
 */
export async function repoRootOf(given: string, cwd: string): Promise<string> {
  const { real, folder } = await look(path.resolve(cwd, given));
  const start = folder ? real : path.dirname(real);
  return findRoot(start) ?? start;
}

/** The root that a tool works in: that of its argument `repo_root`, which must be a folder, else that of the working folder. */
export async function toolRoot(repoRoot: string | undefined, cwd: string): Promise<string> {
  if (repoRoot === '') throw new InvalidParams('repo_root is empty: give the path of the repository, or leave it out');
  if (repoRoot !== undefined && !(await look(path.resolve(cwd, repoRoot))).folder) {
    throw new ToolFailed('repo_root is a file: give the folder of the repository');
  }
  return repoRootOf(repoRoot ?? cwd, cwd);
}

async function look(absolute: string): Promise<{ readonly real: string; readonly folder: boolean }> {
  try {
    const real = await realpath(absolute);
    return { real, folder: (await stat(real)).isDirectory() };
  } catch (error) {
    throw new ToolFailed(isMissing(error) ? 'the repository does not exist' : `the repository can not be read: ${systemReason(error)}`, { cause: error });
  }
}
