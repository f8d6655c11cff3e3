import { listFiles, reasonOf, type FileList } from '../../../../files/list-files.ts';
import type { Finding } from '../finding.types.ts';
import { findFindings } from '../records/findings-file.ts';
import { judge } from '../records/judge.ts';
import { comparePlace } from '../records/lookup.ts';
import { recordsFolderName } from '../records/record-files.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { isToolFailed, type ToolFailed } from '../tool-failed.ts';
import { cacheKey } from './cache-key.ts';
import { unreadableName } from '../decode-source.ts';
import { isCode } from '../source-path.ts';
import { changedSince } from './changed-since.ts';
import { excluder, loadConfig } from './config.ts';
import { historyTag, scanHistory } from './history.ts';
import { recordScan } from './record-scan.ts';
import { scanFiles, type FilesScan } from './scan-files.ts';
import { isGone, isWithin, scopeOf, type Scope } from './scan-scope.ts';
import { stagedFiles } from './staged-files.ts';

/** What to scan, and how. */
export type RepositoryScanOptions = {
  /** A folder or file of the repository, absolute or relative to the working folder; the whole repository where it is its root. */
  readonly path?: string;
  readonly profile?: 'default' | 'audit' | undefined;
  /** Looks only at files that differ from this revision. */
  readonly since?: string | undefined;
  /** Looks only at what is staged, as it is staged. Nothing is written then. */
  readonly staged?: boolean;
  /** Looks for secrets in all commits too. */
  readonly history?: boolean;
  /** False: findings.json and the cache stay as they are. */
  readonly write?: boolean;
  /** False: the cache is not used. */
  readonly cache?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number, file: string) => void) | undefined;
  /** Hears that findings.json could not be written, and the scan is answered all the same; without it that is thrown. */
  readonly onUnrecorded?: ((error: ToolFailed) => void) | undefined;
};

/**
 * What a scan found. `findings` are those of the files that were asked for, and those elsewhere that a value from or through
 * one of them brings about; waived ones among them, in the order of places.
 */
export type RepositoryScan = {
  readonly root: string;
  readonly findings: readonly Finding[];
  /** Files scanned, and how many of them came out of the cache. */
  readonly files: number;
  readonly cached: number;
  /** Entries that were left out, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /**
   * Files that were not scanned to their end, and why; `failed`: not at all, so that their earlier findings stand; `undecoded`:
   * no text that Python takes, or none that is known here, so that they were searched for secrets alone.
   */
  readonly incomplete: readonly { readonly file: string; readonly reason: string; readonly failed?: true; readonly undecoded?: true }[];
  /** Commits whose changes were searched, where history was asked for. */
  readonly commits?: number;
  /** Open secrets of the history that findings.json holds from earlier, where history was not asked for. */
  readonly historyKept: number;
  /** One file outside of git: nothing was written. */
  readonly alone: boolean;
};

/**
 * Scans a repository, or a part of it: Python with flow across files, secrets, MCP configuration. Writes
 * `.security/findings.json`, in which it replaces the findings of the files that it looked at.
 * Throws ToolFailed where something asked for is not there, or findings.json can not be written.
 */
export async function scanRepository(options: RepositoryScanOptions, surroundings: Surroundings): Promise<RepositoryScan> {
  const { signal } = options;
  const scope = await scopeOf(options.path ?? '.', surroundings.cwd);
  const { root } = scope;
  const config = await loadConfig(root);
  const exclude = excluder(config.exclude);
  const list = await listAll(scope, exclude, surroundings, signal);
  const selection = await select(scope, list, { ...options, exclude }, surroundings);
  const settings = { ...config.scan, profile: options.profile ?? 'default' };
  const isWhole = scope.path === '' && options.since === undefined && options.staged !== true;
  const write = options.write !== false && options.staged !== true && !scope.alone;
  const key = options.cache === false || !write ? undefined : cacheKey(surroundings);
  const earlier = isWhole || !write ? undefined : await findFindings(root);
  const before = isWhole || !write ? undefined : (earlier ?? []);
  const beside = isWhole ? undefined : { before, gone: [...selection.gone, ...goneOf(root, before, selection)] };
  const scan = await scanFiles({
    root, settings, signal, onProgress: options.onProgress, files: selection.files, wanted: selection.wanted, beside, texts: selection.texts, undecoded: selection.undecoded,
    cache: key && { key, others: !isWhole },
  });
  const history = options.history === true ? await scanHistory(root, list.files, settings, surroundings, signal) : undefined;
  const besides = new Set(scan.beside.map((each) => each.path));
  const found = [...scan.scans, ...scan.beside].flatMap((each) => each.findings);
  const findings = await judge(root, [...found, ...(history?.findings ?? [])], surroundings);
  let historyKept = 0;
  if (write) {
    const failed = new Set([...scan.scans, ...scan.beside].filter((each) => each.failed !== undefined).map((each) => each.path));
    const looked = (file: string): boolean => selection.looked(file) || besides.has(file);
    try {
      const all = await recordScan(root, findings, { isWhole, history: history !== undefined, looked, failed }, surroundings);
      if (history === undefined) historyKept = all.filter((finding) => finding.tags.includes(historyTag) && !finding.waived).length;
    } catch (error) {
      if (!isToolFailed(error) || options.onUnrecorded === undefined) throw error;
      options.onUnrecorded(error);
    }
  }
  const { wanted } = selection;
  const known = earlier && new Set(earlier.map((finding) => finding.fingerprint));
  // Elsewhere: what the part brings about, and what was not there before it changed.
  const isAsked = ({ file, trace, tags, fingerprint }: Finding): boolean =>
    !besides.has(file) || tags.includes(historyTag) || trace.some((step) => step.file !== undefined && wanted?.has(step.file) === true)
    || known?.has(fingerprint) === false;
  return {
    root, findings: findings.filter(isAsked).sort(comparePlace), files: scan.scans.filter((each) => each.failed === undefined).length, cached: scan.cached,
    skipped: countSkipped(selection.skipped, scan), incomplete: [...selection.unread.map((each) => ({ ...each, failed: true as const })), ...incompleteOf(scan)].sort((a, b) => (a.file < b.file ? -1 : 1)), ...(history !== undefined && { commits: history.commits }), historyKept,
    alone: scope.alone,
  };
}

/** The files of the repository, without its own records. What is left out is counted where it was asked for. */
async function listAll(scope: Scope, exclude: Selecting['exclude'], { env, log }: Surroundings, signal: AbortSignal | undefined): Promise<FileList> {
  const under = scope.alone ? { under: scope.path } : {};
  const list = await listFiles(scope.root, { env, signal, exclude, counted: scope.path, without: recordsFolderName, ...under });
  if (list.refusal !== undefined) log('warning', `git does not list the files here, so the folder is walked; it says: ${list.refusal}`);
  return list;
}

/** Files of the part that are not there any more, as far as earlier findings know of them. */
const goneOf = (root: string, before: readonly Finding[] = [], { looked }: Selection): string[] =>
  [...new Set(before.map(({ file }) => file))].filter((file) => looked(file) && isGone(root, file));

type Selection = {
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** Undefined: all. */
  readonly wanted: ReadonlySet<string> | undefined;
  readonly texts: Readonly<Record<string, string>>;
  readonly undecoded?: Readonly<Record<string, string>>;
  /** Whether earlier findings of a path are replaced, also where the file is gone. */
  readonly looked: (file: string) => boolean;
  /** Paths that were asked for and are not there any more. */
  readonly gone: readonly string[];
  /** Code that was asked for and can't be read, and how many entries were left out, by reason. */
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
  readonly skipped: Readonly<Record<string, number>>;
};

type Selecting = RepositoryScanOptions & { readonly exclude: (file: string) => boolean };

async function select({ root, path: scope }: Scope, list: FileList, options: Selecting, surroundings: Surroundings): Promise<Selection> {
  const inScope = (file: string): boolean => isWithin(file, scope);
  const wantedOf = (isWanted: (file: string) => boolean): Set<string> => new Set(list.files.map((file) => file.path).filter(isWanted));
  if (options.staged === true) {
    // What the index holds, whatever became of it on the disk.
    const isWanted = (file: string): boolean => inScope(file) && !isWithin(file, recordsFolderName) && reasonOf({ path: file, tracked: true }, options.exclude) === undefined;
    const { texts, undecoded, unread, skipped } = await stagedFiles(root, isWanted, surroundings.env, options.signal);
    const files = [...list.files.filter((file) => !texts.has(file.path)), ...[...texts].map(([file, text]) => ({ path: file, size: text.length }))];
    return { files, wanted: new Set(texts.keys()), texts: Object.fromEntries(texts), undecoded: Object.fromEntries(undecoded), looked: () => false, gone: [], unread, skipped };
  }
  const unreadable = list.unreadableNames.filter((file) => inScope(file) && isCode(file)).map((file) => ({ file, reason: unreadableName }));
  const { skipped } = list;
  if (options.since !== undefined) {
    const { changed, before } = await changedSince(root, options.since, list.files, surroundings.env, options.signal);
    const looked = (file: string): boolean => inScope(file) && changed.has(file);
    const wanted = wantedOf(looked);
    // Whether they differ can not be told; those that the revision has too are left to a whole scan.
    const unread = unreadable.filter(({ file }) => !before.has(file));
    return { files: list.files, wanted, texts: {}, looked, unread, skipped, gone: [...changed].filter((file) => inScope(file) && !wanted.has(file)) };
  }
  const wanted = scope === '' ? undefined : wantedOf(inScope);
  return { files: list.files, wanted, texts: {}, looked: inScope, unread: unreadable, skipped, gone: [...(wanted?.size === 0 ? [scope] : []), ...list.missing.filter(inScope)] };
}

function countSkipped(listed: Readonly<Record<string, number>>, scan: FilesScan): Record<string, number> {
  const counts = new Map<string, number>();
  for (const [reason, count] of [...Object.entries(listed), ...Object.entries(scan.skipped)]) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return Object.fromEntries([...counts].filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const incompleteOf = ({ scans }: FilesScan): RepositoryScan['incomplete'] =>
  scans.flatMap(({ path: file, failed, incomplete, undecoded }): RepositoryScan['incomplete'] => {
    if (failed !== undefined) return [{ file, reason: failed, failed: true }];
    return incomplete === undefined ? [] : [{ file, reason: incomplete, ...(undecoded && { undecoded }) }];
  });
