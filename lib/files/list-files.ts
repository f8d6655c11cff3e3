import { existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { refusalOf, runGit, type GitOptions } from './git.ts';
import { walkFiles } from './walk-files.ts';

/** A regular file; `path` is relative to the root, with forward slashes. `tracked`: git has it in its index. */
export type ListedFile = { readonly path: string; readonly size: number; readonly tracked: boolean };

/**
 * Why an entry is left out: a symbolic link (or below one), a folder of other people's code, a build folder that is not
 * tracked, what .gitignore names (known in a walk only), the caller's own exclusion, a repository inside the repository,
 * tracked but not there, no regular file, a name that is no UTF-8, a folder that can't be read.
 */
export type SkipReason = 'symlink' | 'vendored' | 'generated' | 'ignored' | 'excluded' | 'submodule' | 'missing' | 'special' | 'name' | 'unreadable';

/**
 * The files of a folder in the order of their paths, and how many entries were left out for which reason. `refusal`: why
 * git would not list what seems to be its repository, in its words; the folder was walked then.
 */
export type FileList = {
  readonly files: readonly ListedFile[];
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  readonly git: boolean;
  /** Paths that git tracks and that are not there. */
  readonly missing: readonly string[];
  /** Names that are no UTF-8, with U+FFFD for what is none: they can't be opened. */
  readonly unreadableNames: readonly string[];
  readonly refusal?: string;
};

/** Paths are relative with forward slashes; '' is the root. */
export type ListOptions = Omit<GitOptions, 'cwd' | 'input'> & {
  /** Only this folder or file of the root. */
  readonly under?: string;
  /** Only what is left out in this folder, or is this file, is counted. */
  readonly counted?: string;
  /** A folder of the root that is neither listed nor counted: the caller's own. */
  readonly without?: string;
  /** Leaves out files by their path. */
  readonly exclude?: (path: string) => boolean;
};

/**
 * Lists the files of a repository that count: tracked ones and untracked ones that are not ignored; outside of git, or
 * where git refuses, a walk that honours .gitignore. No symbolic link is followed.
 */
export async function listFiles(root: string, options: ListOptions): Promise<FileList> {
  const { under = '', counted = '', without, exclude } = options;
  const skipped: Partial<Record<SkipReason, number>> = {};
  const skip = (reason: SkipReason, name: string): void => {
    if (isWithin(name, counted) && !isOwn(name)) skipped[reason] = (skipped[reason] ?? 0) + 1;
  };
  const isOwn = (name: string): boolean => without !== undefined && isWithin(name, without);
  const { entries, refusal } = await gitEntries(root, options, skip);
  const files: ListedFile[] = [];
  const missing: string[] = [];
  const unreadableNames: string[] = [];
  const links = new Map<string, boolean>();
  for (const entry of entries ?? walkFiles(root, under, skip, isOwn)) {
    if (isOwn(entry.path)) continue;
    const found = reasonOf(entry, exclude) ?? lookAt(root, entry.path, links);
    if (found === 'missing') missing.push(entry.path);
    if (found === 'name') unreadableNames.push(entry.path);
    if (typeof found === 'string') skip(found, entry.path);
    else files.push({ path: entry.path, size: found, tracked: entry.tracked });
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, skipped, git: entries !== undefined, missing, unreadableNames, ...(refusal !== undefined && { refusal }) };
}

const isWithin = (name: string, folder: string): boolean => folder === '' || name === folder || name.startsWith(`${folder}/`);

/** Why an entry is left out whatever lies on the disk; undefined where it is not. */
export const reasonOf = (entry: Pick<ListedFile, 'path' | 'tracked'>, exclude?: (path: string) => boolean): SkipReason | undefined =>
  folderReason(entry.path, entry.tracked) ?? (exclude?.(entry.path) === true ? 'excluded' : undefined);

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

type GitEntries = { readonly entries?: { path: string; tracked: boolean }[]; readonly refusal?: string };

/** What git says of its files; no entries where there is no git, no repository or a refusal (`safe.directory`). */
async function gitEntries(root: string, { under = '', env, signal }: ListOptions, skip: (reason: SkipReason, path: string) => void): Promise<GitEntries> {
  const args = ['ls-files', '-z', '-t', '-c', '-o', '--exclude-standard', ...(under === '' ? [] : ['--', `:(literal)${under}`])];
  const answer = await runGit(args, { cwd: root, env, signal });
  if (answer.code !== 0) {
    const refusal = existsSync(path.join(root, '.git')) ? refusalOf(answer) : undefined;
    return refusal === undefined ? {} : { refusal };
  }
  // It goes on where it may not look, and says so.
  for (const [, folder = ''] of answer.stderr.matchAll(/^warning: could not open directory '(.{1,4000})\/':/gm)) skip('unreadable', folder);
  // An entry in conflict is listed once a side.
  const seen = new Map<string, boolean>();
  for (const entry of answer.stdout.toString('utf8').split('\0')) {
    if (entry !== '') seen.set(entry.slice(2), entry[0] !== '?');
  }
  return { entries: [...seen].map(([name, tracked]) => ({ path: name, tracked })) };
}

/** The size of a regular file that is reached without a link; else why it is left out. */
function lookAt(root: string, file: string, links: Map<string, boolean>): number | SkipReason {
  // Untracked repositories are listed as folders.
  if (file.endsWith('/')) return 'submodule';
  try {
    if (isBehindLink(root, path.posix.dirname(file), links)) return 'symlink';
    const stats = lstatSync(path.join(root, file), { throwIfNoEntry: false });
    // What is no UTF-8 was listed with U+FFFD in its place, under which there is nothing; a name may also have that character.
    if (stats === undefined) return file.includes('\uFFFD') ? 'name' : 'missing';
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
