import { createHash } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { skipReason } from '../../../../secrets/skip.ts';
import { maxSourceBytes, tooLarge } from '../decode-source.ts';
import type { Finding } from '../finding.types.ts';
import type { ScanPoolOptions } from '../scan-pool.ts';
import { isCode, isPython } from '../source-path.ts';
import { digest, openCache, ruleSetDigest, type CachedUnit, type ScanCache } from './cache.ts';
import { mergeForeign } from './merge-foreign.ts';
import { createModuleIndex, importedNames } from './module-index.ts';
import { importersOf, planUnits, type PlannedModule } from './plan-units.ts';
import type { BatchOutcome, BatchRequest, FileScan, ForeignDrafts, PlannedFile, UnitOutcome } from './repository.types.ts';
import { runWork, type Keep, type Work } from './run-work.ts';
import { plainSettings, type ScanSettings } from './settings.types.ts';
import type { RepositoryPool } from './worker-script.ts';

/** What to scan: `files` are all that the repository has, `wanted` those that are looked at (all when not given). */
export type FilesRequest = {
  readonly root: string;
  readonly files: readonly { readonly path: string; readonly size: number }[];
  readonly wanted?: ReadonlySet<string> | undefined;
  /** Given: files beside the wanted ones are looked at too where these change what is found in them. */
  readonly beside?: Beside | undefined;
  readonly settings?: ScanSettings | undefined;
  /** Texts that stand for what is on disk. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Why some of these are no texts that Python takes. */
  readonly undecoded?: Readonly<Record<string, string>> | undefined;
  /** `key`: what seals the cache; `others`: keep what this scan had no use for. */
  readonly cache?: { readonly key: Uint8Array; readonly others: boolean } | undefined;
  /** Limits of one batch; the defaults are those of a scan of one file. */
  readonly limits?: Pick<ScanPoolOptions, 'maxHeapMb' | 'maxScanSeconds'>;
  /** Workers of the caller's, which stay open. */
  readonly pool?: RepositoryPool<BatchRequest, BatchOutcome>;
  readonly signal?: AbortSignal | undefined;
  /** Files done, of how many, and one that was just done. */
  readonly onProgress?: ((done: number, total: number, file: string) => void) | undefined;
};

/** How far a scan of a part looks beside it. */
export type Beside = {
  /** Paths of the part that are not there any more: whoever imports them finds something else now. */
  readonly gone: readonly string[];
  /** What an earlier scan found, of which nothing must stay that is not so any more; undefined where only the new counts. */
  readonly before: readonly Finding[] | undefined;
};

/**
 * What came of the wanted files, in the order of their paths, and of those beside them; `skipped` counts wanted ones that
 * hold nothing to scan.
 */
export type FilesScan = {
  readonly scans: readonly FileScan[];
  readonly beside: readonly FileScan[];
  readonly cached: number;
  readonly skipped: Readonly<Record<'binary' | 'lock' | 'large', number>>;
};

/** Scans files of a repository in worker threads, Python with flow across its imports; unchanged ones come out of the cache. */
export async function scanFiles(request: FilesRequest): Promise<FilesScan> {
  const { root, wanted, texts = {}, settings = plainSettings, signal } = request;
  const skipped = { binary: 0, lock: 0, large: 0 };
  const isWanted = (file: string): boolean => wanted?.has(file) !== false;
  const scans = new Map<string, FileScan>();
  const looked = await lookAtFiles(request, (reason, file) => {
    if (!isWanted(file)) return;
    // Code that nobody looks at is not just left out.
    if (reason === 'large' && isCode(file)) scans.set(file, { path: file, hash: '', findings: [], failed: tooLarge });
    else skipped[reason] += 1;
  });
  const modules = linkModules(looked);
  const settingsText = JSON.stringify(settings);
  const set = request.cache === undefined ? '' : ruleSetDigest(settingsText);
  const cache = request.cache === undefined ? undefined : await openCache(root, set, request.cache.key);
  const state = new Map(modules.map((module) => [module.path, digest(module.hash, ...module.imports)]));

  const foreign: ForeignDrafts[] = [];
  let cached = 0;
  const accept = (outcome: Pick<UnitOutcome, 'files' | 'foreign'>): void => {
    for (const scan of outcome.files) scans.set(scan.path, scan);
    for (const drafts of outcome.foreign) foreign.push(drafts);
  };
  const index = createModuleIndex(modules.map((module) => module.path));
  const isCurrent = ({ opened, lookups }: CachedUnit): boolean =>
    opened.every(([file, was]) => state.get(file) === was)
    && lookups.every(([folder, names]) => names.every(([name, file]) => (index.find(`${folder}/_`, name) ?? '') === file));
  const units = new Set(planUnits(modules));
  const { beside } = request;
  const linked = beside === undefined || beside.gone.length === 0 ? modules : linkModules(looked, beside.gone);
  // What is found in a caller may change with what it calls, though nothing that the finding tells names it.
  const changed = wanted && (beside?.before === undefined ? wanted : importersOf(linked, new Set([...wanted, ...beside.gone])));
  const isTied = ({ trace }: Pick<Finding, 'trace'>): boolean => trace.some(({ file }) => file !== undefined && changed?.has(file) === true);
  const chosen = changed && new Set([...changed, ...(beside?.before ?? []).filter(isTied).map(({ file }) => file)]);
  /** Chooses files in which a value that comes from or through a changed file does harm; whether there are new ones. */
  const chooseMore = (chosen: Set<string>): boolean => {
    const before = chosen.size;
    for (const { path: file, findings } of scans.values()) if (!chosen.has(file) && findings.some(isTied)) chosen.add(file);
    for (const { path: file, drafts } of foreign) if (drafts.some(isTied)) chosen.add(file);
    return chosen.size > before;
  };
  /** What is left to do for the files that are chosen so far: units that hold them, or that call into them. */
  const workOf = (): Work[] => {
    const work: Work[] = [];
    const reached = chosen && importersOf(modules, chosen);
    for (const unit of units) {
      if (reached !== undefined && !unit.some((module) => reached.has(module.path))) continue;
      units.delete(unit);
      const key = digest(set, ...unit.flatMap((module) => [module.path, state.get(module.path) as string]));
      const known = cache?.unit(key, isCurrent);
      if (known !== undefined) {
        accept(known);
        cached += unit.filter((module) => isWanted(module.path)).length;
      } else work.push({ modules: unit, key, bytes: unit.reduce((sum, { size }) => sum + size, 0) });
    }
    return work;
  };
  const work = workOf();
  for (const file of looked) {
    if (file.imports !== undefined || !isWanted(file.path)) continue;
    const key = digest(set, file.path, file.hash);
    const known = cache?.file(key);
    if (known === undefined) work.push({ file, key, bytes: file.size });
    else {
      scans.set(file.path, known);
      cached++;
    }
  }

  const keep = cache === undefined ? undefined : keeper(cache, modules, state);
  const base = { root, settings: settingsText, index: modules.map((module) => module.path).join('\n'), texts, undecoded: request.undecoded };
  const run = { accept, keep, signal, limits: request.limits, pool: request.pool, onProgress: request.onProgress };
  await runWork(base, work, { ...run, done: scans.size });
  while (chosen !== undefined && beside !== undefined && chooseMore(chosen)) {
    await runWork(base, workOf(), { ...run, done: scans.size });
  }
  signal?.throwIfAborted();
  await cache?.save(request.cache?.others === true);
  mergeForeign(scans, foreign, root, texts, settings);
  const all = [...scans.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  const others = chosen === undefined || beside === undefined ? [] : all.filter((scan) => !isWanted(scan.path) && chosen.has(scan.path));
  return { scans: all.filter((scan) => isWanted(scan.path)), beside: others, cached, skipped };
}

type Looked = PlannedFile & { readonly size: number; readonly names?: ReadonlySet<string>; imports?: readonly string[] };

/** Reads what is wanted, and all Python for the sake of its imports: hash and size of each file that can be scanned. */
async function lookAtFiles(
  { root, files, wanted, texts = {}, signal }: FilesRequest, skip: (reason: 'binary' | 'lock' | 'large', file: string) => void,
): Promise<Looked[]> {
  const looked: Looked[] = [];
  const queue = files.filter((file) => wanted?.has(file.path) !== false || isPython(file.path, ''));
  let next = 0;
  const run = async (): Promise<void> => {
    for (let file = queue[next++]; file !== undefined; file = queue[next++]) {
      signal?.throwIfAborted();
      const given = Object.hasOwn(texts, file.path) ? texts[file.path] : undefined;
      const unscanned = skipReason(file.path, '');
      if (unscanned === 'lock' || unscanned === 'binary') skip(unscanned, file.path);
      else if (given === undefined && file.size > maxSourceBytes) skip('large', file.path);
      else {
        // One that is gone or closed since it was listed is told by the scan itself; no cached outcome stands for it.
        const bytes = given === undefined ? await readFile(path.join(root, file.path)).catch(() => undefined) : Buffer.from(given);
        if (bytes === undefined) looked.push({ ...describe(file.path, Buffer.alloc(0)), hash: '' });
        // Python with NUL bytes is searched for secrets, and told.
        else if (isBinary(bytes) && !isPython(file.path, '')) skip('binary', file.path);
        else looked.push(describe(file.path, bytes));
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, run));
  return looked.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function describe(file: string, bytes: Buffer): Looked {
  const entry = { path: file, hash: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
  return isPython(file, '') ? { ...entry, names: importedNames(bytes.toString('latin1')) } : entry;
}

/** NUL bytes near the start, unless a mark says UTF-16. */
const isBinary = (bytes: Buffer): boolean =>
  bytes.subarray(0, 8_192).includes(0) && !(bytes[0] === 0xff && bytes[1] === 0xfe) && !(bytes[0] === 0xfe && bytes[1] === 0xff);

/** Modules with what they import; `gone` are paths that count as if they were there. */
function linkModules(looked: readonly Looked[], gone: readonly string[] = []): PlannedModule[] {
  const modules = looked.filter((file) => file.names !== undefined);
  const index = createModuleIndex([...modules.map((module) => module.path), ...gone]);
  return modules.map((module) => {
    const found = [...(module.names as ReadonlySet<string>)].flatMap((name) => index.find(module.path, name) ?? []);
    const imports = [...new Set(found)].filter((file) => file !== module.path).sort();
    module.imports ??= imports;
    return { path: module.path, hash: module.hash, size: module.size, imports };
  });
}

/** Puts outcomes into the cache, unless a file was changed while the scan ran. */
function keeper(cache: ScanCache, modules: readonly PlannedModule[], state: ReadonlyMap<string, string>): Keep {
  const hashes = new Map(modules.map((module) => [module.path, module.hash]));
  return ({ modules: unit, file, key }, outcome) => {
    if ('path' in outcome) {
      if (outcome.hash === file?.hash && outcome.failed === undefined) cache.keepFile(key, outcome);
      return;
    }
    const asPlanned = outcome.files.every((scan, index) => scan.hash === unit?.[index]?.hash && scan.failed === undefined)
      && outcome.opened.every((module) => module.hash === hashes.get(module.path));
    if (!asPlanned) return;
    const opened = outcome.opened.map(({ path: name }) => [name, state.get(name) as string] as const);
    cache.keepUnit(key, { files: outcome.files, foreign: outcome.foreign, opened, lookups: outcome.lookups });
  };
}
