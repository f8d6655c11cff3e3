import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { listFiles, type FileList } from '../../../../files/list-files.ts';
import type { Finding } from '../finding.types.ts';
import { updateFindings, writeFindings } from '../records/findings-file.ts';
import { judge } from '../records/judge.ts';
import { repoRootOf } from '../records/repo-root.ts';
import { recordsFolderName } from '../records/record-files.ts';
import type { Surroundings } from '../surroundings.types.ts';
import { isToolFailed } from '../tool-failed.ts';
import { cacheKey } from './cache-key.ts';
import { changedSince, stagedFiles } from './changed-files.ts';
import { excluder, loadConfig, type RepositoryConfig } from './config.ts';
import { historyTag, scanHistory } from './history.ts';
import { scanFiles, type FilesScan } from './scan-files.ts';

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
};

/** What a scan found. `findings` are those of the files that were looked at, waived ones among them, in the order of places. */
export type RepositoryScan = {
  readonly root: string;
  readonly findings: readonly Finding[];
  /** Files scanned, and how many of them came out of the cache. */
  readonly files: number;
  readonly cached: number;
  /** Entries that were left out, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** Files that could not be scanned, or not to their end, and why. */
  readonly incomplete: readonly { readonly file: string; readonly reason: string }[];
  /** Commits whose changes were searched, where history was asked for. */
  readonly commits?: number;
};

/**
 * Scans a repository, or a part of it: Python with flow across files, secrets, MCP configuration. Writes
 * `.security/findings.json`, in which it replaces the findings of the files that it looked at.
 * Throws ToolFailed where something asked for is not there, or findings.json can not be written.
 */
export async function scanRepository(options: RepositoryScanOptions, surroundings: Surroundings): Promise<RepositoryScan> {
  const { signal } = options;
  const given = options.path ?? '.';
  const root = await repoRootOf(given, surroundings.cwd);
  const config = await loadConfig(root);
  const scope = await scopeOf(root, given, surroundings.cwd);
  const list = await listAll(root, config, surroundings, signal);
  const selection = await select(root, scope, list, options, surroundings);
  const settings = { ...config.scan, profile: options.profile ?? 'default' };
  const isWhole = scope === '' && options.since === undefined && options.staged !== true;
  const write = options.write !== false && options.staged !== true;
  const key = options.cache === false || !write ? undefined : cacheKey(surroundings);
  const scan = await scanFiles({
    root, settings, signal, onProgress: options.onProgress, files: selection.files, wanted: selection.wanted, texts: selection.texts,
    cache: key && { key, others: !isWhole },
  });
  const history = options.history === true ? await scanHistory(root, list.files, settings, surroundings, signal) : undefined;
  const findings = await judge(root, [...scan.scans.flatMap((each) => each.findings), ...(history?.findings ?? [])], surroundings);
  if (write) await record(root, findings, { looked: isWhole ? () => true : selection.looked, history: history !== undefined }, surroundings, isWhole);
  return {
    root, findings: findings.sort(comparePlace), files: scan.scans.length, cached: scan.cached, skipped: countSkipped(list.skipped, scan),
    incomplete: incompleteOf(scan), ...(history !== undefined && { commits: history.commits }),
  };
}

/** The files of the repository, without its own records. */
async function listAll(root: string, config: RepositoryConfig, { env }: Surroundings, signal: AbortSignal | undefined): Promise<FileList> {
  const list = await listFiles(root, { env, signal, exclude: excluder(config.exclude) });
  return { ...list, files: list.files.filter((file) => !file.path.startsWith(`${recordsFolderName}/`)) };
}

/** The path of what was asked for below the root, '' for all. */
async function scopeOf(root: string, given: string, cwd: string): Promise<string> {
  const relative = path.relative(root, await realpath(path.resolve(cwd, given)));
  return relative.split(path.sep).join('/');
}

type Selection = {
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** Undefined: all. */
  readonly wanted: ReadonlySet<string> | undefined;
  readonly texts: Readonly<Record<string, string>>;
  /** Whether earlier findings of a path are replaced, also where the file is gone. */
  readonly looked: (file: string) => boolean;
};

async function select(root: string, scope: string, list: FileList, options: RepositoryScanOptions, surroundings: Surroundings): Promise<Selection> {
  const inScope = (file: string): boolean => scope === '' || file === scope || file.startsWith(`${scope}/`);
  const wantedOf = (isWanted: (file: string) => boolean): Set<string> => new Set(list.files.map((file) => file.path).filter(isWanted));
  if (options.staged === true) {
    const staged = await stagedFiles(root, surroundings.env, options.signal);
    const tracked = new Set(list.files.filter((file) => file.tracked).map((file) => file.path));
    const chosen = staged.filter((file) => inScope(file.path) && tracked.has(file.path));
    const texts = Object.fromEntries(chosen.map((file) => [file.path, file.text]));
    return { files: list.files, wanted: new Set(Object.keys(texts)), texts, looked: () => false };
  }
  if (options.since !== undefined) {
    const changed = await changedSince(root, options.since, list.files, surroundings.env, options.signal);
    const looked = (file: string): boolean => inScope(file) && changed.has(file);
    return { files: list.files, wanted: wantedOf(looked), texts: {}, looked };
  }
  return { files: list.files, wanted: scope === '' ? undefined : wantedOf(inScope), texts: {}, looked: inScope };
}

/** Puts findings in the place of earlier ones: what this program finds by itself in files looked at, and in history where that was searched. */
async function record(
  root: string, findings: readonly Finding[], { looked, history }: { looked(file: string): boolean; readonly history: boolean },
  { now, log }: Surroundings, isWhole: boolean,
): Promise<void> {
  const isReplaced = (finding: Finding): boolean => {
    if (finding.source === 'ai' || !['sast', 'secrets', 'config'].includes(finding.scan_type)) return false;
    return finding.tags.includes(historyTag) ? history : looked(finding.file);
  };
  const time = now();
  try {
    await updateFindings(root, time, (before = []) => [...before.filter((finding) => !isReplaced(finding)), ...findings]);
  } catch (error) {
    // A broken file holds nothing that could be kept: a scan of everything makes a new one.
    if (!isWhole || !isToolFailed(error) || !/ is not valid OCSF|is not UTF-8/.test(error.message)) throw error;
    log('warning', `${error.message}; it is replaced`);
    await writeFindings(root, findings, time);
  }
}

function countSkipped(listed: FileList['skipped'], scan: FilesScan): Record<string, number> {
  const found = Object.entries(scan.skipped).filter(([, count]) => count > 0);
  return Object.fromEntries([...Object.entries(listed), ...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const incompleteOf = ({ scans }: FilesScan): RepositoryScan['incomplete'] =>
  scans.flatMap(({ path: file, failed, incomplete }) => (failed ?? incomplete) === undefined ? [] : [{ file, reason: (failed ?? incomplete) as string }]);

const comparePlace = (a: Finding, b: Finding): number =>
  a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || (a.rule_id < b.rule_id ? -1 : a.rule_id > b.rule_id ? 1 : a.column - b.column);

