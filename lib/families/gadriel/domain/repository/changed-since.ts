import { createHash } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { refusalOf, runGit } from '../../../../files/git.ts';
import { maxSourceBytes } from '../decode-source.ts';
import { isCode } from '../source-path.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { ToolFailed } from '../tool-failed.ts';
import { treeOf } from './git-tree.ts';

/** Code that is larger counts as changed. */
const maxComparedBytes = 256 * 1024 * 1024;

/**
 * Paths that differ from a revision, gone ones among them, and those that it has, with the ids of their contents. Contents are compared here: to let git compare them would run
 * the filters that a repository's configuration names. Throws ToolFailed where there is no such revision.
 */
export async function changedSince(
  root: string, revision: string, files: readonly { readonly path: string; readonly size: number }[], env: Surroundings['env'], signal?: AbortSignal,
): Promise<{ readonly changed: ReadonlySet<string>; readonly before: ReadonlyMap<string, string> }> {
  const tree = await treeOf(root, await commitOf(root, revision, env, signal), env, signal);
  const before = new Map([...tree].map(([bytes, id]) => [Buffer.from(bytes, 'latin1').toString('utf8'), id]));
  const changed = new Set(before.keys());
  for (const { path: file, size } of files) {
    signal?.throwIfAborted();
    const old = tree.get(Buffer.from(file).toString('latin1'));
    // What is too large to be scanned is not worth reading, but for code: that it can not be scanned matters only where it was changed.
    const bytes = old === undefined || size > (isCode(file) ? maxComparedBytes : maxSourceBytes) ? undefined : await readFile(path.join(root, file)).catch(() => undefined);
    if (old !== undefined && bytes !== undefined && blobId(bytes, old.length) === old) changed.delete(file);
    else changed.add(file);
  }
  return { changed, before };
}

/** The id of a revision's commit. The word comes from a person, and may look like an option. */
async function commitOf(root: string, revision: string, env: Surroundings['env'], signal?: AbortSignal): Promise<string> {
  const answer = await runGit(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`], { cwd: root, env, signal });
  // A revision that is not there is met with silence.
  const refusal = answer.stderr === '' && answer.code !== -1 ? undefined : refusalOf(answer);
  if (refusal !== undefined) throw new ToolFailed(`--since can not be done, git says: ${refusal}`);
  if (answer.code !== 0) throw new ToolFailed(`there is no revision ${revision.slice(0, 80)} in a git repository here`);
  return answer.stdout.toString('latin1').trim();
}

/** The id that git gives a content: SHA-1, or SHA-256 in repositories that use it. */
function blobId(bytes: Uint8Array, digits: number): string {
  return createHash(digits === 64 ? 'sha256' : 'sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
