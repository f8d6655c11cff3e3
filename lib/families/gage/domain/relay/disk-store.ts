import { Buffer } from 'node:buffer';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode, systemReason } from '../../../../text/system-error.ts';
import { claimFolder } from './claim-folder.ts';
import { cursorOf, type MailboxFolder } from './mailbox-folder.ts';
import { createRelayClock } from './relay-clock.ts';
import { collectMessage, dropMessage, fileMessage, makeDurable, noteOwner } from './mailbox-steps.ts';
import { Mailboxes } from './mailboxes.ts';
import { openMessage } from './message-file.ts';
import { CHALLENGE_MS, fits } from './quotas.ts';
import { relayFolderRefusal } from './relay-folder.ts';
import { hasMarks, markCost, messageCost } from './room.ts';
import type { RelayLog, RelayStore } from './store.types.ts';

/** What a disk store needs: its folder (absolute), how many bytes it may hold, and the two sources. */
export type DiskStoreOptions = {
  readonly folder: string;
  /** Of messages and what their files cost beside; 4 GiB when not given. */
  readonly maxBytes?: number;
  readonly random: (size: number) => Uint8Array;
  readonly log?: RelayLog;
  /** Milliseconds that never step, to tell a wrong clock by; without them the clock is believed. */
  readonly uptime?: () => number;
  /** Whether to take the folder from a relay that cannot be seen from here. */
  readonly breakLock?: boolean;
};

const DEFAULT_MAX = 4 * 1024 ** 3;
const MAX_CHALLENGES = 100_000;
const SWEEP_CHALLENGES = 1_000;
const CURSOR = /^\d{13}-[0-9a-f]{64}$/;

/**
 * Opens the store of one machine: `<folder>/<mailbox>/<13-digit ms>-<message id>.<sender's tag>.msg`, beside them
 * `collected` with the ids of those that were, and `opened` when the owner has been there. Throws Refused when the folder cannot be
 * used, or when another relay uses it: what is used and which challenge was answered is known to one process alone.
 */
export async function openDiskStore({ folder, maxBytes = DEFAULT_MAX, random, log = () => {}, uptime, breakLock = false }: DiskStoreOptions): Promise<RelayStore> {
  const spoolFolder = path.join(folder, '.incoming');
  const free = await claimFolder(folder, { breakLock });
  const boxes = new Mailboxes({ folder, maxBytes, log, clock: uptime === undefined ? undefined : createRelayClock({ uptime, log }) });
  try {
    // Of a relay that was killed: nothing in there was ever answered with 201.
    await rm(spoolFolder, { recursive: true, force: true });
    await mkdir(spoolFolder, { mode: 0o700 });
    await boxes.count();
  } catch (error) {
    await free();
    throw relayFolderRefusal(error);
  }
  const isUsed = challengeMemory();

  const makeFolder = async (box: MailboxFolder): Promise<void> => {
    if (box.messages.size > 0 || hasMarks(box)) return;
    await mkdir(box.folder, { mode: 0o700, recursive: true });
    await boxes.syncs.sync(folder);
  };

  return {
    spoolFolder,
    shared: false,
    isCursor: (text) => CURSOR.test(text),
    put: (mailbox, arrival, sender, now) =>
      boxes.inTurn(mailbox, now, async (box, reserve) => {
        if (box.collected.byId.has(arrival.id)) return 'known';
        if (box.messages.has(arrival.id)) {
          if (!box.isSynced) await makeDurable(box, boxes.syncs);
          return 'known';
        }
        const held = [...box.messages.values()];
        if (!fits(arrival.bytes, held, held.filter((each) => each.sender === sender))) return 'mailbox_full';
        const full = reserve(arrival.bytes + messageCost(box), sender);
        if (full !== undefined) return full;
        await makeFolder(box);
        await fileMessage(box, arrival, sender, now, { temp: path.join(spoolFolder, Buffer.from(random(12)).toString('hex')), syncs: boxes.syncs });
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
        const opened = await openMessage(path.join(box.folder, found.name), found, found.checked);
        if ('handle' in opened) {
          found.checked = opened.checked;
          return { bytes: found.bytes, stream: opened.handle.createReadStream({ start: 0 }) };
        }
        // An id that was not collected: its sender may leave the message once more.
        if (opened.problem !== 'unreadable') await dropMessage(box, id);
        log('error', `a message of ${found.bytes} bytes could not be given out: its file is ${opened.problem}`);
        return undefined;
      }),
    remove: (mailbox, id, now) => boxes.inTurn(mailbox, now, (box, reserve) => collectMessage(box, id, now, reserve)),
    async markOpened(mailbox, now) {
      try {
        await boxes.inTurn(mailbox, now, async (box, reserve) => {
          // Anybody may open mailboxes of keys that they make up: what that leaves behind has its price as well.
          if (box.openedAt === undefined && reserve(markCost(box, false)) !== undefined) return;
          await makeFolder(box);
          await noteOwner(box, now);
        });
      } catch (error) {
        // Who comes to empty a full disk must be let in, and who comes to read one that can not be written any more.
        if (systemErrorCode(error) === undefined) throw error;
        log('warning', `an owner could not be noted: ${systemReason(error)}`);
      }
    },
    useChallenge: async (digest, now) => isUsed(digest, now),
    expire: (now, stopping) => boxes.expire(now, stopping),
    async close() {
      await boxes.close();
      await free();
    },
  };
}

/** Tells the first use of a challenge. Used ones are known since the start only, so the server has challenges of its own for each run. */
function challengeMemory(): (digest: string, now: number) => boolean {
  const used = new Map<string, number>();
  let sweepAt = SWEEP_CHALLENGES;
  return (digest, now) => {
    if (used.size >= sweepAt) {
      // All of them, as a clock that went back leaves no order.
      for (const [old, until] of used) if (until <= now) used.delete(old);
      sweepAt = Math.min(MAX_CHALLENGES, Math.max(SWEEP_CHALLENGES, 2 * used.size));
    }
    if (used.has(digest) || used.size >= MAX_CHALLENGES) return false;
    used.set(digest, now + 2 * CHALLENGE_MS);
    return true;
  };
}
