import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isMissing, systemErrorCode } from '../../../../text/system-error.ts';
import { loadCollected, newFileOf, type CollectedIds } from './collected-ids.ts';
import type { Seen } from './relay-clock.ts';
import type { StoredMessage } from './store.types.ts';

/**
 * A message in its folder: `name` is its file, `sender` the tag of the address that it came from, and `checked` the state of the
 * file whose bytes were found to be those of its id (see `openMessage`).
 */
type Filed = StoredMessage & { readonly name: string; readonly sender: string; checked?: string };

/** A mailbox on disk as it is known in memory. */
export type MailboxFolder = {
  readonly folder: string;
  /** By id, oldest first. */
  readonly messages: Map<string, Filed>;
  readonly collected: CollectedIds;
  /** When its owner was last seen here, in milliseconds; undefined for never. */
  openedAt: number | undefined;
  /** Of messages by id, and of the owner under OPENED. */
  readonly seen: Seen;
  /** Whether the names in the folder are known to be durable. */
  isSynced: boolean;
  /** The uptime of the relay at the step that is being done, in milliseconds. */
  up: number;
};

const MESSAGE = /^(\d{13})-([0-9a-f]{64})\.([0-9a-f]{16})\.msg$/;
/** The file of the ids that were collected. */
export const COLLECTED = 'collected';
/** The file that says when the owner was here. */
export const OPENED = 'opened';

/** The cursor of a message: its time and id, in the order of arrival. */
export const cursorOf = ({ at, id }: StoredMessage): string => `${String(at).padStart(13, '0')}-${id}`;

/**
 * Reads a mailbox's folder; a missing one is an empty mailbox. What is none of ours in it stays and counts for nothing. `seen` is what
 * this run knows of it, and loses what is not there any more.
 */
export async function loadMailbox(folder: string, seen: Seen = new Map()): Promise<MailboxFolder> {
  const names: string[] = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  // Of a relay that was killed while it wrote it: it takes room that nothing counts.
  if (names.includes(newFileOf(COLLECTED))) await tryToRemove(path.join(folder, newFileOf(COLLECTED)));
  const collected = await loadCollected(path.join(folder, COLLECTED));
  const box: MailboxFolder = { folder, messages: new Map(), collected, seen, isSynced: false, up: 0, openedAt: names.includes(OPENED) ? (await stat(path.join(folder, OPENED))).mtimeMs : undefined };
  for (const name of names.sort()) {
    const [, at, id, sender] = MESSAGE.exec(name) ?? [];
    if (at === undefined || id === undefined || sender === undefined) continue;
    // A kill between the two steps of a removal: the mark that it was collected is what counts. A message that is younger than the
    // mark came after it, and nothing that came may be lost.
    const collectedAt = collected.byId.get(id);
    if (collectedAt !== undefined && Number(at) <= collectedAt) {
      await tryToRemove(path.join(folder, name));
      continue;
    }
    const bytes = await sizeOf(path.join(folder, name));
    if (bytes !== undefined) box.messages.set(id, { id, name, sender, at: Number(at), bytes });
  }
  for (const key of seen.keys()) if (key === OPENED ? box.openedAt === undefined : !box.messages.has(key)) seen.delete(key);
  return box;
}

/** Whether there is nothing in it. */
export function isEmpty({ messages, collected, openedAt }: MailboxFolder): boolean {
  return messages.size === 0 && collected.byId.size === 0 && openedAt === undefined;
}

/** What is left over may stay on a disk that lets nothing go: it must keep nobody from what waits beside it, and the next reading tries again. */
async function tryToRemove(file: string): Promise<void> {
  await rm(file, { force: true, recursive: true }).catch((error: unknown) => {
    if (systemErrorCode(error) === undefined) throw error;
  });
}

/** Undefined for what went since its folder was read, and for a link to nothing. */
async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
