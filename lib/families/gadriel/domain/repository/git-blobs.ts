import { Buffer } from 'node:buffer';
import { startGit } from '../../../../files/git.ts';
import { maxSourceBytes } from '../decode-source.ts';
import type { Surroundings } from '../../../../domain/surroundings.types.ts';
import { ToolFailed } from '../tool-failed.ts';

/** Why a content is not given: it is larger than a scan takes, git does not have it (a shallow or partial clone, a broken store), or it is no file. */
export type NoContent = 'large' | 'missing' | 'no file';

/** Streams contents out of git's store, one after another, or says why one is not given. */
export async function readBlobs<T extends { readonly id: string }>(
  root: string, blobs: readonly T[], env: Surroundings['env'], signal: AbortSignal | undefined, take: (blob: T, content: Buffer | NoContent) => void | Promise<void>,
): Promise<void> {
  if (blobs.length === 0) return;
  const child = startGit(['cat-file', '--batch'], { cwd: root, env, signal });
  // Ended early, by the signal or by an error here, its own error says no more.
  child.on('error', () => undefined);
  child.stdin.end(blobs.map(({ id }) => `${id}\n`).join(''));
  const pieces = new Pieces(child.stdout);
  try {
    for (const blob of blobs) {
      const header = await pieces.line();
      if (header === undefined) {
        signal?.throwIfAborted();
        throw new ToolFailed('the contents of commits can not be read: git ended with an error');
      }
      if (header.endsWith(' missing')) {
        await take(blob, 'missing');
        continue;
      }
      const [, type, size] = /^[0-9a-f]{40,64} (blob|tree|commit|tag) (\d{1,15})$/.exec(header) ?? [];
      if (size === undefined) throw new ToolFailed('the contents of commits can not be read: git answered what nobody knows');
      const bytes = await pieces.take(Number(size), maxSourceBytes);
      await pieces.take(1, 1);
      await take(blob, type === 'blob' ? bytes ?? 'large' : 'no file');
    }
  } finally {
    child.kill();
  }
}

/** Lines and counted bytes out of a stream, which waits while nothing is taken. */
class Pieces {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#source = stream[Symbol.asyncIterator]();
  }

  async line(): Promise<string | undefined> {
    for (let end = this.#rest.indexOf(10); ; end = this.#rest.indexOf(10)) {
      if (end >= 0) {
        const line = this.#rest.toString('latin1', 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      if (!(await this.#more())) return undefined;
    }
  }

  /** Undefined where there are more than `most`; they are passed over. */
  async take(size: number, most: number): Promise<Buffer | undefined> {
    const kept: Buffer[] = [];
    for (let missing = size; missing > 0;) {
      if (this.#rest.length === 0 && !(await this.#more())) return undefined;
      const piece = this.#rest.subarray(0, missing);
      if (size <= most) kept.push(piece);
      this.#rest = this.#rest.subarray(piece.length);
      missing -= piece.length;
    }
    return size <= most ? Buffer.concat(kept, size) : undefined;
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done === true) return false;
    this.#rest = this.#rest.length === 0 ? (value as Buffer) : Buffer.concat([this.#rest, value as Buffer]);
    return true;
  }
}
