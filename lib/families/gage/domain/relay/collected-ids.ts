import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { isDiskFull, isMissing } from '../../../../text/system-error.ts';

/**
 * The ids that were collected from a mailbox, in one file: a file for each would let anybody use up the disk's table of files.
 * `byId` says when the message had come, oldest first; `bytes` is how much of the file is whole records, dropped ids among them.
 */
export type CollectedIds = { readonly file: string; readonly byId: Map<string, number>; bytes: number };

/** Digits of a time, a hyphen, an id, a line end. */
const RECORD_BYTES = 13 + 1 + 64 + 1;
const RECORD = /^(\d{13})-([0-9a-f]{64})\n$/;
/** So many records of dropped ids stay before the file is written anew, and as many as there are good ones. */
const SLACK = 64;

/** Reads the file; a missing one holds nothing. What a kill or a full disk left at its end is written over by the next record. */
export async function loadCollected(file: string): Promise<CollectedIds> {
  const text = await readFile(file, 'latin1').catch((error: unknown) => {
    if (isMissing(error)) return '';
    throw error;
  });
  const records = Math.floor(text.length / RECORD_BYTES);
  const found: [id: string, at: number][] = [];
  for (let index = 0; index < records; index++) {
    const [, at, id] = RECORD.exec(text.slice(index * RECORD_BYTES, (index + 1) * RECORD_BYTES)) ?? [];
    if (at !== undefined && id !== undefined) found.push([id, Number(at)]);
  }
  return { file, byId: new Map(found.sort(([, one], [, other]) => one - other)), bytes: records * RECORD_BYTES };
}

/** Adds an id. Where the disk is full (false) it is known for as long as the mailbox is in memory; other errors are thrown. */
export async function addCollected(ids: CollectedIds, id: string, at: number): Promise<boolean> {
  ids.byId.set(id, at);
  try {
    await append(ids, Buffer.from(`${String(at).padStart(13, '0')}-${id}\n`, 'latin1'));
    return true;
  } catch (error) {
    // An empty file says nothing, and takes a place in the table of files.
    if (ids.bytes === 0) await rm(ids.file, { force: true });
    if (isDiskFull(error)) return false;
    throw error;
  }
}

/** Forgets the oldest ids while there are more than `most`, and those that came before `oldest`. */
export async function dropCollected(ids: CollectedIds, { most, oldest }: { readonly most: number; readonly oldest: number }): Promise<void> {
  const before = ids.byId.size;
  for (const [id, at] of ids.byId) {
    if (at > oldest && ids.byId.size <= most) break;
    ids.byId.delete(id);
  }
  if (ids.byId.size < before && ids.bytes / RECORD_BYTES > 2 * ids.byId.size + (ids.byId.size === 0 ? 0 : SLACK)) await rewrite(ids);
}

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
  const temp = `${ids.file}.new`;
  const text = [...ids.byId].map(([id, at]) => `${String(at).padStart(13, '0')}-${id}\n`).join('');
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
