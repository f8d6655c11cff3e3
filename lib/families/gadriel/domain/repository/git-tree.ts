import { runGit } from '../../../../files/git.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';

/** Blob ids of the regular files of a commit by the bytes of their paths, as Latin-1: names that are no UTF-8 would be taken for one another. */
export async function treeOf(root: string, commit: string, env: Surroundings['env'], signal?: AbortSignal): Promise<Map<string, string>> {
  const { stdout } = await runGit(['ls-tree', '-r', '-z', '--full-tree', commit], { cwd: root, env, signal });
  const tree = new Map<string, string>();
  for (const entry of stdout.toString('latin1').split('\0')) {
    const [, id, file] = /^100\d{3} blob ([0-9a-f]{40,64})\t([^]+)$/.exec(entry) ?? [];
    if (id !== undefined && file !== undefined) tree.set(file, id);
  }
  return tree;
}
