import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { StoredMessage } from './store.types.ts';

/** A message in its folder: `name` is its file, `sender` the tag of the address that it came from. */
type Filed = StoredMessage & { readonly name: string; readonly sender: string };

/** A mailbox on disk as it is known in memory. */
export type MailboxFolder = {
  readonly folder: string;
  /** By id, oldest first. */
  readonly messages: Map<string, Filed>;
  /** When a collected message had come, by id, oldest first. */
  readonly collected: Map<string, number>;
  /** When its owner was last seen here, in milliseconds; undefined for never. */
  openedAt: number | undefined;
};

const MESSAGE = /^(\d{13})-([0-9a-f]{64})\.([0-9a-f]{16})\.msg$/;
const COLLECTED = /^(\d{13})-([0-9a-f]{64})\.got$/;
/** The file that says when the owner was here. */
export const OPENED = 'opened';

/** The cursor of a message: its time and id, in the order of arrival. */
export const cursorOf = ({ at, id }: StoredMessage): string => `${String(at).padStart(13, '0')}-${id}`;

/** Reads a mailbox's folder; a missing one is an empty mailbox. What is none of ours in it stays and counts for nothing. */
export async function loadMailbox(folder: string): Promise<MailboxFolder> {
  const box: MailboxFolder = { folder, messages: new Map(), collected: new Map(), openedAt: undefined };
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names.sort()) {
    const [, at, id] = COLLECTED.exec(name) ?? [];
    if (at !== undefined && id !== undefined) box.collected.set(id, Number(at));
    else if (name === OPENED) box.openedAt = (await stat(path.join(folder, name))).mtimeMs;
  }
  for (const name of names) {
    const [, at, id, sender] = MESSAGE.exec(name) ?? [];
    if (at === undefined || id === undefined || sender === undefined) continue;
    // A kill between the two steps of a removal: the mark that it was collected is what counts.
    if (box.collected.has(id)) await rm(path.join(folder, name), { force: true });
    else box.messages.set(id, { id, name, sender, at: Number(at), bytes: (await stat(path.join(folder, name))).size });
  }
  return box;
}
