import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { refusalOf, runGit, startGit } from '../../../../files/git.ts';
import { skipReason } from '../../../../secrets/skip.ts';
import { maxSourceBytes } from '../decode-source.ts';
import type { Finding } from '../finding.types.ts';
import type { ScanPool } from '../scan-pool.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { ToolFailed } from '../tool-failed.ts';
import { readBlobs } from './git-blobs.ts';
import type { BlobOutcome, BlobRequest } from './repository.types.ts';
import type { ScanSettings } from './settings.types.ts';
import { createRepositoryPool } from './worker-script.ts';

/** The tag of findings in git's history; another, `commit:<id>`, tells the first commit that has the secret. */
export const historyTag = 'git-history';

/** Work for one worker, in bytes, and how much may wait for them at a time. */
const batchBytes = 2 * 1024 * 1024;
const maxWaiting = 3;

type Blob = { readonly id: string; readonly path: string; readonly commit: string };

/**
 * Secrets that some commit holds and no file has any more: each once, with the first commit, path and line. Texts are
 * streamed, each content once, so memory grows with the number of contents alone. Throws ToolFailed outside of git.
 */
export async function scanHistory(
  root: string, files: readonly { readonly path: string; readonly size: number }[], settings: ScanSettings, { env, log }: Pick<Surroundings, 'env' | 'log'>, signal?: AbortSignal,
): Promise<{ readonly findings: Finding[]; readonly commits: number }> {
  const { blobs, commits } = await contentsOf(root, env, signal);
  const shallow = await runGit(['rev-parse', '--is-shallow-repository'], { cwd: root, env, signal });
  if (shallow.stdout.toString('latin1').startsWith('true')) log('warning', 'this clone is shallow, so that only its latest commits were searched: git fetch --unshallow brings the others');
  const pool = createRepositoryPool<BlobRequest, BlobOutcome>();
  const search = new Search(pool, JSON.stringify(settings), signal);
  try {
    for (const { path: file, size } of files) {
      const bytes = size > maxSourceBytes || skipReason(file, '') !== undefined ? undefined : await readFile(path.join(root, file)).catch(() => undefined);
      if (bytes !== undefined) await search.add({ id: '', path: file, commit: '' }, bytes);
    }
    let missing = 0;
    await readBlobs(root, blobs, env, signal, async (blob, content) => {
      if (content === 'missing') missing += 1;
      else if (typeof content !== 'string') await search.add(blob, content);
    });
    if (missing > 0) log('warning', `${missing} content(s) of the history are not in this clone and were not searched`);
    return { findings: await search.end(), commits };
  } finally {
    await pool.close();
  }
}

/** The contents that commits brought in, oldest first, each with the commit and path where it first was. */
async function contentsOf(root: string, env: Surroundings['env'], signal?: AbortSignal): Promise<{ readonly blobs: Blob[]; readonly commits: number }> {
  const answer = await runGit(['rev-list', '--all', '--topo-order', '--reverse'], { cwd: root, env, signal });
  const { stdout } = answer;
  const refusal = refusalOf(answer);
  if (answer.code !== 0) throw new ToolFailed(refusal === undefined ? '--history needs a git repository' : `the history can not be read, git says: ${refusal}`);
  const blobs: Blob[] = [];
  const seen = new Set<string>();
  // Plumbing: no configuration makes it run a program, and -z keeps odd names whole.
  const flags = ['--stdin', '--root', '-m', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--diff-filter=AMT'];
  const child = startGit(['diff-tree', ...flags], { cwd: root, env, signal });
  child.on('error', () => undefined);
  child.stdin.end(stdout);
  let commit = '';
  let id: string | undefined;
  for await (const word of words(child.stdout)) {
    if (id !== undefined) {
      if (id !== '' && !seen.has(id) && skipReason(word, '') === undefined) {
        seen.add(id);
        blobs.push({ id, path: word, commit });
      }
      id = undefined;
    } else if (word.startsWith(':')) id = /^:\d{6} 100\d{3} [0-9a-f]{40,64} ([0-9a-f]{40,64}) /.exec(word)?.[1] ?? '';
    else commit = word.trim().split(' ', 1)[0] as string;
  }
  signal?.throwIfAborted();
  const ended: unknown = child.exitCode ?? child.signalCode ?? (await once(child, 'exit'))[0];
  if (ended !== 0) throw new ToolFailed('the history can not be read: git ended with an error');
  return { blobs, commits: stdout.toString('latin1').split('\n').length - 1 };
}

/** What stands between NUL bytes. */
async function* words(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of stream) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      yield rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 1);
    }
  }
}

/** Sends contents to the workers in batches, with a bound on what waits, and puts their answers together in order. */
class Search {
  readonly #pool: ScanPool<BlobRequest, BlobOutcome>;
  readonly #settings: string;
  readonly #signal: AbortSignal | undefined;
  readonly #key = randomBytes(32).toString('hex');
  readonly #answers: Promise<{ readonly blobs: readonly Blob[]; readonly outcome: BlobOutcome }>[] = [];
  #blobs: Blob[] = [];
  #texts: { path: string; bytes: Uint8Array }[] = [];
  #size = 0;

  constructor(pool: ScanPool<BlobRequest, BlobOutcome>, settings: string, signal: AbortSignal | undefined) {
    this.#pool = pool;
    this.#settings = settings;
    this.#signal = signal;
  }

  async add(blob: Blob, bytes: Uint8Array): Promise<void> {
    this.#blobs.push(blob);
    this.#texts.push({ path: blob.path, bytes });
    this.#size += bytes.length + 200;
    if (this.#size >= batchBytes) this.#flush();
    // The oldest answers are waited for, so that no more than a few batches are in memory.
    await this.#answers.at(-maxWaiting);
  }

  async end(): Promise<Finding[]> {
    this.#flush();
    const known = new Set<string>();
    const findings: Finding[] = [];
    for (const answer of this.#answers) {
      const { blobs, outcome } = await answer;
      outcome.blobs.forEach((hits, index) => {
        const { commit } = blobs[index] as Blob;
        for (const { finding, mark } of hits) {
          if (known.has(mark)) continue;
          known.add(mark);
          if (commit !== '') findings.push(inHistory(finding, commit));
        }
      });
    }
    return findings;
  }

  #flush(): void {
    if (this.#blobs.length === 0) return;
    const blobs = this.#blobs;
    const answer = this.#pool.run({ settings: this.#settings, key: this.#key, blobs: this.#texts }, this.#signal).then((outcome) => ({ blobs, outcome }));
    // Awaited later, in order; until then its failure is nobody's surprise.
    answer.catch(() => undefined);
    this.#answers.push(answer);
    [this.#blobs, this.#texts, this.#size] = [[], [], 0];
  }
}

function inHistory(finding: Finding, commit: string): Finding {
  return { ...finding, message: `${finding.message} (in commit ${commit.slice(0, 12)} of the history)`, tags: [...finding.tags, historyTag, `commit:${commit}`] };
}
