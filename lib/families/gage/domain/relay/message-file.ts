import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { isMissing, systemErrorCode } from '../../../../text/system-error.ts';
import type { StoredMessage } from './store.types.ts';

/** A message's file ready to be read from its beginning, or what is wrong with it; `unreadable` may be better another time. */
export type MessageFile = { readonly handle: FileHandle } | { readonly problem: 'gone' | 'damaged' | 'unreadable' };

const PART = 256 * 1024;

/**
 * Opens a message and reads it through once: its id is the hash of its bytes, so that bytes of a damaged disk, or of a copy
 * that was cut short, are never given out as the message. Errors that say nothing of this file (too many open ones) are thrown.
 */
export async function openMessage(file: string, { id, bytes }: StoredMessage): Promise<MessageFile> {
  let handle: FileHandle | undefined;
  let good = false;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await handle.stat();
    good = found.isFile() && found.size === bytes && (await hashOf(handle)) === id;
    return good ? { handle } : { problem: 'damaged' };
  } catch (error) {
    if (isMissing(error)) return { problem: 'gone' };
    if (systemErrorCode(error) === 'EIO') return { problem: 'unreadable' };
    throw error;
  } finally {
    if (!good) await handle?.close();
  }
}

async function hashOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const part = Buffer.allocUnsafe(PART);
  for (let position = 0; ; ) {
    // By position, so that the reader of the handle still begins at its beginning.
    const { bytesRead } = await handle.read(part, 0, PART, position);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(part.subarray(0, bytesRead));
    position += bytesRead;
  }
}
