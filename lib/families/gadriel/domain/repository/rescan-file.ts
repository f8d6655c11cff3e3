import path from 'node:path';
import { listFiles } from '../../../../files/list-files.ts';
import type { Finding } from '../finding.types.ts';
import { judge } from '../records/judge.ts';
import type { Surroundings } from '../surroundings.types.ts';
import { ToolFailed } from '../tool-failed.ts';
import { excluder, loadConfig } from './config.ts';
import { scanFiles } from './scan-files.ts';

/**
 * The findings of one file of a repository as a scan of all of it would tell them: with flow from and to the modules
 * around it, waivers and priors applied. `text` stands for what is on disk. Nothing is written.
 * Throws ToolFailed where the file can not be scanned.
 */
export async function rescanFile(
  root: string, file: string, text: string | undefined, surroundings: Pick<Surroundings, 'env' | 'now' | 'log'>, signal?: AbortSignal,
): Promise<readonly Finding[]> {
  const settings = await loadConfig(root);
  const { files } = await listFiles(root, { env: surroundings.env, signal, exclude: excluder(settings.exclude) });
  const known = files.some((each) => each.path === file);
  // A file that no scan looks at may still be asked about by its path.
  const all = known ? files : [...files, { path: file, size: 0, tracked: false }];
  const { scans } = await scanFiles({
    root, files: all, wanted: new Set([file]), settings: settings.scan, texts: text === undefined ? {} : { [file]: text }, signal,
  });
  const scan = scans.find((each) => each.path === file);
  if (scan?.failed !== undefined) throw new ToolFailed(`${path.posix.basename(file)} can not be scanned: ${scan.failed}`);
  return judge(root, scan?.findings ?? [], surroundings);
}
