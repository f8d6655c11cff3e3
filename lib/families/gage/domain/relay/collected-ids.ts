import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { isDiskFull, isMissing } from '../../../../text/system-error.ts';

/**
 * The ids that were collected from a mailbox, in one file: a file for each would let anybody use up the disk's table of files.
 * `byId` says when each was collected, in that order, and `latest` when the last one was (0 for none); `bytes` is how much of the
 * file is whole lines, those of dropped ids among them.
 */
export type CollectedIds = { readonly file: string; readonly byId: Map<string, number>; latest: number; bytes: number };

/** Digits of a time, a hyphen, an id, a line end. */
const RECORD_BYTES = 13 + 1 + 64 + 1;
const RECORD = /^(\d{13})-([0-9a-f]{64})\n/gm;
/** So many records of dropped ids stay before the file is written anew, and as many as there are good ones. */
const SLACK = 64;

/** Where the shorter file is written that takes the place of `file`; a kill may leave it. */
export const newFileOf = (file: string): string => `${file}.new`;

/**
 * Reads the file; a missing one holds nothing. A damaged line costs its own record alone (the next one too where its
 * end is lost), and what a kill or a full disk left behind the last line end is written over by the next record.
 */
export async function loadCollected(file: string): Promise<CollectedIds> {
  const text = await readFile(file, 'latin1').catch((error: unknown) => {
    if (isMissing(error)) return '';
    throw error;
  });
  const ids: CollectedIds = { file, byId: new Map(), latest: 0, bytes: text.lastIndexOf('\n') + 1 };
  const found = [...text.matchAll(RECORD)].map(([, at, id = '']) => ({ id, at: Number(at) }));
  // In order as they were written; a damaged digit must not keep those behind it from being dropped.
  for (const { id, at } of found.sort((one, other) => one.at - other.at)) note(ids, id, at);
  return ids;
}

/** Adds an id that was collected at `at`. Where the disk is full (false) it is known for as long as the mailbox is in memory; other errors are thrown. */
export async function addCollected(ids: CollectedIds, id: string, at: number): Promise<boolean> {
  // A clock that went back must not put a young one before older ones: they would all be kept until it goes.
  note(ids, id, Math.max(at, ids.latest));
  try {
    await append(ids, Buffer.from(lineOf(id, ids.latest), 'latin1'));
    return true;
  } catch (error) {
    // An empty file says nothing, and takes a place in the table of files.
    if (ids.bytes === 0) await rm(ids.file, { force: true });
    if (isDiskFull(error)) return false;
    throw error;
  }
}

/** Forgets the oldest ids while there are more than `most`, and those that were collected at `oldest` or before. */
export async function dropCollected(ids: CollectedIds, { most, oldest }: { readonly most: number; readonly oldest: number }): Promise<void> {
  const before = ids.byId.size;
  for (const [id, at] of ids.byId) {
    if (at > oldest && ids.byId.size <= most) break;
    ids.byId.delete(id);
  }
  if (ids.byId.size === 0) ids.latest = 0;
  if (ids.byId.size < before && ids.bytes / RECORD_BYTES > 2 * ids.byId.size + (ids.byId.size === 0 ? 0 : SLACK)) await rewrite(ids);
}

/** An id that was dropped and is collected again moves to the end. */
function note(ids: CollectedIds, id: string, at: number): void {
  ids.byId.delete(id);
  ids.byId.set(id, at);
  ids.latest = at;
}

const lineOf = (id: string, at: number): string => `${String(at).padStart(13, '0')}-${id}\n`;

async function append(ids: CollectedIds, record: Buffer): Promise<void> {
  const handle = await open(ids.file, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    // At its place, not at the end: there may lie a part of a record.
    const { bytesWritten } = await handle.write(record, 0, record.length, ids.bytes);
    if (bytesWritten < record.length) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
  } finally {
    await handle.close();
  }
  ids.bytes += record.length;
}

async function rewrite(ids: CollectedIds): Promise<void> {
  if (ids.byId.size === 0) {
    await rm(ids.file, { force: true });
    ids.bytes = 0;
    return;
  }
  const temp = newFileOf(ids.file);
  const text = [...ids.byId].map(([id, at]) => lineOf(id, at)).join('');
  try {
    const handle = await open(temp, 'w', 0o600);
    try {
      await handle.writeFile(text, 'latin1');
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temp, ids.file);
    ids.bytes = text.length;
  } catch (error) {
    await rm(temp, { force: true, recursive: true });
    // The longer file is as good; the next id to go tries again.
    if (!isDiskFull(error)) throw error;
  }
}
