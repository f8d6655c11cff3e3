import { lstatSync } from 'node:fs';
import path from 'node:path';
import { runGit, type GitOptions } from './git.ts';
import { walkFiles } from './walk-files.ts';

/** A regular file; `path` is relative to the root, with forward slashes. `tracked`: git has it in its index. */
export type ListedFile = { readonly path: string; readonly size: number; readonly tracked: boolean };

/**
 * Why an entry is left out: a symbolic link (or below one), a folder of other people's code, a build folder that is not
 * tracked, what .gitignore names (known in a walk only), the caller's own exclusion, a repository inside the repository,
 * tracked but not there, no regular file, a name that is no UTF-8, a folder that can't be read.
 */
export type SkipReason = 'symlink' | 'vendored' | 'generated' | 'ignored' | 'excluded' | 'submodule' | 'missing' | 'special' | 'name' | 'unreadable';

/** The files of a folder in the order of their paths, and how many entries were left out for which reason. */
export type FileList = { readonly files: readonly ListedFile[]; readonly skipped: Readonly<Partial<Record<SkipReason, number>>>; readonly git: boolean };

/** `under`: only this folder or file of the root, relative with forward slashes; `exclude` leaves out files by their path. */
export type ListOptions = Omit<GitOptions, 'cwd' | 'input'> & { readonly under?: string; readonly exclude?: (path: string) => boolean };

/**
 * Lists the files of a repository that count: tracked ones and untracked ones that are not ignored; outside of git, or
 * where git refuses, a walk that honours .gitignore. No symbolic link is followed.
 */
export async function listFiles(root: string, options: ListOptions): Promise<FileList> {
  const entries = await gitEntries(root, options);
  const skipped: Partial<Record<SkipReason, number>> = {};
  const skip = (reason: SkipReason): void => void (skipped[reason] = (skipped[reason] ?? 0) + 1);
  const files: ListedFile[] = [];
  const links = new Map<string, boolean>();
  for (const entry of entries ?? walkFiles(root, options.under ?? '', skip)) {
    const reason = folderReason(entry.path, entry.tracked) ?? (options.exclude?.(entry.path) === true ? 'excluded' : undefined);
    const found = reason ?? lookAt(root, entry.path, links);
    if (typeof found === 'string') skip(found);
    else files.push({ path: entry.path, size: found, tracked: entry.tracked });
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, skipped, git: entries !== undefined };
}

/** Why a file's folders leave it out; a file's own name never does. */
function folderReason(file: string, tracked: boolean): SkipReason | undefined {
  const folders = file.split('/').slice(0, -1);
  if (folders.some((name) => vendoredFolders.has(name))) return 'vendored';
  return !tracked && folders.some((name) => buildFolders.has(name)) ? 'generated' : undefined;
}

/** Folders that hold other people's code wherever they are. */
export const vendoredFolders: ReadonlySet<string> = new Set(['node_modules', 'vendor', 'third_party', '.git']);
/** Folders of build output, unless somebody tracks what is in them. */
export const buildFolders: ReadonlySet<string> = new Set(['dist', 'build', 'target', 'out']);

/** What git says of its files; undefined where there is no git, no repository or a refusal (`safe.directory`). */
async function gitEntries(root: string, { under, env, signal }: ListOptions): Promise<{ path: string; tracked: boolean }[] | undefined> {
  const args = ['ls-files', '-z', '-t', '-c', '-o', '--exclude-standard', ...(under === undefined || under === '' ? [] : ['--', `:(literal)${under}`])];
  const { code, stdout } = await runGit(args, { cwd: root, env, signal });
  if (code !== 0) return undefined;
  // An entry in conflict is listed once a side.
  const seen = new Map<string, boolean>();
  for (const entry of stdout.toString('utf8').split('\0')) {
    if (entry !== '') seen.set(entry.slice(2), entry[0] !== '?');
  }
  return [...seen].map(([name, tracked]) => ({ path: name, tracked }));
}

/** The size of a regular file that is reached without a link; else why it is left out. */
function lookAt(root: string, file: string, links: Map<string, boolean>): number | SkipReason {
  // Untracked repositories are listed as folders.
  if (file.endsWith('/')) return 'submodule';
  if (file.includes('\uFFFD')) return 'name';
  try {
    if (isBehindLink(root, path.posix.dirname(file), links)) return 'symlink';
    const stats = lstatSync(path.join(root, file), { throwIfNoEntry: false });
    if (stats === undefined) return 'missing';
    if (stats.isFile()) return stats.size;
    return stats.isSymbolicLink() ? 'symlink' : stats.isDirectory() ? 'submodule' : 'special';
  } catch {
    return 'unreadable';
  }
}

/** A tracked folder may have been replaced by a link that leads anywhere. */
function isBehindLink(root: string, folder: string, links: Map<string, boolean>): boolean {
  if (folder === '.') return false;
  let known = links.get(folder);
  if (known === undefined) {
    known = isBehindLink(root, path.posix.dirname(folder), links) || lstatSync(path.join(root, folder), { throwIfNoEntry: false })?.isSymbolicLink() === true;
    links.set(folder, known);
  }
  return known;
}
