import { createHash } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { skipReason } from '../../../../secrets/skip.ts';
import { maxSourceBytes } from '../decode-source.ts';
import type { ScanPoolOptions } from '../scan-pool.ts';
import { isPython } from '../source-path.ts';
import { digest, openCache, ruleSetDigest, type ScanCache } from './cache.ts';
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
  readonly settings?: ScanSettings | undefined;
  /** Texts that stand for what is on disk. */
  readonly texts?: Readonly<Record<string, string>>;
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

/** What came of the wanted files, in the order of their paths; `skipped` counts those that hold nothing to scan. */
export type FilesScan = { readonly scans: readonly FileScan[]; readonly cached: number; readonly skipped: Readonly<Record<'binary' | 'lock' | 'large', number>> };

/** Scans files of a repository in worker threads, Python with flow across its imports; unchanged ones come out of the cache. */
export async function scanFiles(request: FilesRequest): Promise<FilesScan> {
  const { root, wanted, texts = {}, settings = plainSettings, signal } = request;
  const skipped = { binary: 0, lock: 0, large: 0 };
  const isWanted = (file: string): boolean => wanted?.has(file) !== false;
  const looked = await lookAtFiles(request, (reason, file) => void (isWanted(file) && skipped[reason]++));
  const modules = linkModules(looked);
  const settingsText = JSON.stringify(settings);
  const set = request.cache === undefined ? '' : ruleSetDigest(settingsText);
  const cache = request.cache === undefined ? undefined : await openCache(root, set, request.cache.key);
  const state = new Map(modules.map((module) => [module.path, digest(module.hash, ...module.imports)]));

  const scans = new Map<string, FileScan>();
  const foreign: ForeignDrafts[] = [];
  let cached = 0;
  const accept = (outcome: Omit<UnitOutcome, 'opened'>): void => {
    for (const scan of outcome.files) scans.set(scan.path, scan);
    foreign.push(...outcome.foreign);
  };
  const work: Work[] = [];
  const reached = wanted === undefined ? undefined : importersOf(modules, wanted);
  for (const unit of planUnits(modules)) {
    if (reached !== undefined && !unit.some((module) => reached.has(module.path))) continue;
    const key = digest(set, ...unit.flatMap((module) => [module.path, state.get(module.path) as string]));
    const known = cache?.unit(key);
    if (known !== undefined && known.opened.every(([file, was]) => state.get(file) === was)) {
      accept(known);
      cached += unit.filter((module) => isWanted(module.path)).length;
    } else work.push({ modules: unit, key, bytes: unit.reduce((sum, { size }) => sum + size, 0) });
  }
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

  const keep = cache === undefined ? undefined : keeper(cache, state);
  const index = modules.map((module) => module.path).join('\n');
  await runWork({ root, settings: settingsText, index, texts }, work, { accept, keep, signal, limits: request.limits, pool: request.pool, onProgress: request.onProgress, done: scans.size });
  signal?.throwIfAborted();
  await cache?.save(request.cache?.others === true);
  mergeForeign(scans, foreign, root, texts);
  const result = [...scans.values()].filter((scan) => isWanted(scan.path)).sort((a, b) => (a.path < b.path ? -1 : 1));
  return { scans: result, cached, skipped };
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
        // One that is gone or closed since it was listed is told by the scan itself.
        const bytes = given === undefined ? await readFile(path.join(root, file.path)).catch(() => Buffer.alloc(0)) : Buffer.from(given);
        if (isBinary(bytes)) skip('binary', file.path);
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

function linkModules(looked: readonly Looked[]): PlannedModule[] {
  const modules = looked.filter((file) => file.names !== undefined);
  const index = createModuleIndex(modules.map((module) => module.path));
  return modules.map((module) => {
    const found = [...(module.names as ReadonlySet<string>)].flatMap((name) => index.find(module.path, name) ?? []);
    const imports = [...new Set(found)].filter((file) => file !== module.path).sort();
    module.imports = imports;
    return { path: module.path, hash: module.hash, size: module.size, imports };
  });
}

/** Puts outcomes into the cache, unless a file was changed while the scan ran. */
function keeper(cache: ScanCache, state: ReadonlyMap<string, string>): Keep {
  return ({ modules, file, key }, outcome) => {
    if ('path' in outcome) {
      if (outcome.hash === file?.hash) cache.keepFile(key, outcome);
    } else if (outcome.files.every((scan, index) => scan.hash === modules?.[index]?.hash && scan.failed === undefined)) {
      const opened = outcome.opened.map(({ path: name }) => [name, state.get(name) ?? ''] as const);
      cache.keepUnit(key, { files: outcome.files, foreign: outcome.foreign, opened });
    }
  };
}
