import path from 'node:path';
import { listFiles } from '../../../../files/list-files.ts';
import type { Finding } from '../finding.types.ts';
import { judge } from '../records/judge.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { ToolFailed } from '../tool-failed.ts';
import { excluder, loadConfig } from './config.ts';
import type { BatchOutcome, BatchRequest } from './repository.types.ts';
import { scanFiles } from './scan-files.ts';
import { createRepositoryPool, type RepositoryPool } from './worker-script.ts';

/** Scans one file of a repository again; see `Rescans.rescanFile`. */
export type RescanFile = (
  root: string, file: string, text: string | undefined, surroundings: Pick<Surroundings, 'env' | 'now' | 'log'>, signal?: AbortSignal,
) => Promise<readonly Finding[]>;

/** How long a worker waits for another file: a fix and a campaign scan one after the other, and a start takes a quarter of a second. */
const idleMs = 10_000;

/** Scans of single files of repositories, in a worker that stays for a while; whoever makes it closes it. */
export class Rescans {
  #pool: RepositoryPool<BatchRequest, BatchOutcome> | undefined;
  #running = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;

  /** As the function `rescanFile` does it. */
  readonly rescanFile: RescanFile = async (...request) => {
    clearTimeout(this.#idle);
    const pool = (this.#pool ??= createRepositoryPool<BatchRequest, BatchOutcome>({ maxWorkers: 1 }));
    this.#running += 1;
    try {
      return await rescanIn(pool, ...request);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#idle = setTimeout(() => void this.close(), idleMs).unref();
    }
  };

  /** Ends the worker, and the scans that are not over. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.close();
  }
}

/** Scans one file in a worker that ends with it. */
export const rescanFile: RescanFile = async (...request) => {
  const rescans = new Rescans();
  try {
    return await rescans.rescanFile(...request);
  } finally {
    await rescans.close();
  }
};

/**
 * The findings of one file of a repository as a scan of all of it would tell them: with flow from and to the modules
 * around it, waivers and priors applied. `text` stands for what is on disk. Nothing is written.
 * Throws ToolFailed where the file can not be scanned.
 */
async function rescanIn(pool: RepositoryPool<BatchRequest, BatchOutcome>, ...[root, file, text, surroundings, signal]: Parameters<RescanFile>): Promise<readonly Finding[]> {
  const settings = await loadConfig(root);
  const { files } = await listFiles(root, { env: surroundings.env, signal, exclude: excluder(settings.exclude) });
  const known = files.some((each) => each.path === file);
  // A file that no scan looks at may still be asked about by its path.
  const all = known ? files : [...files, { path: file, size: 0, tracked: false }];
  const { scans } = await scanFiles({
    root, files: all, wanted: new Set([file]), settings: settings.scan, texts: text === undefined ? {} : { [file]: text }, signal, pool,
  });
  const scan = scans.find((each) => each.path === file);
  // What Python does not take must not pass for mended.
  const failed = scan?.failed ?? (scan?.undecoded === true ? scan.incomplete : undefined);
  if (failed !== undefined) throw new ToolFailed(`${path.posix.basename(file)} can not be scanned: ${failed}`);
  return judge(root, scan?.findings ?? [], surroundings);
}
