import { existsSync, lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** Why a path was refused: see `confine`. */
export type PathRefusal = 'empty' | 'nul' | 'absolute' | 'drive' | 'backslash' | 'parent' | 'link' | 'not-a-folder' | 'unreadable';

const BRAND = Symbol.for('toolwire.path-refused');
const WORDS: Record<PathRefusal, string> = {
  empty: 'it is empty',
  nul: 'it holds a NUL byte',
  absolute: 'it is absolute',
  drive: 'it names a drive',
  backslash: 'it holds a backslash; write folders with /',
  parent: 'it holds a .. segment',
  link: 'a symbolic link on the way leads outside or nowhere',
  'not-a-folder': 'a file stands where it needs a folder',
  unreadable: 'the file system refuses to look there',
};

/** A path from outside that may lead out of the root; `path` is it as given, `reason` says why. */
export class PathRefusedError extends Error {
  readonly path: string;
  readonly reason: PathRefusal;

  constructor(refused: string, reason: PathRefusal, options?: ErrorOptions) {
    super(`path ${JSON.stringify(refused)} is refused: ${WORDS[reason]}`, options);
    this.path = refused;
    this.reason = reason;
  }

  static {
    Object.defineProperty(this.prototype, 'name', { value: 'PathRefusedError' });
    Object.defineProperty(this.prototype, BRAND, { value: true });
  }
}

/** Recognises a PathRefusedError, also one of another copy of this module. */
export function isPathRefusedError(error: unknown): error is PathRefusedError {
  return typeof error === 'object' && error !== null && BRAND in error;
}

/**
 * Turns a path from outside, relative to `root` and written with `/`, into an absolute one that is inside `root` with
 * all links followed, or throws PathRefusedError. The target need not exist yet: its nearest existing ancestor counts.
 *
 * The rules are the same on every system, so that a Windows path is no file name on Linux and a check made on one
 * holds on the other. Somebody who may write inside the root can still swap a folder for a link after the check.
 */
export function confine(root: string, relative: string): string {
  const reason = refusalOf(relative);
  if (reason !== undefined) throw new PathRefusedError(relative, reason);
  const realRoot = realpathSync(root);
  const segments = relative.split('/').filter((segment) => segment !== '' && segment !== '.');
  let current = realRoot;
  for (const [index, segment] of segments.entries()) {
    const next = path.join(current, segment);
    const kind = kindOf(next, relative);
    // Below what does not exist no link can be.
    if (kind === 'missing') return path.join(current, ...segments.slice(index));
    current = kind === 'link' ? followLink(next, realRoot, relative) : next;
  }
  return current;
}

/** The nearest folder at or above `start` that holds an entry of that name, as an absolute path; undefined if none does. */
export function findRoot(start: string, marker = '.git'): string | undefined {
  for (let folder = path.resolve(start); ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, marker))) return folder;
    if (folder === path.dirname(folder)) return undefined;
  }
}

function refusalOf(relative: string): PathRefusal | undefined {
  if (relative === '') return 'empty';
  if (relative.includes('\0')) return 'nul';
  if (relative.startsWith('/') || relative.startsWith('\\')) return 'absolute';
  if (/^[A-Za-z]:/.test(relative)) return 'drive';
  if (/(?:^|[/\\])\.\.(?:[/\\]|$)/.test(relative)) return 'parent';
  return relative.includes('\\') ? 'backslash' : undefined;
}

function kindOf(file: string, relative: string): 'missing' | 'link' | 'other' {
  try {
    return lstatSync(file).isSymbolicLink() ? 'link' : 'other';
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'missing';
    throw new PathRefusedError(relative, code === 'ENOTDIR' ? 'not-a-folder' : 'unreadable', { cause });
  }
}

function followLink(link: string, realRoot: string, relative: string): string {
  let target: string;
  try {
    target = realpathSync(link);
  } catch (cause) {
    // A link to nothing: writing through it would make a file wherever it points.
    throw new PathRefusedError(relative, 'link', { cause });
  }
  const prefix = realRoot.endsWith(path.sep) ? realRoot : realRoot + path.sep;
  if (target !== realRoot && !target.startsWith(prefix)) throw new PathRefusedError(relative, 'link');
  return target;
}
