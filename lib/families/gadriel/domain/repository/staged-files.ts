import { Buffer, isUtf8 } from 'node:buffer';
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { refusalOf, runGit } from '../../../../files/git.ts';
import { decodeSource, tooLarge, unreadableName } from '../decode-source.ts';
import { isCode, isPython } from '../source-path.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { isToolFailed, ToolFailed } from '../tool-failed.ts';
import { readBlobs } from './git-blobs.ts';
import { treeOf } from './git-tree.ts';

/**
 * What a commit would hold: `texts` by path, of which `undecoded` are no text that Python takes, with why; `unread` code of which there
 * is nothing to look at; and how many others were left out.
 */
export type Staged = {
  readonly texts: ReadonlyMap<string, string>;
  readonly undecoded: ReadonlyMap<string, string>;
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
  readonly skipped: Readonly<Record<'binary' | 'large' | 'name', number>>;
};

const whyUnread = { large: tooLarge, missing: 'git does not have its content', 'no file': 'its content is no file for git' } as const;

/**
 * Files whose staged content differs from the last commit, as far as `isWanted`. In a hook git names the index of the commit
 * that is being made (`git commit -a`, `git commit PATH`) by GIT_INDEX_FILE. Throws ToolFailed outside of a repository.
 */
export async function stagedFiles(root: string, isWanted: (file: string) => boolean, env: Surroundings['env'], signal?: AbortSignal): Promise<Staged> {
  const listed = await runGit(['ls-files', '-s', '-z'], { cwd: root, env, signal, index: await indexOf(root, env, signal) });
  const refusal = refusalOf(listed);
  if (listed.code !== 0) throw new ToolFailed(refusal === undefined ? '--staged needs a git repository' : `--staged can not be done, git says: ${refusal}`);
  const head = await runGit(['rev-parse', '--verify', '--quiet', '--end-of-options', 'HEAD^{commit}'], { cwd: root, env, signal });
  const before = head.code === 0 ? await treeOf(root, head.stdout.toString('latin1').trim(), env, signal) : new Map<string, string>();
  const staged = new Map<string, string>();
  const unread: { file: string; reason: string }[] = [];
  const skipped = { binary: 0, large: 0, name: 0 };
  // As bytes: names that are no UTF-8 would be taken for one another.
  for (const entry of listed.stdout.toString('latin1').split('\0')) {
    // Regular files; of one in conflict every side, of which the last is looked at: git itself refuses to commit it.
    const [, id, bytes] = /^100\d{3} ([0-9a-f]{40,64}) \d\t([^]+)$/.exec(entry) ?? [];
    if (id === undefined || bytes === undefined) continue;
    const file = Buffer.from(bytes, 'latin1').toString('utf8');
    if (before.get(bytes) === id || !isWanted(file)) continue;
    if (!isUtf8(Buffer.from(bytes, 'latin1'))) {
      if (isCode(file)) unread.push({ file, reason: unreadableName });
      else skipped.name += 1;
    } else staged.set(file, id);
  }
  const texts = new Map<string, string>();
  const undecoded = new Map<string, string>();
  await readBlobs(root, [...staged].map(([file, id]) => ({ file, id })), env, signal, ({ file }, content) => {
    if (typeof content === 'string') {
      if (isCode(file) || content === 'missing') unread.push({ file, reason: whyUnread[content] });
      else skipped.large += 1;
      return;
    }
    try {
      texts.set(file, decodeSource(content, file));
    } catch (error) {
      if (!isToolFailed(error)) throw error;
      // What Python does not take is searched for secrets, as in every scan.
      if (!isPython(file, content.toString('latin1', 0, 256))) skipped.binary += 1;
      else {
        texts.set(file, content.toString('latin1'));
        undecoded.set(file, error.message);
      }
    }
  });
  return { texts, undecoded, unread, skipped };
}

/** The index that git names for the commit that is being made; undefined where it names none. Throws ToolFailed for one of elsewhere. */
async function indexOf(root: string, env: Surroundings['env'], signal?: AbortSignal): Promise<string | undefined> {
  const given = env['GIT_INDEX_FILE'];
  if (given === undefined || given === '') return undefined;
  const answer = await runGit(['rev-parse', '--absolute-git-dir'], { cwd: root, env, signal });
  // Who asks outside of a repository hears of that.
  if (answer.code !== 0) return undefined;
  try {
    const file = realpathSync(path.resolve(root, given));
    if (path.dirname(file) === realpathSync(answer.stdout.toString('utf8').replace(/\n$/, ''))) return file;
  } catch {
    // It is not there.
  }
  throw new ToolFailed('--staged looks at an index in the folder of the repository alone, and GIT_INDEX_FILE names another file: unset it, or scan without --staged');
}
