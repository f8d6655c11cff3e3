import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { isMissing, systemErrorCode } from '../../../../text/system-error.ts';
import type { StoredMessage } from './store.types.ts';

/** A message's file ready to be read from its beginning with the state it was checked in, or what is wrong with it; `unreadable` may be better another time. */
export type MessageFile = { readonly handle: FileHandle; readonly checked: string } | { readonly problem: 'gone' | 'damaged' | 'unreadable' };

const PART = 256 * 1024;

/**
 * Opens a message and reads it through once: its id is the hash of its bytes, so that bytes of a damaged disk, or of a copy
 * that was cut short, are never given out as the message. It is not read where its state is still `checked`, what an earlier call
 * answered. Errors that say nothing of this file (too many open ones) are thrown.
 */
export async function openMessage(file: string, { id, bytes }: StoredMessage, checked?: string): Promise<MessageFile> {
  let handle: FileHandle | undefined;
  let good = false;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await handle.stat();
    // Of before the reading: what is written meanwhile makes another one.
    const state = stateOf(found);
    good = found.isFile() && found.size === bytes && (state === checked || (await hashOf(handle)) === id);
    return good ? { handle, checked: state } : { problem: 'damaged' };
  } catch (error) {
    if (isMissing(error)) return { problem: 'gone' };
    if (systemErrorCode(error) === 'EIO') return { problem: 'unreadable' };
    throw error;
  } finally {
    if (!good) await handle?.close();
  }
}

/** The time of change of the inode is in it too, as a copy or a restore may set the one of the bytes back. */
const stateOf = ({ mtimeMs, ctimeMs, size, ino }: Stats): string => [mtimeMs, ctimeMs, size, ino].join(' ');

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
