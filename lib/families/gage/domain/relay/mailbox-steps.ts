import { open, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { addCollected, dropExpired, dropOldest, forgetLine, keepInMemory, MAX_COLLECTED, RECORD_BYTES } from './collected-ids.ts';
import type { FolderSyncs } from './folder-syncs.ts';
import { systemErrorCode } from '../../../../text/system-error.ts';
import { fileTime, type AgeTime } from './relay-clock.ts';
import { COLLECTED, cursorOf, OPENED, type MailboxFolder } from './mailbox-folder.ts';
import { retention } from './quotas.ts';
import { markCost, type NoRoom } from './room.ts';
import type { Arrival } from './store.types.ts';

/** Takes room for what a step is about to write: a message of a sender, or a mark where none is named. Answers what has none. */
export type Reserve = (bytes: number, sender?: string) => NoRoom | undefined;

const DAY_MS = 86_400_000;

/** Puts an arrival into the folder, which exists, durably: synced under `temp`, renamed, the folder synced. */
export async function fileMessage(box: MailboxFolder, { id, bytes, content }: Arrival, sender: string, now: number, { temp, syncs }: { readonly temp: string; readonly syncs: FolderSyncs }): Promise<void> {
  // Later than the last one, so that a cursor never runs past a message that comes in the same millisecond.
  const at = fileTime(Math.max(now, (last(box.messages.values())?.at ?? -1) + 1));
  const name = `${cursorOf({ id, bytes, at })}.${sender}.msg`;
  const source = 'file' in content ? content.file : temp;
  try {
    await forgetLine(box.collected, id);
    const handle = await open(source, 'file' in content ? 'r+' : 'wx', 0o600);
    try {
      if (!('file' in content)) await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Before it is there: when a later step fails it was still this run that saw it come.
    box.seen.set(id, box.up);
    await rename(source, path.join(box.folder, name));
  } catch (error) {
    // A disk that is full must not stay so for what could not be stored.
    await rm(temp, { force: true });
    throw error;
  }
  await makeDurable(box, syncs);
  box.messages.set(id, { id, name, sender, at, bytes });
}

/** Makes the names in the folder durable, where it is not known that they are: what an earlier step left that failed, or another run, is answered for as well. */
export async function makeDurable(box: MailboxFolder, syncs: FolderSyncs): Promise<void> {
  box.isSynced = false;
  await syncs.sync(box.folder);
  box.isSynced = true;
}

/** Takes a message out of the folder at `now` and keeps its id, also on a full disk; nothing where it is not there. */
export async function collectMessage(box: MailboxFolder, id: string, now: number, reserve: Reserve): Promise<void> {
  const found = box.messages.get(id);
  if (found === undefined) return;
  // Never before it came, whatever the clock says: a file of the same id that came later is another push of it.
  const at = fileTime(Math.max(now, found.at));
  const hasRoom = reserve(RECORD_BYTES + markCost(box, box.collected.bytes > 0)) === undefined;
  const kept = hasRoom && (await addCollected(box.collected, id, at));
  await dropMessage(box, id);
  // Its own room is free now. Where that is not enough the reader alone knows the id, as behind the last of MAX_COLLECTED.
  if (!hasRoom) keepInMemory(box.collected, id, at);
  else if (!kept) await addCollected(box.collected, id, at);
  await dropOldest(box.collected, MAX_COLLECTED);
}

/** Removes a message, which may come again. */
export async function dropMessage(box: MailboxFolder, id: string): Promise<void> {
  const found = box.messages.get(id);
  // Whatever has its name: a folder there would keep the mailbox from ever being swept.
  if (found !== undefined) await rm(path.join(box.folder, found.name), { force: true, recursive: true });
  box.messages.delete(id);
  box.seen.delete(id);
}

/** Notes that the owner was here at `now`; not more than once a day, as it is for a rule of weeks, but where the clock was ahead. */
export async function noteOwner(box: MailboxFolder, now: number): Promise<void> {
  box.seen.set(OPENED, box.up);
  if (box.openedAt !== undefined && Math.abs(now - box.openedAt) < DAY_MS) return;
  const at = fileTime(now) / 1_000;
  const handle = await open(path.join(box.folder, OPENED), 'a', 0o600);
  // There, and counted, whether its time can be set or not.
  box.openedAt = now;
  try {
    await handle.utimes(at, at);
  } finally {
    await handle.close();
  }
}

/**
 * Removes what is older than its time, see relay-clock.ts; answers how many messages went, and the error of a disk that does not let
 * one go: it must keep nobody from the others.
 */
export async function pruneMailbox(box: MailboxFolder, { prune, up }: AgeTime): Promise<{ readonly gone: number; readonly problem?: unknown }> {
  if (prune === -Infinity) return { gone: 0 };
  const keep = box.openedAt === undefined ? retention.unopened : retention.opened;
  let gone = 0;
  let problem: unknown;
  const tryTo = async (step: () => Promise<void>): Promise<boolean> => {
    try {
      await step();
      return true;
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
      problem ??= error;
      return false;
    }
  };
  for (const { id, at } of box.messages.values()) {
    // Of a time that has not come (the clock was ahead, or is behind): from now on it waits by the running time.
    if (at > prune && !box.seen.has(id)) box.seen.set(id, up);
    const since = box.seen.get(id);
    if ((since === undefined ? prune - at : up - since) < keep) continue;
    if (await tryTo(() => dropMessage(box, id))) gone += 1;
  }
  await tryTo(() => dropExpired(box.collected, { now: prune, keep: retention.opened }));
  return { gone, ...(problem !== undefined && { problem }) };
}

/** Removes the folder of a mailbox that is abandoned; one that holds something else stays. */
export async function removeEmpty({ folder }: MailboxFolder): Promise<void> {
  for (const name of [OPENED, COLLECTED]) await rm(path.join(folder, name), { force: true, recursive: true });
  await rmdir(folder).catch((error: unknown) => {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(systemErrorCode(error) ?? '')) throw error;
  });
}

/** Whether nothing is left in it that anybody needs: no message, no collected id, and no owner seen for a month. */
export function isAbandoned({ messages, collected, openedAt, seen }: MailboxFolder, { prune, up }: AgeTime): boolean {
  if (messages.size > 0 || collected.byId.size > 0) return false;
  const since = seen.get(OPENED);
  return openedAt === undefined || (since === undefined ? prune - openedAt : up - since) >= retention.opened;
}

function last<T>(values: Iterable<T>): T | undefined {
  let found: T | undefined;
  for (const each of values) found = each;
  return found;
}
