import path from 'node:path';
import { listFiles } from '../../../../files/list-files.ts';
import { recordsFolderName } from '../records/record-files.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';

/** Absolute paths of the folders of a repository that hold files that count, the folders above these, and the root. */
export async function foldersOf(root: string, { env }: Pick<Surroundings, 'env'>, signal: AbortSignal): Promise<readonly string[]> {
  // Its own records change with every scan: watching them would never end.
  const exclude = (file: string): boolean => file.startsWith(`${recordsFolderName}/`);
  const { files } = await listFiles(root, { env, signal, exclude });
  const folders = new Set(['.']);
  for (const file of files) {
    for (let folder = path.posix.dirname(file.path); !folders.has(folder); folder = path.posix.dirname(folder)) folders.add(folder);
  }
  return [...folders].map((folder) => path.join(root, folder));
}
