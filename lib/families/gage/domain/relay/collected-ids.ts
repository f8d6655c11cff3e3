import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { isDiskFull, isMissing } from '../../../../text/system-error.ts';

/**
 * The ids that were collected from a mailbox, in one file: a file for each would let anybody use up the disk's table of files.
 * `byId` says when each was collected, in the order of collection, whatever the clock said; `bytes` is how much of the file is
 * whole lines, `dropped` whose lines among them are of ids that are known no more, and `unwritten` which ids have no line, for want of room. No time
 * lies before `earliest`.
 */
export type CollectedIds = {
  readonly file: string;
  readonly byId: Map<string, number>;
  readonly dropped: Set<string>;
  readonly unwritten: Set<string>;
  bytes: number;
  earliest: number;
};

/** So many ids of a mailbox are known. A thousand a day for ten days: beyond, a repeated push is only seen by the reader, who knows it too. */
export const MAX_COLLECTED = 10_000;

/** Digits of a time, a hyphen, an id, a line end. */
export const RECORD_BYTES = 13 + 1 + 64 + 1;
const RECORD = /^(\d{13})-([0-9a-f]{64})\n/gm;
/** So many records of dropped ids stay before the file is written anew, and as many as there are good ones. */
const SLACK = 64;

/** Where the shorter file is written that takes the place of `file`; a kill may leave it. */
export const newFileOf = (file: string): string => `${file}.new`;

/**
 * Reads the file, the last MAX_COLLECTED ids of it; a missing one holds nothing. A damaged line costs its own record alone (the next one too where its
 * end is lost), and what a kill or a full disk left behind the last line end is written over by the next record.
 */
export async function loadCollected(file: string): Promise<CollectedIds> {
  const text = await readFile(file, 'latin1').catch((error: unknown) => {
    if (isMissing(error)) return '';
    throw error;
  });
  const ids: CollectedIds = { file, byId: new Map(), dropped: new Set(), unwritten: new Set(), bytes: text.lastIndexOf('\n') + 1, earliest: Infinity };
  for (const [, at, id = ''] of text.matchAll(RECORD)) note(ids, copyOf(id), Number(at));
  // Those that were dropped for newer ones before it was read: the same again.
  dropFirst(ids, MAX_COLLECTED);
  return ids;
}

/** Adds an id that was collected at `at`. Where the disk is full (false) it is known for as long as the mailbox is in memory; other errors are thrown. */
export async function addCollected(ids: CollectedIds, id: string, at: number): Promise<boolean> {
  keepInMemory(ids, id, at);
  try {
    await append(ids, Buffer.from(lineOf(id, at), 'latin1'));
    ids.unwritten.delete(id);
    return true;
  } catch (error) {
    // An empty file says nothing, and takes a place in the table of files.
    if (ids.bytes === 0) await rm(ids.file, { force: true });
    if (isDiskFull(error)) return false;
    throw error;
  }
}

/** Notes an id that was collected, for as long as the mailbox is in memory. */
export function keepInMemory(ids: CollectedIds, id: string, at: number): void {
  note(ids, id, at);
  ids.unwritten.add(id);
}

/** Forgets the oldest ids while there are more than `most`. */
export async function dropOldest(ids: CollectedIds, most: number): Promise<void> {
  if (dropFirst(ids, most)) await shorten(ids);
}

/** Forgets the ids that were collected `keep` milliseconds or longer before `now`; those of a time that has not come yet stay. */
export async function dropExpired(ids: CollectedIds, { now, keep }: { readonly now: number; readonly keep: number }): Promise<void> {
  if (ids.earliest > now - keep) return;
  const before = ids.byId.size;
  ids.earliest = Infinity;
  // All of them: a clock that went back, or a damaged digit, leaves times that are in no order.
  for (const [id, at] of ids.byId) {
    if (at <= now - keep) drop(ids, id);
    else setTime(ids, id, at);
  }
  if (ids.byId.size < before) await shorten(ids);
}

/**
 * Takes the line of an id that was dropped out of the file, before a message of that id is stored: at the next start it would
 * say that the message was collected. Throws where the disk is full.
 */
export async function forgetLine(ids: CollectedIds, id: string): Promise<void> {
  if (!ids.dropped.has(id)) return;
  await rewrite(ids);
  if (ids.dropped.has(id)) throw diskFull();
}

/** A part of a text keeps the whole of it in memory. */
const copyOf = (part: string): string => Buffer.from(part, 'latin1').toString('latin1');

/** An id that was dropped and is collected again moves to the end. */
function note(ids: CollectedIds, id: string, at: number): void {
  ids.byId.delete(id);
  setTime(ids, id, at);
  ids.dropped.delete(id);
}

function setTime(ids: CollectedIds, id: string, at: number): void {
  ids.byId.set(id, at);
  ids.earliest = Math.min(ids.earliest, at);
}

function drop(ids: CollectedIds, id: string): void {
  ids.byId.delete(id);
  if (!ids.unwritten.delete(id)) ids.dropped.add(id);
}

/** Whether there were more than `most`. */
function dropFirst(ids: CollectedIds, most: number): boolean {
  const before = ids.byId.size;
  for (const id of ids.byId.keys()) {
    if (ids.byId.size <= most) break;
    drop(ids, id);
  }
  return ids.byId.size < before;
}

async function shorten(ids: CollectedIds): Promise<void> {
  const written = ids.byId.size - ids.unwritten.size;
  if (ids.bytes / RECORD_BYTES > 2 * written + (written === 0 ? 0 : SLACK)) await rewrite(ids);
}

const diskFull = (): Error => Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });

const lineOf = (id: string, at: number): string => `${String(at).padStart(13, '0')}-${id}\n`;

async function append(ids: CollectedIds, record: Buffer): Promise<void> {
  const handle = await open(ids.file, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    // At its place, not at the end: there may lie a part of a record.
    const { bytesWritten } = await handle.write(record, 0, record.length, ids.bytes);
    if (bytesWritten < record.length) throw diskFull();
  } finally {
    await handle.close();
  }
  ids.bytes += record.length;
}

/** Writes the file anew, with the ids that had lines in it: it never grows. */
async function rewrite(ids: CollectedIds): Promise<void> {
  if (ids.byId.size === ids.unwritten.size) {
    await rm(ids.file, { force: true });
    ids.bytes = 0;
    ids.dropped.clear();
    return;
  }
  const temp = newFileOf(ids.file);
  const text = [...ids.byId].filter(([id]) => !ids.unwritten.has(id)).map(([id, at]) => lineOf(id, at)).join('');
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
    ids.dropped.clear();
  } catch (error) {
    await rm(temp, { force: true, recursive: true });
    // The longer file is as good; the next id to go tries again.
    if (!isDiskFull(error)) throw error;
  }
}
