import type { ScanPoolOptions } from '../scan-pool.ts';
import { isToolFailed, type ToolFailed } from '../tool-failed.ts';
import type { PlannedModule } from './plan-units.ts';
import type { BatchOutcome, BatchRequest, FileScan, PlannedFile, UnitOutcome } from './repository.types.ts';
import { createRepositoryPool, type RepositoryPool } from './worker-script.ts';

/** Work for one worker, in bytes: large enough that messages do not count, small enough that both end together. */
const batchBytes = 250_000;

/** A unit or a file that is to be scanned, and the key of its outcome in the cache. */
export type Work = { readonly bytes: number; readonly modules?: readonly PlannedModule[]; readonly file?: PlannedFile; readonly key: string };

/** Takes an outcome into the cache. */
export type Keep = (work: Work, outcome: UnitOutcome | FileScan) => void;

/** What is the same for all work of a scan. */
type Base = Pick<BatchRequest, 'root' | 'settings' | 'index' | 'texts'>;

/** What a run needs beside its work: who takes the outcomes, and how many files are done already. */
export type Run = {
  readonly limits: ScanPoolOptions | undefined;
  /** Workers of the caller's, which stay open; without them there are some for this run alone. */
  readonly pool: RepositoryPool<BatchRequest, BatchOutcome> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((done: number, total: number, file: string) => void) | undefined;
  accept(outcome: Pick<UnitOutcome, 'files' | 'foreign'>): void;
  readonly keep: Keep | undefined;
  readonly done: number;
};

/** Has work done by workers, the heaviest first. Where a batch takes too much, its parts are tried alone, so that one file can't take others along. */
export async function runWork(base: Base, work: readonly Work[], { accept, keep, signal, limits, pool: given, onProgress, done }: Run): Promise<void> {
  if (work.length === 0) return;
  const pool = given ?? createRepositoryPool<BatchRequest, BatchOutcome>(limits);
  const total = done + work.reduce((sum, { modules }) => sum + (modules?.length ?? 1), 0);
  let finished = done;
  const settle = (batch: readonly Work[], outcome: BatchOutcome): void => {
    const units = batch.filter((each) => each.modules !== undefined);
    const files = batch.filter((each) => each.file !== undefined);
    outcome.units.forEach((unit, index) => {
      accept(unit);
      keep?.(units[index] as Work, unit);
    });
    accept({ files: outcome.files, foreign: [] });
    outcome.files.forEach((file, index) => keep?.(files[index] as Work, file));
    finished += batch.reduce((sum, { modules }) => sum + (modules?.length ?? 1), 0);
    onProgress?.(finished, total, batch.at(-1)?.file?.path ?? batch.at(-1)?.modules?.at(-1)?.path ?? '');
  };
  const runBatch = async (batch: readonly Work[]): Promise<void> => {
    try {
      settle(batch, await pool.run(requestOf(base, batch), signal));
    } catch (error) {
      signal?.throwIfAborted();
      if (!isToolFailed(error)) throw error;
      // Too much time or memory, or a file that can not be scanned at all: the others must not go with it.
      const parts = batch.length > 1 ? batch.map((each) => [each]) : aloneOf(batch[0] as Work);
      if (parts === undefined) settle(batch, failure(batch[0] as Work, error));
      else for (const part of parts) await runBatch(part);
    }
  };
  try {
    await Promise.all(packBatches(work).map(runBatch));
  } finally {
    if (given === undefined) await pool.close();
  }
}

/** The modules of a unit, each as a unit of its own; undefined where it has one alone. */
function aloneOf({ modules = [], key }: Work): Work[][] | undefined {
  return modules.length < 2 ? undefined : modules.map((module) => [{ modules: [module], key: `${key}/${module.path}`, bytes: module.size }]);
}

function failure({ modules, file }: Work, error: ToolFailed): BatchOutcome {
  const failed = ({ path: name, hash }: PlannedFile): FileScan => ({ path: name, hash, findings: [], failed: error.message });
  return { units: modules === undefined ? [] : [{ files: modules.map(failed), foreign: [], opened: [], lookups: [] }], files: file === undefined ? [] : [failed(file)] };
}

function requestOf(base: Base, batch: readonly Work[]): BatchRequest {
  const plain = ({ path: name, hash }: PlannedFile): PlannedFile => ({ path: name, hash });
  return {
    ...base,
    units: batch.flatMap(({ modules }) => (modules === undefined ? [] : [{ modules: modules.map(plain) }])),
    files: batch.flatMap(({ file }) => (file === undefined ? [] : [plain(file)])),
  };
}

/** The heaviest first, so that no worker ends long after the other. */
function packBatches(work: readonly Work[]): Work[][] {
  const batches: Work[][] = [];
  let batch: Work[] = [];
  let bytes = 0;
  for (const each of [...work].sort((a, b) => b.bytes - a.bytes)) {
    batch.push(each);
    bytes += each.bytes + 2_000;
    if (bytes >= batchBytes) {
      batches.push(batch);
      [batch, bytes] = [[], 0];
    }
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}
