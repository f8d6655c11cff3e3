import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { refusalOf, runGit } from '../../../../files/git.ts';
import { decodeSource, maxSourceBytes, tooLarge } from '../decode-source.ts';
import { isPython } from '../source-path.ts';
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

/** What a commit would hold: `texts` by path, `unread` Python that is no text or too large, with why, and how many others were left out. */
export type Staged = {
  readonly texts: ReadonlyMap<string, string>;
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
  readonly skipped: Readonly<Record<'binary' | 'large', number>>;
};

/**
 * Files whose staged content differs from the last commit, as far as `isWanted`. In a hook git names the index of the commit
 * that is being made (`git commit -a`, `git commit PATH`) by GIT_INDEX_FILE. Throws ToolFailed outside of a repository.
 */
export async function stagedFiles(root: string, isWanted: (file: string) => boolean, env: Env, signal?: AbortSignal): Promise<Staged> {
  const listed = await runGit(['ls-files', '-s', '-z'], { cwd: root, env, signal, index: await indexOf(root, env, signal) });
  const refusal = refusalOf(listed);
  if (listed.code !== 0) throw new ToolFailed(refusal === undefined ? '--staged needs a git repository' : `--staged can not be done, git says: ${refusal}`);
  const head = await runGit(['rev-parse', '--verify', '--quiet', '--end-of-options', 'HEAD^{commit}'], { cwd: root, env, signal });
  const before = head.code === 0 ? await treeOf(root, head.stdout.toString('latin1').trim(), env, signal) : new Map<string, string>();
  const staged = new Map<string, string>();
  for (const entry of listed.stdout.toString('utf8').split('\0')) {
    // Regular files; of one in conflict every side, of which the last is looked at: git itself refuses to commit it.
    const [, id, file] = /^100\d{3} ([0-9a-f]{40,64}) \d\t([^]+)$/.exec(entry) ?? [];
    if (id !== undefined && file !== undefined && before.get(file) !== id && isWanted(file)) staged.set(file, id);
  }
  const texts = new Map<string, string>();
  const unread: { file: string; reason: string }[] = [];
  const skipped = { binary: 0, large: 0 };
  await readBlobs(root, [...staged].map(([file, id]) => ({ file, id })), env, signal, ({ file }, bytes) => {
    const read = bytes === undefined ? { why: tooLarge, kind: 'large' as const } : textOf(bytes, file);
    if ('text' in read) texts.set(file, read.text);
    else if (isPython(file, '')) unread.push({ file, reason: read.why });
    else skipped[read.kind] += 1;
  });
  return { texts, unread, skipped };
}

/** The index that git names, where it lies in the folder of this repository; undefined for its own one. */
async function indexOf(root: string, env: Env, signal?: AbortSignal): Promise<string | undefined> {
  const given = env['GIT_INDEX_FILE'];
  if (given === undefined || given === '') return undefined;
  const answer = await runGit(['rev-parse', '--absolute-git-dir'], { cwd: root, env, signal });
  try {
    const file = path.join(realpathSync(path.dirname(path.resolve(root, given))), path.basename(given));
    const folder = realpathSync(answer.stdout.toString('utf8').replace(/\n$/, ''));
    return answer.code === 0 && path.dirname(file) === folder ? file : undefined;
  } catch {
    return undefined;
  }
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

function textOf(bytes: Uint8Array, file: string): { readonly text: string } | { readonly why: string; readonly kind: 'binary' } {
  try {
    return { text: decodeSource(bytes, file) };
  } catch (error) {
    if (isToolFailed(error)) return { why: error.message, kind: 'binary' };
    throw error;
  }
}
