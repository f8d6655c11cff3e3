import { existsSync, lstatSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { findRoot } from '../../../../store/root.ts';
import { safeText } from '../../../../text/safe-text.ts';
import { findFindings } from '../records/findings-file.ts';
import { recordsFolderName } from '../records/record-files.ts';
import { repoRootOf } from '../records/repo-root.ts';
import { isToolFailed, ToolFailed } from '../tool-failed.ts';
import { configName } from './config.ts';

/** What a path means to a scan. */
export type Scope = {
  /** The root of its repository, absolute, with links followed. */
  readonly root: string;
  /** The path below the root with forward slashes, '' for the root. */
  readonly path: string;
  /** One file outside of git, in a folder that was never scanned: nobody means that folder, so nothing is written there. */
  readonly alone: boolean;
};

/**
 * Where a scan looks. A path that is gone counts where its repository has findings of it: they are to go too.
 * Throws ToolFailed where nothing is there.
 */
export async function scopeOf(given: string, cwd: string): Promise<Scope> {
  const absolute = path.resolve(cwd, given);
  const gone = await goneScope(absolute);
  if (gone !== undefined) return gone;
  const root = await repoRootOf(given, cwd).catch((error: unknown) => {
    if (!isToolFailed(error)) throw error;
    // As it was given: whoever mistyped it looks for that.
    throw new ToolFailed(error.message.replace(/^the repository/, safeText(given, 200)), { cause: error });
  });
  const inside = path.relative(root, await realpath(absolute)).split(path.sep).join('/');
  const isRoot = inside === '' || ['.git', recordsFolderName, configName].some((name) => existsSync(path.join(root, name)));
  return { root, path: inside, alone: !isRoot };
}

async function goneScope(absolute: string): Promise<Scope | undefined> {
  if (!isMissing(absolute)) return undefined;
  let above = path.dirname(absolute);
  while (!existsSync(above)) above = path.dirname(above);
  const real = await realpath(above);
  const root = findRoot(real) ?? findRoot(real, recordsFolderName);
  if (root === undefined) return undefined;
  const inside = path.relative(root, path.join(real, path.relative(above, absolute))).split(path.sep).join('/');
  const before = await findFindings(root);
  return before?.some((finding) => isWithin(finding.file, inside)) === true ? { root, path: inside, alone: false } : undefined;
}

/** Whether a path is a folder ('' for the root) or below it. */
export const isWithin = (file: string, folder: string): boolean => folder === '' || file === folder || file.startsWith(`${folder}/`);

/** Whether a file that findings name is not there any more. */
export const isGone = (root: string, file: string): boolean => isMissing(path.join(root, file));

/** What may be there, but can not be looked at, is not missing. */
function isMissing(absolute: string): boolean {
  try {
    return lstatSync(absolute, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
