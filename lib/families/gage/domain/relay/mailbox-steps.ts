import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { FolderSyncs } from './folder-syncs.ts';
import { cursorOf, OPENED, type MailboxFolder } from './mailbox-folder.ts';
import { retention } from './quotas.ts';
import type { Arrival } from './store.types.ts';

/** Pushes of a thousand a day for ten days; beyond, a repeated push is only seen by the reader, who knows it too. */
const MAX_COLLECTED = 10_000;
const DAY_MS = 86_400_000;

/** Puts an arrival into the folder, which exists, durably: synced under `temp`, renamed, the folder synced. */
export async function fileMessage(box: MailboxFolder, { id, bytes, content }: Arrival, sender: string, now: number, { temp, syncs }: { readonly temp: string; readonly syncs: FolderSyncs }): Promise<void> {
  // Later than the last one, so that a cursor never runs past a message that comes in the same millisecond.
  const at = Math.max(now, (last(box.messages.values())?.at ?? -1) + 1);
  const name = `${cursorOf({ id, bytes, at })}.${sender}.msg`;
  const source = 'file' in content ? content.file : temp;
  const handle = await open(source, 'file' in content ? 'r+' : 'wx', 0o600);
  try {
    if (!('file' in content)) await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(source, path.join(box.folder, name));
  await syncs.sync(box.folder);
  box.messages.set(id, { id, name, sender, at, bytes });
}

/** Takes a message out of the folder and leaves the mark of its id; answers its size, undefined where there was none. */
export async function collectMessage(box: MailboxFolder, id: string): Promise<number | undefined> {
  const found = box.messages.get(id);
  if (found === undefined) return undefined;
  await (await open(path.join(box.folder, `${cursorOf(found)}.got`), 'a', 0o600)).close();
  box.collected.set(id, found.at);
  await rm(path.join(box.folder, found.name), { force: true });
  box.messages.delete(id);
  for (const [old, at] of box.collected) {
    if (box.collected.size <= MAX_COLLECTED) break;
    await dropMark(box, old, at);
  }
  return found.bytes;
}

/** Notes that the owner was here at `now`; not more than once a day, as it is for a rule of weeks. Says whether that is new. */
export async function noteOwner(box: MailboxFolder, now: number): Promise<boolean> {
  const before = box.openedAt;
  if (before !== undefined && now - before < DAY_MS) return false;
  const handle = await open(path.join(box.folder, OPENED), 'a', 0o600);
  try {
    await handle.utimes(now / 1_000, now / 1_000);
  } finally {
    await handle.close();
  }
  box.openedAt = now;
  return before === undefined;
}

/** Removes what is older than its time; answers the sizes of the messages that went. */
export async function pruneMailbox(box: MailboxFolder, now: number): Promise<readonly number[]> {
  const keep = box.openedAt === undefined ? retention.unopened : retention.opened;
  const gone: number[] = [];
  for (const { id, name, at, bytes } of box.messages.values()) {
    if (now - at < keep) break;
    await rm(path.join(box.folder, name), { force: true });
    box.messages.delete(id);
    gone.push(bytes);
  }
  for (const [id, at] of box.collected) {
    if (now - at < retention.opened) break;
    await dropMark(box, id, at);
  }
  return gone;
}

/** Whether nothing is left in it that anybody needs: no message, no mark, and no owner seen for a month. */
export function isAbandoned({ messages, collected, openedAt }: MailboxFolder, now: number): boolean {
  return messages.size === 0 && collected.size === 0 && (openedAt === undefined || now - openedAt >= retention.opened);
}

async function dropMark(box: MailboxFolder, id: string, at: number): Promise<void> {
  await rm(path.join(box.folder, `${cursorOf({ id, at, bytes: 0 })}.got`), { force: true });
  box.collected.delete(id);
}

function last<T>(values: Iterable<T>): T | undefined {
  let found: T | undefined;
  for (const each of values) found = each;
  return found;
}
