import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { refusalOf, runGit } from '../../../../files/git.ts';
import { decodeSource, maxSourceBytes } from '../decode-source.ts';
import { isToolFailed, ToolFailed } from '../tool-failed.ts';
import { readBlobs } from './git-blobs.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Paths that differ from a revision, gone ones among them. Contents are compared here: to let git compare them would run
 * the filters that a repository's configuration names. Throws ToolFailed where there is no such revision.
 */
export async function changedSince(
  root: string, revision: string, files: readonly { readonly path: string; readonly size: number }[], env: Env, signal?: AbortSignal,
): Promise<Set<string>> {
  const before = await treeOf(root, await commitOf(root, revision, env, signal), env, signal);
  const changed = new Set(before.keys());
  for (const { path: file, size } of files) {
    signal?.throwIfAborted();
    const old = before.get(file);
    // What is too large to be scanned is not worth reading.
    const bytes = old === undefined || size > maxSourceBytes ? undefined : await readFile(path.join(root, file)).catch(() => undefined);
    if (old !== undefined && bytes !== undefined && blobId(bytes, old.length) === old) changed.delete(file);
    else changed.add(file);
  }
  return changed;
}

/** Files whose staged content differs from the last commit, with that content; what is no text is left out. */
export async function stagedFiles(root: string, env: Env, signal?: AbortSignal): Promise<{ readonly path: string; readonly text: string }[]> {
  const listed = await runGit(['ls-files', '-s', '-z'], { cwd: root, env, signal });
  const refusal = refusalOf(listed);
  if (listed.code !== 0) throw new ToolFailed(refusal === undefined ? '--staged needs a git repository' : `--staged can not be done, git says: ${refusal}`);
  const head = await runGit(['rev-parse', '--verify', '--quiet', '--end-of-options', 'HEAD^{commit}'], { cwd: root, env, signal });
  const before = head.code === 0 ? await treeOf(root, head.stdout.toString('latin1').trim(), env, signal) : new Map<string, string>();
  const staged: { path: string; id: string }[] = [];
  for (const entry of listed.stdout.toString('utf8').split('\0')) {
    // Regular files that are in no conflict.
    const [, id, file] = /^100\d{3} ([0-9a-f]{40,64}) 0\t([^]+)$/.exec(entry) ?? [];
    if (id !== undefined && file !== undefined && before.get(file) !== id) staged.push({ path: file, id });
  }
  const texts: { path: string; text: string }[] = [];
  await readBlobs(root, staged, env, signal, ({ path: file }, bytes) => {
    const text = textOf(bytes, file);
    if (text !== undefined) texts.push({ path: file, text });
  });
  return texts;
}

/** The id of a revision's commit. The word comes from a person, and may look like an option. */
async function commitOf(root: string, revision: string, env: Env, signal?: AbortSignal): Promise<string> {
  const answer = await runGit(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`], { cwd: root, env, signal });
  // A revision that is not there is met with silence.
  const refusal = answer.stderr === '' && answer.code !== -1 ? undefined : refusalOf(answer);
  if (refusal !== undefined) throw new ToolFailed(`--since can not be done, git says: ${refusal}`);
  if (answer.code !== 0) throw new ToolFailed(`there is no revision ${revision.slice(0, 80)} in a git repository here`);
  return answer.stdout.toString('latin1').trim();
}

/** Blob ids of the regular files of a commit by path. */
async function treeOf(root: string, commit: string, env: Env, signal?: AbortSignal): Promise<Map<string, string>> {
  const { stdout } = await runGit(['ls-tree', '-r', '-z', '--full-tree', commit], { cwd: root, env, signal });
  const tree = new Map<string, string>();
  for (const entry of stdout.toString('utf8').split('\0')) {
    const [, id, file] = /^100\d{3} blob ([0-9a-f]{40,64})\t([^]+)$/.exec(entry) ?? [];
    if (id !== undefined && file !== undefined) tree.set(file, id);
  }
  return tree;
}

/** The id that git gives a content: SHA-1, or SHA-256 in repositories that use it. */
function blobId(bytes: Uint8Array, digits: number): string {
  return createHash(digits === 64 ? 'sha256' : 'sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function textOf(bytes: Uint8Array, file: string): string | undefined {
  try {
    return decodeSource(bytes, file);
  } catch (error) {
    if (isToolFailed(error)) return undefined;
    throw error;
  }
}
