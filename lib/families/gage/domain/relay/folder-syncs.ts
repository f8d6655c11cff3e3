import { open, type FileHandle } from 'node:fs/promises';
import { syncFolder } from '../../../../store/atomic-write.ts';

const MAX_OPEN = 64;

/** Makes names in folders durable; the folders used last stay open, since opening one anew costs as much as syncing it. */
export class FolderSyncs {
  readonly #open = new Map<string, FileHandle>();

  /** Makes the entries of a folder durable, where the file system can do that. */
  async sync(folder: string): Promise<void> {
    try {
      await (await this.#handleOf(folder)).sync();
    } catch {
      await this.forget(folder);
      // Says which errors mean that there is nothing to sync, and throws the others.
      await syncFolder(folder);
    }
  }

  /** Closes a folder; to be called before it is removed, as another one may come in its place. */
  async forget(folder: string): Promise<void> {
    const handle = this.#open.get(folder);
    this.#open.delete(folder);
    await handle?.close();
  }

  async close(): Promise<void> {
    for (const folder of [...this.#open.keys()]) await this.forget(folder);
  }

  async #handleOf(folder: string): Promise<FileHandle> {
    const handle = this.#open.get(folder) ?? (await open(folder, 'r'));
    const other = this.#open.get(folder);
    if (other !== undefined && other !== handle) {
      await handle.close();
      return other;
    }
    this.#open.delete(folder);
    this.#open.set(folder, handle);
    const [oldest] = this.#open.keys();
    // Closing waits for what is being done with it.
    if (this.#open.size > MAX_OPEN && oldest !== undefined) await this.forget(oldest);
    return handle;
  }
}
