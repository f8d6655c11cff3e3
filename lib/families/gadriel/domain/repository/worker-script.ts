import { ScanPool, type ScanPoolOptions } from '../scan-pool.ts';

/** The script of the workers that scan repositories. */
export const workerScript = new URL('./repository-scan.worker.js', import.meta.url);

/** Workers that scan repositories. */
export type RepositoryPool<Request, Outcome extends object> = ScanPool<Request, Outcome>;

/** A pool of workers for repositories; whoever makes it closes it. */
export function createRepositoryPool<Request, Outcome extends object>(limits: ScanPoolOptions = {}): RepositoryPool<Request, Outcome> {
  return new ScanPool<Request, Outcome>({ ...limits, script: workerScript });
}
