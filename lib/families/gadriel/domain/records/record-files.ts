import { constants } from 'node:fs';
import { lstat, open, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode, systemReason } from '../../../../text/system-error.ts';
import { writeFileAtomic } from '../../../../store/atomic-write.ts';
import { withLock } from '../../../../store/lock.ts';
import { isLockHeldError, isLockUnsupportedError } from '../../../../store/lock-errors.ts';
import { readLockFile } from '../../../../store/lock-holder.ts';
import { makeFolders } from '../../../../store/make-folders.ts';
import { safeText } from '../../../../text/safe-text.ts';
import { isToolFailed, ToolFailed } from '../tool-failed.ts';

/** The folder under a repository's root that holds everything written there but the waivers. */
export const recordsFolderName = '.security';

/**
 * The bytes of a record, `name` being its path from the root with forward slashes; undefined where there is none.
 *
 * Throws ToolFailed for a symbolic link, for what is no regular file, and for one that is too big or can't be read.
 */
export async function readRecord(root: string, name: string, maxBytes: number): Promise<Buffer | undefined> {
  return attempt(name, 'read', async () => {
    const file = await plainPath(root, name);
    let handle: FileHandle;
    try {
      // Without blocking: a FIFO may have taken the file's place.
      handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw new ToolFailed(`${name} is no regular file`);
      if (stats.size > maxBytes) throw new ToolFailed(`${name} is larger than ${maxBytes / 1024 / 1024} MiB`);
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  });
}

/** The text of a record that must be UTF-8, without its byte order mark; throws ToolFailed for other bytes. */
export function decodeRecord(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ToolFailed(`${name} is not UTF-8`, { cause });
  }
}

/** Replaces a record's bytes atomically; the folder must be there and the record's lock be held. Throws ToolFailed, the old bytes in place. */
export async function replaceRecord(root: string, name: string, bytes: string | Uint8Array): Promise<void> {
  await attempt(name, 'written', async () => writeFileAtomic(await plainPath(root, name), bytes));
}

/**
 * Makes `.security`, or a folder below it, and returns its absolute path.
 *
 * A repository comes from anybody: a link in the place of one of these folders would lead writes to source files or out
 * of the repository, so links are refused with ToolFailed.
 */
export async function recordFolder(root: string, ...names: readonly string[]): Promise<string> {
  const name = [recordsFolderName, ...names].join('/');
  return attempt(name, 'made', async () => {
    const folder = await plainPath(root, name);
    const first = makeFolders(folder);
    if (first !== undefined && path.basename(first) === recordsFolderName) await keepOutOfGit(first);
    return folder;
  });
}

/** Records are not for commits, unless somebody decides so: a new folder says that itself. Returns whether it had to. */
export async function keepOutOfGit(folder: string): Promise<boolean> {
  try {
    await writeFile(path.join(folder, '.gitignore'), '*\n', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Runs `work` under the lock of a record, which lies in `.security` as `<lock>.lock`. Throws ToolFailed that names the
 * record where the lock can't be had within 5 s; what `work` throws comes through, system errors as ToolFailed.
 */
export async function withRecordLock<T>(root: string, name: string, work: () => Promise<T>): Promise<T> {
  const folder = await recordFolder(root);
  const lock = path.join(folder, `${path.posix.basename(name)}.lock`);
  // What no process of ours wrote, such as a file that came with the repository, goes away by a person's hand alone.
  const waitMs = readLockFile(lock)?.holder === null ? foreignWaitMs : ownWaitMs;
  return attempt(name, 'written', () => withLock(lock, work, { waitMs }));
}

const ownWaitMs = 5_000;
const foreignWaitMs = 200;

/** The absolute path of a record, after a look at each part of it for links. */
export async function plainPath(root: string, name: string): Promise<string> {
  let current = root;
  for (const segment of name.split('/')) {
    current = path.join(current, segment);
    const stats = await lstat(current).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (stats?.isSymbolicLink() === true) {
      const link = path.relative(root, current).split(path.sep).join('/');
      throw new ToolFailed(`${link} is a symbolic link: it is neither read nor written through`);
    }
  }
  return current;
}

const ownWords = { EISDIR: 'a folder is in its place', EEXIST: 'a file is in the place of its folder' };

/** Runs a step with one record. System errors name absolute paths, so each is told as a ToolFailed in words of its own. */
export async function attempt<T>(name: string, done: 'read' | 'written' | 'made', step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw isToolFailed(error) ? error : new ToolFailed(`${name} can not be ${done}: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (isLockHeldError(error)) {
    const { holder, state } = error;
    const file = `${recordsFolderName}/${path.basename(error.file)}`;
    if (holder === null) return `its lock ${file} is held by something that is no toolwire process: delete that file if nothing uses it`;
    const unseen = state === 'unknown' ? `, which can not be seen from here: delete ${file} if it no longer runs` : '';
    return `its lock is held by process ${holder.pid} on host ${safeText(holder.host, 80)}${unseen}`;
  }
  if (isLockUnsupportedError(error)) return 'its file system has no hard links, which locks need';
  // An error without a code is a bug, and must not pass for a refusal.
  if (systemErrorCode(error) === undefined) throw error;
  return systemReason(error, ownWords);
}
