import { Buffer } from 'node:buffer';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { isLockHeldError } from '../../../../store/lock-errors.ts';
import { openLock } from '../../../../store/lock.ts';
import { makeFolders } from '../../../../store/make-folders.ts';
import { systemErrorCode, systemReason } from '../../../../text/system-error.ts';
import { Refused } from '../refused.ts';
import { cursorOf, type MailboxFolder } from './mailbox-folder.ts';
import { collectMessage, fileMessage, noteOwner } from './mailbox-steps.ts';
import { FILE_COST, Mailboxes } from './mailboxes.ts';
import { CHALLENGE_MS, fits } from './quotas.ts';
import type { AnsweredChallenge, RelayStore } from './store.types.ts';

/** What a disk store needs: its folder (absolute), how many bytes it may hold, and the two sources. */
export type DiskStoreOptions = {
  readonly folder: string;
  /** Of messages and what their files cost beside; 4 GiB when not given. */
  readonly maxBytes?: number;
  readonly now: () => number;
  readonly random: (size: number) => Uint8Array;
};

const DEFAULT_MAX = 4 * 1024 ** 3;
const MAX_CHALLENGES = 100_000;
const CURSOR = /^\d{13}-[0-9a-f]{64}$/;

/**
 * Opens the store of one machine: `<folder>/<mailbox>/<13-digit ms>-<message id>.<sender's tag>.msg`, beside them an empty
 * `.got` file for each collected id, and `opened` when the owner has been there. Throws Refused when the folder cannot be
 * used, or when another relay uses it: what is used and which challenge was answered is known to one process alone.
 */
export async function openDiskStore({ folder, maxBytes = DEFAULT_MAX, now: clock, random }: DiskStoreOptions): Promise<RelayStore> {
  const spoolFolder = path.join(folder, '.incoming');
  const free = await claim(folder);
  const boxes = new Mailboxes(folder);
  try {
    // Of a relay that was killed: nothing in there was ever answered with 201.
    await rm(spoolFolder, { recursive: true, force: true });
    await mkdir(spoolFolder, { mode: 0o700 });
    await boxes.count();
  } catch (error) {
    await free();
    throw refusal(error);
  }
  const isUsed = challengeMemory(clock());

  const makeFolder = async ({ folder: own, messages, collected, openedAt }: MailboxFolder): Promise<void> => {
    if (messages.size > 0 || collected.size > 0 || openedAt !== undefined) return;
    await mkdir(own, { mode: 0o700, recursive: true });
    await boxes.syncs.sync(folder);
  };

  return {
    spoolFolder,
    shared: false,
    isCursor: (text) => CURSOR.test(text),
    put: (mailbox, arrival, sender, now) =>
      boxes.inTurn(mailbox, now, async (box) => {
        if (box.messages.has(arrival.id) || box.collected.has(arrival.id)) return 'known';
        const held = [...box.messages.values()];
        if (!fits(arrival.bytes, held, held.filter((each) => each.sender === sender))) return 'mailbox_full';
        const cost = arrival.bytes + FILE_COST;
        if (boxes.used + cost > maxBytes) return 'relay_full';
        boxes.used += cost;
        try {
          await makeFolder(box);
          await fileMessage(box, arrival, sender, now, { temp: path.join(spoolFolder, Buffer.from(random(12)).toString('hex')), syncs: boxes.syncs });
        } catch (error) {
          boxes.used -= cost;
          throw error;
        }
        return 'stored';
      }),
    list: (mailbox, { after = '', limit }, now) =>
      boxes.inTurn(mailbox, now, async (box) => {
        const rest = [...box.messages.values()].filter((each) => cursorOf(each) > after);
        const messages = rest.slice(0, limit);
        const end = messages.at(-1);
        return { messages: messages.map(({ id, bytes, at }) => ({ id, bytes, at })), next: rest.length > limit && end !== undefined ? cursorOf(end) : null };
      }),
    get: (mailbox, id, now) =>
      boxes.inTurn(mailbox, now, async (box) => {
        const found = box.messages.get(id);
        if (found === undefined) return undefined;
        // Opened in turn: a removal after that does not touch what is being read.
        const handle = await open(path.join(box.folder, found.name), 'r');
        return { bytes: found.bytes, stream: handle.createReadStream() };
      }),
    remove: (mailbox, id, now) =>
      boxes.inTurn(mailbox, now, async (box) => {
        const bytes = await collectMessage(box, id);
        if (bytes !== undefined) boxes.used -= bytes + FILE_COST;
      }),
    markOpened: (mailbox, now) =>
      boxes.inTurn(mailbox, now, async (box) => {
        // Anybody may open mailboxes of keys that they make up: what that leaves behind has its price as well.
        if (box.openedAt === undefined && boxes.used + FILE_COST > maxBytes) return;
        await makeFolder(box);
        if (await noteOwner(box, now)) boxes.used += FILE_COST;
      }),
    useChallenge: async (challenge, now) => isUsed(challenge, now),
    expire: (now) => boxes.expire(now),
    async close() {
      await boxes.close();
      await free();
    },
  };
}

/** Tells the first use of a challenge. Used ones are known since the start only: an older one could be used a second time after a restart. */
function challengeMemory(startedAt: number): (challenge: AnsweredChallenge, now: number) => boolean {
  const used = new Map<string, number>();
  return ({ digest, issuedAt }, now) => {
    for (const [old, until] of used) {
      if (until > now) break;
      used.delete(old);
    }
    if (issuedAt < startedAt || used.has(digest) || used.size >= MAX_CHALLENGES) return false;
    used.set(digest, now + 2 * CHALLENGE_MS);
    return true;
  };
}

/** Takes the folder for this process, making it when it is missing; answers what gives it back. */
async function claim(folder: string): Promise<() => Promise<void>> {
  try {
    makeFolders(folder, 0o700);
    const lock = openLock(path.join(folder, '.lock'));
    let free = (): void => {};
    let held: Promise<void> = Promise.resolve();
    await new Promise<void>((resolve, reject) => {
      held = lock.run(() => new Promise<void>((done) => {
        free = done;
        resolve();
      }), { waitMs: 100 });
      held.catch(reject);
    }).catch((error: unknown) => {
      lock.close();
      throw error;
    });
    return async () => {
      free();
      await held;
      lock.close();
    };
  } catch (error) {
    throw refusal(error);
  }
}

function refusal(error: unknown): unknown {
  if (isLockHeldError(error)) return new Refused('another relay uses this folder; stop it, or give --dir another folder', { cause: error });
  return systemErrorCode(error) === undefined ? error : new Refused(`the folder of the relay cannot be used: ${systemReason(error)}`, { cause: error });
}
